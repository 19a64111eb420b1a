"""Losses of a slack xi = max(0, 1 - y f(x)): the hinge and two that count errors.

Each gives its value, its first two derivatives and the weight theta'(xi) / xi that turns it into
a squared error. A. Navia-Vazquez, F. Perez-Cruz, A. Artes-Rodriguez and A. R. Figueiras-Vidal,
Advantages of unbiased support vector classifiers for data mining applications, Journal of VLSI
Signal Processing 37 (2004): (6) the loss, (21) and (22) multipliers and weights.
"""

import numbers
from dataclasses import dataclass

import numpy as np

from companion._utils.checks import checked_positive
from companion._utils.compiled import njit

__all__ = ["Hinge", "Sigmoid", "Unbiased"]

# Smaller slacks count as this in quotients that tend to a limit, such as 0 / 0: a power of two.
_TINY = 2.0**-300


class _Loss:
    """What a loss is at any slack: loss, slope, weight and second derivative come together."""

    def value(self, xi):
        """Loss of each slack; slacks below zero count as zero.

        Parameters
        ----------
        xi : array-like
        """
        return self.terms(xi)[0]

    def derivative(self, xi):
        """First derivative, zero for slacks up to zero.

        Parameters
        ----------
        xi : array-like
        """
        return self.terms(xi)[1]

    def weight(self, xi):
        """Weight theta'(xi) / xi of the squared error, (22) of the paper over C.

        Parameters
        ----------
        xi : array-like
        """
        return self.terms(xi)[2]

    def second_derivative(self, xi):
        """Second derivative, from the right where it jumps, zero for slacks up to zero.

        Parameters
        ----------
        xi : array-like
        """
        return self.terms(xi)[3]

    def terms(self, xi, floor=0.0):
        """All four in this order, those of the loss that is quadratic below the floor.

        Parameters
        ----------
        xi : array-like
        floor : float, default=0.0
            A positive slack below it counts as the floor: the loss is then quadratic there and
            the weight finite.
        """
        xi = np.asarray(xi, dtype=np.float64)
        return self._terms(xi.ravel(), max(floor, _TINY)).reshape(4, *xi.shape)


@dataclass(frozen=True)
class Hinge(_Loss):
    """The loss of the standard machine, xi itself: (4) of the paper.

    Examples
    --------
    >>> Hinge().value([-1.0, 0.5, 3.0])
    array([0. , 0.5, 3. ])
    """

    is_convex = True

    #: The weight grows without bound as the slack goes to zero.
    needs_floor = True

    s = 1.0

    def value(self, xi):
        """Loss of each slack: the slack itself, or zero.

        Parameters
        ----------
        xi : array-like
        """
        return np.maximum(xi, 0.0)

    def _terms(self, xi, floor):
        at = np.maximum(xi, floor)
        is_slack = np.heaviside(xi, 0.0)
        quadratic = 0.5 * np.clip(xi, 0.0, floor) ** 2 / floor
        value = np.where(xi < floor, quadratic, xi - 0.5 * floor)
        weight = is_slack / at
        slope = np.where(xi < floor, weight * np.minimum(xi, floor), is_slack)
        return np.array([value, slope, weight, np.where(xi < floor, weight, 0.0)])


@dataclass(frozen=True)
class Unbiased(_Loss):
    """The smooth step theta_s that counts errors, (6) of the paper.

    With kappa = k^(1/s)::

        theta_s(xi) = (xi + kappa)^s / (2 (1 + kappa)^s)        0 <= xi < 1
                      1 - (1 + kappa)^s / (2 (xi + kappa)^s)    xi >= 1

    It rises to 1, is 1/2 at xi = 1 with the slope s / (2 (1 + kappa)), and tends to the step at
    xi = 1 as s grows.

    Parameters
    ----------
    s : float, default=2.0
        Order, at least 1.
    k : float, default=0.0
        The paper's constant, at least 0. With k > 0 the slope at zero is
        s k^((s-1)/s) / (2 (1 + kappa)^s) > 0, a kink: a separable training set has the hard-margin
        solution if C times this slope is at least the largest multiplier of that solution.

    Examples
    --------
    >>> Unbiased(s=2).value([0.0, 0.5, 1.0, 2.0])
    array([0.   , 0.125, 0.5  , 0.875])
    """

    s: float = 2.0
    k: float = 0.0

    is_convex = False

    def __post_init__(self):
        if not (isinstance(self.s, numbers.Real) and 1.0 <= self.s < np.inf):
            raise ValueError(
                f"The order 's' of the unbiased loss must be a finite number of at least 1. "
                f"Got {self.s!r}; below 1 the loss has no finite slope at zero. Use s=2."
            )
        if not (isinstance(self.k, numbers.Real) and 0.0 <= self.k < np.inf):
            raise ValueError(
                f"The constant 'k' of the unbiased loss must be a finite number of at least 0. "
                f"Got {self.k!r}; the paper's is very small. Use k=0 or k=1e-6."
            )

    @property
    def needs_floor(self):
        """Whether the weight grows without bound as the slack goes to zero."""
        return self.k > 0.0 or self.s < 2.0

    @property
    def _kappa(self):
        return float(self.k) ** (1.0 / self.s)

    def _terms(self, xi, floor):
        return _smooth_step(xi, float(self.s), self._kappa, floor)


@dataclass(frozen=True)
class Sigmoid(_Loss):
    """A sigmoid of the slack that counts errors, for the paper's ERM-SVC.

    With the slope a::

        theta_a(xi) = (cosh(a xi) - 1) / (cosh(a xi) + cosh(a)),    xi >= 0

    The paper calls the loss of the ERM-SVC "sigmoidal" and leaves its formula to another paper;
    this one is ours: the logistic function of a (xi - 1) with its mirror image in xi added, moved
    and scaled to go from 0 to 1. Like (6) without its constant it starts with slope zero, so that
    its weight is bounded. It tends to the step at xi = 1 as a grows, where it is
    (1 - 1 / cosh(a)) / 2, and over a^2 / 4 to the squared slack as a goes to zero.

    Parameters
    ----------
    slope : float, default=4.0
        a, positive.

    Examples
    --------
    >>> Sigmoid(slope=8.0).value([0.0, 0.5, 1.0, 2.0]).round(3)
    array([0.   , 0.017, 0.5  , 1.   ])
    """

    slope: float = 4.0

    is_convex = False
    needs_floor = False

    #: Where it starts, the loss is quadratic.
    s = 2.0

    def __post_init__(self):
        checked_positive(self.slope, "slope", "the sigmoid loss")

    def _terms(self, xi, floor):
        return _sigmoid(xi, float(self.slope), floor)


@njit(error_model="numpy", nogil=True)
def _sigmoid(xi, a, floor):
    """The sigmoid, its slope, weight and second derivative, with a quadratic below the floor."""
    terms = np.zeros((4, xi.size))
    level = np.tanh(0.5 * a)
    for i in range(xi.size):
        at = max(xi[i], floor)
        root = np.tanh(0.5 * a * at)
        # sinh(a) / (cosh(a xi) + cosh(a)), and the same with sinh(a xi) above
        p = 1.0 / (1.0 + np.exp(a * (at - 1.0))) - 1.0 / (1.0 + np.exp(a * (at + 1.0)))
        r = root * (1.0 - level * p)
        slope = a * p * r / level
        weight = slope / at
        terms[0, i] = root * r
        if xi[i] < floor:
            terms[0, i] -= 0.5 * weight * (at * at - max(xi[i], 0.0) ** 2)
        if xi[i] > 0.0:
            bend = a * a * p / level * (1.0 - p / np.tanh(a) - 2.0 * r * r)
            terms[1, i] = weight * xi[i] if xi[i] < floor else slope
            terms[2, i] = weight
            terms[3, i] = weight if xi[i] < floor else bend
    return terms


@njit(error_model="numpy", nogil=True)
def _smooth_step(xi, s, kappa, floor):
    """(6), its slope, weight and second derivative, with a quadratic below the floor."""
    terms = np.zeros((4, xi.size))
    none_was_asked_for = floor == _TINY
    at_zero = 0.5 * (kappa / (1.0 + kappa)) ** s
    for i in range(xi.size):
        if xi[i] <= 0.0 and none_was_asked_for:
            terms[0, i] = at_zero
            continue
        at = max(xi[i], floor)
        ratio = (at + kappa) / (1.0 + kappa)
        ratio = ratio if at < 1.0 else 1.0 / ratio
        branch = 0.5 * (ratio * ratio if s == 2.0 else ratio**s)
        slope = s * branch / (at + kappa)
        weight = slope / at
        bend = (s - 1.0 if at < 1.0 else -s - 1.0) * slope / (at + kappa)
        if xi[i] < floor:
            branch -= 0.5 * weight * (at * at - max(xi[i], 0.0) ** 2)
            bend = weight
            branch = at_zero if none_was_asked_for else branch
        terms[0, i] = branch if at < 1.0 else 1.0 - branch
        if xi[i] > 0.0:
            terms[1, i] = weight * xi[i] if xi[i] < floor else slope
            terms[2, i] = weight
            terms[3, i] = bend
    return terms
