"""One thread for the linear algebra of small matrices."""

from functools import cache

import scipy.linalg  # noqa: F401  (brings a BLAS of its own; a library loaded later is not limited)
from threadpoolctl import ThreadpoolController


@cache
def _controller():
    return ThreadpoolController()


def one_thread():
    """Context in which BLAS and OpenMP use one thread; libraries are looked up once."""
    return _controller().limit(limits=1)
