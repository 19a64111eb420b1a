"""Scikit-learn classifiers: duals, weighted least squares, DC programming, conformal kernels."""

from companion.estimators._conformal import ConformalSVC
from companion.estimators._least_one_norm import LeastOneNormSVC
from companion.estimators._least_squares import LSSVC
from companion.estimators._standard import L1SVC, L2SVC
from companion.estimators._unbiased import UnbiasedSVC
from companion.estimators._weighted_robust import WeightedRobustSVC

__all__ = [
    "L1SVC",
    "L2SVC",
    "LSSVC",
    "ConformalSVC",
    "LeastOneNormSVC",
    "UnbiasedSVC",
    "WeightedRobustSVC",
]
