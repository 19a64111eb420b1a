"""Scikit-learn classifiers of the Least 1-Norm family: one dual problem, four boxes."""

from companion.estimators._least_one_norm import LeastOneNormSVC
from companion.estimators._least_squares import LSSVC
from companion.estimators._least_squares_cv import LSSVCCV
from companion.estimators._standard import L1SVC, L2SVC

__all__ = ["L1SVC", "L2SVC", "LSSVC", "LSSVCCV", "LeastOneNormSVC"]
