"""What the pages show, read from notebooks, records and data files."""

import html
import re
from dataclasses import dataclass, field
from functools import cached_property

import nbformat

from companion._paths import build_dir, notebooks_dir
from companion.reproduction import Artefact, Paper
from companion.reproduction.artefacts import list_across, list_artefacts, list_papers
from companion.reproduction.declared import load_deviations, load_errata
from companion.reproduction.display import departures_first, verdict_table
from companion.reproduction.notebooks import notebook_path
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.tables import VALUES_MIME
from companion.reproduction.times import load_times
from companion.reproduction.verdicts import SCORES, score

NOT_SCORED = "not scored"


@dataclass
class Entry:
    """An artefact, with all that the site says of it.

    `lines` are those of its ledger, each with its texts, its number and its declared deviation;
    `notebook` is what nbformat read, and `stands_in` says that it is the committed one in place
    of one that was to be executed; `times` are the lines of ``data/times.csv``.
    """

    artefact: Artefact
    notebook: object = None
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
        """Surnames and year, as in "Wahba et al. 2001"; the key or title if no author is named."""
        surnames = re.findall(r"(?:\b\w\. ?)+([^\s,]+)", self.paper.citation)
        years = re.findall(r"\b\d{4}\b", self.paper.citation)
        if not surnames or not years:
            return self.paper.key or self.paper.title
        names = f"{surnames[0]} et al." if len(surnames) > 2 else " and ".join(surnames)
        return f"{names} {years[-1]}"


def _anchor_values(entry):
    """Put an anchor on the first row of each name in the tables of a notebook, for the ledger."""
    outputs = [output for cell in entry.notebook.cells for output in cell.get("outputs", [])]
    tables = [output.data for output in outputs if "text/html" in output.get("data", {})]
    anchors = {}

    def anchored(match):
        if match[1] in anchors:
            return match[0]
        anchors[match[1]] = f"row-{len(anchors) + 1}"
        return f'<tr id="{anchors[match[1]]}"><td>{match[1]}</td>'

    for data in tables:
        values, markup = data.pop(VALUES_MIME, {}).get("rows", []), data["text/html"]
        if any({"row", "column"} <= value.keys() for value in values):
            markup = re.sub(r"^<tr><td>(.*?)</td>", anchored, markup, flags=re.MULTILINE)
        data["text/html"] = f'<div class="table-scroll">\n{markup}\n</div>'
    for line in entry.lines:
        line["anchor"] = anchors.get(html.escape(line["row"]))


def _lines(ledger, deviations):
    """The lines of a ledger with their texts, numbers and declared deviations."""
    table = verdict_table(ledger)
    lines = zip(departures_first(ledger).to_dict("records"), table.rows, strict=True)
    for number, (line, texts) in enumerate(lines, start=1):
        cell = tuple(line[name] for name in ("paper", "artefact", "row", "column"))
        yield line | {
            "number": number,
            "texts": dict(zip(table.header, texts, strict=True)),
            "part": line["counts_as"] or NOT_SCORED,
            "deviation": deviations.get(cell),
            "anchor": None,
        }


def _read_notebook(entry, profile):
    """Read the notebook of an artefact: the executed one, or the committed one in its place."""
    path = notebook_path(entry.artefact)
    if profile != "paper":
        executed = build_dir() / "reproduce" / profile / path.relative_to(notebooks_dir())
        entry.stands_in = not executed.is_file()
        path = path if entry.stands_in else executed
    if path.is_file():
        entry.notebook = nbformat.read(path, as_version=4)
        _anchor_values(entry)


def gather(profile, artefacts=None):
    """What the templates of the pages are filled with; arguments as of `build_report`."""
    across = list_across() if artefacts is None else []
    artefacts = list_artefacts() if artefacts is None else artefacts
    ledgers, gaps, failures = read_ledgers(artefacts, profile)
    deviations, times = load_deviations(), load_times()
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
        raise FileNotFoundError(
            f"There is no executed notebook of the {profile} profile. `companion reproduce "
            f"--profile {profile}` writes them; without --profile the committed ones are shown."
        )
    return {
        "profile": profile,
        "entries": entries,
        "groups": list(groups.values()),
        "total": Group(None, entries).counts,
        "printed": sum(len(entry.lines) for entry in entries),
        "cores": ", ".join(map(str, sorted(set(times["cores"])))),
        "errata": load_errata(),
        "remarks": [*failures, *gaps["missing"], *gaps["stale"]],
    }
