"""WeightedRobustSVC: utilities of decisions, the truncated minimum-margin hinge, any classes."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from companion._utils.progress import progress
from companion._utils.warnings import warn_caller
from companion.estimators._compat import Interval, StrOptions, fit_context
from companion.estimators._docs import with_shared_documentation
from companion.estimators._kernel_classifier import KernelClassifier, silent_overflow
from companion.kernels import gram
from companion.solvers import Design, dca, utility_from_cost
from companion.solvers._margin_terms import checked_utility

#: Largest decision value on the training set below which nothing was learnt.
_NEXT_TO_ZERO = 1e-3

# Matrices of the size of the Gram matrix that a fit takes, and more for each pair of functions.
MATRICES = 3
OF_A_PAIR = 3.4


@with_shared_documentation
@dataclass(eq=False, repr=False)
class WeightedRobustSVC(KernelClassifier):
    """Support vector classifier of several classes for decisions of unequal utility.

    There is one decision function per class, and the largest decides. The loss of a sample grows
    with the utility of the decisions that it rules out, and is truncated, so that outliers do not
    count without limit. With truncation it is not convex: the machine found is a local minimum, or
    a point from which the ways down that were tried do not lead down; `stop_reason_` says which.

    Parameters
    ----------
    %(C)s
    utility : array-like of shape (n_classes, n_classes), default=None
        What it is worth to decide for the class of the column when that of the row is true, in the
        sorted order of the labels; non-negative. None is the identity, which counts correct
        decisions.
    cost : array-like of shape (n_classes, n_classes), default=None
        Costs in place of utilities, of the same layout. They stand for the utilities max(cost) -
        cost, (9) of [1]_.
    form : {"utility", "cost"}, default="utility"
        ``"utility"`` is the loss (8) of [1]_. ``"cost"`` is (4), which [1]_ gives up because the DC
        algorithm would not apply to it; it does. It takes the costs, by default one for every
        wrong decision.
    truncation : "auto", float or None, default="auto"
        The s of [1]_, at most 0: a margin below s has the loss of s. ``"auto"`` is
        -1 / (n_classes - 1), the least that is Fisher consistent; None does not truncate and is the
        weighted support vector machine, which is convex for ``form="utility"``.
    %(kernel)s
    init : {"weighted", "unweighted"}, default="weighted"
        Where the DC algorithm starts: at the machine without truncation, as in [1]_, or at the one
        that ignores utilities and costs too. Where no decision has half of the utility the first is
        next to f = 0, which the algorithm does not leave: take the second there.
    tol : float, default=1e-6
        To which every convex problem is solved: its duality gap is at most this share of its value,
        or 1e-14 of `C` times all weights, which is rounding. Weights and repeated samples give the
        same machine as far as `tol` determines it; scikit-learn's check of that asks for 1e-7 and
        passes with ``tol=1e-10``.
    max_iter : int, default=100
        Budget of DC steps. Spending it is a :class:`~sklearn.exceptions.ConvergenceWarning` and
        `converged_` is False.
    %(verbose)s

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    utility_ : ndarray of shape (n_classes, n_classes)
        The matrix in use: utilities, or costs for ``form="cost"``.
    truncation_ : float
        s; -inf without truncation.
    support_ : ndarray of shape (n_SV,)
        Indices of the samples that carry the kernel expansion: a largest set of samples that are
        linearly independent in feature space. Empty for the linear kernel.
    support_vectors_ : ndarray of shape (n_SV, n_features)
        Those samples, sparse if `X` was; empty, of shape (0, 0), if the kernel is precomputed or
        linear.
    n_support_ : ndarray of shape (n_classes,)
        Number of them in each class.
    dual_coef_ : ndarray of shape (n_classes, n_SV)
        Their coefficients, of shape (1, n_SV) and for f_2 - f_1 with two classes.
    coef_ : ndarray of shape (n_classes, n_features)
        The normal vectors w_m, or (1, n_features) and w_2 - w_1 with two classes; linear kernel
        only.
    intercept_ : ndarray of shape (n_classes,)
        The biases b_m, or b_2 - b_1 with two classes.
    n_iter_ : int
        Convex problems solved: one, and one a DC step; none for ways down that were tried in vain.
    objective_ : float
        1/2 sum_m ||w_m||^2 plus the loss, (10) of [1]_.
    duality_gap_ : float
        Primal minus dual value of the last convex problem.
    kkt_violation_ : float
        Largest violation of (13) and (15) of [1]_ there.
    converged_ : bool
        Whether a fixed point was reached and `duality_gap_` is at most `tol` times `objective_`, or
        1e-14 of the total weight of the terms, which is rounding.
    stop_reason_ : str
        Why the solver stopped, as a sentence.
    %(features)s

    See Also
    --------
    L1SVC : The hinge for two classes.
    companion.metrics.average_utility : What the machine is after, on a test set.

    Notes
    -----
    With g_ij = f_j(x_i) - max_{l != j} f_l(x_i) and T_s(u) = [1 - u]_+ - [s - u]_+ the problem is
    (10) of [1]_ in feature space::

        min  1/2 sum_m ||w_m||^2 + C sum_i sum_j U_{y_i j} T_s(g_ij)   subject to sum_m f_m = 0.

    Each step of the DC algorithm replaces the concave part by its tangent and solves the convex
    problem that remains; it starts at a machine without truncation of the same `C`. For two
    classes with the identity this is the binary truncated hinge of f = f_2 - f_1 with the penalty
    ||w||^2 / 4, as the norms of w_1 = -w_2 are counted both: twice the usual `C`.

    With a kernel, a fit of n samples and k classes takes (24 + 27 (k - 1)^2) n^2 bytes, 1.3 GB for
    5,000 samples of two classes and 20 GB for 20,000, and a time that grows with n^3: on one core
    of 2026 about 3 s for 1,000 samples of two classes, 25 s for 2,000 and, extrapolated, 7 minutes
    for 5,000; 40 s for 1,000 samples of three. One that the memory free would not hold is refused;
    a long one is not, and says how far it is with ``verbose=1``. Above 5,000 samples fit the linear
    machine to the features of :class:`sklearn.kernel_approximation.Nystroem`. The linear kernel
    takes a sparse `X` of up to 1000 MB as an array, and refuses a larger one.

    References
    ----------
    .. [1] Y. Liu, Y. Wu, Q. He, "Utility-based weighted multicategory robust support vector
       machines", Statistics and its Interface 3, 2010, 465-476.

    Examples
    --------
    To call the first class the second is worth nearly as much as to be right:

    >>> from companion import WeightedRobustSVC
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]
    >>> y = [0, 0, 1, 0, 1, 1, 2, 2, 2]
    >>> for utility in (None, [[1, 0.9, 0], [0, 1, 0], [0, 0, 1]]):
    ...     machine = WeightedRobustSVC(C=10, utility=utility, kernel="linear").fit(X, y)
    ...     print(machine.predict(X))
    [0 0 0 1 1 1 2 2 2]
    [1 1 1 1 1 1 2 2 2]

    A kernel on many samples: the linear machine on features that approximate it.

    >>> from sklearn.datasets import make_moons
    >>> from sklearn.kernel_approximation import Nystroem
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> features = Nystroem(gamma=1.0, n_components=100, random_state=0)
    >>> machine = make_pipeline(features, WeightedRobustSVC(kernel="linear")).fit(X, y)
    >>> print(f"{machine.score(X, y):.2f}")
    0.97
    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelClassifier._parameter_constraints,
        "utility": ["array-like", None],
        "cost": ["array-like", None],
        "form": [StrOptions({"utility", "cost"})],
        "truncation": [
            StrOptions({"auto"}),
            Interval(Real, -np.inf, 0, closed="both"),
            None,
        ],
        "init": [StrOptions({"weighted", "unweighted"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }
    # Not a parameter: utilities say what classes weigh.
    class_weight = None

    C: float = 1.0
    _: KW_ONLY
    utility: object = None
    cost: object = None
    form: str = "utility"
    truncation: str | float | None = "auto"
    init: str = "weighted"
    tol: float = 1e-6
    max_iter: int = 100

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    @silent_overflow
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the machine to a training set.

        Parameters
        ----------
        %(X)s
        y : array-like of shape (n_samples,)
            Labels of at least two classes, numbers or strings.
        %(sample_weight)s
            A class whose weights are all zero can still be decided for.

        %(self)s

        Raises
        ------
        ValueError
            If a parameter or an input is invalid, if `y` has one class only, if utilities or costs
            do not fit the classes, if the weights are negative or all zero, if the kernel is not
            positive semi-definite, or if memory would not hold the matrices.
        %(sparse)s
        """
        X, y = self._validated(X, y)
        check_classification_targets(y)
        self._require_size(X)
        classes, codes_of_all = np.unique(y, return_inverse=True)
        self._require_two(classes)
        matrix = self._matrix(classes)
        s = -np.inf if self.truncation is None else self.truncation
        s = -1.0 / (len(classes) - 1.0) if s == "auto" else float(s)
        kept, X, codes, weight, _ = self._training_set(
            X, y, sample_weight, codes_of_all
        )
        gamma = self._resolved_gamma(X, weight)
        settings = {"form": self.form, "start": self.init}
        settings |= {"tol": self.tol, "max_iter": self.max_iter}
        with progress(self):
            result = dca(
                self._design(X, kept, gamma, len(classes)),
                codes,
                matrix,
                self.C,
                s,
                sample_weight=weight,
                **settings,
            )
        if np.abs(result.decision_function).max() < _NEXT_TO_ZERO:
            warn_caller(
                "The decision values of this WeightedRobustSVC are next to zero, and so its labels "
                "are rounding: no decision has half of the utility. Use init='unweighted'.",
                UserWarning,
            )
        self._keep(result, kept, X, gamma)
        self.classes_ = classes
        self.utility_ = matrix
        self.truncation_ = s
        self.n_support_ = np.bincount(
            codes_of_all[self.support_], minlength=len(classes)
        )
        return self

    def _matrix(self, classes):
        """Utilities, or costs for the cost form."""
        k = len(classes)
        name = type(self).__name__
        is_utility = self.form == "utility"
        if self.utility is not None and not (self.cost is None and is_utility):
            raise ValueError(
                f'{name} takes either utilities or costs, and costs alone for form="cost". Got a '
                f"'utility' with form={self.form!r}"
                + (
                    " and a 'cost'."
                    if self.cost is not None
                    else "; pass it as max(U) - U."
                )
            )
        what = "utility" if self.cost is None else "cost"
        matrix = getattr(self, what)
        if matrix is None:
            return np.eye(k) if is_utility else 1.0 - np.eye(k)
        matrix = np.asarray(matrix, dtype=np.float64)
        if matrix.shape != (k, k):
            raise ValueError(
                f"The '{what}' of {name} must have a row and a column for each of the {k} labels "
                f"in y, {classes.tolist()[:10]}, in this order. Got shape {matrix.shape}: a label "
                "without a row cannot be fitted, nor a row without a label."
            )
        checked_utility(matrix, name, what)
        return utility_from_cost(matrix) if is_utility and what == "cost" else matrix

    def _design(self, X, samples, gamma, n_classes):
        if self.kernel == "linear":
            return Design.linear(self._dense(X))
        self._require_memory(X.shape[0], MATRICES + OF_A_PAIR * (n_classes - 1) ** 2)
        is_gram = self.kernel == "precomputed"
        K = X if is_gram else gram(X, **self._kernel_parameters(gamma))
        self._require_definite(K, samples)
        return Design.kernel(K)

    def _keep(self, result, kept, X, gamma):
        """Store solution and certificate as fitted attributes."""
        self._keep_certificate(result)
        coef = result.coef
        intercept = result.intercept
        if len(intercept) == 2:
            coef = np.diff(coef, axis=0)
            intercept = np.diff(intercept)
        is_linear = self.kernel == "linear"
        used = np.flatnonzero(coef.any(axis=0) & (not is_linear))
        self._normal = coef if is_linear else None
        has_points = not is_linear and self.kernel != "precomputed"
        self.support_vectors_ = X[used] if has_points else np.empty((0, 0))
        self.support_ = kept[used]
        self.dual_coef_ = coef[:, used]
        self.intercept_ = intercept
        self._gamma = gamma
        self.n_iter_ = 1 + result.n_steps
