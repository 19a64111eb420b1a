"""Threads: one for the linear algebra of small problems, and one more where Ctrl-C would wait."""

import threading
from concurrent.futures import Future, wait
from contextlib import contextmanager, nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController

# Layers below a BLAS that has one number of threads for the whole process.
_SHARED = {"pthreads", "unknown"}

# Operations that take some tenths of a second, and how often a waiting thread looks for signals.
_LONG = 5e9
_LOOK_SECONDS = 0.2

_lock = threading.Lock()
_inside = 0
_limits = None

# How often this thread is inside.
_here = threading.local()


@contextmanager
def one_thread():
    """Context in which BLAS uses one thread.

    Where the number belongs to the process, the first thread to enter sets it, and the last to
    leave gives back what there was, in whatever order they come and go.
    """
    shared, per_thread = _libraries()
    _enter(shared)
    _here.depth = getattr(_here, "depth", 0) + 1
    try:
        with per_thread.limit(limits=1):
            yield
    finally:
        _here.depth -= 1
        _leave()


@cache
def _libraries():
    """Those whose number of threads belongs to the process, and to the thread that sets it."""
    blas = ThreadpoolController().select(user_api="blas")
    paths = {True: [], False: []}
    for library in blas.lib_controllers:
        paths[getattr(library, "threading_layer", None) in _SHARED].append(
            library.filepath
        )
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


def interruptible(work, function, *args, stop):
    """What a compiled function returns; Ctrl-C ends it although it computes for long.

    Python looks for signals between two calls only. So a call of so much work, in operations, runs
    in a thread of its own, as it lets others run, while the main thread waits. After Ctrl-C the
    array ``stop`` is set to one, the function sees it and returns, and no thread is left.
    """
    if work < _LONG or threading.current_thread() is not threading.main_thread():
        return function(*args)
    limits = one_thread if getattr(_here, "depth", 0) else nullcontext
    call = Future()

    def run():
        try:
            with limits():
                call.set_result(function(*args))
        except BaseException as error:
            call.set_exception(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        while not call.done():
            # Windows does not end a wait without a limit.
            wait([call], timeout=_LOOK_SECONDS)
    except BaseException:
        stop[:] = 1
        thread.join()
        raise
    return call.result()
