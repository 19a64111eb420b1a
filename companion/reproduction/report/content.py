"""What the pages show, read from notebooks, records and data files."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import nbformat
import pandas as pd

from companion._utils.paths import build_dir, data_dir, notebooks_dir
from companion._utils.pictures import WIDE
from companion.reproduction import Artefact, Paper
from companion.reproduction._comparisons import NOT_RUN
from companion.reproduction.arrangement import fold
from companion.reproduction.artefacts import (
    list_across,
    list_artefacts,
    list_papers,
    notebook_path,
)
from companion.reproduction.cards import card
from companion.reproduction.declared import load_deviations, load_errata
from companion.reproduction.display import departures_first
from companion.reproduction.index import load_index
from companion.reproduction.notebooks import first_figure
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.scores import (
    NOT_SCORED,
    counted_as_on_record,
    joint_lines,
    score,
)
from companion.reproduction.tables import VALUES_MIME
from companion.reproduction.texts import reproduced_text, texts_of
from companion.reproduction.times import load_times

#: A link to a heading of a notebook, of this one if there is no file.
_TO_HEADING = re.compile(r"\]\(((?:[\w./-]+\.ipynb)?#)((?:[^()\s]|\([^()\s]*\))+)\)")


class ReportError(RuntimeError):
    """The site cannot be built; the message says why and what to do."""


@dataclass
class Entry:
    """An artefact, with all that the site says of it.

    `lines` are those of its committed `ledger`, each with its texts, its number and its declared
    deviation; `run` is the ledger of the run that is shown beside it, None if that computed nothing
    of it; `notebook` is what nbformat read from `path`, `figure` is its first in base64, and `alt`
    what that shows;
    `stands_in` says that it is the committed one in place of one that was to be executed; `times`
    are the lines of ``data/times.csv``.
    """

    artefact: Artefact
    path: Path | None = None
    notebook: object = None
    figure: str = ""
    alt: str = ""
    stands_in: bool = False
    lines: list = field(default_factory=list)
    ledger: object = None
    run: object = None
    times: list = field(default_factory=list)

    @property
    def counts(self):
        """How many of its rows count as what."""
        return _counts(self.ledger)

    @property
    def run_counts(self):
        """The same in the run that is shown beside."""
        return _counts(self.run)

    @property
    def together(self):
        """What its values come to together, in texts."""
        return [] if self.ledger is None else joint_lines(self.ledger)

    @cached_property
    def reasons(self):
        """The lines that each declared deviation speaks of, which differ for its reason, or did."""
        reasons = {}
        for line in self.lines:
            reasons.setdefault(line["deviation"], []).append(line)
        reasons.pop(None, None)
        return reasons


def _counts(ledger):
    """How many rows of a ledger count as what; none without one."""
    return Counter() if ledger is None else Counter(filter(None, ledger["counts_as"]))


def _score(ledgers):
    """The score of some ledgers together, None of none."""
    ledgers = [ledger for ledger in ledgers if ledger is not None]
    return score(pd.concat(ledgers)) if ledgers else None


@dataclass
class Group:
    """The artefacts of a paper, or those about all papers."""

    paper: Paper
    entries: list

    @cached_property
    def score(self):
        """The score of all of them on record."""
        return _score([entry.ledger for entry in self.entries])

    @cached_property
    def run_score(self):
        """The score of all of them in the run that is shown beside, None if none was run."""
        return _score([entry.run for entry in self.entries])

    @property
    def consistent(self):
        """How many of its printed numbers are consistent with ours, as a badge says it."""
        numbers = self.score["numbers"] if self.score else {"consistent": 0, "all": 0}
        return f"{numbers['consistent']} of {numbers['all']}"

    @cached_property
    def card(self):
        """What there is to know of the paper, None of no paper or without any verdict."""
        ledgers = [entry.ledger for entry in self.entries if entry.ledger is not None]
        return card(self.paper, pd.concat(ledgers)) if ledgers else None

    @property
    def short(self):
        """What the paper is called where there is little room."""
        return self.paper.short or self.paper.key or self.paper.title


def _read_notebook(entry, profile):
    """Read the notebook of an artefact: the executed one, or the committed one in its place."""
    path = notebook_path(entry.artefact)
    if profile != "paper":
        runs = build_dir() / "reproduce" / profile
        executed = runs / path.relative_to(notebooks_dir())
        entry.stands_in = not executed.is_file()
        path = path if entry.stands_in else executed
    if not path.is_file():
        return
    entry.path = path
    entry.notebook = nbformat.read(path, as_version=4)
    figure = first_figure(entry.notebook)
    if figure is not None:
        entry.figure = figure.data["image/png"]
        about = figure.metadata.get("image/png", {}).get("alt", "")
        entry.alt = about or f"The first figure of “{entry.artefact.title}”"
    fold(entry.notebook)
    for cell in entry.notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _TO_HEADING.sub(_as_on_the_site, cell.source)
        elif cell.cell_type == "code":
            _prepare(cell)


def _as_on_the_site(link):
    """A link to a heading by its name on the site, of that which it has in Jupyter."""
    heading = re.sub(r"[^\w-]", "", link[2].lower())
    return f"]({link[1]}{heading})"


def _prepare(cell):
    """Show figures at half the size of their pixels, with their texts, and fold what is folded.

    The numbers behind tables are left out.
    """
    tags = cell.metadata.get("tags", [])
    hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
    shown = {}
    for output in cell.outputs:
        output.get("data", {}).pop(VALUES_MIME, None)
        known = output.get("metadata", {}).get("image/png", {})
        image = {"alt": known["alt"]} if "alt" in known else {}
        if "width" in known:
            image["width"] = f"{known['width']}px"
            image |= {"classes": "wide"} if known["width"] > WIDE else {}
        shown |= {"image": image} if image else {}
    if "hide-cell" in tags:
        shown["code_prompt_show"] = "Show the answer"
        shown["code_prompt_hide"] = "Hide the answer"
    elif hidden or "parameters" in tags:
        cell.metadata["tags"] = [*tags, "hide-input"]
    if shown:
        cell.metadata["mystnb"] = shown


def _lines(ledger, deviations, run, profile):
    """The lines of a ledger with texts, numbers, declared deviations, and what a run says."""
    beside = {}
    if run is not None:
        for line in run[run["outcome"] != NOT_RUN].to_dict("records"):
            text = f"{profile} run: {reproduced_text(line)}, {line['outcome']}"
            beside[line["row"], line["column"]] = text
    ledger = departures_first(ledger)
    for number, line in zip(ledger.index + 1, ledger.to_dict("records"), strict=True):
        cell = tuple(line[name] for name in ("paper", "artefact", "row", "column"))
        yield line | {
            "number": int(number),
            "texts": texts_of(line),
            "part": line["counts_as"] or NOT_SCORED,
            "deviation": deviations.get(cell),
            "beside": beside.get(cell[2:], ""),
        }


def gather(profile, artefacts=None):
    """What the templates of the pages are filled with; arguments as of `build_report`."""
    across = list_across() if artefacts is None else []
    artefacts = list_artefacts() if artefacts is None else artefacts
    ledgers, gaps, failures = read_ledgers(artefacts)
    runs = {}
    if profile != "paper":
        runs, _, run_failures = read_ledgers(artefacts, profile)
        runs = counted_as_on_record(runs, ledgers)
        failures |= run_failures
    deviations = load_deviations()
    times = dict(iter(load_times().groupby("artefact")))
    entries = []
    for artefact in [*across, *artefacts]:
        name = artefact.id
        entry = Entry(artefact, ledger=ledgers.get(name))
        if name in times:
            entry.times = times[name].to_dict("records")
        run = runs.get(name)
        if run is not None and set(run["counts_as"]) - {"", NOT_RUN}:
            entry.run = run
        if entry.ledger is not None:
            entry.lines = [*_lines(entry.ledger, deviations, run, profile)]
        _read_notebook(entry, profile)
        entries.append(entry)
    if all(entry.stands_in for entry in entries) and entries:
        raise ReportError(
            f"There is no executed notebook of the {profile} profile. `companion reproduce "
            f"--profile {profile}` writes them; without --profile the committed ones are shown."
        )
    papers = list_papers()
    groups = {}
    for entry in entries:
        key = entry.artefact.paper
        paper = papers.get(key) or Paper(key, key or "All papers", "", "")
        groups.setdefault(key, Group(paper, [])).entries.append(entry)
    shorts = [group.short for group in groups.values() if group.paper.key]
    ours = bool(list_across())  # a project of one's own has papers alone
    return {
        "ours": ours,
        "title": "companion" if ours else ", ".join(shorts),
        "profile": profile,
        "entries": entries,
        "groups": list(groups.values()),
        "total": Group(None, entries),
        "printed": sum(len(entry.lines) for entry in entries),
        "errata": load_errata(),
        "ledgers": ledgers,
        "records": {
            f"records/{study}.csv": data_dir() / "records" / f"{study}.csv"
            for study in load_index()
        },
        "remarks": [*failures, *gaps["missing"], *gaps["stale"]],
    }
