"""Documentation that estimators share: one text, many docstrings.

A place ``%(name)s`` in a docstring stands for what follows ``[name]`` below.

[C]
C : float, default=1.0
    Weight of the loss against the norm of the normal vector; larger fits the
    training set more closely. Strictly positive.

[C_or_inf]
C : float, default=1.0
    Weight of the loss against the norm of the normal vector; larger fits the
    training set more closely. Strictly positive; ``np.inf`` allows no loss at all (a hard
    margin). Where no machine has none, this is a
    :class:`~sklearn.exceptions.ConvergenceWarning`.

[kernel]
kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
    ``"rbf"`` is exp(-gamma ||x - z||^2), ``"linear"`` is <x, z>, ``"poly"``
    is (gamma <x, z> + coef0)^degree and ``"sigmoid"`` is tanh(gamma <x, z> + coef0),
    which is rarely positive semi-definite. With ``"precomputed"``, `X` is the Gram matrix.
    A callable gets two arrays of shape (n, n_features) and (m, n_features) and
    returns an array of shape (n, m); of sparse points it gets CSR matrices.
    A kernel that is not positive semi-definite is looked for on some of the samples:
    :class:`L1SVC` and :class:`LeastOneNormSVC` with a finite `C` warn and find a
    stationary point, as :class:`sklearn.svm.SVC` does; the others refuse it
    (:class:`L2SVC` and :class:`LSSVC` only with 1 / C on the diagonal).

gamma : {"scale", "auto"} or float, default="scale"
    Coefficient of ``"rbf"``, ``"poly"`` and ``"sigmoid"``. ``"scale"`` is
    1 / (n_features * X.var()), the variance weighted by `sample_weight` if given,
    so that a weight of two is a point given twice, and 1 where `X` is constant;
    ``"auto"`` is 1 / n_features.
    :func:`companion.kernels.gamma_from_width` converts the widths of the papers.

degree : int, default=3
    Degree of ``"poly"``; ignored by other kernels.

coef0 : float, default=0.0
    Independent term of ``"poly"`` and ``"sigmoid"``; ignored by other kernels.

[smo]
tol : float, default=1e-3
    SMO stops when the largest violation of the optimality conditions (the maximum
    of -y_i grad_i over the samples whose y_i alpha_i may grow minus the minimum over
    those whose may shrink) is at most `tol`. The same quantity and default as
    :class:`sklearn.svm.SVC`. Weights and repeated samples give the same machine
    as far as `tol` determines it: their decision values differ the more the
    larger `C` is. scikit-learn's check of that asks for 1e-7 and passes with
    ``tol=1e-10``.

max_iter : int, default=-1
    Budget of pair updates; -1 lets the solver choose a generous one. Spending it
    is a :class:`~sklearn.exceptions.ConvergenceWarning` and `converged_` is False.

selection : {"second_order", "first_order"}, default="second_order"
    Choice of the pair: ``"first_order"`` is the maximal violating pair [3]_, run
    as plain SMO so that `n_iter_` can be compared with the paper;
    ``"second_order"`` is that of [4]_, with Newton steps over the variables inside
    their bounds, and much faster.

[rest]
class_weight : dict or "balanced", default=None
    Factor on `C` per class. ``"balanced"`` is
    n_samples / (2 * number of samples in the class), samples counted by weight.

cache_size : float, default=2000
    Megabytes for kernel values. Below 3000 samples SMO works on the Gram matrix if it
    fits; otherwise rows are computed as needed and the most recent are kept.
    Where nearly all rows are needed (many samples inside their bounds, as in `LSSVC`
    and `LeastOneNormSVC`, or ``selection="first_order"``) and a fifth of them fit, a
    fit with a large `C` took up to eight times as long as with all of them.
    A factorisation needs the whole matrix to fit.

%(verbose)s

[verbose]
verbose : int or bool, default=0
    Whether a fit that takes more than some seconds says on standard error how far
    it is: its iterations, what the solver brings to its tolerance, the seconds.

[classes]
classes_ : ndarray of shape (2,)
    Class labels, sorted; `decision_function` is positive for the second.

[support]
support_ : ndarray of shape (n_SV,)
    Indices of the samples whose coefficient is not exactly zero.
support_vectors_ : ndarray of shape (n_SV, n_features)
    Those samples, sparse if `X` was; empty, of shape (0, 0), if the kernel is precomputed.
n_support_ : ndarray of shape (2,)
    Number of support vectors of each class.

[dual]
dual_coef_ : ndarray of shape (1, n_SV)
    y_i alpha_i of the support vectors, with y_i = +1 for ``classes_[1]``.
intercept_ : ndarray of shape (1,)
    The bias b.
coef_ : ndarray of shape (1, n_features)
    The normal vector W; linear kernel only.
n_iter_ : int
    Pair updates of SMO; 1 for a direct solution.
objective_ : float
    Dual objective 1/2 sum_ij alpha_i alpha_j y_i y_j K_ij - sum_i alpha_i at the
    solution (with the modified kernel where the problem has one), minimised.
duality_gap_ : float
    Primal minus dual value: how far the solution can be from the optimum.
kkt_violation_ : float
    Largest violation of the optimality conditions, recomputed at the solution.

[end]
converged_ : bool
    Whether `kkt_violation_` is at most `tol`, or 1e-3 for a direct solution.
stop_reason_ : str
    Why the solver stopped, as a sentence.

[features]
n_features_in_ : int
    Number of features seen in `fit`.
feature_names_in_ : ndarray of shape (`n_features_in_`,)
    Names of the features; only if `X` had names, all strings.

[attributes]
%(classes)s
%(support)s
%(dual)s
%(end)s
%(features)s

[X]
X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
    Training points, or their Gram matrix, an array, if ``kernel="precomputed"``. Of sparse
    points kernel values are computed by sparse products where this is quicker.

[y]
y : array-like of shape (n_samples,)
    Labels of exactly two classes, numbers or strings.

[sample_weight]
sample_weight : array-like of shape (n_samples,), default=None
    Non-negative factors on `C`, one per sample. A weight of zero is the sample
    left out, a weight of two the sample given twice.

[self]
Returns
-------
self : object
    The fitted classifier.

[sparse]
TypeError
    If `X` is sparse and ``kernel="precomputed"``.

[queries]
X : {array-like, sparse matrix} of shape (n_queries, n_features) or (n_queries, n_samples)
    Points, or kernel values between them and all training points if
    ``kernel="precomputed"``.

[references]
.. [1] J. Lopez, J. R. Dorronsoro, "Least 1-Norm SVMs: a new SVM variant between
   standard and LS-SVMs", ESANN 2010.
.. [2] V. Vapnik, "The Nature of Statistical Learning Theory", Springer, 1995.
.. [3] S. S. Keerthi, S. K. Shevade, "SMO algorithm for least-squares SVM
   formulations", Neural Computation 15(2), 2003, 487-507.
.. [4] R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order
   information for training support vector machines", JMLR 6, 2005, 1889-1918.
"""  # noqa: D411  (headings of the parts)

import inspect
import re


def with_shared_documentation(cls):
    """Fill the ``%(name)s`` places in the docstrings of a class and its methods."""
    shared = dict(re.findall(r"(?ms)^\[(\w+)\]\n(.*?)\s*(?=^\[|\Z)", __doc__ or ""))
    for documented in (cls, *vars(cls).values()):
        text = getattr(documented, "__doc__", None)  # none under python -OO
        if isinstance(text, str) and "%(" in text:
            documented.__doc__ = inspect.cleandoc(text) % shared % shared
    return cls
