"""Solvers, one optimiser a file: arrays in, a result with its certificate out.

``smo`` and ``ls`` solve the dual of the four machines, ``mdm`` finds the nearest points of two
convex hulls and ``conformal`` transforms kernels on top of it, ``wls`` is iterated weighted least
squares on the prototypes of ``fscl``, and ``dca`` minimises a truncated loss by the convex problems
of ``min_margin``.
"""

from inspect import ismodule as _is_module

from companion.solvers.conformal import (
    ConformalProblem,
    ConformalResult,
    conformal_transformations,
)
from companion.solvers.dca import (
    DCAResult,
    MachinePath,
    dca,
    dca_path,
    utility_from_cost,
)
from companion.solvers.fscl import fscl
from companion.solvers.ls import LSPath, ls, ls_held_out
from companion.solvers.mdm import mdm
from companion.solvers.min_margin import MinMarginResult, min_margin
from companion.solvers.result import MDMResult, Result, SVMSolution
from companion.solvers.smo import NotPositiveSemiDefinite, smo
from companion.solvers.wls import (
    Design,
    WLSResult,
    least_squares_path,
    stable_damping,
    wls,
    wls_path,
)

# What stands above, but for the modules themselves.
__all__ = [
    name for name, value in vars().items() if not (name[0] == "_" or _is_module(value))
]
