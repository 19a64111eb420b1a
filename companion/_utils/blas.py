"""Factorisations in steps that are short enough for Ctrl-C, as Python looks for it between calls.

Small matrices, of which a call takes a second or two at most, go to LAPACK in one. Of a symmetric
matrix one half is read.
"""

import numpy as np
from scipy.linalg import blas, lapack, solve_triangular

from companion._utils.batches import batches

# Matrices with fewer rows are small, and how many rows or columns of others are a step.
_MANY_ROWS = 4000
_STEP = 512


def cholesky(A, half=b"L"):
    """Make a half of A, lower or upper, its Cholesky factor; whether it is positive definite.

    A is in Fortran order.
    """
    is_lower = half == b"L"
    n = len(A)
    if n < _MANY_ROWS:
        return lapack.dpotrf(A, lower=is_lower, clean=0, overwrite_a=1)[1] == 0
    L = A if is_lower else A.T
    for step in batches(n, _STEP):
        L[step.start :, step] -= L[step.start :, : step.start] @ L[step, : step.start].T
        try:
            factor = np.linalg.cholesky(L[step, step])
        except np.linalg.LinAlgError:
            return False
        L[step, step] = factor
        below = L[step.stop :, step]
        below[:] = solve_triangular(factor, below.T, lower=True, check_finite=False).T
    return True


def cholesky_solve(factor, right, half=b"L"):
    """A^-1 right by a half of A's Cholesky factor, of one column or several."""
    is_lower = half == b"L"
    if right.ndim == 1 or len(factor) < _MANY_ROWS:
        return lapack.dpotrs(factor, right, lower=is_lower)[0]
    solved = np.empty(right.shape, order="F")
    for step in batches(right.shape[1], _STEP):
        solved[:, step] = lapack.dpotrs(factor, right[:, step], lower=is_lower)[0]
    return solved


def cholesky_inverse(factor):
    """A^-1 by the lower Cholesky factor of A, which is overwritten."""
    lower = np.tril(lapack.dpotri(factor, lower=1, overwrite_c=1)[0])
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
    factor, pivots, rank, _ = lapack.dpstrf(A, tol=least, lower=1)
    return factor, pivots[:rank] - 1


def times_inverse_transpose(B, factor):
    """Make B the product B L^-T for a lower triangular L, in place."""
    for step in batches(len(B), _STEP if len(B) >= _MANY_ROWS else _MANY_ROWS):
        B[step] = blas.dtrsm(1.0, factor, B[step], side=1, lower=1, trans_a=1)


def add_square(C, A, sign):
    """Add sign A A' to the lower half of C, in place."""
    n = len(A)
    if n < _MANY_ROWS:
        blas.dsyrk(sign, A, beta=1.0, c=C, lower=1, overwrite_c=1)
        return
    for step in batches(n, _STEP):
        C[step.start :, step] += sign * (A[step.start :] @ A[step].T)
