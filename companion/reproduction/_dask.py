"""joblib's Dask backend, with an end to the run when its cluster is lost."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from contextlib import ExitStack, contextmanager, suppress

from companion.reproduction._messages import first_sentence, last_line
from companion.reproduction.errors import ClusterError

__all__ = ["DeadWorker", "NoWorker", "UnfitWorker", "check", "dask_backend"]

# Seconds in which a scheduler must answer, and in which a cluster without any worker must get one:
# a nanny needs some to start a worker that died again.
CONNECT = 5
WORKERLESS = 30


class DeadWorker(RuntimeError):
    """A task that a Dask cluster gave up, since too many workers died of it."""


class UnfitWorker(RuntimeError):
    """A task that a worker could not even begin."""


class NoWorker(RuntimeError):
    """A cluster without workers, or without its scheduler."""


def _import_dask():
    """The class of joblib's Dask backend; the one place that says what is needed for it."""
    try:
        import distributed  # noqa: F401
        from joblib._dask import DaskDistributedBackend
    except ImportError as error:
        raise ValueError(
            "The backend 'dask' needs the packages dask and distributed. "
            "Install them (pip install 'svm-companion[distributed]'), or use the backend 'loky'."
        ) from error
    return DaskDistributedBackend


def check(scheduler: str | None) -> None:
    """Import what is needed, and ask a scheduler that is named whether it is there."""
    _import_dask()
    if scheduler is not None:
        with _client(scheduler):
            pass


@contextmanager
def _client(scheduler):
    """A client of a scheduler that answers; what it logs is told by our own errors."""
    import dask
    from distributed import Client
    from distributed.utils import silence_logging_cmgr

    configured = dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
    with silence_logging_cmgr(logging.CRITICAL):
        try:
            client = Client(scheduler, timeout=min(configured, CONNECT), set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"The Dask scheduler {scheduler} cannot be reached ({last_line(error)}). Nothing "
                "was computed; check the address, or leave it out for a cluster of this machine."
            ) from error
        with client:
            yield client


def _watched(backend: type) -> type:
    """joblib's Dask backend, which would wait for ever for a cluster that gives up or is gone."""

    class Backend(backend):
        def effective_n_jobs(self, n_jobs):
            # With one job joblib would compute in this process and leave the only worker alone.
            return max(2, super().effective_n_jobs(n_jobs))

        def submit(self, func, callback=None):
            def take(result):
                # What joblib hands over of a task that was cancelled, with the scheduler lost.
                lost = isinstance(result, BaseException)
                callback(NoWorker(first_sentence(result)) if lost else result)

            def report(done):
                from distributed import KilledWorker

                error = done.exception()
                if error is not None:
                    kind = DeadWorker if isinstance(error, KilledWorker) else UnfitWorker
                    callback(kind(first_sentence(error)))

            future = super().submit(func, take)
            future.add_done_callback(report)
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
                    for callback in list(self._callbacks.values()):
                        callback(NoWorker(f"no worker for {WORKERLESS} seconds"))
                await asyncio.sleep(0.5)

    return Backend


@contextmanager
def dask_backend(jobs: int, scheduler: str | None):
    """joblib's Dask backend on a running scheduler, or on a cluster of this machine's own."""
    backend = _watched(_import_dask())
    with ExitStack() as stack:
        own = scheduler is None
        if own:
            from distributed import LocalCluster
            from joblib import cpu_count

            scheduler = stack.enter_context(
                LocalCluster(
                    n_workers=cpu_count() if jobs == -1 else jobs,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
            )
        client = stack.enter_context(_client(scheduler))
        if own:
            client.run(_ignore_interrupts)
        try:
            client.wait_for_workers(1, timeout=WORKERLESS)
        except TimeoutError as error:
            raise ClusterError(
                f"The Dask scheduler {scheduler} has no worker after {WORKERLESS} seconds. "
                "Nothing was computed; start workers (dask worker ADDRESS), and run again."
            ) from error
        yield backend(client=client)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to every process, to the parent: it stops the workers.

    Runs in a worker's main thread; without it the workers answer with tracebacks of their own.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
