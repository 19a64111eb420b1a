"""Solvers, one optimiser a file: arrays in, a result with its certificate out.

``smo`` and ``ls`` solve the dual of the four machines, ``mdm`` finds the nearest points of two
convex hulls and ``conformal`` transforms kernels on top of it, ``wls`` is iterated weighted least
squares on the prototypes of ``fscl``, and ``dca`` minimises a truncated loss by the convex problems
of ``min_margin``.
"""

from companion.solvers._design import Design
from companion.solvers.conformal import ConformalProblem, ConformalResult, conformal_transformations
from companion.solvers.dca import DCAResult, MachinePath, dca, dca_path, utility_from_cost
from companion.solvers.fscl import fscl
from companion.solvers.ls import LSPath, ls, ls_cross_validate, ls_held_out
from companion.solvers.mdm import MDMResult, SVMSolution, mdm
from companion.solvers.min_margin import MinMarginResult, min_margin
from companion.solvers.result import Result
from companion.solvers.smo import smo
from companion.solvers.wls import WLSResult, least_squares_path, stable_damping, wls, wls_path

__all__ = [
    "ConformalProblem",
    "ConformalResult",
    "DCAResult",
    "Design",
    "LSPath",
    "MDMResult",
    "MachinePath",
    "MinMarginResult",
    "Result",
    "SVMSolution",
    "WLSResult",
    "conformal_transformations",
    "dca",
    "dca_path",
    "fscl",
    "least_squares_path",
    "ls",
    "ls_cross_validate",
    "ls_held_out",
    "mdm",
    "min_margin",
    "smo",
    "stable_damping",
    "utility_from_cost",
    "wls",
    "wls_path",
]
