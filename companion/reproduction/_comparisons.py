"""The rules of :mod:`companion.reproduction.verdicts`: one printed value beside one regenerated.

Each rule also says what it would have seen, the smallest departure from the print, or from the
bound of a claim, that it calls ``differs`` or ``fails``; and where it tests nothing, or leaves a
claim open, how many repetitions of ours would decide it.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from companion.reproduction.published import parse_printed, parse_relation, plain

#: What the rules say of a number, and of a test of a sentence.
MATCHES = "matches"
DIFFERS = "differs"
NOT_TESTED = "not tested"
HOLDS = "holds"
FAILS = "fails"
OPEN = "open"
#: What departs from the print.
DEPARTS = (DIFFERS, FAILS)

#: Standard errors beyond which a value differs, and up to which a claim is open.
MAX_DISTANCE = 3.0
MAX_OPEN = 2.0
#: Of fewer repetitions nobody knows the tails: they are judged as normal ones.
ENOUGH_FOR_TAILS = 30
_N_RESAMPLES = 40_000
#: Excess kurtosis of a mean beyond which it is not taken as normal.
_HEAVY = 0.5
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
_UNSEEN = "no difference would have been seen"
_QUICK_ALLOWANCE = 1.0


@dataclass(frozen=True)
class Comparison:
    """What came of one comparison.

    Attributes
    ----------
    verdict : str
        One of the words above, "" where nothing is compared.
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
        Of what is not tested, or open, the repetitions of ours that would decide; infinite if none
        do.
    coarse : bool
        Of a number that matches, whether the print is too coarse for a sharper comparison.
    scored : bool
        False where no other answer could have departed.
    is_run : bool
        False where there is no regeneration to compare with.
    because : str
        Why it is not tested, open or not scored.
    note : str
        What a reader should know, often empty.
    """

    verdict: str
    distance: float = math.nan
    departure: float = math.nan
    support: float = math.nan
    se: float = math.nan
    would_see: float = math.nan
    needs: float = math.nan
    coarse: bool = False
    scored: bool = True
    is_run: bool = True
    because: str = ""
    note: str = ""


def _not_run(row, because):
    """What there is no regeneration of."""
    word = OPEN if row["kind"] == "ordinal" else NOT_TESTED
    word = "" if row["asks"] == "ours" else word
    return Comparison(word, is_run=False, because=because)


def _not_tested(found, because, needs=math.nan):
    """A number that is within chance, and is not tested by that."""
    return replace(found, verdict=NOT_TESTED, needs=needs, because=because)


def repetitions(number):
    """So many repetitions would decide, rounded up to two digits."""
    unit = 10 ** max(math.floor(math.log10(number)) - 1, 0)
    return f"{math.ceil(number / unit) * unit:d} repetitions would decide"


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
    verdict = MATCHES if errors <= beyond else DIFFERS
    return Comparison(verdict, errors, se=se, needs=needs, **measures)


def _sharp(found, matters):
    """What is within chance matches, unless more repetitions would see a difference that matters.

    If none would, the print is too coarse for it, as it is where nobody says what matters.
    """
    if found.verdict == DIFFERS:
        return replace(found, needs=math.nan)
    if found.verdict != MATCHES or not found.scored:
        return found
    if math.isinf(found.would_see):
        return _not_tested(found, _UNSEEN, math.inf)
    if found.would_see <= matters:
        return replace(found, needs=math.nan)
    if math.isinf(found.needs):
        return replace(found, coarse=True, needs=math.nan)
    return _not_tested(found, repetitions(found.needs), found.needs)


def _compare_exact(row, ours, allowance):
    """Compare at printed precision, or word by word; any other would have been seen."""
    printed = parse_printed(row["printed"])
    if printed is None:
        alike = ours["value"] == row["printed"]
    else:
        alike = _excess(printed, ours["value"]) == 0.0
    return Comparison(
        MATCHES if alike else DIFFERS, would_see=printed.half_unit if printed else 0.0
    )


@lru_cache(maxsize=2)
def resamples(n, size):
    """Samples of a size among n repetitions, with replacement: a row says how often each is in."""
    drawn = np.random.default_rng([n, size]).integers(n, size=(_N_RESAMPLES, size))
    drawn += n * np.arange(_N_RESAMPLES)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=_N_RESAMPLES * n)
    return counts.reshape(_N_RESAMPLES, n).astype(np.float32)


def _errors_by_tails(draws, n_printed, statistic):
    """Standard errors of a print below and above ours, as if both were drawn from our repetitions.

    Three of them are exceeded as rarely as three of a normal variable, however heavy the tails are.
    ``statistic(mean, variance)`` is of a run.
    """
    centred = (np.asarray(draws) - np.mean(draws)).astype(np.float32)
    found = []
    for size in (int(n_printed), len(centred)):
        counts = resamples(len(centred), size)
        means = counts @ centred / size
        variances = (counts @ centred**2 - size * means**2) / max(size - 1, 1)
        found.append(statistic(means, np.maximum(variances, 0)))
    theirs, ours = found
    # of another sample, where both sizes are alike
    gaps = theirs - np.roll(ours, 1)
    tails = np.quantile(gaps, ndtr([-MAX_DISTANCE, MAX_DISTANCE]))
    return np.abs(tails) / MAX_DISTANCE


def _excess_kurtosis(ours):
    """Of the repetitions, NaN if they are few, or all alike."""
    draws = np.asarray(ours["draws"], dtype=float)
    if len(draws) < ENOUGH_FOR_TAILS or np.ptp(draws) == 0:
        return math.nan
    squares = (draws - draws.mean()) ** 2
    return np.mean(squares**2) / np.mean(squares) ** 2 - 3


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
    # a few printed repetitions may be alike by chance, where ours say that they vary
    spreads = filter(math.isfinite, (spread, spread_own))
    stays = max(spreads, default=known) ** 2 / row["n"]
    falls = se_own**2
    if derived:
        falls = known**2 / n
    excess = _excess(printed, ours["value"])
    se = math.sqrt(falls + stays)
    longest = se
    if _excess_kurtosis(ours) > _HEAVY * min(n, row["n"]):
        errors = _errors_by_tails(ours["draws"], row["n"], lambda mean, _: mean)
        errors = np.maximum(errors, se)
        longest = max(errors)
        falls, stays = ((longest / se) ** 2 * part for part in (falls, stays))
        se = errors[int(excess < 0)]
    beyond = MAX_DISTANCE + allowance
    if allowance and n > 1:
        # the spread of few repetitions is itself known badly: Student's factor
        beyond = float(stdtrit(n - 1, ndtr(beyond)))
    unknown = derived and math.isnan(_first_finite(spread_own, spread))
    most = max(row["matters"] - half, 0.0) / beyond
    found = _beside_chance(
        abs(excess),
        se,
        beyond,
        _needed(n, falls, stays, most**2),
        departure=(ours["value"] - printed.value) / math.hypot(se, half / math.sqrt(3)),
        would_see=half + beyond * longest,
        note="no spread is known on either side" if unknown else "",
    )
    if allowance and found.verdict == DIFFERS and (se == 0 or n == 1):
        return _not_tested(found, f"n = {n:g} without a spread of its own is too few")
    return found


def _compare_spread(row, ours, allowance):
    """Compare two standard deviations by the logarithm of their ratio."""
    n = ours["n"]
    value = ours["value"]
    if not n >= 2:
        return _not_run(row, "a spread needs at least 2 repetitions")
    printed = parse_printed(row["printed"])
    beyond = MAX_DISTANCE + allowance
    falls = 0.5 / (n - 1)
    stays = 0.5 / (row["n"] - 1)
    most = printed.value + printed.half_unit
    excess = _excess(printed, value)
    errors = np.full(2, math.sqrt(falls + stays))
    if not math.isnan(_excess_kurtosis(ours)):
        errors = _errors_by_tails(
            ours["draws"],
            row["n"],
            # what is less than half a unit prints as none
            lambda _, variance: np.log(np.maximum(variance, printed.half_unit**2)) / 2,
        )
        falls = max(errors) ** 2 / (1 + n / row["n"])
        stays = max(errors) ** 2 - falls
    se = errors[int(excess < 0)]
    # Upwards a departure of so many standard errors is the longer way: both are seen by then.
    would_see = most * math.exp(min(beyond * max(errors), 700.0)) - printed.value
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
    because = f"{n:g} repetitions, all alike, are too few; {repetitions(needs)}"
    found = Comparison(NOT_TESTED, distance, would_see=math.inf)
    return _not_tested(found, because, needs)


def _compare_draw(row, ours, allowance):
    """Place a single printed draw in the distribution of the regenerated ones."""
    draws = np.sort(np.asarray(ours["draws"], dtype=float))
    if not draws.size:
        raise ValueError(
            f"The regenerated value of {_cell(row)} must bring the draws that the print is placed"
            " among. Got none."
        )
    if np.isnan(draws).any():
        return _not_run(row, "a draw is missing")
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
        because = f"either answer is too common to be rare among {max(n, fewest)} draws"
        distance = _distance_of(chance)
        found = Comparison(MATCHES, distance, would_see=math.inf)
        return replace(found, scored=False, because=because)
    if n < fewest:
        because = f"{n} draws are too few; {repetitions(fewest)}"
        found = Comparison(NOT_TESTED, would_see=math.inf)
        return _not_tested(found, because, fewest)
    verdict = MATCHES if chance >= RARE_DRAW else DIFFERS
    would_see = 1.0
    if not binary:
        middle = np.median(draws)
        reach = max(middle - draws[spared], draws[-1 - spared] - middle)
        would_see = reach + printed.half_unit
    note = ""
    if below or above:
        note = f"{below} of {n} draws lie below the print, {above} above"
    distance = _distance_of(chance)
    return Comparison(verdict, distance, would_see=would_see, needs=math.inf, note=note)


def _distance_of(chance):
    """Standard errors beyond which, on both sides, a normal variable is with some chance."""
    return abs(NormalDist().inv_cdf(chance / 2))


def _compare_claim(row, ours, allowance):
    """Decide a claim that a quantity stands in a relation to a bound."""
    relation = parse_relation(row["relation"])
    n = ours["n"]
    se = _standard_error(ours)
    margin = relation.margin(ours["value"])
    if not se > 0:
        is_at = abs(margin) <= 1e-12 * max(1.0, abs(relation.bound))
        if "=" in relation.sign if is_at else margin > 0:
            return Comparison(HOLDS, would_see=0.0)
        if allowance and n >= 2 and se == 0:
            because = f"{n:g} repetitions, all alike, are too few"
            return Comparison(OPEN, would_see=0.0, because=because)
        return Comparison(FAILS, would_see=0.0)
    beyond = MAX_OPEN + allowance
    degrees = n - 1 if n >= 2 else math.inf
    support = _normal_from_t(margin / se, degrees)
    would_see = _t_from_normal(beyond, degrees) * se
    found = Comparison(OPEN, support=support, se=se, would_see=would_see)
    if support > MAX_OPEN:
        return replace(found, verdict=HOLDS)
    if support < -beyond:
        return replace(found, verdict=FAILS)
    return _left_open(found, margin, n)


def _left_open(found, margin, n):
    """An open claim with what would decide it, if the truth is where it is seen now."""
    wanted = abs(margin) / (MAX_OPEN + NormalDist().inv_cdf(_DECIDED_IN))
    # Where it is unknown how many there are, times as many.
    needs = _needed(_first_finite(n, 1.0), found.se**2, 0.0, wanted**2)
    if math.isinf(found.se):
        return replace(found, needs=math.inf, because=NO_ERROR)
    if math.isinf(needs) or needs > MOST_TIMES * n:
        return replace(found, needs=math.inf, because=AT_THE_BOUND)
    if math.isnan(n):
        because = f"{needs} times as many repetitions would decide"
        return replace(found, because=because)
    side = f"on the {'right' if margin > 0 else 'wrong'} side of its bound"
    return replace(found, needs=needs, because=repetitions(needs), note=side)


def _standard_error(ours):
    """That which the regeneration brings, or that which follows from its spread."""
    n = ours["n"]
    if math.isnan(ours["se"]) and n > 0 and math.isfinite(ours["spread"]):
        return ours["spread"] / math.sqrt(n)
    return ours["se"]


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
        value, spread, n, se, and draws where the print shows one.
    profile : {"paper", "quick"}, default="paper"

    Returns
    -------
    Comparison
    """
    if regenerated is None:
        proved = row["asks"] == "identity"  # by the test that it names
        return Comparison("", is_run=False) if proved else _not_run(row, NO_VALUE)
    if plain(regenerated["value"]) is None and regenerated["n"] != 0:
        return _not_run(row, "the regenerated value is missing")
    if row["asks"] == "ours":
        return Comparison("", se=_standard_error(regenerated))
    if plain(regenerated["value"]) is None:
        never = "the case it speaks of never occurs"
        return Comparison(OPEN, would_see=math.inf, because=never)
    if row["asks"] == "setting" and profile != "paper":
        return _not_run(row, "a quick run is smaller by design")
    found = _RULES[row["kind"]](row, regenerated, allowance_of(profile))
    # what is compared digit by digit is sharp
    return found if row["kind"] == "deterministic" else _sharp(found, row["matters"])
