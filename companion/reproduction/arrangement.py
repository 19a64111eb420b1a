"""What stands around the story of a notebook: the way out of it, and what is folded up in it.

Both are computed from what is registered and from the cells, and written whenever a notebook runs.
"""

import re

import nbformat

from companion._utils.paths import notebooks_dir
from companion.reproduction.artefacts import list_artefacts, list_papers

__all__ = ["arrange", "fold", "navigation", "way_out"]

_NAVIGATION = "navigation"
_WAY_OUT = "**Around this page.** "
_SCIKIT_LEARN = "https://scikit-learn.org/stable/modules/generated"
_SET_UP = re.compile(r"\A(?:from|import) |= regenerate\(")
_TELLS = re.compile(r"Markdown\(|findings\(|verdict_table\(|show_card\(")
_KEPT = {"parameters", "show-input", "skip-execution"}
_PLOTS = re.compile(r"\bax(?:es)?\b|\bplt\.")


def navigation(artefact):
    """Markdown that leads to the notebooks before and after, in the order in which they are read.

    "" for a notebook about all papers.
    """
    siblings = [other for other in list_artefacts() if other.paper == artefact.paper]
    if artefact not in siblings:
        return ""
    here = siblings.index(artefact)
    links = [f"[{other.title}]({other.name}.ipynb)" for other in siblings]
    before = [f"\u2190 {link}" for link in links[max(here - 1, 0) : here]]
    after = [f"{link} \u2192" for link in links[here + 1 : here + 2]]
    has_overview = (notebooks_dir() / "overview.ipynb").is_file()
    above = ["[All papers](../overview.ipynb)"] if has_overview else []
    return " \u00b7 ".join([*before, *above, *after])


def _sources(artefact):
    """The files that compute and read off what an artefact shows, by module, and `regenerate`."""
    functions = [study.compute for study in artefact.studies]
    if artefact.values is not None:
        functions += [
            getattr(artefact.values, "func", artefact.values),
            artefact.values,
        ]
    modules = dict.fromkeys(
        f.__module__ for f in functions if "summaries" not in f.__module__
    )
    engine = ["companion.reproduction.regenerate"] if functions else []
    return {name: f"{name.replace('.', '/')}.py" for name in (*modules, *engine)}


def way_out(artefact):
    """Markdown for the first cell: the paper, its method, the code behind, scikit-learn's nearest.

    "" for a notebook about all papers.
    """
    paper = list_papers().get(artefact.paper)
    if paper is None:
        return ""
    parts = [f"[the paper]({paper.address})"] if paper.address else []
    names = {other.name for other in list_artefacts(paper.key)}
    if "method" in names - {artefact.name}:
        parts.append("[its method](method.ipynb)")
    code = [
        f"[`{name.removeprefix('companion.')}`](../../{file})"
        for name, file in _sources(artefact).items()
        if (notebooks_dir().parent / file).is_file()
    ]
    if code:
        parts.append(f"code: {', '.join(code)}")
    if paper.alike:
        name = paper.alike.rpartition(".")[2]
        parts.append(
            f"scikit-learn's nearest: [`{name}`]({_SCIKIT_LEARN}/{paper.alike}.html)"
        )
    return f"{_WAY_OUT}{'; '.join(parts)}." if parts else ""


def _has_picture(cell):
    shown = [output.get("data", {}) for output in cell.outputs]
    return any(
        "image/png" in data or "companion-sliders" in data.get("text/html", "")
        for data in shown
    )


def _can_wait(cell):
    """Whether a cell after the first figure only sets up, only helps to draw, or only tells."""
    if cell.outputs:
        return _TELLS.search(cell.source) and not _has_picture(cell)
    return _SET_UP.search(cell.source) or _PLOTS.search(cell.source)


def fold(notebook):
    """Fold up the code that a reader can do without, in place: in JupyterLab and on the site.

    That is all up to the first figure but the parameters, and after it what sets up, helps to draw
    or only writes sentences. A cell with the tag ``hide-input`` is folded anywhere, one with the
    tag ``show-input`` nowhere. With the tag ``hide-cell``, as of the answer to an exercise, the
    outputs are folded up, too.
    """
    drawn = False
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        tags = {*cell.metadata.get("tags", [])}
        asked = tags & {"hide-input", "hide-cell"}
        hidden = not tags & _KEPT and (asked or not drawn or _can_wait(cell))
        drawn = drawn or _has_picture(cell)
        folded = {
            "source_hidden": hidden,
            "outputs_hidden": hidden and "hide-cell" in tags,
        }
        jupyter = cell.metadata.pop("jupyter", {}) | folded
        jupyter = {name: bool(value) for name, value in jupyter.items() if value}
        if jupyter:
            cell.metadata["jupyter"] = jupyter


def arrange(notebook, artefact):
    """Put the way out into the first cell and the navigation into the last, in place."""
    text = navigation(artefact)
    cells = [c for c in notebook.cells if _NAVIGATION not in c.metadata.get("tags", [])]
    if text:
        metadata = {"tags": [_NAVIGATION]}
        cells.append(
            nbformat.v4.new_markdown_cell(text, id=_NAVIGATION, metadata=metadata)
        )
    notebook.cells = cells
    story = cells[0].source.partition(f"\n\n{_WAY_OUT}")[0]
    cells[0].source = "\n\n".join(filter(None, [story, way_out(artefact)]))
