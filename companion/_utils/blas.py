"""Products of the linear algebra library that SciPy offers for contiguous matrices alone."""

import ctypes
from functools import cache

import numpy as np
from numba.extending import get_cython_function_address

_UPPER = b"U"


@cache
def _symv():
    """The routine dsymv, of pointers to its ten arguments."""
    address = get_cython_function_address("scipy.linalg.cython_blas", "dsymv")
    pointers = [ctypes.c_void_p] * 10
    return ctypes.CFUNCTYPE(None, *pointers)(address)


def symmetric_product(A, x):
    """A x of a symmetric matrix, of which one half is read; A may be a block of another one."""
    n, stride, step = (ctypes.c_int(k) for k in (len(A), A.strides[0] // A.itemsize, 1))
    one = ctypes.c_double(1.0)
    zero = ctypes.c_double(0.0)
    x = np.ascontiguousarray(x, dtype=np.float64)
    out = np.zeros(len(A))
    numbers = n, one, stride, step, zero
    n, one, stride, step, zero = map(ctypes.addressof, numbers)
    matrix, vector, result = (array.ctypes.data for array in (A, x, out))
    _symv()(_UPPER, n, one, matrix, stride, vector, step, zero, result, step)
    return out
