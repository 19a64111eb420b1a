"""Running a notebook with its parameters by papermill, and writing it where it belongs.

The parameters stand in the cells alone, so that a run by plain papermill leaves none of another.
"""

import logging
import time
from base64 import b64decode, b64encode
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from textwrap import shorten

import nbformat

from companion._utils.files import replace_bytes
from companion._utils.paths import notebooks_dir
from companion.reproduction.artefacts import list_artefacts, list_papers, notebook_path
from companion.reproduction.engine import INJECTED, clean
from companion.reproduction.parameters import (
    ParameterError,
    check_parameters,
    read_notebook,
    read_parameters,
)

_NAVIGATION = "navigation"
_WAY_OUT = "**Around this page.** "
_SCIKIT_LEARN = "https://scikit-learn.org/stable/modules/generated"
#: What JupyterLab folds up, by the tag by which MyST-NB does.
_FOLDED = {
    "hide-input": {"source_hidden": True},
    "hide-output": {"outputs_hidden": True},
    "hide-cell": {"source_hidden": True, "outputs_hidden": True},
}


@dataclass(frozen=True)
class NotebookReport:
    """What became of one notebook: what went wrong, in words, and "" if every cell ran.

    `output` is None if nothing could be written.
    """

    notebook: str
    output: Path | None
    failure: str
    duration: float

    def __str__(self):
        return f"{self.notebook}: {self.failure or f'ran in {self.duration:.0f} s'}"


def _figures(notebook):
    """The outputs of a notebook that are figures."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return (output for output in outputs if "image/png" in output.get("data", {}))


def first_figure(notebook):
    """The first output of a notebook that is a figure, None if there is none."""
    return next(_figures(notebook), None)


def _with_few_colours(notebook):
    """Give the figures 256 colours, in place, which takes a quarter of the bytes."""
    from PIL import Image

    for data in (output.data for output in _figures(notebook)):
        figure = Image.open(BytesIO(b64decode(data["image/png"]))).convert("RGB")
        smaller = figure.quantize(
            method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
        )
        smaller.save(written := BytesIO(), "png", compress_level=8)
        data["image/png"] = b64encode(written.getvalue()).decode()


def _write(notebook, path):
    replace_bytes(path, f"{nbformat.writes(notebook).rstrip()}\n".encode())


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


def _prepared(source, artefact):
    """The notebook of a path without outputs, with what stands around its story."""
    notebook = read_notebook(source)
    cells = notebook.cells
    notebook.cells = [c for c in cells if INJECTED not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    arrange(notebook, artefact)
    clean(notebook)
    return notebook


def _fault(notebook):
    """The first cell of an executed notebook that failed, with its error; "" if there is none.

    That is also one which was to raise an exception and raised none, and one that left by
    ``sys.exit()``, which papermill passes over.
    """
    for cell in notebook.cells:
        if cell.get("execution_count") is None:
            continue
        errors = [output for output in cell.outputs if output.output_type == "error"]
        announced = "raises-exception" in cell.metadata.get("tags", [])
        if bool(errors) == announced:
            continue
        error = "it is tagged raises-exception and raised none"
        if errors:
            error = f"{errors[0].ename}: {errors[0].evalue}"
        first_line = cell.source.strip().partition("\n")[0]
        text = shorten(error, 400, placeholder=" ...")
        return f"failed in cell [{cell.execution_count}] ({first_line}): {text}"
    return ""


def _execute(notebook, output, parameters, folder):
    """Run a notebook by papermill; what was written, as far as it ran."""
    import papermill

    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what fails is reported
    braced = str(output).replace("{", "{{").replace("}", "}}")  # papermill fills it in
    with suppress(papermill.PapermillExecutionError):  # what failed is in its cell
        papermill.execute_notebook(
            notebook,
            braced,
            parameters,
            engine_name="companion",
            progress_bar=False,
            resources={"metadata": {"path": str(folder)}},
        )
    return nbformat.read(output, as_version=4)


def run_notebook(artefact, output, parameters, *, in_place=False):
    """Execute an artefact's notebook; a failure is reported, not raised.

    `output` is where it goes, as far as it ran. Parameters that are not the default are injected;
    bad ones are a ParameterError, and no kernel is started. The notebook is written over
    if every cell ran and `in_place` is asked for.
    """
    source = notebook_path(artefact)
    start = time.monotonic()
    try:
        declared = read_parameters(source)
        values = check_parameters(artefact.id, declared, parameters)
        changed = {
            name: value
            for name, value in values.items()
            if value != declared[name].default
        }
        notebook = _prepared(source, artefact)
        _write(notebook, output)
        executed = _execute(notebook, output, changed, source.parent)
        failure = _fault(executed)
        if in_place and not failure:
            _with_few_colours(executed)
            _write(executed, source)
    except ParameterError:
        raise
    except Exception as error:  # no such file, no notebook, no kernel, no space
        failure = f"failed: {type(error).__name__}: {error}"
        output = None
    return NotebookReport(artefact.id, output, failure, time.monotonic() - start)
