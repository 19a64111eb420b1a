"""What is declared by hand: why values differ from the print, and the errors in the print.

``data/deviations.yaml`` is a list. An entry names cells (every row with every column), says why
they differ and where that can be seen::

    - paper: l1nsvm
      artefact: table_2
      rows: [Titanic]
      columns: ["LS #It."]
      status: demonstrated
      reason: iterations depend on the order of identical points
      evidence: notebooks/l1nsvm/table_2.ipynb, section 3

A deviation is ``demonstrated`` (a recorded unit in which the cause, switched on, gives the printed
value, or an executed proof that the printed cell cannot be), of ``data`` that are missing, or a
``conjecture``, which counts as unexplained. A declaration of a value that agrees is an error
itself.

A claim that fails although the printed numbers it rests on are consistent with ours is ``refuted``,
which is a finding. Its entry has one more line that names them, or says that none is printed and
where the protocol is given in full::

      rests_on: ["table_2: Titanic / LS #SV", "table_2: Titanic / Least 1-Norm #SV"]
      rests_on: [nothing printed]

``data/readings.yaml`` lists other readings of the print: rows that stand exchanged, a sign that is
a misprint. An entry has ``id``, ``paper``, ``changes`` (what it reads otherwise), ``proof`` (a list
as for errata) and ``tried`` (how many readings were tried before this one). Regenerated values name
the reading that they belong to; each printed row keeps its verdict as printed beside that.

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

#: How well the reason of a deviation is known; the last is a finding.
STATUSES = ("demonstrated", "data", "conjecture", "refuted")
#: Stands in the place of the numbers that a refuted claim rests on.
NOTHING_PRINTED = "nothing printed"

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
    """Why a cell differs from the print, and the notebook or test where to see it.

    `rests_on` are the printed numbers that a refuted claim rests on.
    """

    reason: str
    evidence: str
    status: str
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """Another reading of a print, its proofs, and how many were tried before it."""

    paper: str
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


def _shape_faults(entry, texts, lists, optional):
    """Faults of an entry that its own text shows; lists may be `optional`."""
    if not isinstance(entry, dict):
        return [f"it must be a mapping, not {type(entry).__name__}"]
    line = ("a text that says something in one line", _is_line)
    rules = dict.fromkeys(texts, line)
    rules |= dict.fromkeys(
        (*lists, *optional), ("a list of texts (quote numbers)", _is_list)
    )
    faults = [f"{name} is missing" for name in (*texts, *lists) if name not in entry]
    for name, content in entry.items():
        rule, is_right = rules.get(name, (None, None))
        if rule is None:
            faults.append(f"{name!r} is unknown")
        elif not is_right(content):
            faults.append(f"{name} must be {rule}. Got {content!r}")
    return faults


def load_entries(name, texts, lists, read, optional=()):
    """What `read` makes of the entries of a file, by its key; all their faults are raised at once.

    `read` gives the faults of an entry in good shape, and what it declares. A file that is not
    there, or all comment, declares nothing.
    """
    path = data_dir() / name
    faults = []
    declared = {}
    for line, entry in _parsed(name, path.read_bytes()) if path.is_file() else ():
        items = {}
        found = _shape_faults(entry, texts, lists, optional)
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
    def names_of(paper):
        try:
            values = load_published(paper)
        except FileNotFoundError:
            return set()
        return {*(values["artefact"] + ": " + values["row"] + " / " + values["column"])}

    def read(entry):
        known = names_of(entry["paper"])
        if not known:
            return [f"paper {entry['paper']!r} has no published values"], {}
        artefact = entry["artefact"]
        cells = [*product(entry["rows"], entry["columns"])]
        names = [f"{artefact}: {row} / {column}" for row, column in cells]
        faults = [
            f"{name} is no published value" for name in names if name not in known
        ]
        faults += unknown_word(entry, "status", STATUSES)
        rests_on = tuple(entry.get("rests_on", ()))
        faults += [
            f"rests_on {name!r} is no published 'artefact: row / column', nor {NOTHING_PRINTED!r}"
            for name in {*rests_on} - {*known, NOTHING_PRINTED}
        ]
        if bool(rests_on) != (entry["status"] == "refuted"):
            faults.append("rests_on belongs to the status refuted, and to no other")
        deviation = Deviation(
            entry["reason"], entry["evidence"], entry["status"], rests_on
        )
        return faults, {(entry["paper"], artefact, *cell): deviation for cell in cells}

    texts = ("paper", "artefact", "status", "reason", "evidence")
    lists = ("rows", "columns")
    return load_entries("deviations.yaml", texts, lists, read, optional=("rests_on",))


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
        faults = _unproved(entry)
        tried = entry["tried"]
        if not re.fullmatch("[1-9][0-9]*", tried):
            faults.append(
                f"tried must be a number in quotes, at least 1. Got {tried!r}"
            )
            return faults, {}
        proof = tuple(entry["proof"])
        return faults, {
            (entry["id"],): Reading(entry["paper"], entry["changes"], proof, int(tried))
        }

    texts = ("id", "paper", "changes", "tried")
    found = load_entries("readings.yaml", texts, ("proof",), read)
    return {key: reading for (key,), reading in found.items()}
