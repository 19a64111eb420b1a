"""Solvers, one optimiser a file: arrays in, a result with its certificate out.

``smo`` and ``ls`` solve the dual of the four machines, ``mdm`` finds the nearest points of two
convex hulls and ``conformal`` transforms kernels on top of it, ``wls`` is iterated weighted least
squares on the prototypes of ``fscl``, and ``dca`` minimises a truncated loss by the convex problems
of ``min_margin``.
"""

from inspect import ismodule as _is_module

from companion.solvers.conformal import *  # noqa: F403
from companion.solvers.dca import *  # noqa: F403
from companion.solvers.fscl import *  # noqa: F403
from companion.solvers.ls import *  # noqa: F403
from companion.solvers.mdm import *  # noqa: F403
from companion.solvers.min_margin import *  # noqa: F403
from companion.solvers.result import *  # noqa: F403
from companion.solvers.smo import *  # noqa: F403
from companion.solvers.wls import *  # noqa: F403

# What the modules list, which is all that is here but the modules themselves.
__all__ = [
    name for name, value in vars().items() if not (name[0] == "_" or _is_module(value))
]
