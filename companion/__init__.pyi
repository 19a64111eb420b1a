# What type checkers see of `__init__.py`, which imports these on first use.
from companion.estimators import (
    L1SVC,
    L2SVC,
    LSSVC,
    ConformalSVC,
    LeastOneNormSVC,
    UnbiasedSVC,
    WeightedRobustSVC,
)
from companion.tuning import GACVSearch, KernelGridSearchCV

__all__ = [
    "L1SVC",
    "L2SVC",
    "LSSVC",
    "ConformalSVC",
    "GACVSearch",
    "KernelGridSearchCV",
    "LeastOneNormSVC",
    "UnbiasedSVC",
    "WeightedRobustSVC",
    "__version__",
]
__version__: str
