"""The score of a ledger: numbers and sentences apart, and tables judged as a whole.

A row counts as one part of the numbers, or as a test of a sentence; a sentence takes the word of
its tests. ``docs/verdicts.md`` has the rules.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, gammainc, gammaincc

from companion.reproduction._comparisons import (
    AGREES,
    CLAIM_WORDS,
    COMPATIBLE,
    CONSISTENT,
    DEPARTS,
    DIFFERS,
    FAILS,
    HOLDS,
    LISTED,
    NOT_RUN,
    UNDECIDED,
)
from companion.reproduction.published import SCORED

__all__ = [
    "NUMBER_PARTS",
    "SENTENCE_PARTS",
    "TEST_PARTS",
    "JointTest",
    "as_read",
    "counted",
    "joint_tests",
    "ours",
    "score",
    "sentence_verdict",
]

#: A sentence of which some tests hold and others fail, and one that fails although the numbers
#: that it rests on are consistent with ours.
MIXED = "mixed"
REFUTED = "refuted"
#: What a printed number can count as, a test of a sentence, and a sentence, in the order of tables.
NUMBER_PARTS = (
    AGREES,
    COMPATIBLE,
    UNDECIDED,
    "differs, explained",
    "differs, unexplained",
    NOT_RUN,
)
TEST_PARTS = (
    HOLDS,
    UNDECIDED,
    REFUTED,
    "fails, explained",
    "fails, unexplained",
    NOT_RUN,
)
SENTENCE_PARTS = (HOLDS, MIXED, *TEST_PARTS[1:])
FAILING_PARTS = TEST_PARTS[2:5]
#: What a row that is no part of the score counts as.
NOT_SCORED = "not scored"
CORRECTED = "after correcting misprints"
#: A sign for each, so that colour is never the only one; the worst last but for "not scored".
SIGNS = {
    AGREES: "✓",
    HOLDS: "✓",
    COMPATIBLE: "≈",
    UNDECIDED: "?",
    MIXED: "±",
    NOT_RUN: "–",
    REFUTED: "¬",
    "differs, explained": "≠",
    "fails, explained": "≠",
    "differs, unexplained": "✗",
    "fails, unexplained": "✗",
    NOT_SCORED: "·",
}
#: The statuses of a deviation whose cause is known: shown, or the missing data are named.
EXPLAINED = ("demonstrated", "data")
_PLURALS = {HOLDS: "hold", FAILS: "fail", AGREES: "agree", DIFFERS: "differ"}
#: Standard errors to either side of a 95 % interval.
_INTERVAL = 1.959964
_TITLES = {**_PLURALS, "corrected": CORRECTED}
_KINDS = {"stochastic": "means", "spread": "spreads"}


def part_of(row, conclusion):
    """What a row of the print counts as, "" if it is not scored, or repeats another.

    `conclusion` has the outcome, and the status of what is declared.
    """
    outcome = conclusion["outcome"]
    if row["asks"] not in SCORED or row["repeats"] or outcome == LISTED:
        return ""
    return _with_cause(outcome, {conclusion["status"]})


def _with_cause(outcome, causes):
    """A word, and where it is that something departs, whether all causes of that are known."""
    if outcome not in DEPARTS:
        return outcome
    if outcome == FAILS and causes <= {REFUTED}:
        return REFUTED
    known = causes <= {REFUTED, *EXPLAINED}
    return f"{outcome}, {'explained' if known else 'unexplained'}"


def counted(number, part):
    """How many rows count as a part, in words: "1 holds", "2 hold", "3 differ, explained"."""
    verb, comma, cause = part.partition(",")
    if number != 1:
        verb = _PLURALS.get(verb, verb)
    return f"{number} {verb}{comma}{cause}"


def part_title(part):
    """What the column of a part is called in the tables of the score."""
    return _TITLES.get(part, part.rpartition(", ")[2])


def sentence_verdict(tests):
    """What the tests of a sentence come to, in a word, and how many of them came to what.

    Parameters
    ----------
    tests : pandas.DataFrame
        Rows of a ledger.

    Returns
    -------
    str, str
        Holds or fails if at least half of the tests are decided and all of these say so, mixed if
        decided tests disagree, undecided otherwise, and not run if no test was.
    """
    became = Counter(tests["outcome"])
    counts = ", ".join(counted(became[w], w) for w in CLAIM_WORDS if became[w])
    return _word_of(became), "one test" if len(
        tests
    ) == 1 else f"of {len(tests)} tests {counts}"


def _word_of(outcomes):
    """The word of a sentence whose tests came to this."""
    became = Counter(outcomes)
    if became[NOT_RUN] == became.total():
        return NOT_RUN
    if became[HOLDS] and became[FAILS]:
        return MIXED
    if 2 * (became[HOLDS] + became[FAILS]) < became.total():
        return UNDECIDED
    return HOLDS if became[HOLDS] else FAILS


def as_read(rows):
    """Rows with the outcome after correcting misprints, where there is a correction."""
    read = rows["outcome_as_read"]
    return rows.assign(outcome=read.where(read != "", rows["outcome"]))


def score(ledger):
    """The score of a ledger, of numbers and of sentences.

    Returns
    -------
    dict
        "numbers" has how many count as each of :data:`NUMBER_PARTS`, how many there are ("all"),
        how many are "consistent" (they agree or are compatible), how many are so after correcting
        misprints ("corrected"), and of how many ("with chance") how many lie "inside" the 95 %
        prediction interval. "sentences" has how many count as each of :data:`SENTENCE_PARTS`, how
        many there are ("all"), and how many hold after correcting misprints ("corrected").
    """
    rows = ledger[ledger["counts_as"] != ""]
    values = rows[rows["asks"] == "value"]
    distances = values["distance"][values["kind"] != "deterministic"].dropna()
    counts = Counter(values["counts_as"])
    numbers = {
        "all": len(values),
        **{part: counts[part] for part in NUMBER_PARTS},
        "consistent": counts[AGREES] + counts[COMPATIBLE],
        "corrected": int(as_read(values)["outcome"].isin(CONSISTENT).sum()),
        "inside": int((distances <= _INTERVAL).sum()),
        "with chance": len(distances),
    }
    claims = rows[rows["asks"] == "claim"]
    claims = claims.assign(
        cause=claims["status"].where(claims["outcome"] == FAILS, ""),
        corrected=as_read(claims)["outcome"],
    )
    tests = claims.groupby(["paper", "sentence"])[
        ["outcome", "cause", "corrected"]
    ].agg(list)
    words = tests["outcome"].map(_word_of)
    causes = tests["cause"].map(lambda of_tests: {*of_tests} - {""})
    counts = Counter(map(_with_cause, words, causes))
    sentences = {
        "all": len(tests),
        **{part: counts[part] for part in SENTENCE_PARTS},
        "corrected": int(tests["corrected"].map(_word_of).eq(HOLDS).sum()),
    }
    return {"numbers": numbers, "sentences": sentences}


def on_record_beside(ledgers, on_record):
    """Names and ledgers, with the outcomes of their rows on record, "" of what is not there."""
    for name, ledger in ledgers.items():
        recorded = on_record.get(name, ledger[:0]).set_index(["row", "column"])[
            "outcome"
        ]
        cells = ledger.set_index(["row", "column"]).index
        yield name, ledger, recorded.reindex(cells, fill_value="").to_numpy()


def counted_as_on_record(ledgers, on_record):
    """Ledgers of a quick run in which what is only listed on record is not scored either.

    Both are by artefact. Whether a yes or no could differ at all is known from many draws alone.
    """
    return {
        name: ledger.assign(counts_as=ledger["counts_as"].mask(recorded == LISTED, ""))
        for name, ledger, recorded in on_record_beside(ledgers, on_record)
    }


def ours(ledger):
    """How many of the questions that no paper asks hold, are undecided, and fail."""
    outcomes = Counter(ledger["outcome"][ledger["asks"] == "ours"])
    return [outcomes[word] for word in CLAIM_WORDS[:3]]


@dataclass(frozen=True)
class JointTest:
    """The printed means, or spreads, of a table judged together, as if they were independent.

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

    def __str__(self):
        more = "more" if self.total >= self.n else "less"
        total = float(f"{self.total:.3g}")
        squares = f"{total:,.12g} where {self.n} are expected"
        return (
            f"{self.n} {self.what} together: squared distances add up to {squares} (chance of"
            f" {more} {_chance(self.chance)}); {self.above} above the print, {self.n - self.above}"
            f" below (chance {_chance(self.signs)})"
        )


def _chance(number):
    return "< 0.0001" if number < 1e-4 else f"{number:.2g}"


def joint_tests(ledger, corrected=False):
    """Joint tests of the scored means and of the scored spreads of a table.

    Parameters
    ----------
    ledger : pandas.DataFrame
        Of one artefact.
    corrected : bool, default=False
        Whether misprints are corrected.

    Returns
    -------
    list of JointTest
        Of those of which there are at least two.
    """
    rows = ledger[(ledger["counts_as"] != "") & (ledger["se"] > 0)]
    departures = rows["departure"]
    if corrected:
        departures = departures.where(rows["reading"] == "", rows["departure_as_read"])
    departures = departures[np.isfinite(departures)]
    tests = []
    for kind, what in _KINDS.items():
        distances = departures[rows["kind"] == kind]
        n = len(distances)
        if n < 2:
            continue
        total = float((distances**2).sum())
        # of a chi-squared with n degrees of freedom
        tail = gammaincc if total >= n else gammainc
        chance = float(tail(n / 2, total / 2))
        above = int((distances > 0).sum())
        signs = min(1.0, 2 * float(bdtr(min(above, n - above), n, 0.5)))
        tests.append(JointTest(what, n, total, chance, above, signs))
    return tests


def joint_lines(ledger):
    """The joint tests of a table in words, one text each; empty if nothing is tested jointly."""
    tests = joint_tests(ledger)
    lines = [str(test) for test in tests]
    corrected = joint_tests(ledger, corrected=True)
    lines += [
        f"After correcting misprints, {test}" for test in corrected if test not in tests
    ]
    chances = ledger["joint"].dropna()
    if len(chances):
        lines.append(
            f"The chance that {len(chances)} single draws all lie so far from ours:"
            f" {_chance(chances.min())}"
        )
    return lines


def share_text(numbers):
    """The share of numbers inside their 95 % prediction interval, in per cent; "" of none."""
    if not numbers["with chance"]:
        return ""
    return f"{100 * numbers['inside'] / numbers['with chance']:.0f} %"


_NUMBERS = (
    "Of {all} printed numbers {consistent} are consistent with ours ({agrees} agree, {compatible}"
    " are compatible), {undecided} undecided, and {differ} differ ({differs, explained} explained,"
    " {differs, unexplained} unexplained){missing}."
)
_SENTENCES = (
    "Of {all} sentences {hold}, {mixed} {are} mixed, {undecided} undecided, and {fail} ({refuted}"
    " refuted, {fails, explained} explained, {fails, unexplained} unexplained){missing}."
)


def _missing(counts):
    return f", {counts[NOT_RUN]} not run" if counts[NOT_RUN] else ""


def numbers_in_words(numbers):
    """The score of printed numbers in a sentence."""
    if not numbers["all"]:
        return "No number is printed that could be compared."
    differ = numbers["differs, explained"] + numbers["differs, unexplained"]
    return _NUMBERS.format_map(
        {**numbers, "differ": differ, "missing": _missing(numbers)}
    )


def sentences_in_words(sentences):
    """The score of a paper's sentences in a sentence."""
    words = {
        "hold": counted(sentences[HOLDS], HOLDS),
        "are": "is" if sentences[MIXED] == 1 else "are",
        "fail": counted(sum(map(sentences.get, FAILING_PARTS)), FAILS),
        "missing": _missing(sentences),
    }
    return _SENTENCES.format_map(sentences | words)


def score_in_words(ledger):
    """The score of a ledger in a few sentences."""
    total = score(ledger)
    words = [numbers_in_words(total["numbers"]), sentences_in_words(total["sentences"])]
    return " ".join([*words, *beside_the_score(ledger)])


def beside_the_score(ledger):
    """Sentences beside the tables of the score: the interval, corrections, questions of our own."""
    total = score(ledger)
    numbers = total["numbers"]
    sentences = total["sentences"]
    text = []
    if numbers["with chance"]:
        text.append(
            f"{share_text(numbers)} of the numbers lie in the 95 % prediction interval of their"
            " print, where 95 % are expected."
        )
    if (ledger["reading"] != "").any():
        text.append(
            f"After correcting misprints {numbers['corrected']} numbers are consistent and"
            f" {sentences['corrected']} sentences hold."
        )
    if sum(answers := ours(ledger)):
        holds, undecided, fails = answers
        text.append(
            f"Of {sum(answers)} questions of our own, not scored, {holds} hold, {undecided} are"
            f" undecided and {fails} fail."
        )
    return text
