"""What stands around the story of a notebook: the way out of it, and what is folded up in it.

The one is computed from what is registered, the other is said by the tags of cells; both are
written whenever a notebook runs.
"""

import nbformat

from companion._utils.paths import notebooks_dir
from companion.reproduction.artefacts import list_artefacts, list_papers

__all__ = ["arrange", "fold", "navigation", "way_out"]

_NAVIGATION = "navigation"
_WAY_OUT = "**Around this page.** "
_SCIKIT_LEARN = "https://scikit-learn.org/stable/modules/generated"
#: What JupyterLab folds up, by the tag by which MyST-NB does.
_FOLDED = {
    "hide-input": {"source_hidden": True},
    "hide-output": {"outputs_hidden": True},
    "hide-cell": {"source_hidden": True, "outputs_hidden": True},
}


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


def _code(artefact):
    """Links to the files that compute and read off what an artefact shows, and to `regenerate`."""
    modules = artefact.modules
    engine = ["companion.reproduction.regenerate"] if modules else []
    for name in dict.fromkeys([*modules, *engine]):
        file = f"{name.replace('.', '/')}.py"
        if (notebooks_dir().parent / file).is_file():
            yield f"[`{name.removeprefix('companion.')}`](../../{file})"


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
    if code := ", ".join(_code(artefact)):
        parts.append(f"code: {code}")
    if paper.alike:
        name = paper.alike.rpartition(".")[2]
        parts.append(
            f"scikit-learn's nearest: [`{name}`]({_SCIKIT_LEARN}/{paper.alike}.html)"
        )
    return f"{_WAY_OUT}{'; '.join(parts)}." if parts else ""


def fold(notebook):
    """Fold up in JupyterLab, in place, what the tags fold up on the site."""
    for cell in notebook.cells:
        cell.metadata.pop("jupyter", None)
        folded = {}
        for tag in cell.metadata.get("tags", []):
            folded |= _FOLDED.get(tag, {})
        if folded:
            cell.metadata["jupyter"] = folded


def arrange(notebook, artefact):
    """Put the way out into the first cell, the navigation into the last, and fold, in place."""
    fold(notebook)
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
