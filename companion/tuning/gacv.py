"""GACV and xi-alpha of a fitted :class:`companion.L1SVC`, and what they estimate.

The criteria themselves, and the report whose equations are numbered here, are in
:mod:`companion.tuning.criteria`.
"""

from numbers import Real

import numpy as np

from companion._utils.checks import checked_positive
from companion._utils.memory import require_memory
from companion.estimators._kernel_classifier import class_factors
from companion.tuning import _training_set as training
from companion.tuning import criteria
from companion.tuning.span import squared_spans

__all__ = ["gacv", "gckl", "misclass", "xi_alpha"]

#: What the fall of a margin is taken for when its point is left out.
UPDATES = ("joachims", "span")

# Matrices of the size of that of the support vectors which the spans take.
_MATRICES = 5


def gacv(estimator, X, y, costs=None, *, update="joachims"):
    """GACV of a fitted :class:`companion.L1SVC`: (4), and (9) with costs.

    Parameters
    ----------
    estimator : L1SVC
        Fitted on `X`, `y`, without sample weights.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Its training points, or their Gram matrix for a precomputed kernel.
    y : array-like of shape (n_samples,)
        Their labels.
    costs : mapping from label to float, optional
        L(y) for both labels. By default the machine's own class weights, which are the L(y) that
        its bounds alpha_i <= C L(y_i) hold already. Nothing is weighted twice.
    update : {"joachims", "span"}, default="joachims"
        What theta_i, the fall of a margin when its point is left out, is taken for: alpha_i K_ii as
        in the report, or alpha_i S_i^2 with the span S_i, by which the free support vectors respond
        (:func:`companion.tuning.squared_spans`). The span needs the Gram matrix of the support
        vectors.

    Returns
    -------
    float
        An estimate of the expected hinge loss, twice a (pessimistic) one of the error rate. Without
        a free support vector the bias is the middle of the interval of optimal ones.

    Raises
    ------
    NotFittedError, TypeError
        If the machine is not fitted; if it is not an L1SVC, or `costs` is no mapping.
    ValueError
        If `X`, `y` are not what it was trained on, so far as its support vectors tell, the costs
        are not positive or miss a label, the update is unknown, or memory would not hold the span's
        matrix.

    Examples
    --------
    >>> from companion import L1SVC
    >>> X, y = [[0.0], [1.0], [1.5], [3.0]], [0, 0, 1, 1]
    >>> round(gacv(L1SVC(gamma=1.0).fit(X, y), X, y), 3)
    1.23
    """
    checked_update(update, "gacv")
    seen = training.observed(estimator, X, y, costs, "gacv")
    factor = _factor(seen, update, "diagonal", "gacv")
    return float(criteria.gacv_values(seen.margin, seen.alpha * factor, seen.cost))


def checked_update(update, name, bound="diagonal"):
    """Refuse what is no update, and a bound beside the span, which has none."""
    if update not in UPDATES:
        raise ValueError(
            f"The 'update' parameter of {name} must be one of {', '.join(UPDATES)}. Got {update!r}."
        )
    if update == "span" and bound != "diagonal":
        raise ValueError(
            f"{name} with update='span' takes no 'bound': the squared span stands in its place. "
            f"Got {bound!r}; leave it at 'diagonal'."
        )


def _factor(seen, update, bound, name):
    """What the multipliers are multiplied with: a number, or one for each sample."""
    if update == "joachims":
        if bound == "diagonal":
            return training.gram_diagonal(seen.points, **seen.kernel)
        if bound == "joachims":
            return training.largest_difference(seen.points, **seen.kernel)
        return float(bound)
    support = np.flatnonzero(seen.alpha)
    require_memory(
        f"{name} with update='span' for {len(support):,} support vectors",
        _MATRICES * len(support) ** 2 * 8e-6,
        "Use update='joachims', which takes no matrix.",
    )
    spans = np.zeros(len(seen.alpha))
    K = seen.gram(support)
    spans[support] = squared_spans(K, seen.alpha[support], seen.upper[support])
    return spans


def xi_alpha(
    estimator, X, y, costs=None, *, rho=1.0, bound="diagonal", update="joachims"
):
    """xi-alpha estimate of a fitted :class:`companion.L1SVC`: XA (7), XA_J (6), BRXA (11).

    Parameters
    ----------
    estimator, X, y, costs
        As for :func:`gacv`, and so is what is raised; also for a `rho` or `bound` that is none of
        those below, and a `bound` beside the span.
    rho : float, default=1.0
        Factor on the influence, positive.
    bound : {"diagonal", "joachims"} or float, default="diagonal"
        What alpha_i is multiplied with: K_ii, or the largest K_jj - K_jk over all pairs of training
        points, or a number, such as the 1 that bounds this difference for every RBF kernel. With
        ``"joachims"`` and ``rho=2`` the estimate is never below the leave-one-out error, provided
        that the machine, and every machine without one of the points, has a free support vector.
    update : {"joachims", "span"}, default="joachims"
        As for :func:`gacv`. With ``"span"`` and ``rho=1`` the estimate is near the exact
        leave-one-out error; no bound is taken.

    Returns
    -------
    float
        An estimate of the error rate, or with costs of the expected cost.

    Examples
    --------
    >>> from companion import L1SVC
    >>> X, y = [[0.0], [1.0], [1.5], [3.0]], [0, 0, 1, 1]
    >>> xi_alpha(L1SVC(gamma=1.0).fit(X, y), X, y)
    0.5
    """
    checked_positive(rho, "rho", "xi_alpha")
    checked_update(update, "xi_alpha", bound)
    is_number = isinstance(bound, Real) and 0.0 < bound < np.inf
    if not is_number and bound not in ("diagonal", "joachims"):
        raise ValueError(
            "The 'bound' parameter of xi_alpha must be 'diagonal', 'joachims' or a positive "
            f"number. Got {bound!r} instead."
        )
    seen = training.observed(estimator, X, y, costs, "xi_alpha")
    influence = seen.alpha * _factor(seen, update, bound, "xi_alpha")
    return float(criteria.xi_alpha_values(seen.margin, influence, seen.cost, rho=rho))


def gckl(estimator, X, probability, costs=None):
    """GCKL of a fitted :class:`companion.L1SVC`, the truth known: (3), and (10) with costs.

    Parameters
    ----------
    estimator : L1SVC
        Fitted machine.
    X : array-like of shape (n_samples, n_features)
        Points at which new labels are expected; in the report the training points.
    probability : array-like of shape (n_samples,)
        Probability of the second class (``classes_[1]``) at these points.
    costs : mapping from label to float, optional
        L(y) for both labels; by default the machine's class weights.

    Returns
    -------
    float

    Raises
    ------
    NotFittedError, TypeError, ValueError
        As :func:`gacv`; ValueError also if probabilities are invalid, or the class weights are
        "balanced" and no costs are given: they depend on labels, which a machine does not keep.
    """
    return _expected(criteria.gckl_values, estimator, X, probability, costs)


def misclass(estimator, X, probability, costs=None):
    """MISCLASS (BRMISCLASS) of a fitted :class:`companion.L1SVC`, the truth known: (5), (12).

    Parameters
    ----------
    estimator, X, probability, costs
        As for :func:`gckl`, and so is what is raised.

    Returns
    -------
    float
    """
    return _expected(criteria.misclass_values, estimator, X, probability, costs)


def _expected(values, estimator, X, probability, costs):
    name = values.__name__.removesuffix("_values")
    training.check_machine(estimator, name)
    classes = estimator.classes_
    weights = estimator.class_weight
    if costs is not None:
        pair = training.cost_pair(costs, classes, name)
    elif isinstance(weights, str):
        raise ValueError(
            f"{name} needs 'costs' where the class weights of the machine are {weights!r}: these "
            "depend on the training labels, which a machine does not keep."
        )
    else:
        factors = class_factors(weights, classes, classes)
        pair = (1.0, 1.0) if factors is None else factors
    decision = estimator.decision_function(X)
    probability = np.asarray(probability, dtype=np.float64)
    if probability.shape != decision.shape:
        raise ValueError(
            f"{name} needs one probability for each of the {len(decision)} samples. Got shape "
            f"{probability.shape}; of predict_proba pass the second column."
        )
    return float(values(decision, probability, pair))
