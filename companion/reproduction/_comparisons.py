"""The rules of :mod:`companion.reproduction.verdicts`: one printed value beside one regenerated.

Each rule also says what it would have seen: the smallest departure from the print, or from the
bound of a claim, that it calls ``differs`` or ``fails``.
"""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from companion.reproduction.published import SCORED, parse_printed, parse_relation

REPRODUCED = "reproduced"
WITHIN = "within spread"
DIFFERS = "differs"
HOLDS = "holds"
UNDECIDED = "undecided"
FAILS = "fails"
NOT_RUN = "not run"
LISTED = "listed"

#: What a claim can come to, and what agrees with the print, or departs from it.
CLAIM_OUTCOMES = (HOLDS, UNDECIDED, FAILS, NOT_RUN)
AGREES = (REPRODUCED, WITHIN, HOLDS)
DEPARTS = (DIFFERS, FAILS)

#: Standard errors beyond which a value differs, and up to which a claim is undecided.
MAX_DISTANCE = 3.0
MAX_UNDECIDED = 2.0
#: Chance below which a printed draw, or a table of them, is rare.
RARE_DRAW = 0.02
_RARE = 0.1
_EPS = 2.0**-52
NO_VALUE = "no regenerated value of this row and column"
_QUICK_ALLOWANCE = 1.0


@dataclass(frozen=True)
class Comparison:
    """Outcome of one comparison.

    Attributes
    ----------
    outcome : str
        One of the words above.
    distance : float
        Of a value from the print beyond its rounding, in standard errors, at least 0.
    support : float
        Of a claim by the regeneration, in standard errors, negative beyond the bound.
    se : float
        The standard error that these are measured in.
    would_see : float
        The smallest departure that would have been called `differs` or `fails`; infinite if none
        would have been.
    note : str
        What a reader should know, often empty.
    """

    outcome: str
    distance: float = math.nan
    support: float = math.nan
    se: float = math.nan
    would_see: float = math.nan
    note: str = ""


def _excess(printed, value):
    """Signed distance to the nearest number printed alike, 0 within rounding."""
    difference = value - printed.value
    slack = 1e-9 * printed.half_unit + 8 * _EPS * abs(printed.value)
    if abs(difference) <= printed.half_unit + slack:
        return 0.0
    return math.copysign(abs(difference) - printed.half_unit, difference)


def _ratio(distance, se):
    """Distance in standard errors; infinite for any distance in no error."""
    if se > 0:
        return distance / se
    return math.inf if distance else 0.0


def first_finite(*numbers):
    """The first that is neither NaN nor infinite, NaN if none is."""
    return next((number for number in numbers if math.isfinite(number)), math.nan)


def compare_deterministic(printed, value):
    """Compare at printed precision; any other word would have been seen."""
    if isinstance(printed, str):
        same = isinstance(value, str) and value.strip() == printed
        would_see = 0.0
    else:
        same = _excess(printed, value) == 0.0
        would_see = printed.half_unit
    return Comparison(REPRODUCED if same else DIFFERS, would_see=would_see)


def compare_stochastic(printed, row, own, *, fails_beyond=MAX_DISTANCE):
    """Compare two means by both spreads and both numbers of repetitions.

    `row` has spread, n and overlap of the print, `own` those of the regeneration, value and se.
    """
    value = own["value"]
    n = own["n"]
    se_own = own["se"]
    spread = row["spread"]
    spread_own = own["spread"] if n > 1 else math.nan
    known = first_finite(spread_own, spread, se_own * math.sqrt(n), 0.0)
    variance = known**2 * (1 / n + own["overlap"]) if math.isnan(se_own) else se_own**2
    variance += first_finite(spread, known) ** 2 * (1 / row["n"] + row["overlap"])
    se = math.sqrt(variance)
    excess = abs(_excess(printed, value))
    distance = _ratio(excess, se)
    outcome = (
        REPRODUCED if excess == 0 else WITHIN if distance <= fails_beyond else DIFFERS
    )
    unknown = all(map(math.isnan, (spread_own, spread, se_own)))
    note = "no spread is known on either side" if unknown else ""
    would_see = printed.half_unit + fails_beyond * se
    return Comparison(outcome, distance, se=se, would_see=would_see, note=note)


def compare_spread(printed, n, value, n_r, *, se_r=math.nan, fails_beyond=MAX_DISTANCE):
    """Compare two standard deviations by the logarithm of their ratio."""
    if not n_r >= 2:
        return Comparison(NOT_RUN, note="a spread needs at least 2 repetitions")
    excess = _excess(printed, value)
    if math.isfinite(se_r) and value > 0:
        se = se_r / value * math.sqrt(1 + n_r / n)
    else:
        se = math.sqrt(0.5 / (n - 1) + 0.5 / (n_r - 1))
    # Upwards a departure of so many standard errors is the longer way: both are seen by then.
    factor = math.exp(min(fails_beyond * se, 700.0))
    most = printed.value + printed.half_unit
    seen = {"se": se, "would_see": most * factor - printed.value}
    if excess == 0:
        return Comparison(REPRODUCED, 0.0, **seen)
    if value > 0:
        distance = _ratio(abs(math.log(value / (value - excess))), se)
        return Comparison(
            WITHIN if distance <= fails_beyond else DIFFERS, distance, **seen
        )
    distance = -NormalDist().inv_cdf(max((1 - _RARE) ** n_r / 2, 5e-324))
    if distance > fails_beyond:
        return Comparison(DIFFERS, distance, **seen)
    note = f"{n_r:g} repetitions, all alike, are too few to refute a spread"
    return Comparison(UNDECIDED, distance, would_see=math.inf, note=note)


def compare_draw(printed, draws):
    """Place a single printed draw in the distribution of the regenerated ones."""
    excess = np.array([_excess(printed, draw) for draw in draws])
    if np.isnan(excess).any():
        return Comparison(NOT_RUN, note="a draw is missing")
    n = excess.size
    below = int((excess < 0).sum())
    above = int((excess > 0).sum())
    # A yes or no, as 1 or 0, can be rare on one side alone.
    binary = {printed.value, *draws} <= {0, 1}
    sides = 1 if binary else 2
    # Beyond all but so many draws on one side, a print is rare.
    spared = math.ceil(RARE_DRAW * (n + 1) / sides) - 2
    if spared < 0:
        note = f"{n} draws are too few to call any print rare"
        return Comparison(UNDECIDED, would_see=math.inf, note=note)
    ordered = np.sort(np.asarray(draws, dtype=float))
    centre = float(np.median(ordered))
    reach = (
        max(centre - ordered[spared], ordered[n - 1 - spared] - centre)
        + printed.half_unit
    )
    if binary:  # the other answer, if one of them is rare
        reach = 1 if min(below + above, n - below - above) <= spared else math.inf
    seen = {"would_see": float(reach)}
    if below == above == 0:
        return Comparison(REPRODUCED, 0.0, **seen)
    chance = min(1.0, sides * (min(n - above, n - below) + 1) / (n + 1))
    note = f"{below} of {n} draws lie below the print, {above} above"
    outcome = DIFFERS if chance < RARE_DRAW else WITHIN
    return Comparison(outcome, abs(NormalDist().inv_cdf(chance / 2)), note=note, **seen)


def joint_chance(printed, draws):
    """The share of draws, the print among them, that are as far from the others as the print is.

    Parameters
    ----------
    printed : array-like of shape (n_cells,)
        The numbers of one draw.
    draws : array-like of shape (n_draws, n_cells)
        Regenerated ones. The distance is Euclidean, in standard deviations of each cell.
    """
    every = np.vstack([printed, draws]).astype(float)
    n = len(every)
    deviations = (every - every.mean(axis=0)) * n / (n - 1)
    scale = every.std(axis=0, ddof=1)  # with the print, so that its place is any draw's
    used = scale > 0
    distances = ((deviations[:, used] / scale[used]) ** 2).sum(axis=1)
    return float(np.mean(distances >= distances[0] * (1 - 1e-12)))


def compare_claim(relation, value, se, n=math.nan, *, fails_beyond=MAX_UNDECIDED):
    """Decide a claim that a quantity stands in a relation to a bound."""
    margin = relation.margin(value)
    if not se > 0:
        if abs(margin) <= 1e-12 * max(1.0, abs(relation.bound)):
            margin = 0.0
        holds = "=" in relation.sign if margin == 0 else margin > 0
        return Comparison(HOLDS if holds else FAILS, would_see=0.0)
    degrees = n - 1 if n >= 2 else math.inf
    support = _normal_from_t(margin / se, degrees)
    seen = {
        "support": support,
        "se": se,
        "would_see": _t_from_normal(fails_beyond, degrees) * se,
    }
    if support > MAX_UNDECIDED:
        return Comparison(HOLDS, **seen)
    if support < -fails_beyond:
        return Comparison(FAILS, **seen)
    side = "right" if margin > 0 else "wrong"
    return Comparison(UNDECIDED, **seen, note=f"on the {side} side of its bound")


def _normal_from_t(t, degrees):
    """The normal z with the probability of a Student t."""
    if math.isinf(degrees):
        return t
    tail = stdtr(degrees, -abs(t))  # of the far side: it keeps its digits
    return math.copysign(-ndtri(tail) if tail > 0 else abs(t), t)


def _t_from_normal(z, degrees):
    return z if math.isinf(degrees) else -float(stdtrit(degrees, NormalDist().cdf(-z)))


def is_missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def compare_row(row, own, profile="paper"):
    """Compare one published row (a mapping) with its regeneration (a mapping, or None).

    Parameters
    ----------
    row : mapping
        Of :func:`~companion.reproduction.published.load_published`.
    own : mapping or None
        value, spread, n, se, overlap, and draws where the print shows one.
    profile : {"paper", "quick"}, default="paper"

    Returns
    -------
    Comparison
    """
    if (
        own is None and row["asks"] == "identity"
    ):  # a test proves it, which the row names
        return Comparison(LISTED)
    if own is None:
        return Comparison(NOT_RUN, note=NO_VALUE)
    if is_missing(own["value"]) and own["n"] == 0:
        return Comparison(
            UNDECIDED, would_see=math.inf, note="the case it speaks of never occurs"
        )
    if is_missing(own["value"]):
        return Comparison(NOT_RUN, note="the regenerated value is missing")
    if row["asks"] == "setting" and profile != "paper":
        return Comparison(NOT_RUN, note="a quick run is smaller by design")
    found = _by_kind(row, own, 0.0 if profile == "paper" else _QUICK_ALLOWANCE)
    if row["asks"] not in SCORED:
        return (
            replace(found, outcome=LISTED)
            if found.outcome in (*AGREES, UNDECIDED)
            else found
        )
    if found.outcome in AGREES and math.isinf(found.would_see):
        return replace(
            found, outcome=UNDECIDED, note="no difference would have been seen"
        )
    if found.outcome in AGREES and found.would_see > row["matters"]:
        short = f"a difference of {row['matters']:g}, which matters here, would not have been seen"
        return replace(
            found, outcome=UNDECIDED, note="; ".join(filter(None, (found.note, short)))
        )
    return found


def _by_kind(row, own, allowance):
    value = own["value"]
    kind = row["kind"]
    printed = parse_printed(row["printed"])
    cell = f"{row['artefact']} / {row['row']} / {row['column']}"
    if kind == "deterministic":
        return compare_deterministic(
            row["printed"] if printed is None else printed, value
        )
    if kind == "draw":
        if not len(own["draws"]):
            raise ValueError(
                f"The regenerated value of {cell} must bring the draws that the print is placed "
                "among. Got none."
            )
        return compare_draw(printed, own["draws"])
    beyond = {"fails_beyond": MAX_DISTANCE + allowance}
    if kind == "ordinal":
        derived = (
            own["spread"] * math.sqrt(1 / own["n"] + own["overlap"])
            if own["n"] > 0
            else 0.0
        )
        se = (
            own["se"]
            if math.isinf(own["se"])
            else first_finite(own["se"], derived, 0.0)
        )
        beyond = {"fails_beyond": MAX_UNDECIDED + allowance}
        return compare_claim(
            parse_relation(row["relation"]), value, se, own["n"], **beyond
        )
    if kind == "spread":
        found = compare_spread(
            printed, row["n"], value, own["n"], se_r=own["se"], **beyond
        )
    else:
        found = _compare_mean(printed, row, own, cell, allowance, **beyond)
    if allowance and found.outcome == DIFFERS and (found.se == 0 or own["n"] == 1):
        note = f"n = {own['n']:g} without a spread of its own is too few to refute this"
        return replace(found, outcome=UNDECIDED, note=note)
    return found


def _compare_mean(printed, row, own, cell, allowance, fails_beyond):
    if math.isnan(own["se"]) and not own["n"] >= 1:
        raise ValueError(
            f"The regenerated value of {cell} must bring its standard error or its number of "
            f"repetitions n >= 1. Got n = {own['n']}."
        )
    if allowance and own["n"] > 1:
        # the spread of few repetitions is itself known badly: Student's factor
        fails_beyond = float(stdtrit(own["n"] - 1, ndtr(fails_beyond)))
    return compare_stochastic(printed, row, own, fails_beyond=fails_beyond)
