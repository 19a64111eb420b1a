"""joblib's Dask backend, with an end to the run when its cluster is lost."""

import asyncio
import logging
import time
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

import dask
from distributed import Client, LocalCluster
from distributed.utils import silence_logging_cmgr
from joblib import effective_n_jobs
from joblib._dask import DaskDistributedBackend

from companion.reproduction.errors import ClusterError

# Seconds in which a scheduler must answer, and in which a cluster without any worker must get one:
# a nanny needs some to start a worker that died again.
CONNECT = 5
WORKERLESS = 30


@contextmanager
def client_of(scheduler: str | LocalCluster):
    """A client of a scheduler that answers; our own errors replace its log."""
    with silence_logging_cmgr(logging.CRITICAL):
        try:
            client = Client(scheduler, timeout=CONNECT, set_as_default=False)
        # An assertion of distributed failed here once, on a busy machine; why is not known.
        except (OSError, ValueError, AssertionError) as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise ClusterError(
                f"The Dask scheduler {scheduler} cannot be reached ({reason}). Nothing was "
                "computed; check DASK_SCHEDULER_ADDRESS, or unset it for a cluster of this machine."
            ) from error
        with client:
            yield client


@contextmanager
def dask_backend(jobs: int):
    """joblib's backend on the scheduler that Dask is configured for, or on a cluster of our own."""
    scheduler = dask.config.get("scheduler-address", None)
    cluster_context: AbstractContextManager = nullcontext(scheduler)
    if scheduler is None:
        size = {"n_workers": effective_n_jobs(jobs), "threads_per_worker": 1}
        quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
        cluster_context = LocalCluster(**size, **quiet)
    with cluster_context as cluster, client_of(cluster) as client:
        yield _Backend(client=client, wait_for_workers_timeout=0)


class _Backend(DaskDistributedBackend):
    """joblib's, which would wait for ever for a cluster that gives up or is gone."""

    def effective_n_jobs(self, n_jobs):
        # With one job joblib would compute in this process and leave the only worker alone.
        return max(2, super().effective_n_jobs(n_jobs))

    def submit(self, func, callback=None):
        future = super().submit(func, callback)
        future.add_done_callback(
            lambda done: done.exception() and callback(done.exception())
        )
        return future

    def start_call(self):
        super().start_call()
        self.client.loop.add_callback(self._watch)

    async def _watch(self):
        """End the run when the cluster has been without a worker for too long."""
        seen = time.monotonic()
        while self._continue:
            with suppress(OSError):
                if await asyncio.wait_for(self.client.scheduler.ncores(), CONNECT):
                    seen = time.monotonic()
            if time.monotonic() - seen > WORKERLESS:
                lost = TimeoutError(f"no worker for {WORKERLESS} seconds")
                for callback in list(self._callbacks.values()):
                    callback(lost)
            await asyncio.sleep(0.5)
