"""Routines of SciPy's BLAS and LAPACK, called so that other threads run and Ctrl-C is answered.

SciPy's own wrappers let no other thread run while they compute. Of small matrices they are used all
the same, as a call of them costs less. Matrices are in Fortran order, and of symmetric ones the
lower half is read.
"""

import ctypes
from functools import cache, partial

import numpy as np
from numba.extending import get_cython_function_address
from scipy import linalg
from scipy.linalg import blas, lapack

from companion._utils.threads import interruptible

_BLAS = {"dsymv", "dsyrk", "dtrsm"}

# Matrices with fewer rows are small: their factorisation takes some tenths of a second.
_MANY_ROWS = 1500


@cache
def _routine(name, n_arguments):
    """A routine of pointers to its arguments."""
    library = "cython_blas" if name in _BLAS else "cython_lapack"
    address = get_cython_function_address(f"scipy.linalg.{library}", name)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(address)


def _call(name, *arguments):
    """Call a routine; what it says comes back in arguments that are arrays or ctypes numbers."""
    _routine(name, len(arguments))(*map(_pointer, arguments))


def _pointer(argument):
    if isinstance(argument, np.ndarray):
        return argument.ctypes.data
    if isinstance(argument, bytes):
        return argument
    if isinstance(argument, int):
        argument = ctypes.c_int(argument)
    elif isinstance(argument, float):
        argument = ctypes.c_double(argument)
    return ctypes.byref(argument)


def symmetric_product(A, x):
    """A x of a symmetric matrix in C order; A may be a block of another one."""
    stride = A.strides[0] // A.itemsize
    x = np.ascontiguousarray(x, dtype=np.float64)
    out = np.zeros(len(A))
    _call("dsymv", b"U", len(A), 1.0, A, stride, x, 1, 0.0, out, 1)
    return out


def cholesky(A, half=b"L"):
    """Make a half of A, lower or upper, its Cholesky factor; whether it is positive definite."""
    n = len(A)
    if n < _MANY_ROWS:
        lower = half == b"L"
        return lapack.dpotrf(A, lower=lower, clean=0, overwrite_a=1)[1] == 0
    info = ctypes.c_int()
    interruptible(n**3 / 3, _call, "dpotrf", half, n, A, n, info)
    return info.value == 0


def cholesky_solve(factor, right, half=b"L"):
    """A^-1 right by a half of A's Cholesky factor, of one column or several."""
    n = len(factor)
    if n < _MANY_ROWS:
        return lapack.dpotrs(factor, right, lower=half == b"L")[0]
    out = np.array(right, order="F", dtype=np.float64)
    n_columns = out.size // n
    parts = factor, n, out, n, ctypes.c_int()
    interruptible(2.0 * n * out.size, _call, "dpotrs", half, n, n_columns, *parts)
    return out


def cholesky_inverse(factor):
    """A^-1 by the lower Cholesky factor of A, which is overwritten."""
    n = len(factor)
    interruptible(2 * n**3 / 3, _call, "dpotri", b"L", n, factor, n, ctypes.c_int())
    lower = np.tril(factor)
    return lower + np.tril(lower, -1).T


def definite_solve(A, right):
    """A^-1 right by the Cholesky factor of A, and whether A is positive definite.

    A is overwritten, and of it the upper half is read.
    """
    factor = np.asfortranarray(A)
    if not cholesky(factor, b"U"):
        return right, False
    return cholesky_solve(factor, right, b"U"), True


def pivoted_cholesky(A, least):
    """Lower Cholesky factor of A with pivoting, and the pivots, of which all exceed ``least``."""
    n = len(A)
    factor = np.array(A, order="F", dtype=np.float64)
    pivots = np.empty(n, dtype=np.intc)
    rank = ctypes.c_int()
    workspace = np.empty(2 * n)
    info = ctypes.c_int()
    found = pivots, rank, float(least), workspace, info
    interruptible(n**3 / 3, _call, "dpstrf", b"L", n, factor, n, *found)
    return factor, pivots[: rank.value] - 1


def times_inverse_transpose(B, factor):
    """Make B the product B L^-T for a lower triangular L, in place."""
    n, m = B.shape
    sides = b"R", b"L", b"T", b"N"
    interruptible(n * m**2, _call, "dtrsm", *sides, n, m, 1.0, factor, m, B, n)


def add_square(C, A, sign):
    """Add sign A A' to the lower half of C, in place."""
    n, k = A.shape
    if n < _MANY_ROWS:
        blas.dsyrk(sign, A, beta=1.0, c=C, lower=1, overwrite_c=1)
        return
    shapes = b"L", b"N", n, k
    interruptible(n**2 * k, _call, "dsyrk", *shapes, sign, A, n, 1.0, C, n)


def economic_svd(A):
    """Left singular vectors, as many as values, then values and transposed right vectors."""
    if len(A) < _MANY_ROWS:
        return linalg.svd(A, full_matrices=False)
    # NumPy's lets other threads run.
    n, m = A.shape
    return interruptible(6 * n * m * min(n, m), partial(np.linalg.svd, A, False))


def symmetric_solve(A, right):
    """A^-1 right of a symmetric matrix, which may be indefinite."""
    # NumPy's lets other threads run, and is no slower than what knows of the symmetry.
    return interruptible(2 * len(A) ** 3 / 3, np.linalg.solve, A, right)


def symmetric_eigen(A):
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix."""
    return interruptible(9 * len(A) ** 3, np.linalg.eigh, A)
