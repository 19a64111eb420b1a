"""One thread for the linear algebra of small problems, where more would only wait for each other."""

import threading
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limits = None


@cache
def _controller():
    return ThreadpoolController()


@contextmanager
def one_thread():
    """Context in which BLAS uses one thread; libraries are looked up once.

    The number of threads belongs to the process: the first of its threads to enter takes them, and
    the last to leave gives them back.
    """
    global _inside, _limits
    with _lock:
        if _inside == 0:
            # An OpenMP has a number of its own for every thread, and is not used here.
            _limits = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limits.restore_original_limits()
