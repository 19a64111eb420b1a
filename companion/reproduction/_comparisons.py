"""The rules of :mod:`companion.reproduction.verdicts`: one printed value beside one regenerated."""

import math
from dataclasses import dataclass
from statistics import NormalDist

OUTCOMES = ("reproduced", "within spread", "differs (declared)", "differs", "not run")
REPRODUCED, WITHIN, DECLARED, DIFFERS, NOT_RUN = OUTCOMES

#: Standard errors up to which a difference is within spread, and a claim undecided.
MAX_Z, MAX_Z_ORDINAL = 3.0, 2.0
_RARE = 0.1
_RARE_DRAW = 0.02
_EPS = 2.0**-52


@dataclass(frozen=True)
class Comparison:
    """Outcome of one comparison.

    Attributes
    ----------
    outcome : str
        ``"reproduced"``, ``"within spread"``, ``"differs"`` or ``"not run"``.
    z : float
        Signed distance in standard errors; NaN where there is none.
    se : float
        The standard error that z was measured in; NaN where there is none.
    note : str
        What a reader should know, often empty.
    """

    outcome: str
    z: float = math.nan
    se: float = math.nan
    note: str = ""


def _excess(printed, value):
    """Signed distance to the nearest number printed alike, 0 within rounding."""
    difference = value - printed.value
    slack = 1e-9 * printed.half_unit + 8 * _EPS * max(abs(value), abs(printed.value))
    if abs(difference) <= printed.half_unit + slack:
        return 0.0
    return math.copysign(abs(difference) - printed.half_unit, difference)


def _ratio(distance, se):
    """Distance in standard errors; infinite for any distance in no error."""
    if se > 0:
        return distance / se
    return math.copysign(math.inf, distance) if distance else 0.0


def first_finite(*numbers):
    """The first that is neither NaN nor infinite, NaN if none is."""
    return next((number for number in numbers if math.isfinite(number)), math.nan)


def compare_deterministic(printed, value):
    """Compare at printed precision."""
    if isinstance(printed, str):
        same = isinstance(value, str) and value.strip() == printed
    else:
        same = _excess(printed, value) == 0.0
    return Comparison(REPRODUCED if same else DIFFERS)


def compare_stochastic(
    printed,
    spread,
    n,
    value,
    spread_r,
    n_r,
    *,
    se_r=math.nan,
    overlap=0.0,
    overlap_r=0.0,
    fails_beyond=MAX_Z,
):
    """Compare two means by both spreads and both numbers of repetitions."""
    own = spread_r if n_r > 1 else math.nan
    known = first_finite(own, spread, se_r * math.sqrt(n_r), 0.0)
    variance = known**2 * (1 / n_r + overlap_r) if math.isnan(se_r) else se_r**2
    variance += first_finite(spread, known) ** 2 * (1 / n + overlap)
    se, excess = math.sqrt(variance), _excess(printed, value)
    z = _ratio(excess, se)
    outcome = REPRODUCED if excess == 0 else WITHIN if abs(z) <= fails_beyond else DIFFERS
    unknown = math.isnan(own) and math.isnan(spread) and math.isnan(se_r)
    return Comparison(outcome, z, se, "no spread is known on either side" if unknown else "")


def compare_spread(printed, n, value, n_r, *, se_r=math.nan, fails_beyond=MAX_Z):
    """Compare two standard deviations by the logarithm of their ratio."""
    if not n_r >= 2:
        return Comparison(NOT_RUN, note="a spread needs at least 2 repetitions")
    excess = _excess(printed, value)
    if math.isfinite(se_r) and value > 0:
        se = se_r / value * math.sqrt(1 + n_r / n)
    else:
        se = math.sqrt(0.5 / (n - 1) + 0.5 / (n_r - 1))
    if excess == 0:
        return Comparison(REPRODUCED, 0.0, se)
    if value <= 0:
        z = NormalDist().inv_cdf(max((1 - _RARE) ** n_r / 2, 5e-324))
    else:
        z = math.log(value / (value - excess)) / se
    return Comparison(WITHIN if abs(z) <= fails_beyond else DIFFERS, z, se)


def compare_draw(printed, draws):
    """Place a single printed draw in the distribution of the regenerated ones."""
    excess = [_excess(printed, draw) for draw in draws]
    below, above = sum(e < 0 for e in excess), sum(e > 0 for e in excess)
    if below == above == 0:
        return Comparison(REPRODUCED, 0.0)
    n = len(excess)
    chance = min(1.0, 2 * (min(n - above, n - below) + 1) / (n + 1))
    z = math.copysign(NormalDist().inv_cdf(chance / 2), above - below)
    note = f"{below} of {n} draws lie below the print, {above} above"
    return Comparison(DIFFERS if chance < _RARE_DRAW else WITHIN, z, note=note)


def compare_ordinal(relation, value, se, n=math.nan, *, fails_beyond=MAX_Z_ORDINAL):
    """Decide a claim that a quantity stands in a relation to a bound."""
    margin = relation.margin(value)
    if not se > 0:
        if abs(margin) <= 1e-12 * max(1.0, abs(relation.bound)):
            margin = 0.0
        holds = relation.holds(relation.bound) if margin == 0 else margin > 0
        return Comparison(REPRODUCED if holds else DIFFERS)
    z = _normal_from_t(margin / se, n - 1) if n >= 2 else margin / se
    if -fails_beyond <= z <= MAX_Z_ORDINAL:
        limit = fails_beyond if z < 0 else MAX_Z_ORDINAL
        return Comparison(
            WITHIN, z, se, f"undecided: within {limit:g} standard errors of the bound"
        )
    return Comparison(REPRODUCED if z > 0 else DIFFERS, z, se)


def _normal_from_t(t, degrees):
    """The normal z with the probability of a Student t."""
    from scipy.special import ndtri, stdtr

    tail = stdtr(degrees, -abs(t))  # of the far side: it keeps its digits
    return math.copysign(-ndtri(tail) if tail > 0 else abs(t), t)
