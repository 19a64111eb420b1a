"""What the site shows, gathered before a page is written: pages, verdicts, errata, times."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from companion._paths import build_dir, project_root
from companion.reproduction.artefacts import list_papers
from companion.reproduction.deviations import load_deviations
from companion.reproduction.notebooks import notebook_path

__all__ = [
    "Content",
    "Page",
    "Reason",
    "gather",
    "group_reasons",
    "paper_citation",
    "paper_title",
    "short_citation",
    "slug",
]


def slug(*parts):
    """A name for an anchor: lower-case letters, digits and hyphens."""
    text = "-".join(str(part) for part in parts)
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


@dataclass(frozen=True)
class Page:
    """A notebook of the site.

    Attributes
    ----------
    artefact : companion.reproduction.Artefact
    path : pathlib.Path
        The notebook that is shown.
    missing : bool
        Whether it was to come from the executed notebooks and is not among them, so that the
        committed one stands in.
    """

    artefact: object
    path: Path
    missing: bool = False

    @property
    def docname(self):
        """Name of the page, without ending: ``notebooks/<paper>/<name>``."""
        return f"notebooks/{self.artefact.id}"


@dataclass
class Reason:
    """A declared reason, and the values that it speaks of.

    Attributes
    ----------
    paper, artefact, reason, evidence : str
    anchor : str
        Where it stands on the page of the deviations.
    cells : list of (str, str)
        Row and column.
    """

    paper: str
    artefact: str
    reason: str
    evidence: str
    anchor: str
    cells: list = field(default_factory=list)


@dataclass
class Content:
    """All that the site is written from.

    Attributes
    ----------
    profile : {"paper", "quick"}
        Of the verdicts and notebooks.
    pages : list of Page
        In reading order.
    ledgers : dict of str to pandas.DataFrame
        Verdicts by artefact.
    reasons : list of Reason
    errata : list
        From `companion.reproduction.errata`.
    times : pandas.DataFrame
        From `companion.reproduction.times`.
    remarks : list of str
        What could not be compared, and old or missing records.
    guide : pathlib.Path or None
        How to add a paper.
    """

    profile: str
    pages: list
    ledgers: dict
    reasons: list
    errata: list
    times: object
    remarks: list
    guide: Path | None

    @property
    def papers(self):
        """Keys of the papers with a page, in the order of the pages."""
        return list(dict.fromkeys(p.artefact.paper for p in self.pages if p.artefact.paper))

    def page(self, identifier):
        """The page of an artefact, None if it has none."""
        return next((p for p in self.pages if p.artefact.id == identifier), None)

    def reason_of(self, paper, artefact, row, column):
        """The declared reason of a value, None if it has none."""
        for reason in self.reasons:
            if (reason.paper, reason.artefact) == (paper, artefact) and (
                row,
                column,
            ) in reason.cells:
                return reason
        return None


def group_reasons(deviations):
    """Declared deviations by reason, in the order of the file.

    Parameters
    ----------
    deviations : mapping
        Of :func:`~companion.reproduction.deviations.load_deviations`.

    Returns
    -------
    list of Reason
    """
    groups, numbers = {}, {}
    for (paper, artefact, row, column), deviation in deviations.items():
        key = (paper, artefact, deviation.reason, deviation.evidence)
        if key not in groups:
            numbers[paper, artefact] = numbers.get((paper, artefact), 0) + 1
            anchor = slug(paper, artefact, numbers[paper, artefact])
            groups[key] = Reason(*key, anchor)
        groups[key].cells.append((row, column))
    return list(groups.values())


def _find_pages(artefacts, executed):
    """A page for each artefact whose notebook exists."""
    pages = []
    for artefact in artefacts:
        committed = notebook_path(artefact)
        if executed is None:
            if committed.is_file():
                pages.append(Page(artefact, committed))
            continue
        path = Path(executed) / artefact.paper / f"{artefact.name}.ipynb"
        if path.is_file():
            pages.append(Page(artefact, path))
        elif committed.is_file():
            pages.append(Page(artefact, committed, missing=True))
    return pages


def _executed_folder(profile, executed):
    """Folder of the executed notebooks, None for the committed ones."""
    if executed is None and profile == "paper":
        return None
    folder = build_dir() / "reproduce" / profile if executed is None else Path(executed)
    if not any(folder.rglob("*.ipynb")):
        raise FileNotFoundError(
            f"There is no executed notebook in {folder}. "
            f"`companion reproduce --profile {profile}` writes them; without --profile and "
            "--executed the committed notebooks are shown."
        )
    return folder


def gather(profile="paper", executed=None, artefacts=None):
    """Collect what the site shows.

    Parameters
    ----------
    profile : {"paper", "quick"}, default="paper"
    executed : path-like, optional
        Folder of executed notebooks, ``<paper>/<name>.ipynb`` inside it. By default the committed
        ones for the paper profile and those of the last run for the quick one.
    artefacts : list of companion.reproduction.Artefact, optional
        By default all of the papers, between the overview and what else is about all of them.

    Returns
    -------
    Content

    Raises
    ------
    FileNotFoundError
        If executed notebooks are asked for and there are none.
    """
    from companion.reproduction.artefacts import list_across, list_artefacts
    from companion.reproduction.errata import load_errata
    from companion.reproduction.reproduce import read_ledgers
    from companion.reproduction.times import load_times

    folder = _executed_folder(profile, executed)
    across = list_across() if artefacts is None else []
    of_papers = list_artefacts() if artefacts is None else list(artefacts)
    first = [artefact for artefact in across if artefact.name == "overview"]
    last = [artefact for artefact in across if artefact.name != "overview"]
    ledgers, stale, failures = read_ledgers(of_papers, profile)
    guide = project_root() / "docs" / "adding_a_paper.md"
    shown = {(a.paper, a.name) for a in of_papers}
    deviations = {cell: d for cell, d in load_deviations().items() if cell[:2] in shown}
    return Content(
        profile=profile,
        pages=_find_pages([*first, *of_papers, *last], folder),
        ledgers=ledgers,
        reasons=group_reasons(deviations),
        errata=list(load_errata()),
        times=load_times(),
        remarks=[*failures, *stale],
        guide=guide if guide.is_file() else None,
    )


def paper_title(key):
    """Title of a paper, its key if it is not a registered one."""
    return list_papers()[key].title if key in list_papers() else key


def short_citation(key):
    """Surnames and year of a paper, as in "Wahba et al. 2001"; its key if it is not registered."""
    citation = paper_citation(key)
    year = re.search(r"\b(\d{4})\b\W*$", citation)
    before, many, after = citation.partition(" and ")
    authors = f"{before}, {after.partition(',')[0]}" if many else citation.partition(",")[0]
    surnames = [re.sub(r"^(?:\S+\. ?)+", "", name.strip()) for name in authors.split(",")]
    if not year or not all(surnames):
        return key
    names = f"{surnames[0]} et al." if len(surnames) > 2 else " and ".join(surnames)
    return f"{names} {year[1]}"


def paper_citation(key):
    """Authors, venue and year of a paper, "" if it is not a registered one."""
    return list_papers()[key].citation if key in list_papers() else ""
