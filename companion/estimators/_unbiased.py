"""UnbiasedSVC: error-counting losses, fitted by iterated weighted least squares."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from companion._utils.progress import progress
from companion.estimators._compat import Interval, StrOptions, fit_context
from companion.estimators._docs import with_shared_documentation
from companion.estimators._kernel_classifier import KernelClassifier, silent_overflow
from companion.kernels import gram
from companion.losses import Hinge, Sigmoid, Unbiased
from companion.solvers.fscl import fscl
from companion.solvers.wls import Design, wls

# Matrices of the size of the Gram matrix that a fit takes.
MATRICES = 6

# With prototypes: matrices of a column for each of them, and of a row as well.
OF_PROTOTYPES = 4
OF_THEIR_SQUARE = 2


@with_shared_documentation
@dataclass(eq=False, repr=False)
class UnbiasedSVC(KernelClassifier):
    """Support vector classifier that counts errors in place of adding slacks.

    The loss is a smooth step. It is not convex: the machine found is a local minimum, which
    depends on where the iteration starts.

    Parameters
    ----------
    %(C)s
    loss : {"unbiased", "hinge", "sigmoid"}, default="unbiased"
        ``"unbiased"`` is the smooth step theta_s of [1]_; ``"hinge"`` gives the standard machine,
        that of :class:`L1SVC`, by the same means; ``"sigmoid"`` is for the ERM-SVC of [1]_, whose
        loss [1]_ calls sigmoidal and does not print: the formula below is ours.
    s : float, default=2.0
        Order of theta_s, at least 1: the larger, the closer to the step.
    k : float, default=0.0
        The paper's constant, at least 0, which gives theta_s a slope of s k^((s-1)/s) /
        (2 (1 + k^(1/s))^s) at the margin. Training sets that can be separated have the hard-margin
        solution if `C` times this slope is at least the largest multiplier of that solution.
    slope : float, default=4.0
        Slope a > 0 of the sigmoid: the larger, the closer to the step. To be chosen with `C`, by
        cross-validation.
    %(kernel)s
    n_prototypes : int, default=None
        Number of kernels of a semiparametric machine, at most the number of samples. They are
        placed by frequency-sensitive competitive learning [2]_, without regard to the classes.
        With None every sample is one. Ignored by the linear kernel, whose machine has its normal
        vector for parameters; not available for precomputed kernels.
    init : {"svc", "least_squares"}, default="svc"
        Where the iteration starts, but for the hinge: at the support vector machine with the
        same `C` and kernels, or at least squares with all weights one.
    damping : "auto" or float, default="auto"
        Share of the old machine in the new one, in [0, 1). A fixed point is sure to be stable only
        above (s - 3) / (s - 1); ``"auto"`` is (s - 2) / (s - 1), or 0 up to s = 2.
    accelerate : bool, default=True
        Whether the solver may change the sequence but not the solution: halve a step that would
        raise the objective, take Newton steps once the iteration has settled, and find the
        hinge's machine by an interior point. False is the plain iteration of [1]_.
    tol : float, default=1e-6
        The iteration ends when a step changes no decision value by more than `tol`; for
        ``loss="hinge"``, when the duality gap is at most `tol` times the objective. There
        weights and repeated samples give the same machine as far as `tol` determines it;
        scikit-learn's check of that asks for 1e-7 and passes with ``tol=1e-10``.
    max_iter : int, default=2000
        Budget of weighted least-squares problems. Spending it is a
        :class:`~sklearn.exceptions.ConvergenceWarning` and `converged_` is False.
    class_weight : dict or "balanced", default=None
        Factor on `C` per class: with this loss the cost of an error of this class.
        ``"balanced"`` is n_samples / (2 * number of samples in the class), samples counted by
        weight.
    random_state : int, RandomState instance or None, default=None
        Randomness of the prototypes. Pass an int for the same machine on every call.
    %(verbose)s

    Attributes
    ----------
    %(classes)s
    prototypes_ : ndarray of shape (n_kernels, n_features)
        The centres c_j of the kernels in use: n_kernels is the size of the machine. Prototypes
        that are combinations of others in feature space, such as repeated points, are left out.
        Sparse if they are samples of a sparse `X`; empty, of shape (0, 0), if the kernel is
        precomputed or linear.
    dual_coef_ : ndarray of shape (1, n_kernels)
        Their coefficients; none, of shape (1, 0), for the linear kernel.
    coef_ : ndarray of shape (1, n_features)
        The normal vector W; linear kernel only.
    intercept_ : ndarray of shape (1,)
        The bias b.
    support_ : ndarray of shape (n_SV,)
        Indices of the samples with a positive multiplier: those that the machine depends on.
    n_support_ : ndarray of shape (2,)
        Number of them in each class.
    n_iter_ : int
        Weighted least-squares problems solved after the start.
    objective_ : float
        1/2 ||W||^2 + sum_i C_i loss(xi_i) at the solution.
    duality_gap_ : float
        Primal minus dual value of the hinge; NaN for the other losses, which have no dual bound.
    kkt_violation_ : float
        The larger of ``||W - sum_i alpha_i y_i Phi(X_i)||``, within the span of the kernels,
        and ``|sum_i alpha_i y_i|``.
    converged_ : bool
        For the hinge whether `duality_gap_` is at most `tol` times `objective_`. For other losses
        whether the last step moved no decision value by more than `tol` and half the square of
        `kkt_violation_` is at most 1e-3 times `objective_`.
    stop_reason_ : str
        Why the solver stopped, as a sentence.
    %(features)s

    See Also
    --------
    L1SVC : The hinge, solved in the dual.
    sklearn.svm.SVC : The hinge, solved by libsvm.

    Notes
    -----
    With slacks xi_i = max(0, 1 - y_i f(X_i)), f(x) = W . Phi(x) + b, the problem is (5) of [1]_::

        min_{W, b}  1/2 ||W||^2 + sum_i C_i theta_s(xi_i),

        theta_s(xi) = (xi + kappa)^s / (2 (1 + kappa)^s)        for xi < 1,
                      1 - (1 + kappa)^s / (2 (xi + kappa)^s)    from there on,

    where kappa = k^(1/s) and C_i is `C` times the weights of sample and class. In place of theta_s,
    ``loss="hinge"`` has xi, and ``loss="sigmoid"``, with the slope a,::

        theta_a(xi) = (cosh(a xi) - 1) / (cosh(a xi) + cosh(a)).

    W is free for the linear kernel and W = sum_j beta_j Phi(c_j) otherwise, (23) of [1]_. Each
    iteration solves the weighted least-squares problem (25) of [1]_ with the weights a_i =
    alpha_i / xi_i, alpha_i = C_i theta'(xi_i); the factor 2 of the printed (22) would fit the
    machine of 2 `C`.

    With a kernel, a fit of n samples takes 48 n^2 bytes, 1.2 GB for 5,000 samples and 19 GB for
    20,000, and a time that grows with n^3: on one core of 2026 about 2 s for 1,000 samples, 6 s for
    2,000 and 2 minutes for 5,000. One that the memory free would not hold is refused; a long one is
    not, and says how far it is with ``verbose=1``.
    Above 5,000 samples set `n_prototypes`, or fit the linear machine to the features of
    :class:`sklearn.kernel_approximation.Nystroem`. The linear kernel and the placing of prototypes
    take a sparse `X` of up to 1000 MB as an array, and refuse a larger one.

    References
    ----------
    .. [1] A. Navia-Vazquez, F. Perez-Cruz, A. Artes-Rodriguez, A. R. Figueiras-Vidal,
       "Advantages of unbiased support vector classifiers for data mining applications",
       Journal of VLSI Signal Processing 37, 2004, 223-235.
    .. [2] S. C. Ahalt, A. K. Krishnamurthy, P. Chen, D. E. Melton, "Competitive learning
       algorithms for vector quantization", Neural Networks 3, 1990, 277-290.

    Examples
    --------
    A single point far on the wrong side moves the standard machine's threshold, not this one's:

    >>> from companion import L1SVC, UnbiasedSVC
    >>> X = [[-1.0], [0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]
    >>> y = [1, 0, 0, 0, 0, 1, 1, 1, 1]
    >>> for machine in (L1SVC(C=10, kernel="linear"), UnbiasedSVC(C=10, kernel="linear")):
    ...     machine = machine.fit(X, y)
    ...     print(round(-machine.intercept_[0] / machine.coef_[0, 0], 2))
    3.0
    3.5

    A kernel on many samples: the linear machine on features that approximate it.

    >>> from sklearn.datasets import make_moons
    >>> from sklearn.kernel_approximation import Nystroem
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> features = Nystroem(gamma=1.0, n_components=100, random_state=0)
    >>> machine = make_pipeline(features, UnbiasedSVC(kernel="linear")).fit(X, y)
    >>> print(f"{machine.score(X, y):.2f}")
    0.97
    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelClassifier._parameter_constraints,
        "loss": [StrOptions({"unbiased", "hinge", "sigmoid"})],
        "s": [Interval(Real, 1.0, None, closed="left")],
        "k": [Interval(Real, 0.0, None, closed="left")],
        "slope": [Interval(Real, 0.0, None, closed="neither")],
        "n_prototypes": [Interval(Integral, 1, None, closed="left"), None],
        "init": [StrOptions({"svc", "least_squares"})],
        "damping": [StrOptions({"auto"}), Interval(Real, 0.0, 1.0, closed="left")],
        "accelerate": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    C: float = 1.0
    _: KW_ONLY
    loss: str = "unbiased"
    s: float = 2.0
    k: float = 0.0
    slope: float = 4.0
    n_prototypes: int | None = None
    init: str = "svc"
    damping: str | float = "auto"
    accelerate: bool = True
    tol: float = 1e-6
    max_iter: int = 2000
    class_weight: dict | str | None = None
    random_state: object = None

    @silent_overflow
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the machine to a training set.

        Parameters
        ----------
        %(X)s
        %(y)s
        %(sample_weight)s

        %(self)s

        Raises
        ------
        ValueError
            If a parameter or an input is invalid, if `y` has not exactly two classes, if
            the weights are negative or leave no two classes, if there are more prototypes
            than samples, or if memory would not hold the matrices.
        %(sparse)s
        """
        X, y, signs = self._checked(X, y)
        kept, X, signs, point_weight, cost = self._training_set(
            X, y, sample_weight, signs
        )
        gamma = self._resolved_gamma(X, point_weight)
        centres = self._place_prototypes(X, point_weight)
        with progress(self):
            result = wls(
                self._design(X, kept, centres, gamma),
                signs,
                self.C,
                loss=self._loss(),
                sample_weight=cost,
                start="least_squares" if self.loss == "hinge" else self.init,
                damping=self.damping,
                tol=self.tol,
                max_iter=self.max_iter,
                accelerate=self.accelerate,
            )
        self._keep(result, signs, cost, kept, X, centres, gamma)
        return self

    def _loss(self):
        if self.loss == "unbiased":
            return Unbiased(self.s, self.k)
        return Hinge() if self.loss == "hinge" else Sigmoid(self.slope)

    def _centres(self):
        return (
            self._centre_indices if self.kernel == "precomputed" else self.prototypes_
        )

    def _place_prototypes(self, X, point_weight):
        """Prototypes of a semiparametric machine; None where all samples are, or for a linear."""
        if self.n_prototypes is None or self.kernel == "linear":
            return None
        if self.kernel == "precomputed":
            raise ValueError(
                "Prototypes of UnbiasedSVC are placed among points, which a precomputed kernel "
                f"does not give. Got n_prototypes={self.n_prototypes}; use n_prototypes=None."
            )
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        return fscl(
            self._dense(X), self.n_prototypes, rng=seed, sample_weight=point_weight
        )

    def _design(self, X, samples, centres, gamma):
        parameters = self._kernel_parameters(gamma)
        if self.kernel == "linear":
            return Design.linear(self._dense(X))
        if centres is None:
            self._require_memory(X.shape[0], MATRICES, " Or set n_prototypes.")
            K = X if self.kernel == "precomputed" else gram(X, **parameters)
            self._require_definite(K, samples)
            return Design.kernel(K)
        share = len(centres) / X.shape[0]
        n_matrices = OF_PROTOTYPES * share + OF_THEIR_SQUARE * share**2
        self._require_memory(X.shape[0], n_matrices, " Or decrease n_prototypes.")
        K = gram(centres, **parameters)
        self._require_definite(K, np.arange(len(K)))
        return Design.kernel(gram(X, centres, **parameters), K)

    def _keep(self, result, signs, cost, kept, X, centres, gamma):
        """Store solution and certificate as fitted attributes."""
        self._keep_certificate(result)
        bound = self.C if cost is None else self.C * cost
        # An interior point leaves no multiplier at zero, only below the surplus of the margin.
        surplus = np.maximum(signs * result.decision_function - 1.0, 0.0)
        support = np.flatnonzero(result.alpha > bound * surplus)
        self.support_ = kept[support]
        n_positive = np.count_nonzero(signs[support] > 0)
        self.n_support_ = np.array([support.size - n_positive, n_positive])
        self._normal = None
        self._centre_indices = None
        self.prototypes_ = np.empty((0, 0))
        if self.kernel == "linear":
            self._normal = result.coef[np.newaxis]
            used = np.empty(0, dtype=np.intp)
        else:
            used = np.flatnonzero(result.coef)
            if self.kernel == "precomputed":
                self._centre_indices = kept[used]
            else:
                self.prototypes_ = (X if centres is None else centres)[used]
        self.dual_coef_ = result.coef[used][np.newaxis, :]
        self.intercept_ = np.array([result.intercept])
        self._gamma = gamma
