"""What the pages show, read from notebooks, records and data files."""

import html
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import nbformat

from companion._utils.paths import build_dir, data_dir, notebooks_dir
from companion.reproduction import Artefact, Paper
from companion.reproduction._comparisons import NOT_RUN
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

    `lines` are those of its ledger on record, each with its texts, its number and its declared
    deviation; `counts` is its score on record, and `run_counts` that of the run that is shown
    beside it, empty if that computed nothing of it; `notebook` is what nbformat read from `path`,
    and `figure` is its first in base64; `stands_in` says that it is the committed one in place of
    one that was to be executed; `times` are the lines of ``data/times.csv``.
    """

    artefact: Artefact
    path: Path = None
    notebook: object = None
    figure: str = ""
    stands_in: bool = False
    lines: list = field(default_factory=list)
    counts: dict = field(default_factory=dict)
    run_counts: dict = field(default_factory=dict)
    times: list = field(default_factory=list)

    @cached_property
    def reasons(self):
        """The lines that each declared deviation speaks of, which differ for its reason, or did."""
        reasons = {}
        for line in self.lines:
            reasons.setdefault(line["deviation"], []).append(line)
        reasons.pop(None, None)
        return reasons


def _sum(scores):
    """The sum of some scores, {} of none."""
    total = Counter()
    for counts in scores:
        total.update(counts)
    return {name: total[name] for name in SCORES if name in total}


@dataclass
class Group:
    """The artefacts of a paper, or those about all papers."""

    paper: Paper
    entries: list

    @property
    def counts(self):
        """The score of all of them on record."""
        return _sum([entry.counts for entry in self.entries])

    @property
    def run_counts(self):
        """The score of all of them in the run that is shown beside, empty if none was run."""
        return _sum(filter(None, [entry.run_counts for entry in self.entries]))

    @property
    def short(self):
        """What the paper is called where there is little room."""
        return self.paper.short or self.paper.key or self.paper.title


def _sign(part):
    """What a row counts as, in a sign of its colour."""
    return (
        f'<span class="sign sign-{slug(part)}" aria-hidden="true">{SIGNS[part]}</span> '
    )


def _marked(lines, parts, anchors):
    """The lines of a table of verdicts with the signs of the ledger, and an anchor for each row.

    A cell that tells the verdict of its spread as well has the sign of the worse of the two.
    """
    names = []
    row = ""
    for line in lines:
        names = re.findall(r"<th>(.*?)</th>", line) or names
        texts = re.findall(r"<td>(.*?)</td>", line)
        if texts:
            row = texts[0] or row
            kind = texts[1]
            columns = [
                kind if n == "verdict" else n if kind == "verdict" else ""
                for n in names
            ]
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


def _mark_tables(entry, parts):
    """Put signs on the verdicts in a notebook, and anchors for the ledger; find its figure.

    `parts` are what the cells count as in the run that the notebook shows.
    """
    outputs = [
        output for cell in entry.notebook.cells for output in cell.get("outputs", [])
    ]
    data = [output.data for output in outputs if "data" in output]
    entry.figure = next((own["image/png"] for own in data if "image/png" in own), "")
    names = ("row", "column")
    anchors = {}
    parts = {tuple(map(html.escape, cell)): part for cell, part in parts.items()}
    for own in data:
        values = own.pop(VALUES_MIME, {}).get("rows", [])
        if "text/html" in own:
            lines = own["text/html"].splitlines()
            if any({*names} <= value.keys() for value in values):
                lines = _marked(lines, parts, anchors)
            own["text/html"] = "\n".join(
                ['<div class="table-scroll">', *lines, "</div>"]
            )
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


def _parts(ledger):
    """What each cell of a ledger counts as, by its row and column."""
    lines = ledger.to_dict("records")
    return {
        (line["row"], line["column"]): line["counts_as"] or "not scored"
        for line in lines
    }


def _lines(ledger, deviations, beside):
    """The lines of a ledger with texts, numbers, declared deviations, and what another run says."""
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
            "beside": beside.get(cell[2:], ""),
        }


def _told_beside(ledger, profile):
    """What a run says of each row that it has a value for: value and outcome, by row and column."""
    table = verdict_table(ledger)
    told = {}
    for line, texts in zip(
        departures_first(ledger).to_dict("records"), table.rows, strict=True
    ):
        if line["outcome"] != NOT_RUN:
            value = texts[table.header.index("reproduced")]
            told[line["row"], line["column"]] = (
                f"{profile} run: {value}, {line['outcome']}"
            )
    return told


def _read_notebook(entry, profile, parts):
    """Read the notebook of an artefact: the executed one, or the committed one in its place.

    `parts` are those of the cells on record and, if there are any, in the run of the profile.
    """
    path = notebook_path(entry.artefact)
    if profile != "paper":
        executed = (
            build_dir() / "reproduce" / profile / path.relative_to(notebooks_dir())
        )
        entry.stands_in = not executed.is_file()
        path = path if entry.stands_in else executed
    if path.is_file():
        entry.path = path
        entry.notebook = nbformat.read(path, as_version=4)
        _mark_tables(entry, parts[0] if entry.stands_in else parts[-1])
        _size_figures(entry.notebook)
        _fold_plumbing(entry.notebook)


def gather(profile, artefacts=None):
    """What the templates of the pages are filled with; arguments as of `build_report`."""
    across = list_across() if artefacts is None else []
    artefacts = list_artefacts() if artefacts is None else artefacts
    ledgers, gaps, failures = read_ledgers(artefacts)
    run_ledgers = {}
    if profile != "paper":
        run_ledgers, _, run_failures = read_ledgers(artefacts, profile)
        failures |= run_failures
    deviations = load_deviations()
    times = load_times()
    data = data_dir()
    papers = list_papers()
    entries = []
    groups = {}
    for artefact in [*across, *artefacts]:
        entry = Entry(artefact)
        entry.times = times[times["artefact"] == artefact.id].to_dict("records")
        of_artefact = [
            own[artefact.id] for own in (ledgers, run_ledgers) if artefact.id in own
        ]
        beside = {}
        if artefact.id in run_ledgers:
            beside = _told_beside(run_ledgers[artefact.id], profile)
            run_counts = score(run_ledgers[artefact.id])
            is_run = run_counts["scored"] > run_counts[NOT_RUN]
            entry.run_counts = run_counts if is_run else {}
        if artefact.id in ledgers:
            entry.lines = list(_lines(ledgers[artefact.id], deviations, beside))
            entry.counts = score(ledgers[artefact.id])
        _read_notebook(entry, profile, [*map(_parts, of_artefact)] or [{}])
        entries.append(entry)
        key = artefact.paper
        paper = papers.get(key) or Paper(key, key or "All papers", "", "")
        groups.setdefault(key, Group(paper, [])).entries.append(entry)
    if {entry.stands_in for entry in entries} == {True}:
        raise ReportError(
            f"There is no executed notebook of the {profile} profile. `companion reproduce "
            f"--profile {profile}` writes them; without --profile the committed ones are shown."
        )
    whole = Group(None, entries)
    return {
        "profile": profile,
        "entries": entries,
        "groups": list(groups.values()),
        "total": whole.counts,
        "run_total": whole.run_counts,
        "printed": sum(len(entry.lines) for entry in entries),
        "errata": load_errata(),
        "ledgers": ledgers,
        "records": {
            p.relative_to(data).as_posix(): p for p in data.glob("records/*/*.csv")
        },
        "remarks": [*failures, *gaps["missing"], *gaps["stale"]],
    }
