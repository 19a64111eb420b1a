"""The one view of the ledger: tables, sentences and cards, with numbers as the paper rounds them.

A table carries the numbers behind its texts at full precision, so that tests compare numbers by
value and not by their print.
"""

import html
import json
import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from companion.reproduction import VALUES_MIME
from companion.reproduction.artefacts import list_papers, notebook_path
from companion.reproduction.declared import RESTS, load_cards, load_readings
from companion.reproduction.published import SCORED, number_text, parse_printed, plain
from companion.reproduction.scores import (
    IN_PART,
    NUMBER_WORDS,
    READ_BY,
    SENTENCE_WORDS,
    as_read,
    by_artefact_on_record,
    joint_tests,
    score,
    sentence_word,
    sentence_words,
)
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
    "Table",
    "card",
    "findings",
    "published_vs_reproduced",
    "score_line",
    "score_table",
    "sentence",
    "verdict_table",
    "what_came_out_table",
]

#: What departs from the print.
DEPARTS = (EXPLAINED, UNEXPLAINED, FAILS)
#: A sign for each word, so that colour is never the only one, the worst last.
SIGNS = {
    "": "·",
    MATCHES: "✓",
    HOLDS: "✓",
    OPEN: "?",
    NOT_TESTED: "–",
    IN_PART: "±",
    EXPLAINED: "≠",
    UNEXPLAINED: "✗",
    FAILS: "✗",
}
_PLURALS = {MATCHES: "match", HOLDS: "hold", FAILS: "fail"}
_PLURALS |= {EXPLAINED: "differ, explained", UNEXPLAINED: "differ, unexplained"}
_READ_TITLES = {"misprints": "with misprints corrected", "choices": "with choices made"}
#: The numbers behind a table of rows, with what they are of.
_VALUES = ["artefact", "row", "column", "verdict", "converged"]
_VALUES += ["published", "reproduced", "reproduced_spread", "reproduced_n"]
_VALUES += ["distance", "support", "would_see", "needs"]
_VALUES += ["reproduced_as_read", "verdict_as_read"]
_SPREAD = " ±"  # ends the name of the column that holds the spread of another
_MOST_ROWS = 40  # of a table that are shown unfolded
_CARD = {
    "proposes": "What it proposes",
    "claim": "What it claims",
    "measured": "What we measured",
    "found": "What else holds up, and what does not",
    "misprints": "Misprints and gaps that change the reading",
    "today": "Today",
    "score": "The score",
}
#: With which a text of a card begins that is no longer true.
TO_BE_REWRITTEN = "This sentence has to be written again"
_BRACES = re.compile(
    r"\{(?:(corrected|se|size|percent|more|numbers|sentences) )?([^{}]+)\}"
)
#: What a card may say of a number of ours, by the word before its row in braces.
_FORMS = {
    "": lambda line: _two_digits(line["reproduced"]),
    "corrected": lambda line: _two_digits(line["reproduced_as_read"]),
    "se": lambda line: _two_digits(line["se"]),
    "size": lambda line: _two_digits(abs(line["reproduced"])),
    "percent": lambda line: number_text(line["reproduced"], ".0%").replace("%", " %"),
    "more": lambda line: number_text(line["reproduced"] - 1, ".0%").replace("%", " %"),
}


# ------------------------------------------------------------------ a table of texts


def plain_records(records):
    """Mappings whose values are JSON scalars."""
    return [
        {name: plain(value) for name, value in record.items()} for record in records
    ]


def slug(*parts):
    """A name for an anchor: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(map(str, parts)).lower()).strip("-")


@cache
def _template():
    from jinja2 import Environment, FileSystemLoader

    loader = FileSystemLoader(Path(__file__).with_name("templates"))
    environment = Environment(loader=loader, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"e": html.escape, "slug": slug}
    environment.globals |= {"most_rows": _MOST_ROWS, "signs": SIGNS}
    environment.globals |= {"worst": _worst_verdict, "published": published_text}
    environment.globals |= {"sentence": sentence}
    return environment.get_template("table.html")


class Table:
    """A table of texts, with the numbers behind them.

    Parameters
    ----------
    header : list of str
        Names of the columns.
    rows : list of list of str
        One text a cell.
    values : list of dict
        The numbers behind the table, at full precision.
    title : str, default=""
        Stands above the table.
    summary : str, default=""
        In HTML opens the table, which is folded up; "" shows its title and 40 rows.
    above : sequence of str, default=()
        Lines about the whole table, below its title.

    Attributes
    ----------
    prints : list
        In HTML above the table: the title of a printed table, its columns and its rows, each a name
        and the lines of the ledger that are in each of its cells.
    """

    def __init__(self, header, rows, values, title="", *, summary="", above=()):
        self.header = [*map(str, header)]
        self.rows = [[*map(str, row)] for row in rows]
        self.values = plain_records(values)
        self.title = title
        self.summary = summary
        self.above = above
        self.prints = []

    @classmethod
    def from_frame(cls, frame, formats=None, title=""):
        """Table of a data frame, its index left out.

        Parameters
        ----------
        frame : pandas.DataFrame
        formats : mapping of str to str or callable, optional
            How to print a column: a format specification such as ``".1f"``, or a function from the
            value to its text. Other floats are printed with four significant digits.
        title : str, optional

        Returns
        -------
        Table

        Raises
        ------
        ValueError
            If `formats` names a column that the frame does not have.
        """
        formats = formats or {}
        if unknown := [name for name in formats if name not in frame]:
            raise ValueError(
                f"formats must name columns of the frame. Got {', '.join(unknown)}."
            )

        def text(name, value):
            how = formats.get(name, ".4g" if isinstance(value, float) else "")
            return how(value) if callable(how) else number_text(value, how)

        records = frame.to_dict("records")
        rows = [[text(name, record[name]) for name in frame] for record in records]
        return cls(frame.columns, rows, records, title)

    def to_text(self):
        """Aligned text."""
        columns = zip(self.header, *self.rows, strict=True)
        widths = [max(map(len, column)) for column in columns]
        lines = [self.header, ["-" * width for width in widths], *self.rows]
        body = ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in lines]
        return "\n".join([*filter(None, [self.title]), *self.above, *body])

    def to_html(self):
        """HTML, every text escaped."""
        return _template().render(table=self).strip()

    def to_markdown(self):
        """A table of Markdown; the title is left to the text around it."""

        def line(cells):
            escaped = [" ".join(cell.replace("|", "\\|").split()) for cell in cells]
            return f"| {' | '.join(escaped)} |"

        return "\n".join(
            map(line, [self.header, ["---"] * len(self.header), *self.rows])
        )

    __str__ = __repr__ = to_text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {
            "text/plain": self.to_text(),
            "text/html": self.to_html(),
            VALUES_MIME: {"title": self.title, "rows": self.values},
        }


# ------------------------------------------------------------------ one row


def published_text(line):
    """A published cell as printed: with its spread, or with its relation."""
    if line["relation"]:
        return f"{line['printed']} ({line['relation']})"
    if plain(line["spread"]) is None:
        return line["printed"]
    spread = parse_printed(line["printed"]).format(line["spread"])
    return f"{line['printed']} ± {spread if float(spread) == line['spread'] else line['spread']}"


def reproduced_text(line, name="reproduced"):
    """A regenerated cell with the digits of the print."""
    value = line[name]
    if plain(value) is None:
        return "-"
    if isinstance(value, str):
        return value
    printed = parse_printed(line["printed"])
    if line["kind"] == "ordinal" or printed is None:
        # a difference of nothing but rounding errors is zero
        is_zero = math.isfinite(line["se"]) and abs(value) < 1e-9 * line["se"]
        text = number_text(0.0 if is_zero else value, ".3g")
        se = number_text(line["se"], ".2g") if name == "reproduced" else ""
        return f"{text} (SE {se})" if se else text
    text = printed.format(value)
    spread = line.get(f"{name}_spread")
    if line["kind"] in ("stochastic", "draw") and plain(spread) is not None:
        # of a number printed whole, the spread would mostly round to 0
        text += f" ± {spread:.{max(printed.decimals, 1)}f}"
    return text


def _verdict_text(line):
    """What became of a row, with what there is to say about it, in words."""
    why = list(dict.fromkeys(filter(None, [line["because"], line["reason"]])))
    if line["coarse"]:
        why.append("the print is too coarse for a sharper comparison")
    elif (
        line["verdict"] == MATCHES
        and line["scored"]
        and math.isfinite(line["would_see"])
    ):
        seen = number_text(line["would_see"], ".2g")
        why = [f"a difference of {seen} would have been seen"]
    text = ": ".join(filter(None, [line["verdict"], "; ".join(why)]))
    unconverged = "" if line["converged"] else "not converged"
    return "; ".join(filter(None, [text, unconverged, line["problem"], line["note"]]))


def sentence(line):
    """All that matters of one row of a ledger, a mapping, in a sentence."""
    place = f"{line['row']}, {line['column']}"
    n = number_text(line["reproduced_n"], "g")
    over = f" over {n} repetitions" if n and line["kind"] != "deterministic" else ""
    here = f"is {reproduced_text(line)} here{over}"
    if plain(line["reproduced"]) is None:
        here = "has no value here"
    if line["asks"] == "ours":
        question = full_sentence(f"We ask: {line['sentence']}")
        return f"{question} {place} {here}."
    if line["kind"] == "ordinal":
        claim = full_sentence(f"The paper says: {line['sentence']}")
        said = f"{claim} Its test, {place}, must be {line['relation']} and {here}"
    else:
        printed = published_text(line)
        said = f"The paper prints {printed} for {place} ({line['where']}); it {here}"
    return full_sentence(": ".join(filter(None, [said, _verdict_text(line)])))


def full_sentence(text):
    """A sentence with its full stop, which a question has not."""
    return text if text.endswith(("?", ".")) else f"{text}."


def escaped(text):
    """A text in which Markdown sees no markup and no formula."""
    return re.sub(r"([*_$<|`\\])", r"\\\1", text)


def _row_texts(line):
    """The texts of one value in a table of verdicts, by column."""
    is_fixed = line["kind"] == "deterministic"
    otherwise = ""
    if line["reading"]:
        value = reproduced_text(line, "reproduced_as_read")
        kind = f"{line['reading_kind']} {line['reading']}"
        otherwise = f"{value}: {line['verdict_as_read']} ({kind})"
    return {
        "row": line["row"],
        "column": line["column"],
        "published": published_text(line),
        "reproduced": reproduced_text(line),
        "distance": number_text(line["distance"], ".1f"),
        "support": number_text(line["support"], "+.1f"),
        "would see": number_text(line["would_see"], ".2g"),
        "n": "" if is_fixed else number_text(line["reproduced_n"], "g"),
        "verdict": _verdict_text(line),
        "read otherwise": otherwise,
    }


def explained(line, artefact):
    """All there is about one value, a row of the ledger as a dict: texts by what they are."""
    functions = [study.compute for study in artefact.studies]
    names = [f"{f.__module__}.{f.__qualname__}" for f in functions]
    tables = [f"data/records/{s.paper}/{s.name}.csv" for s in artefact.studies]
    again = f"companion reproduce {artefact.id} --profile paper --fresh"
    found = {
        "in short": sentence(line),
        **_row_texts(line),
        "evidence": line["evidence"],
        "where": line["where"],
        "sentence": line["sentence"],
        "why so": line["why"],
        "computed by": ", ".join(names),
        "records": ", ".join(tables),
        "see it again": f"{again}, then companion verify {artefact.id}",
    }
    return {name: text for name, text in found.items() if text}


# ------------------------------------------------------------------ tables


def departures_first(ledger):
    """Rows that depart or have a problem, those not tested or open, the scored, the others."""
    departs = ledger["verdict"].isin(DEPARTS) | (ledger["problem"] != "")
    left_open = ledger["verdict"].isin([NOT_TESTED, OPEN])
    is_scored = ledger["asks"].isin(SCORED)
    rank = np.select([departs, left_open & is_scored, is_scored], [0, 1, 2], 3)
    return ledger.iloc[rank.argsort(kind="stable")]


def verdict_table(ledger):
    """One line a published value: the print, the regeneration and the verdict.

    What departs from the print stands first. In HTML the table is folded up, with what the values
    come to together above its rows.

    Parameters
    ----------
    ledger : pandas.DataFrame
        From :func:`~companion.reproduction.verdicts.compare`.

    Returns
    -------
    Table
        Columns row, column, published, reproduced, distance (of a value from the print) and
        support (of a claim), both in standard errors, would see (the smallest departure that would
        have been seen), n (repetitions the regenerated value rests on), verdict with its reason, a
        problem or a note, and value and verdict under another reading of the print, if there is
        one.
    """
    ledger = departures_first(ledger)
    lines = ledger.to_dict("records")
    frame = pd.DataFrame(map(_row_texts, lines))
    frame["verdict"] = [
        f"{SIGNS[_worst_verdict([line])]} {_verdict_text(line)}" for line in lines
    ]
    if not frame["read otherwise"].any():
        frame = frame.drop(columns="read otherwise")
    values = ledger[_VALUES].to_dict("records")
    summary = f"All {len(frame)} rows, those that depart from the print first"
    above = joint_lines(ledger)
    return Table(frame, frame.to_numpy(), values, summary=summary, above=above)


def _chance(number):
    return "< 0.0001" if number < 1e-4 else f"{number:.2g}"


def _joint_line(test):
    """A joint test in words."""
    more = "more" if test.total >= test.n else "less"
    squares = f"{float(f'{test.total:.3g}'):,.12g} where {test.n} are expected"
    return (
        f"{test.n} {test.what} together: squared distances add up to {squares} (chance of"
        f" {more} {_chance(test.chance)}); {test.above} above the print, {test.n - test.above}"
        f" below (chance {_chance(test.signs)})"
    )


def joint_lines(ledger):
    """The joint tests of a table in words, one text each; empty if nothing is tested jointly."""
    tests = joint_tests(ledger)
    lines = [*map(_joint_line, tests)]
    for name, kinds in READ_BY.items():
        read = [t for t in joint_tests(as_read(ledger, kinds)) if t not in tests]
        title = _READ_TITLES[name].capitalize()
        lines += [f"{title}: {_joint_line(test)}" for test in read]
        tests += read
    chances = ledger["joint"].dropna()
    if len(chances):
        lines.append(
            f"The chance that {len(chances)} single draws all lie so far from ours:"
            f" {_chance(chances.min())}"
        )
    return lines


def published_vs_reproduced(ledger, rows=None, columns=None, title=""):
    """The printed table with its verdicts, and its rows with their regeneration.

    In HTML each cell of the print has the colour of its verdict, and a click or Enter shows its
    sentence. Beside it are the table with misprints corrected and with choices made, where there
    are such readings; opening one closes the others. The rows are folded up, as those of
    :func:`verdict_table`.

    Parameters
    ----------
    ledger : pandas.DataFrame
        Of one artefact.
    rows, columns : list of str, optional
        Which, in which order; all in the ledger's order by default. The column ``"X ±"`` that
        holds the spread of ``"X"`` is shown inside ``"X"``.
    title : str, optional

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If a row or column is not in the ledger, or if it holds several artefacts.
    """
    artefacts = ledger["artefact"].unique()
    if len(artefacts) > 1:
        raise ValueError(
            f"published_vs_reproduced shows one artefact. Got {', '.join(artefacts)}."
        )
    for name, asked in (("row", rows), ("column", columns)):
        if unknown := [item for item in asked or () if item not in {*ledger[name]}]:
            raise ValueError(
                f"There is no {name} {', '.join(map(repr, unknown))} in this ledger."
            )
    rows = ledger["row"].unique() if rows is None else rows
    if columns is None:
        columns = [c for c in ledger["column"].unique() if not c.endswith(_SPREAD)]
    inside = [*columns, *(column + _SPREAD for column in columns)]
    part = ledger[ledger["row"].isin(rows) & ledger["column"].isin(inside)]
    if part["joint"].count() < ledger["joint"].count():
        # The chance is that of all single draws of the artefact, not of some of them.
        part = part.assign(joint=math.nan)
    table = verdict_table(part)
    table.title = title
    table.summary = "Row by row with ours"
    table.prints = [("As printed", columns, _printed_rows(part, rows, columns))]
    for name, kinds in READ_BY.items():
        if part["reading_kind"].eq(kinds[-1]).any():
            read = _printed_rows(as_read(part, kinds), rows, columns)
            table.prints.append((_READ_TITLES[name].capitalize(), columns, read))
    return table


def _printed_rows(ledger, rows, columns):
    """The rows of a printed table, each its name and the lines of the ledger in each cell."""
    lines = {(line["row"], line["column"]): line for line in ledger.to_dict("records")}

    def cell(row, column):
        places = ((row, column), (row, column + _SPREAD))
        return [lines[place] for place in places if place in lines]

    return [(row, [cell(row, column) for column in columns]) for row in rows]


def _worst_verdict(lines):
    """The worst verdict of some rows that are scored."""
    words = [line["verdict"] if line["scored"] else "" for line in lines]
    return max(words, key=[*SIGNS].index)


# ------------------------------------------------------------------ the score


def counted(number, word, what=""):
    """How many have a word: "1 holds", "2 of 3 numbers match", "3 differ, explained"."""
    verb = word if number == 1 else _PLURALS.get(word, word)
    return " ".join(filter(None, [str(number), what, verb]))


def score_line(ledger):
    """The score in one line: "12 of 26 numbers match; 3 of 4 sentences hold"; "" of nothing.

    Where none is decided it says that: "12 numbers are not tested; 1 sentence is open".
    """
    counts = score(ledger)
    parts = []
    for of, all_of, word, undecided in (
        ("numbers", "printed", MATCHES, NOT_TESTED),
        ("sentences", "all", HOLDS, OPEN),
    ):
        n = counts[of][all_of]
        things = of if n > 1 else of[:-1]
        if n and counts[of][undecided] == n:
            parts.append(f"{n} {things} {'are' if n > 1 else 'is'} {undecided}")
        elif n:
            parts.append(counted(counts[of][word], word, f"of {n} {things}"))
    return "; ".join(parts)


def _share_inside(numbers):
    """The share of numbers inside their 95 % prediction interval, in per cent; "" of none."""
    if not numbers["with chance"]:
        return ""
    return f"{100 * numbers['inside'] / numbers['with chance']:.0f} %"


def score_table(groups, as_printed=False):
    """The score of some ledgers, of their numbers and of their sentences, a column a group.

    Parameters
    ----------
    groups : mapping of str to pandas.DataFrame
        A ledger by what stands above its column, such as the key of a paper.
    as_printed : bool, default=False
        Whether to leave out what is so under readings.

    Returns
    -------
    Table
    """
    scores = {name: score(ledger) for name, ledger in groups.items()}
    read_by = {} if as_printed else _READ_TITLES
    numbers = [("numbers printed", "numbers", "printed")]
    numbers += [(f"  {word}", "numbers", word) for word in NUMBER_WORDS]
    numbers.insert(2, ("    of a coarse print", "numbers", "coarse"))
    numbers += [(f"  match {says}", "numbers", name) for name, says in read_by.items()]
    sentences = [("sentences", "sentences", "all")]
    sentences += [(f"  {word}", "sentences", word) for word in SENTENCE_WORDS]
    sentences += [
        (f"  hold {text}", "sentences", name) for name, text in read_by.items()
    ]
    rows = [
        [title, *(counts[of][name] for counts in scores.values())]
        for title, of, name in numbers + sentences
    ]
    shares = [_share_inside(counts["numbers"]) for counts in scores.values()]
    rows.insert(len(numbers), ["  in the 95 % interval", *shares])
    values = [
        {"group": group, "of": of, **counts[of]}
        for group, counts in scores.items()
        for of in counts
    ]
    return Table(["", *groups], rows, values)


# ------------------------------------------------------------------ what came out, folded


def _departure(line):
    """A cell that departs from the print, with both numbers."""
    asked = f"printed {published_text(line)}"
    if line["kind"] == "ordinal":
        asked = f"asked {line['relation']}"
    return f"{line['row']}, {line['column']}: here {reproduced_text(line)}, {asked}"


def _some_of(rows, most, text=_departure):
    """The first of some rows, and how many more there are."""
    texts = [escaped(text(line)) for line in rows[:most].to_dict("records")]
    left = len(rows) - most
    return "; ".join([*texts, f"and {left} more"] if left > 0 else texts)


def _claim_finding(claim, tests):
    """What the tests of a claim came to, with those that fail or are open and why."""
    word = sentence_word(tests["verdict"])
    became = tests["verdict"].value_counts()
    counts = ", ".join(counted(became[w], w) for w in SENTENCE_WORDS if w in became)
    text = full_sentence(f"* **{word.capitalize()}** ({counts}): {escaped(claim)}")
    failing = tests[tests["verdict"] == FAILS]
    if len(failing):
        text += f" Failing: {_some_of(failing, 2)}."
    left_open = tests["because"][tests["verdict"] == OPEN]
    why = [text for text in dict.fromkeys([*failing["reason"], *left_open]) if text]
    return f"{text} Why: {escaped('; '.join(why))}." if why else text


def _read_otherwise(scored):
    """What the other readings of the print are, and how many rows match or hold under each."""
    readings = load_readings()
    good = (MATCHES, HOLDS)
    for name, rows in scored[scored["reading"] != ""].groupby("reading", sort=False):
        printed, read = rows[["verdict", "verdict_as_read"]].isin(good).sum()
        means = f": {escaped(readings[name].changes)}" if name in readings else ""
        kind = rows["reading_kind"].iloc[0]
        yield (
            f"* **Read otherwise** ({kind} *{name}*): {read} of {len(rows)} rows match or hold, as"
            f" printed {printed}{means}."
        )


def _claim_by_claim(ledger):
    """A line a reading of the print, one a claim, one a question of ours."""
    scored = ledger[ledger["scored"]]
    yield from _read_otherwise(scored)
    claims = scored[scored["asks"] == "claim"].groupby("sentence", sort=False)
    for claim in sorted(claims, key=lambda claim: FAILS not in {*claim[1]["verdict"]}):
        yield _claim_finding(*claim)

    def answer(line):
        return f"{line['row']}, {line['column']}: {reproduced_text(line)}"

    asked = ledger[ledger["asks"] == "ours"].groupby("sentence", sort=False)
    for question, rows in asked:
        yield f"* {full_sentence(f'We ask: {escaped(question)}')} {_some_of(rows, 4, answer)}."


def findings(ledger):
    """The score, and folded up in it what came out claim by claim.

    Parameters
    ----------
    ledger : pandas.DataFrame
        From :func:`~companion.reproduction.verdicts.compare`, or some of its rows.

    Returns
    -------
    IPython.display.Markdown
    """
    from IPython.display import Markdown

    summary = score_line(ledger) or "Nothing is scored here"
    lines = [*_claim_by_claim(ledger)]
    if not lines:
        return Markdown(f"{summary}.")
    folded = [f"<details><summary>{summary}</summary>", "", *lines, "", "</details>"]
    return Markdown("\n".join(folded))


# ------------------------------------------------------------------ what came out, by paper


def _two_digits(value):
    """A number as one says it: two significant digits, and no power of ten."""
    return "-" if math.isnan(value) else number_text(float(f"{value:.2g}"), "g")


def _changed(statement, rows, counts):
    """What has become of the rows of a text, where it is not what the text takes for granted."""
    for text in statement.get("rests_on", []):
        word, side, bound, cell = RESTS.fullmatch(text).groups()
        line = rows.get(cell)
        if line is None:
            yield f"{cell}: no such row"
        elif side:
            beyond = (line["reproduced"] - float(bound)) / line["se"]
            if not (beyond > 2 if side == "above" else beyond < -2):
                yield f"{cell}: not {word}"
        elif line["verdict"] != word:
            yield f"{cell}: {line['verdict']}"
    for of, name in _BRACES.findall(statement["says"]):
        if name not in counts.get(of, rows):
            yield f"{name}: {'not counted' if of in counts else 'no such row'}"


def card(paper, ledger, entry=None):
    """What there is to know of a paper, filled from its ledger.

    Parameters
    ----------
    paper : companion.reproduction.Paper
    ledger : pandas.DataFrame
        Of the whole paper.
    entry : dict, optional
        By default that of ``data/cards.yaml``.

    Returns
    -------
    dict
        Texts in Markdown of what the paper "proposes"; its main "claim" and in a "word" what became
        of it; what we "measured" of that, and lists of what was "found" besides and of "misprints":
        each says instead that it has to be written again, once a row that it rests on has another
        word; when to use it "today"; and its "score".
    """
    if entry is None:
        entry = load_cards().get(paper.key, {})
    names = ledger["artefact"] + ": " + ledger["row"] + " / " + ledger["column"]
    rows = dict(zip(names, ledger.to_dict("records"), strict=True))
    counts = score(ledger)

    def number(match):
        form, name = match.groups("")
        return str(counts[form][name]) if form in counts else _FORMS[form](rows[name])

    def filled(statement):
        if changed := "; ".join(_changed(statement, rows, counts)):
            return f"{TO_BE_REWRITTEN}, since the records changed: {changed}."
        return _BRACES.sub(number, statement["says"])

    claim = entry.get("claim", "")
    measured = entry.get("measured")
    return {
        "proposes": entry.get("proposes", ""),
        "claim": claim,
        "word": sentence_words(ledger).get((paper.key, claim), "no such sentence"),
        "measured": filled(measured) if measured else "",
        "found": [*map(filled, entry.get("found", []))],
        "misprints": [*map(filled, entry.get("misprints", []))],
        "today": entry.get("today", ""),
        "score": score_line(ledger),
    }


def card_text(card):
    """A card as a list in Markdown, without what there is nothing of."""
    texts = card | {name: " ".join(card[name]) for name in ("found", "misprints")}
    if card["claim"]:
        texts["claim"] = f"{card['claim']}: **{card['word']}**."
    texts["score"] = card["score"] and f"{card['score']}."
    return "\n".join(
        f"* **{title}.** {texts[name]}" for name, title in _CARD.items() if texts[name]
    )


def what_came_out_table(ledgers, links=None):
    """What each paper claims and what came of that, a line a paper.

    Parameters
    ----------
    ledgers : mapping of str to pandas.DataFrame
        The ledger of each paper by its key.
    links : str, optional
        What stands before ``<paper>/method.ipynb`` in links, such as ``"notebooks/"``; without it
        there are none.

    Returns
    -------
    Table
    """
    rows = []
    values = []
    for key, paper in list_papers().items():
        if key not in ledgers:
            continue
        says = card(paper, ledgers[key])
        numbers = score(ledgers[key])["numbers"]
        name = paper.short or key
        if links is not None:
            first = next(a.id for a in paper.artefacts if notebook_path(a).is_file())
            name = f"[{name}]({links}{first}.ipynb)"
        count = f"{numbers[MATCHES]} of {numbers['printed']}"
        rows.append([name, says["claim"], says["measured"], says["word"], count])
        values.append({"paper": key, "word": says["word"], **numbers})
    header = ["paper", "what it claims", "what we measured", "in a word"]
    return Table([*header, "numbers that match"], rows, values)


# ------------------------------------------------------------------ several ledgers


def whole(ledgers):
    """One ledger of several by artefact."""
    return pd.concat(ledgers.values(), ignore_index=True)


def by_paper(ledgers):
    """The ledger of each paper, of several by artefact, and of all if there are several papers."""
    everything = whole(ledgers)
    papers = dict(iter(everything.groupby("paper", sort=False)))
    return papers | {"all": everything} if len(papers) > 1 else papers


def worse_lines(ledgers, on_record):
    """A text for each value that departs from the print, but on record does not, or is a problem.

    Both are ledgers by artefact; one that is not on record is worse wherever it has a problem.
    """
    texts = []
    for name, ledger, recorded in by_artefact_on_record(ledgers, on_record):
        lines = ledger.to_dict("records")
        for line, before in zip(lines, recorded["verdict"], strict=True):
            found = line["problem"]
            is_known = isinstance(before, str) and before
            if line["verdict"] in DEPARTS and is_known and before not in DEPARTS:
                found = f"{line['verdict']}, on record {before}"
            if found:
                texts.append(f"{name}: {_departure(line)}; {found}")
    return texts


def ledger_text(ledgers, form):
    """All rows of some ledgers but their draws, as JSON (ledger.schema.json) or CSV.

    Parameters
    ----------
    ledgers : mapping of str to pandas.DataFrame
    form : {"json", "csv"}
    """
    lines = whole(ledgers).drop(columns="draws") if ledgers else pd.DataFrame()
    if form == "csv":
        return lines.to_csv(index=False)
    rows = plain_records(lines.to_dict("records"))
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
