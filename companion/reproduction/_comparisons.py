"""The rules of :mod:`companion.reproduction.verdicts`: one printed value beside one regenerated.

Each rule also says what it would have seen, the smallest departure from the print, or from the
bound of a claim, that it calls ``differs`` or ``fails``; and where it leaves a row undecided, how
many repetitions of ours would decide it.
"""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from companion.reproduction.published import JUDGED, parse_printed, parse_relation

AGREES = "agrees"
COMPATIBLE = "compatible"
DIFFERS = "differs"
HOLDS = "holds"
UNDECIDED = "undecided"
FAILS = "fails"
NOT_RUN = "not run"
LISTED = "listed"

#: What a claim can come to.
CLAIM_WORDS = (HOLDS, UNDECIDED, FAILS, NOT_RUN)
#: What is consistent with the print, and what departs from it.
CONSISTENT = (AGREES, COMPATIBLE, HOLDS)
DEPARTS = (DIFFERS, FAILS)

#: Standard errors beyond which a value differs, and up to which a claim is undecided.
MAX_DISTANCE = 3.0
MAX_UNDECIDED = 2.0
#: Chance below which a printed draw, or a table of them, is rare.
RARE_DRAW = 0.02
#: So many repetitions decide a claim in four of five runs, if the truth is where it is seen now.
_DECIDED_IN = 0.8
#: Where more than so many times our repetitions would be needed, the truth lies at the bound.
MOST_TIMES = 100
_RARE = 0.1
_EPS = 2.0**-52
NO_VALUE = "no regenerated value of this row and column"
AT_THE_BOUND = "the truth lies at the bound"
NO_ERROR = "its standard error is not known"
ONE_POOL = "more repetitions from one pool would not decide"
_UNSEEN = "no difference would have been seen"
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
    departure : float
        The same with its sign, positive above the print, the rounding counted as an error: of
        many values that differ by chance alone the squares are 1 on average.
    support : float
        Of a claim by the regeneration, in standard errors, negative beyond the bound.
    se : float
        The standard error that these are measured in.
    would_see : float
        The smallest departure that would have been called `differs` or `fails`; infinite if none
        would have been.
    needs : float
        Of what is undecided, the repetitions of ours that would decide; infinite if none do.
    note : str
        What a reader should know, often empty.
    """

    outcome: str
    distance: float = math.nan
    departure: float = math.nan
    support: float = math.nan
    se: float = math.nan
    would_see: float = math.nan
    needs: float = math.nan
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


def _needed(n, falls, stays, most):
    """So many repetitions of ours bring the variance to `most`; infinite if none do.

    With n repetitions it is `stays`, which our repetitions do not change, and `falls`, which goes
    as 1 / n.
    """
    left = most - stays
    if not (left > 0 and math.isfinite(falls)):
        return math.inf
    needs = n * falls / left
    return needs if not math.isfinite(needs) else max(math.ceil(needs), n + 1)


def _within(found, matters, needs=math.inf):
    """What is within chance agrees, unless a difference that matters would not have been seen.

    So many repetitions of ours it `needs` to be seen.
    """
    if found.outcome != AGREES:
        return found
    if math.isinf(found.would_see):
        note = "; ".join(filter(None, [found.note, _UNSEEN]))
        return replace(found, outcome=UNDECIDED, needs=math.inf, note=note)
    if not found.would_see > matters:
        return found
    if math.isinf(needs):
        return replace(found, outcome=COMPATIBLE)
    return replace(found, outcome=UNDECIDED, needs=needs)


def compare_deterministic(printed, value, matters=math.nan):
    """Compare at printed precision; any other word would have been seen."""
    if isinstance(printed, str):
        same = isinstance(value, str) and value.strip() == printed
        would_see = 0.0
    else:
        same = _excess(printed, value) == 0.0
        would_see = printed.half_unit
    found = Comparison(AGREES if same else DIFFERS, would_see=would_see)
    return _within(found, matters)


def compare_stochastic(printed, row, regenerated, *, fails_beyond=MAX_DISTANCE):
    """Compare two means by both spreads and both numbers of repetitions.

    `row` has spread, n, overlap and matters of the print, `regenerated` value, spread, n, overlap
    and se of the regeneration.
    """
    n = regenerated["n"]
    se_own = regenerated["se"]
    spread = row["spread"]
    spread_own = regenerated["spread"] if n > 1 else math.nan
    known = first_finite(spread_own, spread, se_own * math.sqrt(n), 0.0)
    stays = first_finite(spread, known) ** 2 * (1 / row["n"] + row["overlap"])
    falls = se_own**2
    if math.isnan(se_own):
        falls = known**2 / n
        stays += known**2 * regenerated["overlap"]
    se = math.sqrt(falls + stays)
    value = regenerated["value"]
    distance = _ratio(abs(_excess(printed, value)), se)
    unknown = all(map(math.isnan, (spread_own, spread, se_own)))
    half = printed.half_unit
    found = Comparison(
        AGREES if distance <= fails_beyond else DIFFERS,
        distance,
        departure=(value - printed.value) / math.hypot(se, half / math.sqrt(3)),
        se=se,
        would_see=half + fails_beyond * se,
        note="no spread is known on either side" if unknown else "",
    )
    most = max(row["matters"] - half, 0.0) / fails_beyond
    return _within(found, row["matters"], _needed(n, falls, stays, most**2))


def compare_spread(
    printed,
    n,
    value,
    n_r,
    *,
    se_r=math.nan,
    matters=math.nan,
    fails_beyond=MAX_DISTANCE,
):
    """Compare two standard deviations by the logarithm of their ratio."""
    if not n_r >= 2:
        return Comparison(NOT_RUN, note="a spread needs at least 2 repetitions")
    excess = _excess(printed, value)
    falls = 0.5 / (n_r - 1)
    stays = 0.5 / (n - 1)
    if math.isfinite(se_r) and value > 0:
        falls = (se_r / value) ** 2
        stays = falls * n_r / n
    se = math.sqrt(falls + stays)
    # Upwards a departure of so many standard errors is the longer way: both are seen by then.
    factor = math.exp(min(fails_beyond * se, 700.0))
    most = printed.value + printed.half_unit
    would_see = most * factor - printed.value
    if excess and value == 0:
        return _compare_alike(n_r, fails_beyond, se, would_see)
    distance = 0.0
    if excess:
        distance = _ratio(abs(math.log(value / (value - excess))), se)
    departure = math.nan
    if value > 0 and printed.value > 0:
        rounding = printed.half_unit / printed.value / math.sqrt(3)
        departure = math.log(value / printed.value) / math.hypot(se, rounding)
    found = Comparison(
        AGREES if distance <= fails_beyond else DIFFERS,
        distance,
        departure=departure,
        se=se,
        would_see=would_see,
    )

    longest = max((matters + printed.value) / most, 1.0)
    wanted = (math.log(longest) / fails_beyond) ** 2
    return _within(found, matters, 1 + _needed(n_r - 1, falls, stays, wanted))


def _compare_alike(n, fails_beyond, se, would_see):
    """Compare a printed spread with repetitions that are all alike.

    The print is then taken to come from one repetition in ten that is off, and all of ours are
    alike with probability 0.9^n.
    """
    distance = -NormalDist().inv_cdf(max((1 - _RARE) ** n / 2, 5e-324))
    if distance > fails_beyond:
        return Comparison(DIFFERS, distance, se=se, would_see=would_see)
    chance = 2 * NormalDist().cdf(-fails_beyond)
    needs = math.floor(math.log(chance) / math.log(1 - _RARE)) + 1
    note = f"{n:g} repetitions, all alike, are too few to refute a spread"
    return Comparison(
        UNDECIDED, distance, would_see=math.inf, needs=float(needs), note=note
    )


def compare_draw(printed, draws, matters=math.nan):
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
        needs = math.floor(sides / RARE_DRAW)
        return Comparison(UNDECIDED, would_see=math.inf, needs=float(needs), note=note)
    chance = min(1.0, sides * (min(n - above, n - below) + 1) / (n + 1))
    found = Comparison(AGREES, 0.0)
    if below or above:
        found = Comparison(
            AGREES if chance >= RARE_DRAW else DIFFERS,
            abs(NormalDist().inv_cdf(chance / 2)),
            note=f"{below} of {n} draws lie below the print, {above} above",
        )
    if binary:  # the other answer, if one of them is rare
        if min(below + above, n - below - above) <= spared:
            return _within(replace(found, would_see=1.0), matters)
        note = "either answer is common, so that none could differ"
        return replace(found, outcome=LISTED, would_see=math.inf, note=note)
    ordered = np.sort(np.asarray(draws, dtype=float))
    centre = np.median(ordered)
    reach = max(centre - ordered[spared], ordered[n - 1 - spared] - centre)
    would_see = float(reach + printed.half_unit)
    return _within(replace(found, would_see=would_see), matters)


def compare_claim(
    relation, value, se, n=math.nan, *, stays=0.0, fails_beyond=MAX_UNDECIDED
):
    """Decide a claim that a quantity stands in a relation to a bound.

    `stays` is the part of the variance that more repetitions do not change.
    """
    margin = relation.margin(value)
    if not se > 0:
        if abs(margin) <= 1e-12 * max(1.0, abs(relation.bound)):
            margin = 0.0
        holds = "=" in relation.sign if margin == 0 else margin > 0
        return Comparison(HOLDS if holds else FAILS, would_see=0.0)
    degrees = n - 1 if n >= 2 else math.inf
    support = _normal_from_t(margin / se, degrees)
    would_see = _t_from_normal(fails_beyond, degrees) * se
    found = Comparison(UNDECIDED, support=support, se=se, would_see=would_see)
    if support > MAX_UNDECIDED:
        return replace(found, outcome=HOLDS)
    if support < -fails_beyond:
        return replace(found, outcome=FAILS)
    wanted = abs(margin) / (MAX_UNDECIDED + NormalDist().inv_cdf(_DECIDED_IN))
    needs = _needed(n, se**2 - stays, stays, wanted**2)
    side = f"on the {'right' if margin > 0 else 'wrong'} side of its bound"
    if math.isnan(needs):  # unknown how many there are
        times = _needed(1.0, se**2 - stays, stays, wanted**2)
        decides = f"{times} times as many repetitions would decide"
        return replace(found, note=decides if times <= MOST_TIMES else side)
    unknown = math.isinf(se)
    if math.isinf(needs) and (stays or unknown):
        note = NO_ERROR if unknown else ONE_POOL
        return replace(found, needs=needs, note=note)
    if needs > MOST_TIMES * n:
        return replace(found, needs=math.inf, note=AT_THE_BOUND)
    return replace(found, needs=float(needs), note=side)


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


def allowance_of(profile):
    """Standard errors that a run of few repetitions is allowed beyond those of the rules."""
    return 0.0 if profile == "paper" else _QUICK_ALLOWANCE


def compare_row(row, regenerated, profile="paper"):
    """Compare one published row (a mapping) with its regeneration (a mapping, or None).

    Parameters
    ----------
    row : mapping
        Of :func:`~companion.reproduction.published.load_published`.
    regenerated : mapping or None
        value, spread, n, se, overlap, and draws where the print shows one.
    profile : {"paper", "quick"}, default="paper"

    Returns
    -------
    Comparison
    """
    if regenerated is None:
        # What the test proves that the row names need not be computed.
        proved = row["asks"] == "identity"
        return Comparison(LISTED) if proved else Comparison(NOT_RUN, note=NO_VALUE)
    if is_missing(regenerated["value"]) and regenerated["n"] == 0:
        note = "the case it speaks of never occurs"
        return Comparison(UNDECIDED, would_see=math.inf, note=note)
    if is_missing(regenerated["value"]):
        return Comparison(NOT_RUN, note="the regenerated value is missing")
    if row["asks"] == "setting" and profile != "paper":
        return Comparison(NOT_RUN, note="a quick run is smaller by design")
    found = _by_kind(row, regenerated, allowance_of(profile))
    if row["asks"] not in JUDGED and found.outcome not in (*DEPARTS, NOT_RUN):
        return replace(found, outcome=LISTED, needs=math.nan)
    return found


def _by_kind(row, regenerated, allowance):
    value = regenerated["value"]
    kind = row["kind"]
    matters = row["matters"]
    printed = parse_printed(row["printed"])
    cell = f"{row['artefact']} / {row['row']} / {row['column']}"
    if kind == "ordinal":
        return _compare_claim_of(row, regenerated, allowance)
    if kind == "deterministic":
        return compare_deterministic(printed or row["printed"], value, matters)
    if kind == "draw":
        if not len(regenerated["draws"]):
            raise ValueError(
                f"The regenerated value of {cell} must bring the draws that the print is placed "
                "among. Got none."
            )
        return compare_draw(printed, regenerated["draws"], matters)
    beyond = MAX_DISTANCE + allowance
    if kind == "spread":
        found = compare_spread(
            printed,
            row["n"],
            value,
            regenerated["n"],
            se_r=regenerated["se"],
            matters=matters,
            fails_beyond=beyond,
        )
    else:
        found = _compare_mean(printed, row, regenerated, cell, allowance, beyond)
    n = regenerated["n"]
    if allowance and found.outcome == DIFFERS and (found.se == 0 or n == 1):
        note = f"n = {n:g} without a spread of its own is too few to refute this"
        return replace(found, outcome=UNDECIDED, note=note)
    return found


def _compare_claim_of(row, regenerated, allowance):
    """Decide a claim by the standard error that the regeneration brings, or by its spread."""
    stays = 0.0
    se = regenerated["se"]
    n = regenerated["n"]
    variance = regenerated["spread"] ** 2
    if math.isnan(se):
        se = 0.0
        if n > 0 and math.isfinite(variance):
            stays = variance * regenerated["overlap"]
            se = math.sqrt(variance / n + stays)
    relation = parse_relation(row["relation"])
    beyond = MAX_UNDECIDED + allowance
    value = regenerated["value"]
    found = compare_claim(relation, value, se, n, stays=stays, fails_beyond=beyond)
    if allowance and found.outcome == FAILS and se == 0 and n >= 2:
        note = f"{n:g} repetitions, all alike, are too few to refute this"
        return replace(found, outcome=UNDECIDED, note=note)
    return found


def _compare_mean(printed, row, regenerated, cell, allowance, fails_beyond):
    if math.isnan(regenerated["se"]) and not regenerated["n"] >= 1:
        raise ValueError(
            f"The regenerated value of {cell} must bring its standard error or its number of "
            f"repetitions n >= 1. Got n = {regenerated['n']}."
        )
    if allowance and regenerated["n"] > 1:
        # the spread of few repetitions is itself known badly: Student's factor
        fails_beyond = float(stdtrit(regenerated["n"] - 1, ndtr(fails_beyond)))
    return compare_stochastic(printed, row, regenerated, fails_beyond=fails_beyond)
