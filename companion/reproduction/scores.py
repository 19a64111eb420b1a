"""The score of a ledger: one function counts its numbers and its sentences, and all show that.

A printed number is one row; a sentence takes the word of its tests. Tables are judged as a whole
too. ``docs/verdicts.md`` has the rules.
"""

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
from scipy.special import gammainc, gammaincc, ndtr

from companion.reproduction._comparisons import ENOUGH_FOR_TAILS, MAX_DISTANCE
from companion.reproduction.declared import MISPRINT, READING_KINDS
from companion.reproduction.verdicts import (
    EXPLAINED,
    FAILS,
    HOLDS,
    MATCHES,
    NOT_TESTED,
    OPEN,
    UNEXPLAINED,
)

__all__ = [
    "NUMBER_WORDS",
    "SENTENCE_WORDS",
    "JointTest",
    "as_read",
    "joint_tests",
    "score",
    "sentence_word",
]

IN_PART = "in part"
#: What can become of a printed number, and of a sentence, in the order of tables.
NUMBER_WORDS = (MATCHES, EXPLAINED, UNEXPLAINED, NOT_TESTED)
SENTENCE_WORDS = (HOLDS, IN_PART, FAILS, OPEN)
#: The scores beside that as printed, which are never added up: what readings each goes by.
READ_BY = {"misprints": (MISPRINT,), "choices": READING_KINDS}
#: Standard errors to either side of a 95 % interval.
_INTERVAL = 1.959964
_SAID_AS_PRINTED = ("because", "reason", "evidence", "problem", "note")
_KINDS = {"stochastic": "means", "spread": "spreads"}


def as_read(ledger, kinds):
    """A ledger under its readings of these kinds, "misprint" or "choice", where it has one."""
    read = ledger["reading_kind"].isin(kinds)
    under = {
        name: ledger[name].mask(read, ledger[f"{name}_as_read"])
        for name in ("verdict", "departure", "reproduced")
    }
    # what is said of the print as it stands
    under |= {name: ledger[name].mask(read, "") for name in _SAID_AS_PRINTED}
    under["reproduced_spread"] = ledger["reproduced_spread"].mask(read)
    return ledger.assign(**under, coarse=ledger["coarse"] & ~read)


def sentence_word(verdicts):
    """The word of a sentence whose tests have these verdicts.

    Holds or fails if at least half of the tests are decided and all of these say so, in part if
    decided tests disagree, open otherwise.
    """
    became = Counter(verdicts)
    if became[HOLDS] and became[FAILS]:
        return IN_PART
    if 2 * (became[HOLDS] + became[FAILS]) < became.total():
        return OPEN
    return HOLDS if became[HOLDS] else FAILS


def sentence_words(ledger):
    """The word of each scored sentence of a ledger, a Series by paper and sentence."""
    tests = ledger[ledger["scored"] & (ledger["asks"] == "claim")]
    groups = tests.groupby(["paper", "sentence"], sort=False)["verdict"]
    return groups.agg(list).map(sentence_word)


def score(ledger):
    """The score of a ledger, of numbers and of sentences.

    Returns
    -------
    dict
        "numbers" has how many are "printed", how many became each of :data:`NUMBER_WORDS`, for how
        many of those that match the print is "coarse", and of how many ("with chance") how many lie
        "inside" the 95 % prediction interval. "sentences" has "all" and how many became each of
        :data:`SENTENCE_WORDS`. Both have how many match, or hold, with "misprints" corrected, and
        with "choices" made as well.
    """
    numbers = ledger[ledger["scored"] & (ledger["asks"] == "value")]
    words = Counter(numbers["verdict"])
    is_drawn = (numbers["kind"] != "deterministic") & numbers["distance"].notna()
    distances = numbers["distance"][is_drawn]
    sentences = sentence_words(ledger)
    became = Counter(sentences)
    of_numbers = {
        "printed": len(numbers),
        **{word: words[word] for word in NUMBER_WORDS},
        "coarse": int(numbers["coarse"].sum()),
        "inside": int((distances <= _INTERVAL).sum()),
        "with chance": len(distances),
    }
    of_sentences = {
        "all": len(sentences),
        **{word: became[word] for word in SENTENCE_WORDS},
    }
    for name, kinds in READ_BY.items():
        matches = as_read(numbers, kinds)["verdict"].eq(MATCHES)
        of_numbers[name] = int(matches.sum())
        holds = sentence_words(as_read(ledger, kinds)).eq(HOLDS)
        of_sentences[name] = int(holds.sum())
    return {"numbers": of_numbers, "sentences": of_sentences}


def by_artefact_on_record(ledgers, on_record):
    """Name, ledger and the same rows on record, of each artefact; NaN of what is not there."""
    for name, ledger in ledgers.items():
        recorded = on_record.get(name, ledger[:0]).set_index(["row", "column"])
        cells = ledger.set_index(["row", "column"]).index
        yield name, ledger, recorded.reindex(cells).set_index(ledger.index)


def scored_as_on_record(ledgers, on_record):
    """Ledgers of a quick run in which the rows are scored that are scored on record.

    Both are by artefact. Whether a yes or no could differ at all is known from many draws alone.
    """
    scored = {}
    for name, ledger, recorded in by_artefact_on_record(ledgers, on_record):
        is_known = recorded["scored"].notna()
        scored_there = recorded["scored"].eq(True)
        too_few = scored_there & ~ledger["scored"]
        scored[name] = ledger.assign(
            scored=ledger["scored"].mask(is_known, scored_there),
            verdict=ledger["verdict"].mask(too_few, NOT_TESTED),
        )
    return scored


class JointTest(NamedTuple):
    """The printed means, or spreads, of a table judged together, by how our own go together.

    Attributes
    ----------
    what : str
        "means" or "spreads".
    n : int
        How many there are, which is also what `total` is expected to be.
    total : float
        The sum of the squared distances, in standard errors.
    chance : float
        Of a sum as far on that side of its expectation.
    above : int
        How many regenerated ones lie above their print.
    signs : float
        The chance of as many, or more, on one side.
    """

    what: str
    n: int
    total: float
    chance: float
    above: int
    signs: float


def joint_tests(ledger):
    """Joint tests of the scored means and of the scored spreads of a table.

    Parameters
    ----------
    ledger : pandas.DataFrame
        Of one artefact.

    Returns
    -------
    list of JointTest
        Of those of which there are at least two.
    """
    rows = ledger[ledger["scored"] & (ledger["se"] > 0)]
    tests = []
    for kind, what in _KINDS.items():
        of_kind = rows[(rows["kind"] == kind) & np.isfinite(rows["departure"])]
        distances = of_kind["departure"]
        n = len(distances)
        if n < 2:
            continue
        together = _correlations([*of_kind["draws"]], kind)
        total = float((distances**2).sum())
        # a chi-squared with the mean and the variance of a sum of such squares
        degrees = n**2 / (together**2).sum()
        tail = gammaincc if total >= n else gammainc
        chance = float(tail(degrees / 2, total * degrees / n / 2))
        above = int((distances > 0).sum())
        # two normal variables have one sign with the chance 1/2 + arcsin(correlation) / pi
        variance = np.arcsin(together).sum() / (2 * math.pi)
        signs = 1.0
        if variance > 1e-9:  # else what one adds another takes away
            signs = 2 * ndtr((0.5 - abs(above - n / 2)) / math.sqrt(variance))
        tests.append(JointTest(what, n, total, chance, above, min(1.0, float(signs))))
    return tests


def _correlations(draws, kind):
    """Between means, or spreads, whose repetitions are as many, and so of the same units.

    Those within three standard errors of none are none.
    """
    found = np.eye(len(draws))
    lengths = np.array([*map(len, draws)])
    for n in {*lengths[lengths >= ENOUGH_FOR_TAILS]}:
        places = np.flatnonzero(lengths == n)
        values = np.array([draws[place] for place in places])
        if kind == "spread":
            values = (values - values.mean(axis=1, keepdims=True)) ** 2
        varies = np.ptp(values, axis=1) > 0
        places = places[varies]
        if len(places) > 1:
            seen = np.corrcoef(values[varies]).clip(-1, 1)
            seen[np.abs(seen) < MAX_DISTANCE / math.sqrt(n)] = 0
            found[np.ix_(places, places)] = seen
    return found
