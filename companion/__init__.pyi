# What type checkers see of `__init__.py`, which imports these on first use.
from companion.estimators import L1SVC as L1SVC
from companion.estimators import L2SVC as L2SVC
from companion.estimators import LSSVC as LSSVC
from companion.estimators import ConformalSVC as ConformalSVC
from companion.estimators import LeastOneNormSVC as LeastOneNormSVC
from companion.estimators import UnbiasedSVC as UnbiasedSVC
from companion.estimators import WeightedRobustSVC as WeightedRobustSVC
from companion.tuning import GACVSearch as GACVSearch
from companion.tuning import KernelGridSearchCV as KernelGridSearchCV

__version__: str
