"""Data: generators, the tables of ``data/uci`` and the IDA problems rebuilt from them.

Only `companion.papers` uses this package; solvers and estimators know nothing of data sets.
"""

from inspect import ismodule as _is_module

from companion._utils.errors import *  # noqa: F403
from companion.datasets.checkers import *  # noqa: F403
from companion.datasets.digests import *  # noqa: F403
from companion.datasets.digits import *  # noqa: F403
from companion.datasets.generators import *  # noqa: F403
from companion.datasets.ida import *  # noqa: F403
from companion.datasets.imbalanced import *  # noqa: F403
from companion.datasets.outside import *  # noqa: F403
from companion.datasets.preprocessing import *  # noqa: F403
from companion.datasets.three_classes import *  # noqa: F403
from companion.datasets.threshold_cases import *  # noqa: F403
from companion.datasets.uci import *  # noqa: F403

# What the modules list, which is all that is here but the modules themselves.
__all__ = [
    name for name, value in vars().items() if not (name[0] == "_" or _is_module(value))
]
