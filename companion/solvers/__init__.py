"""Solvers: one dual for four support vector machines, and closed forms for LS-SVM."""

from companion.solvers.ls import LSPath, ls, ls_cross_validate, ls_held_out
from companion.solvers.result import Result
from companion.solvers.smo import smo

__all__ = ["LSPath", "Result", "ls", "ls_cross_validate", "ls_held_out", "smo"]
