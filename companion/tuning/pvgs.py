"""Grid search by parameter vector (PVGS): a coarse grid that narrows around the best point.

A. Barbero, J. Lopez and J. R. Dorronsoro, Finding optimal model parameters by discrete grid search,
Innovations in Hybrid Intelligent Systems, Springer 2008: [32] of the conformal thesis, which uses
it in section 6.3.2 and describes it in appendix A.1.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from itertools import product
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from companion.estimators._compat import BaseSearchCV, Interval

__all__ = ["ParameterVectorGridSearchCV"]


@dataclass(eq=False, repr=False)
class ParameterVectorGridSearchCV(BaseSearchCV):
    """Search for real parameters on grids that narrow around the best point so far.

    Round by round a grid of `n_points` values a parameter is cross-validated. The next one is
    centred on the best point found so far and `shrink` times as wide. Grids are even in the
    logarithm of the parameters and never leave the ranges; no point is evaluated twice.

    Parameters
    ----------
    estimator : estimator
        What is tuned.
    param_ranges : dict of str to (float, float)
        Least and largest value of each parameter, both positive.
    n_points : int, default=5
        Values a parameter in each grid.
    n_rounds : int, default=4
        Number of grids.
    shrink : float, default=0.5
        Width of a grid over that of the one before it, in (0, 1).
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As for :class:`sklearn.model_selection.GridSearchCV`; with several metrics, `refit` must
        name the one that is searched.

    Attributes
    ----------
    best_params_, best_score_, best_index_, best_estimator_, cv_results_, ...
        As for :class:`sklearn.model_selection.GridSearchCV`. `cv_results_` has the points of all
        rounds in the order in which they were evaluated; among equal ones the first is best.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from companion import L2SVC
    >>> from companion.tuning import ParameterVectorGridSearchCV
    >>> X, y = make_moons(100, noise=0.3, random_state=0)
    >>> ranges = {"C": (1e-2, 1e4), "gamma": (1e-3, 1e2)}
    >>> search = ParameterVectorGridSearchCV(L2SVC(), ranges, n_points=3, n_rounds=3).fit(X, y)
    >>> sorted(search.best_params_), len(search.cv_results_["params"]) <= 27
    (['C', 'gamma'], True)
    """

    _parameter_constraints: ClassVar[dict] = {
        **BaseSearchCV._parameter_constraints,
        "param_ranges": [dict],
        "n_points": [Interval(Integral, 2, None, closed="left")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "shrink": [Interval(Real, 0.0, 1.0, closed="neither")],
    }

    estimator: BaseEstimator
    param_ranges: dict
    _: KW_ONLY
    n_points: int = 5
    n_rounds: int = 4
    shrink: float = 0.5
    scoring: object = None
    n_jobs: int | None = None
    refit: bool | str | Callable = True
    cv: object = None
    verbose: int = 0
    pre_dispatch: int | str = "2*n_jobs"
    error_score: float | str = np.nan
    return_train_score: bool = False

    def _run_search(self, evaluate_candidates):
        names = list(self.param_ranges)
        low, high = self._logarithmic_ranges(names)
        centre, half = 0.5 * (low + high), 0.5 * (high - low)
        metric = self.refit if isinstance(self.refit, str) else "score"
        seen, points = set(), []
        for _ in range(self.n_rounds):
            # The grid keeps its width: at an edge of the ranges it is moved inwards.
            centre = np.clip(centre, low + half, high - half)
            axes = [
                np.linspace(c - h, c + h, self.n_points) for c, h in zip(centre, half, strict=True)
            ]
            fresh = [point for point in product(*axes) if tuple(np.round(point, 9)) not in seen]
            if fresh:
                seen.update(tuple(np.round(point, 9)) for point in fresh)
                points += fresh
                # Rounding must not lead out of the ranges.
                values = np.clip(np.exp(fresh), *np.exp([low, high])).tolist()
                results = evaluate_candidates(
                    [dict(zip(names, value, strict=True)) for value in values]
                )
                best = np.argmin(results[f"rank_test_{metric}"])
            centre = np.asarray(points[best])
            half = half * self.shrink

    def _logarithmic_ranges(self, names):
        ranges = []
        for name in names:
            try:
                low, high = map(float, self.param_ranges[name])
            except (TypeError, ValueError):
                low = high = np.nan
            if not 0.0 < low < high < np.inf:
                raise ValueError(
                    f"Each range of ParameterVectorGridSearchCV must be two positive numbers, the "
                    f"smaller first. Got {self.param_ranges[name]!r} for {name!r}."
                )
            ranges.append((low, high))
        if not ranges:
            raise ValueError(
                "The 'param_ranges' of ParameterVectorGridSearchCV must name at least one "
                "parameter. Got an empty dict."
            )
        return np.log(np.array(ranges)).T
