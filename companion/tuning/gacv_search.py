"""GACVSearch: a grid search without folds, one fit a cell and no held-out sample."""

import time
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from companion._utils.memory import require_memory
from companion._utils.threads import one_thread
from companion.estimators import L1SVC
from companion.estimators._compat import Interval, StrOptions, fit_context
from companion.estimators._kernel_classifier import (
    class_factors,
    signed_labels,
    silent_overflow,
)
from companion.tuning._evaluate import paths_by_kernel, with_parameters
from companion.tuning._path import path_distances, path_gram, solve_costs
from companion.tuning._training_set import cost_vector, largest_difference
from companion.tuning.criteria import gacv_values, xi_alpha_values
from companion.tuning.gacv import UPDATES, checked_update
from companion.tuning.grid import checked_candidates
from companion.tuning.leave_one_out import leave_one_out_errors, require_two_each
from companion.tuning.span import squared_spans

__all__ = ["GACVSearch"]

# Matrices of the size of the Gram matrix at the same time. The span inverts one over the free
# vectors, which may be all, by way of two others.
_MATRICES = {"joachims": 2, "span": 6, "leave_one_out": 8}

# Values that differ by rounding only are tied.
_TIE = 1e-12


def _has_machine(search):
    """Whether there is a refitted machine to delegate to."""
    if not search.refit:
        raise AttributeError(
            "This GACVSearch has no machine of its own: it was made with refit=False. Use "
            "refit=True, or fit an L1SVC with best_params_."
        )
    return True


@dataclass(eq=False, repr=False)
class GACVSearch(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Grid search over the parameters of an L1-SVM by GACV, xi-alpha or leave-one-out.

    Every cell is fitted once, to all samples; the criteria follow from its dual variables. Cells of
    one kernel share its Gram matrix and are solved for ascending C from one another, so that a grid
    costs about as much as a few fits, and there is no randomness of folds.

    Parameters
    ----------
    estimator : L1SVC
        The machine. Its parameters that are not in the grid are kept.
    param_grid : dict or list of dict
        Lists of values by parameter name, as in ``GridSearchCV``.
    criterion : {"gacv", "xi_alpha", "leave_one_out"}, default="gacv"
        What the best cell minimises; the exact leave-one-out error costs a few fits more a cell.
    rho : float, default=1.0
        Factor on the influence in xi-alpha.
    bound : {"diagonal", "joachims"} or float, default="diagonal"
        Kernel factor of xi-alpha, as in :func:`companion.tuning.xi_alpha`.
    update : {"joachims", "span"}, default="joachims"
        What both criteria take for the fall of a margin when its point is left out, as in
        :func:`companion.tuning.gacv`. The span lets the other support vectors respond, for the
        price of an inverse a cell, and is near exact leave-one-out.
    costs : mapping from label to float, default=None
        L(y) in the criteria. By default the class weights of each cell's machine; where class
        weights are searched, costs make the cells comparable.
    refit : bool, default=True
        Whether the best machine is fitted, so that the search predicts.
    n_jobs, verbose : int, default=None and 0
        Number of processes, on which the results do not depend; whether to print what is fitted.

    Attributes
    ----------
    cv_results_ : dict of ndarray
        One entry a cell, in the order of the grid: ``params``, ``param_*``, ``mean_test_score``
        (minus the criterion), ``rank_test_score``, ``mean_fit_time`` (seconds; what cells share
        counts in equal parts), ``gacv``, ``xi_alpha``, ``leave_one_out`` (if it is the criterion),
        ``n_support`` (number of support vectors) and ``converged``.
    best_index_ : int
        The best cell. Of tied cells it is the one with the smallest C, then the smallest gamma,
        then the first, so that the order of the grid does not decide.
    best_params_, best_score_, best_estimator_, refit_time_ : dict, float, L1SVC, float
        Its parameters, minus its criterion, and if `refit` its machine and the seconds of the fit.
    classes_ : ndarray of shape (2,)
        Class labels.
    n_features_in_, feature_names_in_ : int, ndarray of shape (`n_features_in_`,)
        Number and (if `X` has them) names of the features.

    See Also
    --------
    KernelGridSearchCV : Grid search by held-out scores.
    companion.tuning.machine_surface : The solutions themselves.

    Notes
    -----
    GACV [1]_ estimates the expected hinge loss, twice a pessimistic estimate of the error rate.
    Data are not scaled: in a :class:`~sklearn.pipeline.Pipeline` put the search last.

    A sample weight w_i stands for w_i copies of the sample, which share alpha_i <= C w_i L(y_i) in
    equal parts: the influence of one is theta_i = alpha_i K_ii / w_i. Summed over all copies, GACV
    (9) and xi-alpha (11) of [1]_ are::

        1/sum_i w_i  sum_i w_i L(y_i) [(1 - m_i)_+ + theta_i + theta_i (m_i < -1)],
        1/sum_i w_i  sum_i w_i L(y_i) [m_i <= rho theta_i],

    with the margins m_i. Leave-one-out leaves out a sample with all of its weight, which then
    weighs its error, and so does the span of [3]_.

    References
    ----------
    .. [1] G. Wahba, Y. Lin, Y. Lee, H. Zhang, TR 1039, University of Wisconsin, 2001.
    .. [2] T. Joachims, "Estimating the Generalization Performance of an SVM Efficiently", 2000.
    .. [3] V. Vapnik, O. Chapelle, "Bounds on Error Expectation for Support Vector Machines", 2000.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from companion import GACVSearch, L1SVC
    >>> X, y = make_moons(100, noise=0.1, random_state=0)
    >>> search = GACVSearch(L1SVC(), {"C": [0.1, 1, 10], "gamma": [0.1, 1]})
    >>> search.fit(X, y).best_params_
    {'C': 1, 'gamma': 1}
    """

    _parameter_constraints: ClassVar[dict] = {
        "param_grid": [dict, list],
        "criterion": [StrOptions({"gacv", "xi_alpha", "leave_one_out"})],
        "rho": [Interval(Real, 0.0, None, closed="neither")],
        "bound": [
            StrOptions({"diagonal", "joachims"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "update": [StrOptions(set(UPDATES))],
        "costs": [Mapping, None],
        "refit": ["boolean"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    estimator: BaseEstimator
    param_grid: dict | list
    _: KW_ONLY
    criterion: str = "gacv"
    rho: float = 1.0
    bound: str | float = "diagonal"
    update: str = "joachims"
    costs: Mapping | None = None
    refit: bool = True
    n_jobs: int | None = None
    verbose: int = 0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        inner = getattr(self.estimator, "__sklearn_tags__", None)
        tags.input_tags.pairwise = inner is not None and inner().input_tags.pairwise
        tags.input_tags.sparse = inner is not None and inner().input_tags.sparse
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Evaluate the grid, and fit the best machine if `refit`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training points, or their Gram matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,)
            Labels of exactly two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative factors on C in the fits, and weights in the criteria, as in the notes.

        Returns
        -------
        self : object
            The fitted search.

        Raises
        ------
        ValueError
            If the grid is empty, names an unknown parameter or holds an invalid value, if `y` has
            not exactly two classes, if weights are negative or leave no two classes, if the costs
            are not positive or miss a label, if it mixes a precomputed kernel with others, if two
            Gram matrices do not fit in the `cache_size` of the machine or what a criterion needs
            not in memory, or if leave-one-out leaves no sample of a class.
        TypeError
            If the estimator is not an L1SVC, or a value of the grid no sequence.
        """
        checked_update(self.update, "GACVSearch", self.bound)
        machine = self._checked_machine()
        candidates = checked_candidates(self.param_grid, machine, machine, "GACVSearch")
        kernels = {candidate.get("kernel", machine.kernel) for candidate in candidates}
        if "precomputed" in kernels and len(kernels) > 1:
            raise ValueError(
                "The 'param_grid' parameter of GACVSearch must not mix kernel='precomputed' with "
                "others: X is either a Gram matrix or points."
            )
        seen = clone(machine).set_params(
            kernel="precomputed" if "precomputed" in kernels else "rbf"
        )
        X_checked, y_checked, signs = seen._checked(X, y)
        cost_vector(self.costs, None, y_checked, seen.classes_, "GACVSearch")
        seen.class_weight = None
        kept, X_kept, _, weight, _ = seen._training_set(
            X_checked, y_checked, sample_weight, signs
        )
        y_kept = y_checked[kept]
        if self.criterion == "leave_one_out":
            require_two_each(y_kept)
        if self.verbose > 0:
            print(
                f"Fitting each of {len(candidates)} candidates to {len(y_kept)} samples"
            )
        training_set = X_kept, y_kept, seen.classes_, weight
        cells = self._evaluate(machine, candidates, training_set)
        results = _columns(candidates, cells, self.criterion)
        best = _best(-results["mean_test_score"], cells)
        if self.refit:
            best_machine = with_parameters(machine, candidates[best])
            start = time.perf_counter()
            best_machine.fit(X, y, sample_weight)
            self.refit_time_ = time.perf_counter() - start
            self.best_estimator_ = best_machine
        self.cv_results_ = results
        self.best_index_ = best
        self.best_params_ = candidates[best]
        self.best_score_ = float(results["mean_test_score"][best])
        self.classes_ = seen.classes_
        self.n_features_in_ = seen.n_features_in_
        if hasattr(seen, "feature_names_in_"):
            self.feature_names_in_ = seen.feature_names_in_
        return self

    @available_if(_has_machine)
    def decision_function(self, X):
        """Decision values of the best machine, as :meth:`companion.L1SVC.decision_function`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or (n_queries, n_samples)
        """
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    @available_if(_has_machine)
    def predict(self, X):
        """Labels by the best machine, as :meth:`companion.L1SVC.predict`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or (n_queries, n_samples)
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def _checked_machine(self):
        if type(self.estimator) is not L1SVC:
            raise TypeError(
                "The 'estimator' parameter of GACVSearch must be an L1SVC of this package, not of "
                f"a derived class. Got {type(self.estimator).__name__}. Use KernelGridSearchCV or "
                "GridSearchCV for other machines; in a pipeline put the search last."
            )
        return clone(self.estimator)

    def _evaluate(self, machine, candidates, training_set):
        """A dict for every candidate."""
        X = training_set[0]
        n = X.shape[0]
        limit = min(
            candidate.get("cache_size", machine.cache_size) for candidate in candidates
        )
        of_a_matrix = 8e-6 * n**2
        if 2 * of_a_matrix > limit:
            raise ValueError(
                "GACVSearch keeps squared distances and a Gram matrix, which must fit in "
                f"cache_size = {limit:g} MB of the machine. Got {n} samples, which need "
                f"{2 * of_a_matrix:.0f} MB: raise cache_size, or search a part of the samples."
            )
        kind = "leave_one_out" if self.criterion == "leave_one_out" else self.update
        needed = _MATRICES[kind] * of_a_matrix
        advice = "Search a part of the samples."
        require_memory(f"GACVSearch for {n:,} samples", needed, advice)
        kernels = paths_by_kernel(machine, candidates)
        distances = path_distances([paths[0].machine for paths in kernels], X)
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(self._of_kernel)(paths, training_set, distances)
            for paths in kernels
        )
        cells = {number: cell for part in parts for number, cell in part.items()}
        return [cells[number] for number in range(len(candidates))]

    @silent_overflow
    def _of_kernel(self, paths, training_set, distances):
        """Cells that share a kernel: one Gram matrix, a path over C for each other setting."""
        start = time.perf_counter()
        X, y, classes, sample_weight = training_set
        machine = paths[0].machine
        gamma = machine._resolved_gamma(X, sample_weight)
        signs = signed_labels(y, classes)
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        cells = {}
        with one_thread():
            K = path_gram(machine, X, gamma, distances)
            machine._require_definite(K, np.arange(len(K)))
            if K.diagonal().min() < 0.0:
                raise ValueError(
                    f"The criteria of GACVSearch need k(x, x) >= 0. Got {K.diagonal().min():g} "
                    f"with kernel={machine.kernel!r}, coef0={machine.coef0!r}: leave them out."
                )
            for path in paths:
                class_weight = path.machine.class_weight
                factors = class_factors(class_weight, y, classes, weight, name="L1SVC")
                bound_weight = weight if factors is None else factors * weight
                C = np.array(path.C_values, dtype=np.float64)
                solutions = solve_costs(path.machine, K, signs, bound_weight, C)
                upper = np.multiply.outer(C, bound_weight)
                # L(y_i) of every sample times its weight, which is 1 on average
                cost = weight / weight.mean()
                of_class = cost_vector(
                    self.costs, class_weight, y, classes, "GACVSearch", weight
                )
                if of_class is not None:
                    cost = of_class * cost
                solutions["margin"] = signs * solutions["decision"]
                values = self._criteria(K, solutions, upper, weight, cost)
                if self.criterion == "leave_one_out":
                    alpha = solutions["alpha"]
                    errors = leave_one_out_errors(K, signs, alpha, upper).errors
                    values["leave_one_out"] = np.mean(cost * errors, axis=1)
                values |= {"C": C, "gamma": np.full(len(C), gamma)}
                for k, number in enumerate(path.candidates):
                    cells[number] = {name: column[k] for name, column in values.items()}
        seconds = time.perf_counter() - start
        for cell in cells.values():
            cell["time"] = seconds / len(cells)
        return cells

    def _criteria(self, K, solutions, upper, weight, cost):
        """What the cells of a path have in their results, by name."""
        margin = solutions["margin"]
        alpha = solutions["alpha"]
        if self.update == "span":
            influence = alpha * squared_spans(K, alpha, upper)
            bounded = influence
        else:
            factor = self.bound
            if factor == "diagonal":
                factor = K.diagonal()
            elif factor == "joachims":
                factor = largest_difference(K, kernel="precomputed")
            influence = alpha / weight * K.diagonal()
            bounded = alpha / weight * factor
        return {
            "gacv": gacv_values(margin, influence, cost),
            "xi_alpha": xi_alpha_values(margin, bounded, cost, rho=self.rho),
            "n_support": np.count_nonzero(alpha, axis=1),
            "converged": solutions["converged"],
        }


def _columns(candidates, cells, criterion):
    """cv_results_ of the cells."""
    score = -np.array([cell[criterion] for cell in cells], dtype=np.float64)
    results = {"mean_fit_time": np.array([cell["time"] for cell in cells])}
    for k, candidate in enumerate(candidates):
        for name, value in candidate.items():
            empty = np.ma.masked_all(len(candidates), dtype=object)
            results.setdefault(f"param_{name}", empty)[k] = value
    results["params"] = candidates
    results["mean_test_score"] = score
    ranks = rankdata(-score, method="min").astype(np.int32)
    ranks[_tied(-score)] = 1  # as the choice has it
    results["rank_test_score"] = ranks
    for name in cells[0]:
        if name not in ("C", "gamma", "time"):
            results[name] = np.array([cell[name] for cell in cells])
    return results


def _tied(values):
    """The cells whose value is least but for rounding."""
    least = values.min()
    return np.flatnonzero(values <= least + _TIE * max(1.0, abs(least)))


def _best(values, cells):
    """The cell of least value; of tied ones that of smallest C, then gamma, then the first."""
    return int(min(_tied(values), key=lambda k: (cells[k]["C"], cells[k]["gamma"], k)))
