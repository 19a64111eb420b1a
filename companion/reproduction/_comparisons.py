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
from companion.reproduction.tables import plain

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


def _first_finite(*numbers):
    """The first that is neither NaN nor infinite, NaN if none is."""
    return next(filter(math.isfinite, numbers), math.nan)


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


def _beside_chance(distance, se, beyond, needs, **measures):
    """What differs beyond so many standard errors; `needs` shows what matters, if it agrees."""
    errors = distance / se if se > 0 else math.inf
    errors = errors if distance else 0.0
    outcome = AGREES if errors <= beyond else DIFFERS
    return Comparison(outcome, errors, se=se, needs=needs, **measures)


def _sharp(found, matters):
    """What is within chance agrees, unless a difference that matters would not have been seen.

    So many repetitions of ours it needs to be seen.
    """
    if found.outcome == DIFFERS:
        return replace(found, needs=math.nan)
    if found.outcome != AGREES:
        return found
    if math.isinf(found.would_see):
        note = "; ".join(filter(None, [found.note, _UNSEEN]))
        return replace(found, outcome=UNDECIDED, needs=math.inf, note=note)
    if not found.would_see > matters:
        return replace(found, needs=math.nan)
    if math.isinf(found.needs):
        return replace(found, outcome=COMPATIBLE, needs=math.nan)
    return replace(found, outcome=UNDECIDED)


def _compare_exact(row, ours, allowance):
    """Compare at printed precision, or word by word; any other would have been seen."""
    printed = parse_printed(row["printed"])
    if printed is None:
        alike = ours["value"] == row["printed"]
    else:
        alike = _excess(printed, ours["value"]) == 0.0
    return Comparison(
        AGREES if alike else DIFFERS,
        would_see=printed.half_unit if printed else 0.0,
        needs=math.inf,
    )


def _compare_mean(row, ours, allowance):
    """Compare two means by both spreads and both numbers of repetitions."""
    n = ours["n"]
    se_own = ours["se"]
    derived = math.isnan(se_own)
    if derived and not n >= 1:
        raise ValueError(
            f"The regenerated value of {_cell(row)} must bring its standard error or its number of"
            f" repetitions n >= 1. Got n = {n}."
        )
    printed = parse_printed(row["printed"])
    half = printed.half_unit
    spread = row["spread"]
    spread_own = ours["spread"] if n > 1 else math.nan
    known = _first_finite(spread_own, spread, se_own * math.sqrt(n), 0.0)
    stays = _first_finite(spread, known) ** 2 * (1 / row["n"] + row["overlap"])
    falls = se_own**2
    if derived:
        falls = known**2 / n
        stays += known**2 * ours["overlap"]
    se = math.sqrt(falls + stays)
    beyond = MAX_DISTANCE + allowance
    if allowance and n > 1:
        # the spread of few repetitions is itself known badly: Student's factor
        beyond = float(stdtrit(n - 1, ndtr(beyond)))
    unknown = derived and math.isnan(_first_finite(spread_own, spread))
    most = max(row["matters"] - half, 0.0) / beyond
    found = _beside_chance(
        abs(_excess(printed, ours["value"])),
        se,
        beyond,
        _needed(n, falls, stays, most**2),
        departure=(ours["value"] - printed.value) / math.hypot(se, half / math.sqrt(3)),
        would_see=half + beyond * se,
        note="no spread is known on either side" if unknown else "",
    )
    if allowance and found.outcome == DIFFERS and (se == 0 or n == 1):
        note = f"n = {n:g} without a spread of its own is too few to refute this"
        return replace(found, outcome=UNDECIDED, needs=math.nan, note=note)
    return found


def _compare_spread(row, ours, allowance):
    """Compare two standard deviations by the logarithm of their ratio."""
    n = ours["n"]
    value = ours["value"]
    if not n >= 2:
        return Comparison(NOT_RUN, note="a spread needs at least 2 repetitions")
    printed = parse_printed(row["printed"])
    beyond = MAX_DISTANCE + allowance
    falls = 0.5 / (n - 1)
    stays = 0.5 / (row["n"] - 1)
    if math.isfinite(ours["se"]) and value > 0:
        falls = (ours["se"] / value) ** 2
        stays = falls * n / row["n"]
    se = math.sqrt(falls + stays)
    # Upwards a departure of so many standard errors is the longer way: both are seen by then.
    most = printed.value + printed.half_unit
    would_see = most * math.exp(min(beyond * se, 700.0)) - printed.value
    excess = _excess(printed, value)
    if excess and value == 0:
        return _compare_alike(n, beyond, se, would_see)
    departure = math.nan
    if value > 0 and printed.value > 0:
        rounding = printed.half_unit / printed.value / math.sqrt(3)
        departure = math.log(value / printed.value) / math.hypot(se, rounding)
    longest = max((row["matters"] + printed.value) / most, 1.0)
    wanted = (math.log(longest) / beyond) ** 2
    return _beside_chance(
        abs(math.log(value / (value - excess))) if excess else 0.0,
        se,
        beyond,
        1 + _needed(n - 1, falls, stays, wanted),
        departure=departure,
        would_see=would_see,
    )


def _compare_alike(n, beyond, se, would_see):
    """Compare a printed spread with repetitions that are all alike.

    The print is then taken to come from one repetition in ten that is off, and all of ours are
    alike with probability 0.9^n.
    """
    distance = -NormalDist().inv_cdf(max((1 - _RARE) ** n / 2, 5e-324))
    if distance > beyond:
        return Comparison(DIFFERS, distance, se=se, would_see=would_see)
    needs = math.floor(math.log(2 * ndtr(-beyond)) / math.log(1 - _RARE)) + 1
    note = f"{n:g} repetitions, all alike, are too few to refute a spread"
    return Comparison(UNDECIDED, distance, would_see=math.inf, needs=needs, note=note)


def _compare_draw(row, ours, allowance):
    """Place a single printed draw in the distribution of the regenerated ones."""
    draws = np.sort(np.asarray(ours["draws"], dtype=float))
    if not draws.size:
        raise ValueError(
            f"The regenerated value of {_cell(row)} must bring the draws that the print is placed"
            " among. Got none."
        )
    if np.isnan(draws).any():
        return Comparison(NOT_RUN, note="a draw is missing")
    printed = parse_printed(row["printed"])
    n = draws.size
    excess = np.array([_excess(printed, draw) for draw in draws])
    below = int((excess < 0).sum())
    above = int((excess > 0).sum())
    # A yes or no, as 1 or 0, can be rare on one side alone.
    binary = {printed.value, *draws} <= {0, 1}
    sides = 1 if binary else 2
    # Beyond all but so many draws on one side, a print is rare.
    fewest = math.floor(sides / RARE_DRAW)
    spared = math.ceil(RARE_DRAW * (max(n, fewest) + 1) / sides) - 2
    chance = min(1.0, sides * (min(n - above, n - below) + 1) / (n + 1))
    if binary and min(below + above, n - below - above) > spared:
        # Of few draws, too: more of them would only add to both answers.
        note = f"either answer is too common to be rare among {max(n, fewest)} draws"
        distance = _distance_of(chance)
        return Comparison(LISTED, distance, would_see=math.inf, note=note)
    if n < fewest:
        note = f"{n} draws are too few to call any print rare"
        return Comparison(UNDECIDED, would_see=math.inf, needs=fewest, note=note)
    outcome = AGREES if chance >= RARE_DRAW else DIFFERS
    would_see = 1.0
    if not binary:
        middle = np.median(draws)
        reach = max(middle - draws[spared], draws[-1 - spared] - middle)
        would_see = reach + printed.half_unit
    note = ""
    if below or above:
        note = f"{below} of {n} draws lie below the print, {above} above"
    distance = _distance_of(chance)
    return Comparison(outcome, distance, would_see=would_see, needs=math.inf, note=note)


def _distance_of(chance):
    """Standard errors beyond which, on both sides, a normal variable is with some chance."""
    return abs(NormalDist().inv_cdf(chance / 2))


def _compare_claim(row, ours, allowance):
    """Decide a claim that a quantity stands in a relation to a bound.

    The standard error is that which the regeneration brings, or follows from its spread; `stays` is
    the part of the variance that more repetitions do not change.
    """
    relation = parse_relation(row["relation"])
    n = ours["n"]
    se = ours["se"]
    margin = relation.margin(ours["value"])
    stays = 0.0
    if math.isnan(se) and n > 0 and math.isfinite(ours["spread"]):
        stays = ours["spread"] ** 2 * ours["overlap"]
        se = math.sqrt(ours["spread"] ** 2 / n + stays)
    if not se > 0:
        is_at = abs(margin) <= 1e-12 * max(1.0, abs(relation.bound))
        if "=" in relation.sign if is_at else margin > 0:
            return Comparison(HOLDS, would_see=0.0)
        if allowance and n >= 2 and se == 0:
            note = f"{n:g} repetitions, all alike, are too few to refute this"
            return Comparison(UNDECIDED, would_see=0.0, note=note)
        return Comparison(FAILS, would_see=0.0)
    beyond = MAX_UNDECIDED + allowance
    degrees = n - 1 if n >= 2 else math.inf
    support = _normal_from_t(margin / se, degrees)
    would_see = _t_from_normal(beyond, degrees) * se
    found = Comparison(UNDECIDED, support=support, se=se, would_see=would_see)
    if support > MAX_UNDECIDED:
        return replace(found, outcome=HOLDS)
    if support < -beyond:
        return replace(found, outcome=FAILS)
    wanted = abs(margin) / (MAX_UNDECIDED + NormalDist().inv_cdf(_DECIDED_IN))
    # Where it is unknown how many there are, times as many.
    needs = _needed(_first_finite(n, 1.0), se**2 - stays, stays, wanted**2)
    note = f"on the {'right' if margin > 0 else 'wrong'} side of its bound"
    if math.isinf(se):
        note = NO_ERROR
    elif math.isinf(needs) and stays:
        note = ONE_POOL
    elif needs > MOST_TIMES * n:
        needs = math.inf
        note = AT_THE_BOUND
    elif math.isnan(n) and math.isfinite(needs):
        note = f"{needs} times as many repetitions would decide"
        needs = math.nan
    return replace(found, needs=needs, note=note)


def _normal_from_t(t, degrees):
    """The normal z with the probability of a Student t."""
    if math.isinf(degrees):
        return t
    tail = stdtr(degrees, -abs(t))  # of the far side: it keeps its digits
    return math.copysign(-ndtri(tail) if tail > 0 else abs(t), t)


def _t_from_normal(z, degrees):
    return z if math.isinf(degrees) else -float(stdtrit(degrees, NormalDist().cdf(-z)))


def _cell(row):
    return f"{row['artefact']} / {row['row']} / {row['column']}"


#: Rules by kind: of a row of the print, its regeneration, and what a quick run is allowed.
_RULES = {
    "deterministic": _compare_exact,
    "stochastic": _compare_mean,
    "spread": _compare_spread,
    "draw": _compare_draw,
    "ordinal": _compare_claim,
}


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
    if plain(regenerated["value"]) is None:
        if regenerated["n"] == 0:
            note = "the case it speaks of never occurs"
            return Comparison(UNDECIDED, would_see=math.inf, note=note)
        return Comparison(NOT_RUN, note="the regenerated value is missing")
    if row["asks"] == "setting" and profile != "paper":
        return Comparison(NOT_RUN, note="a quick run is smaller by design")
    found = _RULES[row["kind"]](row, regenerated, allowance_of(profile))
    found = _sharp(found, row["matters"])
    if row["asks"] not in JUDGED and found.outcome not in (*DEPARTS, NOT_RUN):
        return replace(found, outcome=LISTED, needs=math.nan)
    return found
