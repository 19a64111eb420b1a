"""ConformalSVC: a kernel that is transformed conformally until a validation part is satisfied."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from companion._utils.batches import batches
from companion._utils.progress import progress
from companion._utils.warnings import warn_not_converged
from companion.conformal import factors as conformal
from companion.estimators._compat import Interval, Options, StrOptions, fit_context
from companion.estimators._docs import with_shared_documentation
from companion.estimators._kernel_classifier import (
    PREDICTION_BLOCK_MEGABYTES,
    KernelClassifier,
    require_finite,
    silent_overflow,
    weighted_gamma,
)
from companion.estimators._unreadable import UnreadableParameter
from companion.kernels._equal import equal_rows
from companion.kernels._gram import gram, kernel_diagonal, squared_distances
from companion.solvers.conformal import (
    SEARCHES,
    ConformalProblem,
    conformal_transformations,
)
from companion.solvers.result import certify
from companion.solvers.transformations import RULES, TSVT, Rule

# Matrices of the size of the Gram matrix that a fit takes at most, and what the rates of TSVT take
# beside them where all samples may be support vectors.
MATRICES = 3
OF_RATES = 1


@with_shared_documentation
@dataclass(eq=False, repr=False)
class ConformalSVC(KernelClassifier):
    """Support vector classifier that transforms its kernel to suit imbalanced classes.

    The machine with squared slacks of :class:`L2SVC` is trained, its kernel k(x, z) replaced by
    c(x) c(z) k(x, z) with a function c made from that machine, and trained again, as long as the
    g-means error on a part of the training set that was set aside falls. Where it does not fall at
    all, the result is :class:`L2SVC` on the whole training set.

    Parameters
    ----------
    %(C)s
    transform : str or Rule, default="amari"
        The function c: ``"amari"``, ``"wu_amari"``, ``"act"``, ``"kba"``, ``"williams"``,
        ``"xiong"``, ``"mdt"`` or ``"tsvt"``, or one of the rules of
        :mod:`companion.solvers.transformations` with settings of its own, such as
        ``Williams(kappa=2.0)``.
    search : str, default="separability_gradient"
        How the parameters of ``"xiong"``, ``"mdt"`` and ``"tsvt"`` are found; ignored by the
        others. ``"separability_gradient"`` is BFGS on Fisher's separability J in feature space,
        ``"separability_cma"`` CMA-ES on J, ``"validation_cma"`` CMA-ES on the error of the
        validation part, ``"separability_exact"`` the maximiser of J, for ``"xiong"`` alone.
    %(kernel)s
    max_transforms : int, default=10
        Most transformations applied.
    validation_fraction : float or None, default=0.25
        Share of each class that is set aside, not trained on, and judges the transformations. With
        None all `max_transforms` transformations are applied and nothing is set aside.
    theta : float, default=0.0
        The g-means error on the validation part must fall by more than this.
    n_generations : int, default=30
        Generations of CMA-ES.
    tol : float, default=1e-3
        Relative duality gap at which the solver stops, below 1: a share of half the squared
        distance of the classes, which it minimises.
    max_iter : int, default=-1
        Budget of the solver for every machine; -1 lets it choose a generous one. Spending it is a
        :class:`~sklearn.exceptions.ConvergenceWarning`.
    random_state : int, RandomState instance or None, default=None
        Randomness of the validation part, of CMA-ES and of the cores of ``"xiong"``. Pass an int
        for the same machine on every call.
    %(verbose)s

    Attributes
    ----------
    %(classes)s
    minority_class_ : object
        The rarer label, the second where they are even: the positive class of the thesis, towards
        which ACT, KBA and MDT correct.
    n_transforms_ : int
        Transformations kept; 0 is the asterisk of the thesis's tables.
    history_ : list of dict
        One entry a machine on the training part: "transformation" (0 for the first machine),
        "separability" (J), "validation_error", "parameters", "n_support", "n_iter", "converged" and
        "kept".
    validation_ : ndarray of int
        Samples set aside.
    %(support)s
    dual_coef_ : ndarray of shape (1, n_SV)
        y_i alpha_i of the support vectors in the transformed kernel, y_i = +1 for ``classes_[1]``.
    coef_ : ndarray of shape (1, n_features)
        The normal vector W; linear kernel without a transformation only.
    intercept_ : ndarray of shape (1,)
        The bias b.
    n_iter_ : int
        Iterations of the solver for the machine returned.
    objective_ : float
        Dual objective 1/2 a'Qa - e'a of that machine as for :class:`L2SVC`, minimised.
    duality_gap_ : float
        Primal minus dual value, of the machine scaled to margins of at least one.
    kkt_violation_ : float
        Largest violation of the optimality conditions.
    converged_ : bool
        Whether `duality_gap_` is at most ``tol / (1 - tol)`` times the size of `objective_`.
    stop_reason_ : str
        Why no further transformation was applied, as a sentence.
    %(features)s

    See Also
    --------
    L2SVC : The machine without a transformation.
    companion.metrics.g_mean_scorer : The accuracy that counts both classes alike.

    Notes
    -----
    f(x) = sum_i y_i alpha_i d(x) d(x_i) k(x, x_i) + b, (4.1.7) of [1]_, where d is the product of
    all transformations kept. With a precomputed kernel only ``"williams"`` and ``"mdt"`` are
    available: the others take distances in input space, or k(x, x) of the points to be classified.
    For kernels without a width, ``"amari"`` and ``"xiong"`` take that which the Gaussian kernel has
    with the same `gamma`. A fit of n samples takes at most 24 n^2 bytes, 0.6 GB for 5,000, with
    ``"tsvt"`` and no validation part 32 n^2, and is refused where memory would not hold them.

    References
    ----------
    .. [1] A. Barbero, "SVM imbalance correction by conformal kernel transformations", Master
       thesis, Universidad Autonoma de Madrid, 2008.
    .. [2] S. Amari, S. Wu, "Improving support vector machine classifiers by modifying kernel
       functions", Neural Networks 12, 1999, 783-789.
    .. [3] G. Wu, E. Y. Chang, "Adaptive feature-space conformal transformation for imbalanced-data
       learning", ICML 2003.

    Examples
    --------
    A checkers board with few points on its positive tiles:

    >>> import numpy as np
    >>> from companion import ConformalSVC
    >>> from companion.metrics import g_mean_error
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(2000, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> train = np.r_[np.flatnonzero(y == 0)[:300], np.flatnonzero(y == 1)[:20]]
    >>> machine = ConformalSVC(C=10, gamma=0.02, transform="act", random_state=0)
    >>> machine.fit(X[train], y[train]).n_transforms_
    2
    >>> round(g_mean_error(y, machine.predict(X)), 1)
    0.1
    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelClassifier._parameter_constraints,
        "transform": [StrOptions(set(RULES)), Rule],
        "search": [StrOptions(set(SEARCHES))],
        "max_transforms": [Interval(Integral, 0, None, closed="left")],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither"), None],
        "theta": [Interval(Real, 0.0, None, closed="left")],
        "tol": [Interval(Real, 0.0, 1.0, closed="neither")],
        "n_generations": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [
            Interval(Integral, 1, None, closed="left"),
            Options(Integral, {-1}),
        ],
        "random_state": ["random_state"],
    }

    # Not a parameter: the transformations are there for classes of unequal size.
    class_weight = None

    C: float = 1.0
    _: KW_ONLY
    transform: str | Rule = UnreadableParameter("amari")  # noqa: RUF009  (a descriptor)
    search: str = "separability_gradient"
    max_transforms: int = 10
    validation_fraction: float | None = 0.25
    theta: float = 0.0
    n_generations: int = 30
    tol: float = 1e-3
    max_iter: int = -1
    random_state: object = None

    def get_params(self, deep=True):
        """Parameters of this estimator, by name.

        Parameters
        ----------
        deep : bool, default=True
            Without effect: no parameter is an estimator.
        """
        return {name: vars(self)[name] for name in self._get_param_names()}

    @silent_overflow
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train machines and transform their kernel in turn.

        Parameters
        ----------
        %(X)s
        %(y)s
        %(sample_weight)s
            Errors on the validation part count by weight too. Whole weights are the same as
            repeated samples for the machine itself and for ``"amari"`` and ``"williams"``; the
            other transformations and the separability count each sample once, and so does the
            choice of the validation part.

        %(self)s

        Raises
        ------
        ValueError
            If a parameter or an input is invalid, if `y` has not exactly two classes, if the
            weights are negative or leave no two classes, if the validation part or the rest would
            be without one of them, if a search needs a validation part and there is none or does
            not know the transformation, or if memory would not hold the matrices.
        %(sparse)s
        """
        rule = vars(self)["transform"]
        if isinstance(rule, str):
            rule = RULES[rule]()
        self._refuse_missing_kernel_values(rule)
        X, y, signs = self._checked(X, y)
        kept, X, signs, weight, _ = self._training_set(X, y, sample_weight, signs)
        # The thesis's positive class is the rare one.
        share = np.average(signs, weights=weight)
        turned = share > 0.0
        side = -1.0 if turned else 1.0
        rng = check_random_state(self.random_state)
        validation = self._set_aside(signs, rng)
        problem, gamma = self._problem(X, side * signs, weight, validation, rule)
        self._require_definite(problem.K, kept[problem.train])
        with progress(self):
            result = conformal_transformations(
                problem,
                rule,
                search=self.search,
                max_transforms=self.max_transforms,
                theta=self.theta,
                generations=self.n_generations,
                seed=rng.randint(2**31 - 1),
            )
        if result.is_degenerate:
            warn_not_converged(
                f"ConformalSVC stopped early. {result.stop_reason} The machine returned has "
                f"{result.n_transforms} transformations. Scale the inputs, or choose another "
                "transformation."
            )
        self.minority_class_ = self.classes_[0 if turned else 1]
        self.validation_ = kept[validation]
        self._keep(result, problem, X, kept, side, gamma, rule)
        return self

    def decision_function(self, X):
        """sum_i y_i alpha_i d(x) d(x_i) k(x, x_i) + b, positive on the side of ``classes_[1]``.

        Parameters
        ----------
        %(queries)s

        Returns
        -------
        ndarray of shape (n_queries,)
            Decision values.
        """
        X = self._queries(X)
        return self._side * self._evaluate(X, self._predictor.decision_function)

    def transformation(self, X):
        """d(x), the product of all transformations kept, of shape (n_queries,).

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or (n_queries, n_samples)
            As in :meth:`decision_function`.
        """
        return self._transformation(self._queries(X))

    def _transformation(self, X):
        """d of checked points."""
        return self._evaluate(X, self._predictor.transformation)

    def magnification(self, X):
        """Magnification factor sqrt(det g) of the transformed Gaussian kernel, (4.1.2).

        It is volume in feature space over volume in input space, by the metric of Theorem 5, of
        shape (n_queries,); `ValueError` for another kernel.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        """
        X = self._queries(X)
        if self.kernel != "rbf":
            raise ValueError(
                f"The magnification is that of the Gaussian kernel. Got kernel={self.kernel!r}; "
                'use kernel="rbf".'
            )
        d = self._transformation(X)
        X = self._dense(X)
        slope = conformal.log_gradient(self._transformation, X)
        metric = conformal.kernel_metric(X, gamma=self._gamma)
        metric = conformal.transformed_metric(d, d[:, np.newaxis] * slope, metric)
        return conformal.magnification(metric)

    def _refuse_missing_kernel_values(self, rule):
        if self.kernel == "precomputed" and (rule.uses_distances or rule.uses_diagonal):
            missing = (
                "distances in input space"
                if rule.uses_distances
                else "k(x, x) of new points"
            )
            raise ValueError(
                f"{type(rule).__name__} needs {missing}, which a precomputed kernel does not "
                'give. Use transform="williams" or "mdt" with kernel="precomputed", or pass the '
                "points and another kernel."
            )

    def _set_aside(self, signs, rng):
        """Validation samples: the share of each class, at random."""
        if self.validation_fraction is None:
            return np.empty(0, dtype=np.intp)
        chosen = []
        for label, sign in zip(self.classes_.tolist(), (-1.0, 1.0), strict=True):
            members = np.flatnonzero(signs == sign)
            count = int(np.floor(self.validation_fraction * members.size + 0.5))
            if not 0 < count < members.size:
                raise ValueError(
                    f"A validation_fraction of {self.validation_fraction:g} leaves the class "
                    f"{label!r}, of n_samples = {members.size}, without a sample "
                    f"{'for validation' if count == 0 else 'to train on'}. Change the share, or "
                    "use validation_fraction=None to apply all transformations untested."
                )
            chosen.append(rng.permutation(members)[:count])
        return np.sort(np.concatenate(chosen))

    def _problem(self, X, y, weight, validation, rule):
        """The problem of arrays, and gamma as a number."""
        settings = {
            "max_iter": None if self.max_iter == -1 else self.max_iter,
            "tol": self.tol,
        }
        settings |= {"C": self.C, "sample_weight": weight}
        n_matrices = MATRICES
        if isinstance(rule, TSVT) and self.validation_fraction is None:
            n_matrices += OF_RATES
        self._require_memory(X.shape[0], n_matrices)
        if self.kernel == "precomputed":
            return ConformalProblem(X, y, validation, **settings), None
        gamma = weighted_gamma(self.gamma, X, weight)
        parameters = self._kernel_parameters(gamma)

        def kernel(rows, columns):
            if len(rows) == 0:
                return np.empty((0, len(columns)))
            others = None if np.array_equal(rows, columns) else X[columns]
            return gram(X[rows], others, **parameters)

        def distances(rows, columns):
            if len(rows) == 0:
                return np.empty((0, len(columns)))
            return squared_distances(X[rows], X[columns])

        problem = ConformalProblem(
            kernel,
            y,
            validation,
            distances=distances,
            sigma=(0.5 / gamma) ** 0.5 if gamma > 0.0 else np.inf,
            n_features=X.shape[1],
            **settings,
        )
        return problem, gamma

    def _without_gram_matrix(self):
        return f'sklearn.svm.LinearSVC(C={self.C:g}, class_weight="balanced")'

    @silent_overflow
    def _evaluate(self, X, function):
        """A function of kernel values and distances at points, in blocks of bounded size."""
        different, which = equal_rows(X)
        X = X[different]
        if self.kernel == "precomputed":
            return function(X[:, self._needed])[which]
        parameters = self._kernel_parameters(self._gamma)
        values = np.empty(X.shape[0])
        block = PREDICTION_BLOCK_MEGABYTES * 1_000_000 // (16 * self._points.shape[0])
        for rows in batches(X.shape[0], max(1, block)):
            points = X[rows]
            distances = None
            diagonal = None
            if self._uses_distances:
                distances = squared_distances(self._points, points).T
            if self._uses_diagonal:
                diagonal = kernel_diagonal(points, **parameters)
            K = gram(self._points, points, **parameters).T
            values[rows] = function(K, distances, diagonal)
        require_finite("values", values)
        return values[which]

    def _keep(self, result, problem, X, samples, side, gamma, rule):
        """Store solution and certificate as fitted attributes."""
        machine = result.machine
        y = result.y
        scale = 2.0 / machine.squared_norm
        ridge = problem.ridge(result.samples)
        beta = scale * y * machine.alpha
        products = scale * machine.products - ridge * beta
        certificate = certify(
            products,
            y,
            beta,
            np.where(y > 0, 0.0, -np.inf),
            np.where(y > 0, np.inf, 0.0),
            ridge,
            n_iter=machine.n_iter,
            stop_reason=machine.stop_reason,
            converged=machine.converged,
        )
        # Of the hulls, in the units of the SVM: with the least heights of the classes, of sum m,
        # the primal value is at most 2 |w|^2 / m^2 and the dual value is 2 / |w|^2.
        bound = machine.squared_norm - 2.0 * machine.duality_gap  # m^2 / |w|^2
        gap = scale * 2.0 * machine.duality_gap / bound if bound > 0.0 else np.inf
        self._keep_certificate(certificate._replace(duality_gap=gap))
        used = np.flatnonzero(machine.alpha)
        used = used[np.argsort(result.samples[used])]
        support = result.samples[used]
        self.support_ = samples[support]
        signs = side * y[used]
        self.n_support_ = np.array(
            [np.count_nonzero(signs < 0), np.count_nonzero(signs > 0)]
        )
        self.dual_coef_ = side * beta[np.newaxis, used]
        self.intercept_ = np.array([side * scale * machine.intercept])
        self.n_transforms_ = result.n_transforms
        self.history_ = result.history
        self.stop_reason_ = result.stop_reason
        self._predictor, needed = result.compact()
        self._needed = samples[needed]
        self._side = side
        self._gamma = gamma
        self._uses_distances = rule.uses_distances and result.n_transforms > 0
        self._uses_diagonal = rule.uses_diagonal and result.n_transforms > 0
        self.support_vectors_ = np.empty((0, 0))
        self._points = None
        self._normal = None
        if self.kernel != "precomputed":
            self.support_vectors_ = X[support]
            self._points = X[needed]
        if self.kernel == "linear" and not result.n_transforms:
            self._normal = self.dual_coef_ @ self.support_vectors_
