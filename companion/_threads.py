"""One thread for the linear algebra of small problems, where more would only wait for each other."""

import threading
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

# Layers below a BLAS that has one number of threads for the whole process.
_SHARED = {"pthreads", "unknown"}

_lock = threading.Lock()
_inside = 0
_limits = None


@contextmanager
def one_thread():
    """Context in which BLAS uses one thread.

    Where the number belongs to the process, the first thread to enter sets it, and the last to
    leave gives back what there was, in whatever order they come and go.
    """
    shared, own = _libraries()
    _enter(shared)
    try:
        with own.limit(limits=1):
            yield
    finally:
        _leave()


@cache
def _libraries():
    """Those whose number of threads belongs to the process, and to the thread that sets it."""
    blas = ThreadpoolController().select(user_api="blas")
    paths = {True: [], False: []}
    for library in blas.lib_controllers:
        paths[getattr(library, "threading_layer", None) in _SHARED].append(library.filepath)
    return blas.select(filepath=paths[True]), blas.select(filepath=paths[False])


def _enter(libraries):
    global _inside, _limits
    with _lock:
        if _inside == 0:
            _limits = libraries.limit(limits=1)
            # threadpoolctl obeys the thread that has set a limit until it leaves such a context;
            # another may be the last to leave ours.
            with libraries.limit(limits=1):
                pass
        _inside += 1


def _leave():
    global _inside
    with _lock:
        _inside -= 1
        if _inside == 0:
            with _limits:  # at whose end the numbers are those before it was made
                pass
