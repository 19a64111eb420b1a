"""Solvers: one dual for four machines, closed forms for LS-SVM, iterated weighted least squares."""

from companion.solvers.fscl import fscl
from companion.solvers.ls import LSPath, ls, ls_cross_validate, ls_held_out
from companion.solvers.result import Result
from companion.solvers.smo import smo
from companion.solvers.wls import (
    Design,
    WLSResult,
    least_squares_path,
    stable_damping,
    wls,
    wls_path,
)

__all__ = [
    "Design",
    "LSPath",
    "Result",
    "WLSResult",
    "fscl",
    "least_squares_path",
    "ls",
    "ls_cross_validate",
    "ls_held_out",
    "smo",
    "stable_damping",
    "wls",
    "wls_path",
]
