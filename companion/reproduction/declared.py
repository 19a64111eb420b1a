"""What is declared by hand: why values differ from the print, and the errors in the print.

``data/deviations.yaml`` is a list. An entry names cells (every row with every column), says why
they differ and where that can be seen::

    - paper: l1nsvm
      artefact: table_2
      rows: [Titanic]
      columns: ["LS #It."]
      cause: shown
      reason: iterations depend on the order of identical points
      evidence: notebooks/l1nsvm/table_2.ipynb, section 3

The ``cause`` of a number that differs is ``shown`` (a recorded unit in which it, switched on,
gives the printed value, or an executed proof that the printed cell cannot be), ``unknown``, or
``missing data``: then nothing was tested. A sentence that fails has its reason in words, and a
cause where data are missing. A declaration of a value that matches is an error itself.

``data/readings.yaml`` lists other readings of the print. An entry has ``id``, ``paper``, ``kind``
(``misprint``: proved wrong as printed, or a ``choice`` of what the paper does not print, made to
fit), ``changes`` (what it reads otherwise), ``proof`` (a list as for errata) and ``tried`` (how
many readings were tried before this one). Regenerated values name the reading that they belong to;
each printed row keeps its verdict as printed beside that.

``data/errata.yaml`` is a list, too. An entry has ``paper``, ``where``, what is ``printed`` there
and what is ``correct``, its ``kind`` (see ``docs/verdicts.md``), and as ``proof`` a list of tests
(``tests/<file>.py::<test>``) and notebooks. A value that merely differs is no erratum.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import product

from companion._utils.paths import data_dir
from companion.reproduction.artefacts import list_papers
from companion.reproduction.published import PublishedError, load_published

__all__ = [
    "Deviation",
    "Erratum",
    "Reading",
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


def _is_line(content):
    return isinstance(content, str) and len(content.strip().splitlines()) == 1


def _is_list(content):
    return isinstance(content, list) and {*map(type, content)} == {str}


def _shape_faults(entry, texts, lists, optional, optional_lists):
    """Faults of an entry that its own text shows."""
    if not isinstance(entry, dict):
        return [f"it must be a mapping, not {type(entry).__name__}"]
    line = ("a text that says something in one line", _is_line)
    rules = dict.fromkeys((*texts, *optional), line)
    listed = ("a list of texts (quote numbers)", _is_list)
    rules |= dict.fromkeys((*lists, *optional_lists), listed)
    faults = [f"{name} is missing" for name in (*texts, *lists) if name not in entry]
    for name, content in entry.items():
        rule, is_right = rules.get(name, (None, None))
        if rule is None:
            faults.append(f"{name!r} is unknown")
        elif not is_right(content):
            faults.append(f"{name} must be {rule}. Got {content!r}")
    return faults


def load_entries(name, texts, lists, read, *, optional=(), optional_lists=()):
    """What `read` makes of the entries of a file, by its key; all their faults are raised at once.

    `read` gives the faults of an entry in good shape, and what it declares. A file that is not
    there, or all comment, declares nothing.
    """
    path = data_dir() / name
    faults = []
    declared = {}
    for line, entry in _parsed(name, path.read_bytes()) if path.is_file() else ():
        items = {}
        found = _shape_faults(entry, texts, lists, optional, optional_lists)
        if not found:
            found, items = read(entry | {text: entry[text].strip() for text in texts})
        twice = items.keys() & declared.keys()
        declared |= {} if found else items
        found += [f"{' / '.join(key)} stands there twice" for key in twice]
        faults += [f"line {line}: {fault}" for fault in found]
    if faults:
        raise PublishedError(name, faults)
    return declared


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

    texts = ("paper", "artefact", "reason", "evidence")
    lists = ("rows", "columns")
    return load_entries("deviations.yaml", texts, lists, read, optional=("cause",))


def load_errata():
    """A list of the errata in ``data/errata.yaml``, checked as :func:`load_deviations` does."""

    def read(entry):
        faults = unknown_word(entry, "kind", KINDS) + _unproved(entry)
        erratum = Erratum(**entry | {"proof": tuple(entry["proof"])})
        return faults, {(erratum.paper, erratum.where, erratum.printed): erratum}

    texts = ("paper", "where", "printed", "correct", "kind")
    return list(load_entries("errata.yaml", texts, ("proof",), read).values())


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
            (entry["id"],): Reading(
                entry["paper"], entry["kind"], entry["changes"], proof, int(tried)
            )
        }

    texts = ("id", "paper", "kind", "changes", "tried")
    found = load_entries("readings.yaml", texts, ("proof",), read)
    return {key: reading for (key,), reading in found.items()}
