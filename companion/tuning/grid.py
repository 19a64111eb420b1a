"""KernelGridSearchCV: grid search that computes every kernel value once."""

import difflib
import time
from collections.abc import Iterable
from functools import partial
from itertools import product

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV, ParameterGrid, check_cv
from sklearn.utils import column_or_1d, indexable

from companion._utils.memory import fits_in_memory
from companion._utils.threads import one_thread
from companion.estimators._compat import (
    MultimetricScorer,
    check_sample_weight,
    fit_context,
    insert_error_scores,
    number_of_samples,
    routing_enabled,
    warn_or_raise_about_fit_failures,
)
from companion.tuning._evaluate import (
    Evaluation,
    is_direct,
    paths_by_kernel,
    with_parameters,
)
from companion.tuning._pipeline import (
    PipelineEvaluation,
    groups_of,
    is_own,
    is_plain,
    machine_of,
    prefix_of,
)

__all__ = ["KernelGridSearchCV"]


class KernelGridSearchCV(GridSearchCV):
    """Cross-validated grid search over the parameters of a kernel machine.

    A :class:`sklearn.model_selection.GridSearchCV` for the machines of this package, with
    the same constructor, attributes and scores, that shares work between cells: squared
    distances serve all `gamma`, a Gram matrix serves all folds and all `C`, and along
    ascending `C` each solution starts the next. :class:`LSSVC` is solved in closed form.

    Parameters
    ----------
    estimator : L1SVC, L2SVC, LSSVC, LeastOneNormSVC or Pipeline
        The machine, or a :class:`~sklearn.pipeline.Pipeline` that ends in one and whose
        transformers are fitted inside each fold. Parameters that are not in the grid are kept.
    param_grid : dict or list of dict
        Lists of values by parameter name, of a pipeline with the name of the step before it as in
        ``l1svc__C``; a list of such grids is searched in turn. Any parameter may be searched; what
        is shared is shared between the cells where the transformers, kernel, `gamma`, `degree` and
        `coef0` agree.
    scoring : str, callable, list, tuple or dict, default=None
        As in ``GridSearchCV``; None is accuracy.
    n_jobs : int, default=None
        Number of processes, as in joblib. The results do not depend on it.
    refit : bool, str or callable, default=True
        As in ``GridSearchCV``: whether, or by which score, the best machine is fitted to
        all samples.
    cv : int, splitter or iterable, default=None
        As in ``GridSearchCV``; an integer is the number of stratified folds, None is 5 of them.
    verbose : int, default=0
        Positive values print what is about to be fitted.
    pre_dispatch : int or str, default="2*n_jobs"
        Number of tasks dispatched ahead, as in joblib.
    error_score : "raise" or float, default=nan
        Score of a cell whose fit fails.
    return_train_score : bool, default=False
        Whether training scores are computed too.

    Attributes
    ----------
    cv_results_ : dict of ndarray
        Parameters, split, mean and standard deviation of scores, ranks and times, with
        the keys of ``GridSearchCV``. What cells share counts in equal parts in their
        fit times.
    best_estimator_ : estimator
        The machine with the best parameters, fitted to all samples; only if `refit`.
    best_score_, best_params_, best_index_ : float, dict, int
        Mean held-out score of the best cell, its parameters, its index in `cv_results_`.
    scorer_ : callable or dict
        The scorer, or the scorers by name.
    n_splits_, refit_time_, multimetric_ : int, float, bool
        Number of folds, seconds of the last fit (if `refit`), whether there are several scores.
    classes_ : ndarray of shape (2,)
        Class labels; only if `refit`.
    n_features_in_, feature_names_in_ : int, ndarray of shape (`n_features_in_`,)
        Number and (if `X` has them) names of the features; only if `refit`.

    See Also
    --------
    sklearn.model_selection.GridSearchCV : For any estimator, every cell from scratch.

    Notes
    -----
    A cell is solved to the tolerance of the machine from another starting point than
    ``GridSearchCV`` uses, so decision values agree within the tolerance. Where accuracy is the
    score, fits that leave a test sample within half the tolerance of the boundary go on to a tenth
    of it before they are counted. So accuracies are those of ``GridSearchCV`` but for test samples
    whose decision values, at the default tolerance, are within about 1e-3 of zero; with
    ``tol=1e-8`` they are the same to the last sample.

    The transformers of a pipeline are fitted once in each fold for all cells that have the same,
    and the squared distances and Gram matrices of what they give serve this fold alone.

    ``GridSearchCV`` itself runs a search for which three Gram matrices do not fit in the
    `cache_size` of the machine; over machines of classes that are derived from these; with metadata
    routing enabled, callbacks, or parameters of `fit` beside `sample_weight` and `groups`; with
    scorers that are functions, where data are no arrays or the estimator is a pipeline; and over
    pipelines of a subclass or with weights, with precomputed kernels, or whose last step is itself
    in the grid.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from companion import KernelGridSearchCV, L1SVC
    >>> X, y = make_moons(100, noise=0.1, random_state=0)
    >>> search = KernelGridSearchCV(L1SVC(), {"C": [0.1, 1, 10], "gamma": [0.1, 1]})
    >>> search.fit(X, y).best_params_
    {'C': 1, 'gamma': 1}
    """

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None, groups=None, **params):
        """Evaluate the grid, and fit the best machine if `refit`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training points, or their Gram matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,)
            Labels of exactly two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors on C in the fits; scores use them where ``GridSearchCV`` of the
            installed scikit-learn does.
        groups : array-like of shape (n_samples,), default=None
            Groups for splitters that need them.
        **params : dict
            Other parameters of fit, as in ``GridSearchCV``; of steps of a pipeline by name, as in
            ``l1svc__sample_weight``.

        Returns
        -------
        self : object
            The fitted search.

        Raises
        ------
        ValueError, TypeError
            If the grid is empty, names an unknown parameter or holds an invalid value, if `y` has
            not exactly two classes, if every fit fails; if the machine is not of this package.
        """
        estimator, machine = self._checked_estimator()
        name = type(self).__name__
        candidates = checked_candidates(self.param_grid, estimator, machine, name)
        X, y = indexable(X, y)
        parameters = {"sample_weight": sample_weight, "groups": groups, **params}
        given = {name: value for name, value in parameters.items() if value is not None}
        prefix = prefix_of(estimator)
        is_pipeline = machine is not estimator
        kernels = {
            candidate.get(f"{prefix}kernel", machine.kernel) for candidate in candidates
        }
        precomputed = kernels == {"precomputed"} and not is_pipeline
        if (
            routing_enabled()
            or params
            or getattr(self, "_skl_callbacks", None)
            or not is_own(estimator)
            or ("precomputed" in kernels and not precomputed)
            or (
                is_pipeline
                and (given.keys() - {"groups"} or not is_plain(estimator, candidates))
            )
            or not self._fits_in_memory(machine, candidates, X, prefix)
            or self._has_scorer_of_frames(X, y, is_pipeline)
        ):
            return super().fit(X, y, **given)

        scorers, refit_metric = self._get_scorers()
        routed = self._get_routed_params_for_fit(given)
        splitter = check_cv(self.cv, y, classifier=True)
        splits = list(splitter.split(X, y, **routed.splitter.split))
        self.n_splits_ = len(splits)
        evaluation = self._evaluation(
            machine,
            None if is_pipeline else X,
            y,
            splits,
            precomputed=precomputed,
            scorers=scorers,
            routed=routed,
        )
        if self.verbose > 0:
            print(
                f"Fitting {len(splits)} folds for each of {len(candidates)} candidates, "
                f"totalling {len(candidates) * len(splits)} fits"
            )
        if is_pipeline:
            evaluate = PipelineEvaluation(X, y, evaluation).of_fold
            tasks = product(groups_of(estimator, candidates), range(len(splits)))
        else:
            kernels = paths_by_kernel(machine, candidates)
            evaluate, tasks = self._by_kernel(evaluation, kernels)
        parallel = Parallel(n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch)
        parts = parallel(delayed(evaluate)(*task) for task in tasks)
        cells = {key: cell for part in parts for key, cell in part.items()}
        out = [cells[i, k] for i in range(len(candidates)) for k in range(len(splits))]
        warn_or_raise_about_fit_failures(out, self.error_score)
        if callable(self.scoring):
            insert_error_scores(out, self.error_score)

        results = self._format_results(candidates, len(splits), out)
        self._choose(results, out[0]["test_scores"], refit_metric)
        if self.refit:
            self._refit(estimator, X, y, routed.estimator.fit)
        self.scorer_ = (
            scorers._scorers if isinstance(scorers, MultimetricScorer) else scorers
        )
        self.cv_results_ = results
        return self

    def _checked_estimator(self):
        """The estimator without what it was fitted to, and the machine in it or that it is."""
        if machine_of(self.estimator) is None:
            raise TypeError(
                "The 'estimator' parameter of KernelGridSearchCV must be an L1SVC, L2SVC, LSSVC "
                "or LeastOneNormSVC, or a Pipeline that ends in one. Got "
                f"{type(self.estimator).__name__}: use "
                "sklearn.model_selection.GridSearchCV for other estimators."
            )
        estimator = clone(self.estimator)
        return estimator, machine_of(estimator)

    def _has_scorer_of_frames(self, X, y, is_pipeline):
        """Whether a function scores that may look at more than the numbers of X and y."""
        several = (
            self.scoring.values() if isinstance(self.scoring, dict) else self.scoring
        )
        scorers = several if isinstance(several, Iterable) else [several]
        has_arrays = type(X) is type(y) is np.ndarray
        return any(map(callable, scorers)) and (is_pipeline or not has_arrays)

    @staticmethod
    def _fits_in_memory(machine, candidates, X, prefix):
        # Distances, Gram matrix and the block of a fold at the same time.
        name = f"{prefix}cache_size"
        limit = min(candidate.get(name, machine.cache_size) for candidate in candidates)
        n_samples = 0 if X is None else number_of_samples(X)
        needed = 3 * 8e-6 * n_samples**2
        return needed <= limit and fits_in_memory(needed)

    def _evaluation(self, machine, X, y, splits, *, precomputed, scorers, routed):
        machine = clone(machine).set_params(
            kernel="precomputed" if precomputed else "rbf"
        )
        if X is None:  # points are made in each fold
            y = column_or_1d(y, warn=True)
            machine.classes_ = machine._checked_classes(y)
        else:
            X, y = machine._checked(X, y)[:2]
        weight = routed.estimator.fit.get("sample_weight")
        kept = None
        if weight is not None:
            weight = check_sample_weight(
                weight, X, dtype=np.float64, ensure_non_negative=True
            )
            kept = None if weight.all() else weight > 0
        score_weight = routed.scorer.score.get("sample_weight")
        if score_weight is not None:
            score_weight = check_sample_weight(score_weight, X, dtype=np.float64)
        counts_directly = (
            self.scoring in (None, "accuracy")
            and type(machine).score is ClassifierMixin.score
            and not (self.return_train_score and kept is not None)
        )
        rows = np.arange(
            len(y)
        )  # refuses what is no row, and counts from the end as NumPy does
        return Evaluation(
            X=X,
            y=y,
            classes=machine.classes_,
            splits=[(rows[train], rows[test]) for train, test in splits],
            kept=kept,
            precomputed=precomputed,
            scorer=None if counts_directly else scorers,
            sample_weight=weight,
            score_weight=score_weight,
            error_score=self.error_score,
            return_train_score=self.return_train_score,
        )

    def _by_kernel(self, evaluation, kernels):
        """What evaluates the cells that share a kernel, and its arguments, a tuple a task."""
        n_jobs = effective_n_jobs(self.n_jobs)
        # The matrices of the iterative solver are too small for threads, which slow it down several
        # times where cores are shared; factorisations gain from them, but for processes.
        direct = all(is_direct(path.machine) for paths in kernels for path in paths)
        evaluate = evaluation.of_kernel
        if n_jobs > 1 or not direct:
            evaluate = partial(_with_one_thread, evaluate)
        folds = range(len(evaluation.splits))
        parts = [folds] if len(kernels) >= n_jobs else [[fold] for fold in folds]
        return evaluate, product(kernels, parts, [evaluation.distances(kernels)])

    def _choose(self, results, first_score, refit_metric):
        """Set the attributes of the best cell, by the rules of GridSearchCV."""
        self.multimetric_ = isinstance(first_score, dict)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(first_score)
            refit_metric = self.refit
        if self.refit or not self.multimetric_:
            self.best_index_ = self._select_best_index(
                self.refit, refit_metric, results
            )
            if not callable(self.refit):
                self.best_score_ = results[f"mean_test_{refit_metric}"][
                    self.best_index_
                ]
            self.best_params_ = results["params"][self.best_index_]

    def _refit(self, estimator, X, y, fit_parameters):
        self.best_estimator_ = with_parameters(estimator, self.best_params_)
        start = time.time()
        self.best_estimator_.fit(X, y, **fit_parameters)
        self.refit_time_ = time.time() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


def checked_candidates(param_grid, estimator, machine, name):
    """All candidates of a grid, names and the machine's values checked before anything runs."""
    grids = [param_grid] if isinstance(param_grid, dict) else param_grid
    known = sorted(estimator.get_params())
    problems = []
    for parameter in dict.fromkeys(parameter for grid in grids for parameter in grid):
        if parameter not in known:
            of_steps = [other for other in known if other.endswith(f"__{parameter}")]
            close = of_steps or difflib.get_close_matches(str(parameter), known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            problems.append(f"{parameter!r}{hint}")
    if problems:
        raise ValueError(
            f"The 'param_grid' parameter of {name} must name parameters of "
            f"{type(estimator).__name__}. Got {', '.join(problems)}. "
            f"Its parameters are {', '.join(known)}."
        )
    candidates = list(ParameterGrid(param_grid))
    if not candidates:
        raise ValueError(
            f"The 'param_grid' parameter of {name} must hold at least one grid. Got {param_grid!r}."
        )
    prefix = prefix_of(estimator)
    for grid in grids:
        for parameter, values in grid.items():
            if parameter.startswith(prefix):
                for value in values:
                    setting = {parameter.removeprefix(prefix): value}
                    clone(machine).set_params(**setting)._validate_params()
    return candidates


def _with_one_thread(evaluate, *arguments):
    with one_thread():
        return evaluate(*arguments)
