"""Kernels that are forked from a process which has imported what notebooks need.

Where a system cannot fork so, each is a process of its own that imports all itself.
"""

import multiprocessing
import os
import sys
from importlib.util import find_spec
from threading import Lock, Thread
from unittest.mock import patch

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

from companion._utils.paths import chosen_folders
from companion.reproduction.artefacts import list_papers
from companion.reproduction.codehash import KNOWN_DIGESTS

_FORKS = "forkserver" in multiprocessing.get_all_start_methods()
_CONTEXT = multiprocessing.get_context("forkserver" if _FORKS else "spawn")
_PRELOADED = (
    "companion.reproduction.warm_up",
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.extensions.storemagic",
    "matplotlib_inline.backend_inline",
    "ipywidgets",
    "matplotlib.pyplot",
    "sklearn.svm",
    "companion.reproduction.regenerate",
    "companion.reproduction.display",
    "companion.papers.across.overview",
)
_ENVIRONMENT = {
    "COMPANION_PROGRESS": "0",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}
_STARTING = Lock()


def _end_with_parent():
    multiprocessing.parent_process().join()  # the one it was forked from lives as long as it does
    os._exit(1)


def _serve(connection_file, folder, environment, digests):
    """Be a kernel, which ends with the process that asked for it, even if that was killed."""
    KNOWN_DIGESTS.update(digests)
    Thread(target=_end_with_parent, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    if folder:
        os.chdir(folder)
    if _FORKS:
        os.setsid()  # Ctrl-C is for who started us
    import matplotlib as mpl
    from ipykernel.kernelapp import launch_new_instance
    from threadpoolctl import threadpool_limits

    options = {
        "connection_file": connection_file,
        "log_level": "CRITICAL",  # an interrupt at the end of a notebook is no error
        "parent_handle": os.getppid(),
    }
    mpl.rcParams["backend"] = environment[
        "MPLBACKEND"
    ]  # at which it has looked already
    if widgets := sys.modules.get("ipywidgets"):  # preloaded, where it is installed
        widgets.interactive.update = (
            lambda *_: None
        )  # nobody is there to see what a slider draws
    threadpool_limits(1)  # other processes are at work beside it
    launch_new_instance(
        argv=[f"--IPKernelApp.{name}={text}" for name, text in options.items()]
    )


class _Kernel(_CONTEXT.Process):  # type: ignore[name-defined]
    """A process with what Jupyter asks of a :class:`subprocess.Popen`."""

    stdin = stdout = stderr = None

    def poll(self):
        return self.exitcode

    def wait(self):
        self.join()
        return self.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)


class WarmProvisioner(LocalProvisioner):
    """Jupyter's provisioner of kernels on this machine, which are forked instead of started."""

    async def launch_kernel(self, cmd, **options):
        if _FORKS:
            papers = {paper.module for paper in list_papers().values()}
            _CONTEXT.set_forkserver_preload(
                [*_PRELOADED, *sorted(papers & sys.modules.keys())]
            )
        environment = options["env"] | chosen_folders() | _ENVIRONMENT
        arguments = options.get("cwd"), environment, KNOWN_DIGESTS
        process = _Kernel(target=_serve, args=(self.parent.connection_file, *arguments))
        main = find_spec(
            "companion.__main__"
        )  # not a script, which the kernel would run again
        with (
            _STARTING,
            patch.object(sys.modules["__main__"], "__spec__", main, create=True),
        ):
            process.start()
        self.process = process
        self.pid = process.pid
        return self.connection_info


class WarmKernelManager(AsyncKernelManager):
    """Jupyter's manager of kernels, of those that are forked."""

    def __init__(self, **options):
        super().__init__(**options)
        self.provisioner = WarmProvisioner(parent=self, kernel_spec=self.kernel_spec)


def stop_kernels():
    """Kill the kernels that run, so that nobody waits for their cells."""
    for process in multiprocessing.active_children():
        if isinstance(process, _Kernel):
            process.kill()
