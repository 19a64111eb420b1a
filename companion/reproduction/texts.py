"""Texts about one row of a ledger, with numbers rounded as the paper rounds."""

import re

from companion.reproduction._comparisons import (
    AGREES,
    COMPATIBLE,
    DEPARTS,
    LISTED,
    NO_VALUE,
    NOT_RUN,
)
from companion.reproduction.published import parse_printed
from companion.reproduction.scores import CORRECTED
from companion.reproduction.tables import number_text, plain

_PLACE = ["artefact", "row", "column", "outcome", "converged"]
_NUMBERS = ["published", "reproduced", "reproduced_spread", "reproduced_n"]
_NUMBERS += ["distance", "support", "would_see", "needs"]
_NUMBERS += ["reproduced_as_read", "outcome_as_read"]


def values_of(ledger):
    """The numbers behind a table of some rows."""
    return ledger[_PLACE + _NUMBERS].to_dict("records")


def published_text(line):
    """A published cell as printed: with its spread, or with its relation."""
    if line["kind"] == "ordinal":
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
        is_zero = abs(value) < 1e-9 * line["se"]
        text = number_text(0.0 if is_zero else value, ".3g")
        se = number_text(line["se"], ".2g") if name == "reproduced" else ""
        return f"{text} (SE {se})" if se else text
    text = printed.format(value)
    spread = line.get(f"{name}_spread")
    if line["kind"] in ("stochastic", "draw") and plain(spread) is not None:
        # of a number printed whole, the spread would mostly round to 0
        text += f" ± {spread:.{max(printed.decimals, 1)}f}"
    return text


def read_text(line):
    """The regeneration and the verdict under another reading of the print."""
    if not line["reading"]:
        return ""
    value = reproduced_text(line, "reproduced_as_read")
    return f"{value}: {line['outcome_as_read']} ({line['reading']})"


def note_of(line):
    """What the verdict of a row does not say itself."""
    said = (line["verdict"], NO_VALUE)
    return "; ".join(
        p for p in line["note"].split("; ") if not any(p in text for text in said)
    )


def _verdict_text(line):
    """The verdict, a problem and a note."""
    verdict = line["verdict"]
    if line["outcome"] == LISTED:
        verdict = f"{LISTED}: {line['asks']}"
    return "; ".join(filter(None, [verdict, line["problem"], note_of(line)]))


def texts_of(line):
    """The texts of one value in a table of verdicts, by column."""
    return {
        "row": line["row"],
        "column": line["column"],
        "published": published_text(line),
        "reproduced": reproduced_text(line),
        "distance": number_text(line["distance"], ".1f"),
        "support": number_text(line["support"], "+.1f"),
        "would see": number_text(line["would_see"], ".2g"),
        "n": ""
        if line["kind"] == "deterministic"
        else number_text(line["reproduced_n"], "g"),
        "verdict": _verdict_text(line),
        CORRECTED: read_text(line),
    }


_CAUSES = {
    "demonstrated": "the cause is shown",
    "data": "data are missing",
    "conjecture": "why is a guess",
    "refuted": "the sentence is refuted, for the numbers it rests on are consistent with ours",
    "undeclared": "nobody has said why",
}


def _means(line):
    """What the verdict of a row means for it, in half a sentence."""
    outcome = line["outcome"]
    if outcome in DEPARTS:
        reason = f": {line['reason']}" if line["reason"] else ""
        return f"{outcome}; {_CAUSES[line['status']]}{reason}"
    if outcome == AGREES:
        seen = number_text(line["would_see"], ".2g")
        return f"agrees, and a difference of {seen} would have been seen"
    if outcome == COMPATIBLE:
        return "compatible; the print is too coarse to confirm more"
    if outcome == LISTED:
        why = f": {line['why']}" if line["why"] else ""
        return f"as printed, and not scored ({line['asks']}{why})"
    return line["verdict"]


def sentence(line):
    """All that matters of one row of a ledger, a mapping, in a sentence.

    Returns
    -------
    str
    """
    place = f"{line['row']}, {line['column']}"
    here = reproduced_text(line)
    n = number_text(line["reproduced_n"], "g")
    over = f" over {n} repetitions" if n and line["kind"] != "deterministic" else ""
    if line["kind"] == "ordinal":
        asked = "We ask" if line["asks"] == "ours" else "The paper says"
        claim = ended(f"{asked}: {line['sentence']}")
        said = f"{claim} Its test, {place}, must be {line['relation']} and"
    else:
        printed = published_text(line)
        said = f"The paper prints {printed} for {place} ({line['where']}); it"
    if line["outcome"] == NOT_RUN:
        return f"{said} was not run."
    return f"{said} is {here} here{over}: {_means(line)}."


def ended(text):
    """A sentence with its full stop, which a question has not."""
    return text if text.endswith("?") else f"{text}."


def escaped(text):
    """A text in which Markdown sees no markup and no formula."""
    return re.sub(r"([*_$<|`\\])", r"\\\1", text)
