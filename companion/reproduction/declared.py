"""What is declared by hand: why values differ, errors in the print, and what is said of a paper.

``data/deviations.yaml`` is a list. An entry names cells (every row with every column), says why
they differ and where that can be seen::

    - paper: trees
      artefact: table_2
      rows: [Titanic]
      columns: ["LS #It."]
      cause: shown
      reason: iterations depend on the order of identical points
      evidence: notebooks/trees/table_2.ipynb, section 3

The ``cause`` of a number that differs is ``shown`` (a recorded unit in which it, switched on,
gives the printed value, or an executed proof that the printed cell cannot be), ``unknown``, or
``missing data``: then nothing was tested, and cells that happen to match are declared as well. A
sentence that fails has its reason in words, and a cause where data are missing. Any other
declaration of a value that matches is an error itself.

``data/readings.yaml`` lists other readings of the print. An entry has ``id``, ``paper``, ``kind``
(``misprint``: proved wrong as printed, or a ``choice`` of what the paper does not print, made to
fit), ``changes`` (what it reads otherwise), ``proof`` (a list as for errata) and ``tried`` (how
many readings were tried before this one). Regenerated values name the reading that they belong to;
each printed row keeps its verdict as printed beside that.

``data/errata.yaml`` is a list, too. An entry has ``paper``, ``where``, what is ``printed`` there
and what is ``correct``, its ``kind`` (see ``docs/verdicts.md``), and as ``proof`` a list of tests
(``tests/<file>.py::<test>``) and notebooks. A value that merely differs is no erratum.

``data/cards.yaml`` is a list with an entry a ``paper``: what it ``proposes``; its main ``claim``,
the ``sentence`` of the rows with which the proposal stands or falls; what we ``measured`` of that;
what was ``found`` besides; ``misprints`` that change the reading; and what to use ``today``. The
middle three have ``says``, a text with numbers in braces that are filled from the ledger, and
``rests_on``, the rows that the text speaks of, each after the word that it takes for granted. Once
a row has another word, the card says that instead, so that no text outlives its records.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

from companion._utils.paths import data_dir
from companion.reproduction.artefacts import list_papers
from companion.reproduction.published import PublishedError, load_published

__all__ = [
    "Deviation",
    "Erratum",
    "Reading",
    "load_cards",
    "load_deviations",
    "load_errata",
    "load_readings",
]

SHOWN = "shown"
MISSING_DATA = "missing data"
#: What is known of the cause of a deviation.
CAUSES = (SHOWN, "unknown", MISSING_DATA)
MISPRINT = "misprint"
#: What a reading is: proved wrong as printed, or a choice of what is not printed.
READING_KINDS = (MISPRINT, "choice")

#: Kinds of errata.
KINDS = (
    "misprint",
    "interchanged",
    "wrong number",
    "false claim",
    "gap",
    "missing information",
)
#: A word of a verdict and a row; or, of a number of ours, that it is beyond two standard errors
#: above or below another number.
RESTS = re.compile(
    r"(matches|differs, explained|differs, unexplained|not tested|holds|fails|open"
    r"|(above|below) (-?\d*\.?\d+)) (.+)"
)
_PROOF = re.compile(r"tests/[\w/]+\.py::test_\w+|notebooks/[\w/]+\.ipynb")


@dataclass(frozen=True)
class Deviation:
    """Why a cell differs from the print, and the notebook or test where to see it."""

    reason: str
    evidence: str
    cause: str = ""


@dataclass(frozen=True)
class Reading:
    """Another reading of a print, its proofs, and how many were tried before it."""

    paper: str
    kind: str
    changes: str
    proof: tuple[str, ...]
    tried: int


@dataclass(frozen=True)
class Erratum:
    """An error in a paper's print: what stands where, what must stand there, and the proofs."""

    paper: str
    where: str
    printed: str
    correct: str
    kind: str
    proof: tuple[str, ...]


@cache
def _parsed(name, content):
    """Line and content of each entry of a YAML list, which is parsed but once."""
    import yaml

    entries = []
    try:
        loader = yaml.SafeLoader(content)  # libyaml crashes on deep lists
        root = loader.get_single_node() or yaml.SequenceNode("", [])
        if root.id != "sequence":
            raise ValueError(f"it must be a list, not a {root.id}")
        for node in root.value:
            line = node.start_mark.line + 1
            entry = loader.construct_document(node)
            if node.id == "mapping" and len(node.value) > len(entry):
                raise ValueError(f"line {line}: a key is there twice")
            entries.append((line, entry))
    except (yaml.YAMLError, ValueError) as error:
        raise PublishedError(name, [" ".join(str(error).split())]) from error
    return entries


class Rule(NamedTuple):
    """What the content of an entry must be, in words and as a test."""

    text: str
    fits: Callable


def _is_line(content):
    return isinstance(content, str) and len(content.strip().splitlines()) == 1


def _is_list(content):
    return isinstance(content, list) and {*map(type, content)} == {str}


LINE = Rule("a text that says something in one line", _is_line)
LIST = Rule("a list of texts (quote numbers)", _is_list)


def _shape_faults(entry, needed, optional):
    """Faults of an entry that its own text shows."""
    if not isinstance(entry, dict):
        return [f"it must be a mapping, not {type(entry).__name__}"]
    rules = needed | optional
    faults = [f"{name} is missing" for name in needed if name not in entry]
    for name, content in entry.items():
        if name not in rules:
            faults.append(f"{name!r} is unknown")
        elif not rules[name].fits(content):
            faults.append(f"{name} must be {rules[name].text}. Got {content!r}")
    return faults


def load_entries(name, needed, read, optional=None):
    """What `read` makes of the entries of a file, by its key; all their faults are raised at once.

    `needed` and `optional` are rules by name. `read` gives the faults of an entry in good shape,
    and what it declares. A file that is not there, or all comment, declares nothing.
    """
    path = data_dir() / name
    faults = []
    declared = {}
    for line, entry in _parsed(name, path.read_bytes()) if path.is_file() else ():
        items = {}
        found = _shape_faults(entry, needed, optional or {})
        if not found:
            texts = {k: x.strip() for k, x in entry.items() if isinstance(x, str)}
            found, items = read(entry | texts)
        twice = items.keys() & declared.keys()
        declared |= {} if found else items
        found += [f"{_name(key)} stands there twice" for key in twice]
        faults += [f"line {line}: {fault}" for fault in found]
    if faults:
        raise PublishedError(name, faults)
    return declared


def _name(key):
    return key if isinstance(key, str) else " / ".join(key)


def unknown_word(entry, name, known):
    fault = f"{name} {entry[name]!r} is unknown: it must be one of {', '.join(known)}"
    return [] if entry[name] in known else [fault]


def _unproved(entry):
    """Faults of the paper and of the proofs of an erratum or a reading."""
    return unknown_word(entry, "paper", list_papers()) + [
        f"proof {text!r} is neither tests/<file>.py::test_<name> nor notebooks/<name>.ipynb"
        for text in entry["proof"]
        if not _PROOF.fullmatch(text)
    ]


def load_deviations():
    """Read and check ``data/deviations.yaml``; a file that does not exist declares none.

    Returns
    -------
    dict
        From (paper, artefact, row, column) to :class:`Deviation`.

    Raises
    ------
    PublishedError
        If the file has faults; all are listed with the line where their entry begins.
    """

    @cache
    def asked(paper):
        """What each printed value of a paper asks."""
        try:
            values = load_published(paper)
        except FileNotFoundError:
            return {}
        names = values["artefact"] + ": " + values["row"] + " / " + values["column"]
        return dict(zip(names, values["asks"], strict=True))

    def read(entry):
        known = asked(entry["paper"])
        if not known:
            return [f"paper {entry['paper']!r} has no published values"], {}
        artefact = entry["artefact"]
        cells = [*product(entry["rows"], entry["columns"])]
        names = [f"{artefact}: {row} / {column}" for row, column in cells]
        faults = [
            f"{name} is no published value" for name in names if name not in known
        ]
        faults += [
            f"{name} is a question of ours, which has no verdict"
            for name in names
            if known.get(name) == "ours"
        ]
        cause = entry.get("cause", "")
        if "cause" in entry:
            faults += unknown_word(entry, "cause", CAUSES)
        elif numbers := [n for n in names if known.get(n, "claim") != "claim"]:
            faults.append(f"cause is missing, and {numbers[0]} is a number")
        deviation = Deviation(entry["reason"], entry["evidence"], cause)
        return faults, {(entry["paper"], artefact, *cell): deviation for cell in cells}

    needed = dict.fromkeys(("paper", "artefact", "reason", "evidence"), LINE)
    needed |= {"rows": LIST, "columns": LIST}
    return load_entries("deviations.yaml", needed, read, {"cause": LINE})


def load_errata():
    """A list of the errata in ``data/errata.yaml``, checked as :func:`load_deviations` does."""

    def read(entry):
        faults = unknown_word(entry, "kind", KINDS) + _unproved(entry)
        erratum = Erratum(**entry | {"proof": tuple(entry["proof"])})
        return faults, {(erratum.paper, erratum.where, erratum.printed): erratum}

    needed = dict.fromkeys(("paper", "where", "printed", "correct", "kind"), LINE)
    return [*load_entries("errata.yaml", needed | {"proof": LIST}, read).values()]


def load_readings():
    """The readings in ``data/readings.yaml`` by id, checked as :func:`load_deviations` does."""

    def read(entry):
        faults = _unproved(entry) + unknown_word(entry, "kind", READING_KINDS)
        tried = entry["tried"]
        if not re.fullmatch("[1-9][0-9]*", tried):
            faults.append(
                f"tried must be a number in quotes, at least 1. Got {tried!r}"
            )
            return faults, {}
        proof = tuple(entry["proof"])
        return faults, {
            entry["id"]: Reading(
                entry["paper"], entry["kind"], entry["changes"], proof, int(tried)
            )
        }

    needed = dict.fromkeys(("id", "paper", "kind", "changes", "tried"), LINE)
    return load_entries("readings.yaml", needed | {"proof": LIST}, read)


def _is_statement(content):
    """Whether it is what is said, and perhaps rows that it rests on."""
    if not isinstance(content, dict) or not LINE.fits(content.get("says")):
        return False
    rests_on = content.get("rests_on", [])
    return content.keys() <= {"says", "rests_on"} and all(
        isinstance(text, str) and RESTS.fullmatch(text) for text in rests_on
    )


def _are_statements(content):
    return isinstance(content, list) and all(map(_is_statement, content))


def load_cards():
    """The entries of ``data/cards.yaml`` by paper, checked as deviations are."""
    says = (
        "a mapping of what it says and perhaps the rows it rests_on, each after a word"
    )
    statement = Rule(says, _is_statement)
    statements = Rule(f"a list, each {says}", _are_statements)
    return load_entries(
        "cards.yaml",
        {"paper": LINE, "proposes": LINE, "today": LINE},
        lambda entry: ([], {entry["paper"]: entry}),
        {"claim": LINE, "measured": statement, "found": statements}
        | {"misprints": statements},
    )
