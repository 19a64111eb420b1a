"""Artefacts, the printed tables and figures, and the papers that register them.

A paper is known to the engine once a distribution names it under the entry point group
``companion.papers``, as ``companion.papers:PAPERS`` is named in this one's pyproject.toml, or once
the pyproject.toml of the folder in which one works does, installed or not. What cannot be imported
is named with its owner, and the other papers go on without it.
"""

from __future__ import annotations

import logging
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from companion._utils.errors import DamagedData
from companion._utils.paths import (
    check_name,
    data_dir,
    notebooks_dir,
    own_project,
    read_settings,
)

if TYPE_CHECKING:  # else the help of the command would load NumPy
    from companion.reproduction.units import Study

logger = logging.getLogger("companion")
_GROUP = "companion.papers"


@dataclass(frozen=True)
class Artefact:
    """A printed table or figure, and the notebook that regenerates it.

    Parameters
    ----------
    paper : str
        Key of the paper; "" for a notebook about all of them.
    name : str
        E.g. "table_2", of letters, digits, _ and -; the notebook is
        ``notebooks/<paper>/<name>.ipynb``.
    title : str
        One line, in the paper's words.
    studies : tuple of Study
        Where the numbers come from.
    values : callable
        ``values(records) -> DataFrame`` from the records of each study, keyed by its name, to the
        reproduced values: columns row, column, value, spread, n, se, converged. None if nothing is
        printed to compare with.
    judged_by_row : bool
        Whether the numbers of a row are one vector, and judged together: the draws of one unit, or
        three shares that add up to one.
    what_came_out : callable, optional
        ``what_came_out(run) -> str``: one to three sentences in Markdown with which the notebook
        opens, whose numbers are computed from the run.
    module : str, optional
        The module that describes it, to which the notebook leads; by default that of `values`.
    """

    paper: str
    name: str
    title: str
    studies: tuple[Study, ...] = ()
    values: Callable | None = None
    judged_by_row: bool = False
    what_came_out: Callable | None = None
    module: str = ""

    def __post_init__(self) -> None:
        check_name(self.name, f"an artefact of {self.paper or 'all papers'}")

    @property
    def id(self) -> str:
        """What is typed on the command line, ``paper/name``, or ``name`` alone without a paper."""
        return f"{self.paper}/{self.name}" if self.paper else self.name

    @property
    def modules(self) -> list[str]:
        """The modules that compute and read off what it shows."""
        found = [study.compute.__module__ for study in self.studies]
        if self.values is not None:
            found.append(self.module or self.values.__module__)
        return found


@dataclass(frozen=True)
class Paper:
    """A paper of the companion.

    Parameters
    ----------
    key : str
        Short name of letters, digits, _ and -, e.g. "trees"; "" for the notebooks about all papers
        at once.
    title : str
        Title of the paper.
    citation : str
        Authors, venue, year.
    module : str
        The module that defines ``ARTEFACTS``; imported when the artefacts are asked for.
    short : str, optional
        Authors and year, as in "Wahba et al. 2001", where there is little room; default the key.
    address : str, optional
        Where the paper can be read: the address of its DOI if it has one.
    alike : str, optional
        What comes nearest in scikit-learn, e.g. "sklearn.svm.SVC".
    chaotic : sequence of str, optional
        Studies whose units a last bit may send elsewhere, as on another processor: evolutionary
        searches, iterations that do not settle. An audit counts those that differ apart.
    timings : sequence of str, optional
        Results that are seconds of the machine; an audit leaves them out.
    """

    key: str
    title: str
    citation: str
    module: str
    short: str = ""
    address: str = ""
    alike: str = ""
    chaotic: Sequence[str] = field(default=(), hash=False)
    timings: Sequence[str] = field(default=(), hash=False)

    def __post_init__(self) -> None:
        if self.key:
            check_name(self.key, f"the paper {self.title!r}")

    @property
    def artefacts(self) -> tuple[Artefact, ...]:
        """The tables and figures of the paper, in print order."""
        return tuple(import_module(self.module).ARTEFACTS)


_faults: list[str] = []


def faults_of_papers() -> list[str]:
    """Which papers could not be imported so far, of which distribution, and why."""
    return [*_faults]


def _note(what: str, owner: str, why: str) -> None:
    """Say once what is not there, of which distribution or file, and why."""
    fault = f"{what} of {owner} {why}"
    _faults.append(fault)
    logger.warning("%s. The other papers go on without it.", fault)


def _loaded(load: Callable[[], Iterable], kind: type, what: str, owner: str) -> list:
    """What an import gives; nothing, with a note, if it raises anything or gives something else."""
    try:
        found = [*load()]
        if others := [each for each in found if not isinstance(each, kind)]:
            raise TypeError(f"it must hold {kind.__name__}s alone. Got {others[0]!r}.")
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # what runs may even leave Python
        _note(what, owner, f"cannot be imported: {type(error).__name__}: {error}")
        return []
    return found


def _points() -> Iterator[tuple[EntryPoint, str]]:
    """The entry points of all distributions, and of the folder in which one works, with owners."""
    for point in entry_points(group=_GROUP):
        assert point.dist is not None  # as of every point that is installed
        yield point, f"the distribution {point.dist.name} {point.dist.version}"
    root = own_project()
    settings = root and root / "pyproject.toml"
    if settings and settings.is_file():
        try:
            table = tomllib.loads(read_settings(settings))
        except tomllib.TOMLDecodeError as error:
            raise DamagedData(f"{settings} is no TOML file: {error}.") from None
        project = table.get("project", {})
        sys.path += [str(place) for place in (root, root / "src")]
        for name, value in project.get("entry-points", {}).get(_GROUP, {}).items():
            yield EntryPoint(name, value, _GROUP), str(settings)


@cache
def _registered() -> dict[Paper, str]:
    """The registered papers, each with the distribution or file that names it."""
    papers: dict[Paper, str] = {}
    keys: dict[str, str] = {}
    for point, owner in _points():
        what = f"The papers {point.value}"
        for paper in _loaded(point.load, Paper, what, owner):
            if paper.key in keys:
                other = keys[paper.key]
                _note(f"The paper {paper.key}", owner, f"has the key of one of {other}")
            else:
                papers[paper] = owner
            if paper.key:
                keys[paper.key] = owner
    return papers


@cache
def _artefacts(paper: Paper) -> list[Artefact]:
    """The artefacts of a paper, none if it cannot be imported."""
    what = f"The paper {paper.key or paper.title}"
    return _loaded(lambda: paper.artefacts, Artefact, what, _registered()[paper])


def _is_here(paper: Paper) -> bool:
    """Whether the project has anything of a paper: a project of one's own need not have ours."""
    published = data_dir() / "published" / f"{paper.key}.csv"
    return published.exists() or (notebooks_dir() / paper.key).exists()


def list_papers() -> dict[str, Paper]:
    """The registered papers by key, in the order in which they are reported."""
    return {paper.key: paper for paper in _registered() if paper.key}


def list_artefacts(paper: str | None = None) -> list[Artefact]:
    """The tables and figures of all papers that the project has, or of one, in print order."""
    papers = list_papers()
    here = {key: known for key, known in papers.items() if _is_here(known)}
    if paper is not None and paper not in papers:
        raise KeyError(f"no paper {paper!r}; there are {', '.join(here)}")
    chosen = here.values() if paper is None else [papers[paper]]
    return [artefact for known in chosen for artefact in _artefacts(known)]


def list_across() -> list[Artefact]:
    """The notebooks of the project about all papers at once, ``notebooks/<name>.ipynb``."""
    found = [a for paper in _registered() if not paper.key for a in _artefacts(paper)]
    return [artefact for artefact in found if notebook_path(artefact).exists()]


def get_artefact(name: str) -> Artefact:
    """The artefact named ``"<paper>/<artefact>"``, or the notebook about all papers ``"<name>"``.

    Parameters
    ----------
    name : str
        What is typed after ``companion reproduce``.

    Returns
    -------
    Artefact

    Raises
    ------
    KeyError
        If there is no such artefact; the message lists those there are.
    """
    paper, slash, _ = name.partition("/")
    group = list_artefacts(paper) if slash or paper in list_papers() else list_across()
    for artefact in group:
        if artefact.id == name:
            return artefact
    known = [artefact.id for artefact in list_artefacts() + list_across()]
    raise KeyError(f"no artefact {name!r}; there are {', '.join(known)}")


def notebook_path(artefact: Artefact) -> Path:
    """The notebook of an artefact, ``notebooks/<paper>/<name>.ipynb``."""
    return notebooks_dir() / f"{artefact.id}.ipynb"
