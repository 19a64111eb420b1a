"""What the pages show, read from notebooks, records and data files."""

import html
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import nbformat

from companion._paths import build_dir, data_dir, notebooks_dir
from companion.reproduction import Artefact, Paper
from companion.reproduction.artefacts import list_across, list_artefacts, list_papers
from companion.reproduction.declared import load_deviations, load_errata
from companion.reproduction.display import departures_first, verdict_table
from companion.reproduction.notebooks import notebook_path
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.tables import VALUES_MIME
from companion.reproduction.times import load_times
from companion.reproduction.verdicts import PARTS, SCORES, score

#: A sign for what each row counts as, so that colour is never the only one.
SIGNS = dict(zip((*PARTS, "not scored"), "✓?≠∅✗–·", strict=True))
#: What a row counts as, the worst last.
_SEVERITY = ["not scored", PARTS[0], PARTS[1], PARTS[5], *PARTS[2:5]]
_SET_UP = re.compile(r"\A(?:from|import) |= regenerate\(")
_TELLS = re.compile(r"Markdown\(|findings\(|verdict_table\(")


class ReportError(RuntimeError):
    """The site cannot be built; the message says why and what to do."""


def slug(*parts):
    """A name for an anchor: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(map(str, parts)).lower()).strip("-")


@dataclass
class Entry:
    """An artefact, with all that the site says of it.

    `lines` are those of its ledger, each with its texts, its number and its declared deviation;
    `notebook` is what nbformat read from `path`, and `figure` is its first in base64;
    `stands_in` says that it is the committed one in place of one that was to be executed; `times`
    are the lines of ``data/times.csv``.
    """

    artefact: Artefact
    path: Path = None
    notebook: object = None
    figure: str = ""
    stands_in: bool = False
    lines: list = field(default_factory=list)
    counts: dict = field(default_factory=dict)
    times: list = field(default_factory=list)

    @cached_property
    def reasons(self):
        """The lines that each declared deviation speaks of, which differ for its reason, or did."""
        reasons = {}
        for line in self.lines:
            reasons.setdefault(line["deviation"], []).append(line)
        reasons.pop(None, None)
        return reasons


@dataclass
class Group:
    """The artefacts of a paper, or those about all papers."""

    paper: Paper
    entries: list

    @property
    def counts(self):
        """The score of all of them."""
        return {name: sum(entry.counts.get(name, 0) for entry in self.entries) for name in SCORES}

    @property
    def short(self):
        """What the paper is called where there is little room."""
        return self.paper.short or self.paper.key or self.paper.title


def _sign(part):
    """What a row counts as, in a sign of its colour."""
    return f'<span class="sign sign-{slug(part)}" aria-hidden="true">{SIGNS[part]}</span> '


def _marked(lines, parts, anchors):
    """The lines of a table of verdicts with the signs of the ledger, and an anchor for each row.

    A cell that tells the verdict of its spread as well has the sign of the worse of the two.
    """
    names, row = [], ""
    for line in lines:
        names = re.findall(r"<th>(.*?)</th>", line) or names
        texts = re.findall(r"<td>(.*?)</td>", line)
        if texts:
            row, kind = texts[0] or row, texts[1]
            columns = [kind if n == "verdict" else n if kind == "verdict" else "" for n in names]
            cells = ""
            for column, text in zip(columns, texts, strict=True):
                own = [column, f"{column} ±"] if "±:" in text else [column]
                found = [parts[row, name] for name in own if (row, name) in parts]
                sign = _sign(max(found, key=_SEVERITY.index)) if found else ""
                cells += f"<td>{sign}{text}</td>"
            place = "" if row in anchors else f' id="row-{len(anchors) + 1}"'
            anchors.setdefault(row, place[5:-1])
            line = f"<tr{place}>{cells}</tr>"
        yield line


def _mark_tables(entry):
    """Put signs on the verdicts in a notebook, and anchors for the ledger; find its figure."""
    outputs = [output for cell in entry.notebook.cells for output in cell.get("outputs", [])]
    data = [output.data for output in outputs if "data" in output]
    entry.figure = next((own["image/png"] for own in data if "image/png" in own), "")
    names, anchors = ("row", "column"), {}
    parts = {tuple(html.escape(x[n]) for n in names): x["part"] for x in entry.lines}
    for own in data:
        values = own.pop(VALUES_MIME, {}).get("rows", [])
        if "text/html" in own:
            lines = own["text/html"].splitlines()
            if any({*names} <= value.keys() for value in values):
                lines = _marked(lines, parts, anchors)
            own["text/html"] = "\n".join(['<div class="table-scroll">', *lines, "</div>"])
    for line in entry.lines:
        line["anchor"] = anchors.get(html.escape(line["row"]))


def _size_figures(notebook):
    """Show a figure at the size that its notebook says, which is half that of its pixels."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if width := output.get("metadata", {}).get("image/png", {}).get("width"):
                cell.metadata["mystnb"] = {"image": {"width": f"{width}px"}}


def _fold_plumbing(notebook):
    """Fold up code that sets up and shows nothing, or that only writes sentences or verdicts."""
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        tags = cell.metadata.get("tags", [])
        shown = {kind for output in cell.outputs for kind in output.get("data", {})}
        plumbing = "parameters" in " ".join(tags) or _SET_UP.search(cell.source)
        tells = _TELLS.search(cell.source) and not {"image/png"} & shown
        if tells or (plumbing and not shown):
            cell.metadata["tags"] = [*tags, "hide-input"]


def _lines(ledger, deviations):
    """The lines of a ledger with their texts, numbers and declared deviations."""
    table = verdict_table(ledger)
    ledger = departures_first(ledger)
    lines = zip(ledger.index + 1, ledger.to_dict("records"), table.rows, strict=True)
    for number, line, texts in lines:
        cell = tuple(line[name] for name in ("paper", "artefact", "row", "column"))
        yield line | {
            "number": int(number),
            "texts": dict(zip(table.header, texts, strict=True)),
            "part": line["counts_as"] or "not scored",
            "deviation": deviations.get(cell),
        }


def _read_notebook(entry, profile):
    """Read the notebook of an artefact: the executed one, or the committed one in its place."""
    path = notebook_path(entry.artefact)
    if profile != "paper":
        executed = build_dir() / "reproduce" / profile / path.relative_to(notebooks_dir())
        entry.stands_in = not executed.is_file()
        path = path if entry.stands_in else executed
    if path.is_file():
        entry.path, entry.notebook = path, nbformat.read(path, as_version=4)
        _mark_tables(entry)
        _size_figures(entry.notebook)
        _fold_plumbing(entry.notebook)


def gather(profile, artefacts=None):
    """What the templates of the pages are filled with; arguments as of `build_report`."""
    across = list_across() if artefacts is None else []
    artefacts = list_artefacts() if artefacts is None else artefacts
    ledgers, gaps, failures = read_ledgers(artefacts, profile)
    deviations, times, data = load_deviations(), load_times(), data_dir()
    papers, entries, groups = list_papers(), [], {}
    for artefact in [*across, *artefacts]:
        entry = Entry(artefact)
        entry.times = times[times["artefact"] == artefact.id].to_dict("records")
        if artefact.id in ledgers:
            entry.lines = list(_lines(ledgers[artefact.id], deviations))
            entry.counts = score(ledgers[artefact.id])
        _read_notebook(entry, profile)
        entries.append(entry)
        key = artefact.paper
        paper = papers.get(key) or Paper(key, key or "All papers", "", "")
        groups.setdefault(key, Group(paper, [])).entries.append(entry)
    if {entry.stands_in for entry in entries} == {True}:
        raise ReportError(
            f"There is no executed notebook of the {profile} profile. `companion reproduce "
            f"--profile {profile}` writes them; without --profile the committed ones are shown."
        )
    return {
        "profile": profile,
        "entries": entries,
        "groups": list(groups.values()),
        "total": Group(None, entries).counts,
        "printed": sum(len(entry.lines) for entry in entries),
        "errata": load_errata(),
        "ledgers": ledgers,
        "records": {p.relative_to(data).as_posix(): p for p in data.glob("records/*/*.csv")},
        "remarks": [*failures, *gaps["missing"], *gaps["stale"]],
    }
