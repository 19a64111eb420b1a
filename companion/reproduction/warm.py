"""Kernels that are forked from a process which has imported what notebooks need.

Where a system cannot fork so, each is a process of its own that imports all itself. In either there
is nothing of this user's profiles of IPython and matplotlib.
"""

import multiprocessing
import os
import sys
from functools import cache
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from unittest.mock import patch

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

from companion._utils.paths import chosen_folders
from companion.reproduction.artefacts import list_papers
from companion.reproduction.codehash import KNOWN_DIGESTS

_FORKS = "forkserver" in multiprocessing.get_all_start_methods()
_CONTEXT = multiprocessing.get_context("forkserver" if _FORKS else "spawn")
_STARTING = Lock()


@cache
def _profiles():
    """A folder in which nobody has left startup files, settings or styles."""
    return TemporaryDirectory(prefix="companion-kernels-")


def _environment():
    return chosen_folders() | {
        "COMPANION_PROGRESS": "0",
        "IPYTHONDIR": _profiles().name,
        "MATPLOTLIBRC": "",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": _profiles().name,
        "PYTHONSTARTUP": "",  # which IPython runs, too
    }


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

    mpl.rcParams.update(mpl.rc_params())  # as this folder and environment have it
    mpl.rcParams["backend"] = environment["MPLBACKEND"]
    if widgets := sys.modules.get("ipywidgets"):  # preloaded, where it is installed
        # nobody is there to see what a slider draws
        widgets.interactive.update = lambda *_: None
    threadpool_limits(1)  # other processes are at work beside it
    options = {
        "IPKernelApp.connection_file": connection_file,
        "IPKernelApp.log_level": "CRITICAL",  # an interrupt at the end is no error
        "IPKernelApp.parent_handle": os.getppid(),
        "HistoryManager.hist_file": ":memory:",
    }
    try:
        launch_new_instance(argv=[f"--{name}={text}" for name, text in options.items()])
    finally:
        sys.stdout = sys.__stdout__  # there is nobody left to show what is flushed
        sys.stderr = sys.__stderr__


class _Kernel(_CONTEXT.Process):
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
            loaded = {paper.module for paper in list_papers().values()} & {*sys.modules}
            first = "companion.reproduction.warm_up"
            _CONTEXT.set_forkserver_preload([first, *sorted(loaded)])
        environment = options["env"] | _environment()
        arguments = options.get("cwd"), environment, KNOWN_DIGESTS
        process = _Kernel(target=_serve, args=(self.parent.connection_file, *arguments))
        main = find_spec(
            "companion.__main__"
        )  # not a script, which the kernel would run again
        with (
            _STARTING,
            patch.object(sys.modules["__main__"], "__spec__", main, create=True),
            patch.dict(os.environ, _environment()),  # of what they are forked from
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
