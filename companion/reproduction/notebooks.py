"""Running a notebook with its parameters, and writing it: equal runs give equal files.

What differs from run to run or machine to machine is removed, and a stamp is left in
``metadata.companion``: the digests of the data and of the code. The parameters stand in the cells
alone, so that a run by plain papermill, which keeps the stamp, leaves none of another run.
"""

import os
import time
from base64 import b64decode, b64encode
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from textwrap import shorten

import nbformat

from companion._utils.files import replace_bytes
from companion.reproduction.arrangement import arrange, fold
from companion.reproduction.artefacts import notebook_path
from companion.reproduction.codehash import code_digest
from companion.reproduction.parameters import check_parameters, read_parameters
from companion.reproduction.warm import WarmKernelManager

_INJECTED = "injected-parameters"
_KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}


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


def make_stamp(artefact):
    """What the numbers of a notebook rest on: code and data, no time and no path."""
    return {
        "artefact": artefact.id,
        "code": {study.name: code_digest(study.compute) for study in artefact.studies},
        "data": {
            study.name: sorted({unit.data for unit in study.units("paper")} - {""})
            for study in artefact.studies
        },
    }


def _clean(notebook):
    """Remove what papermill and Jupyter note beside the story, in place."""
    notebook.nbformat = 4
    notebook.nbformat_minor = 5
    for number, cell in enumerate(notebook.cells):
        cell.setdefault("id", f"cell-{number:02d}")
        for name in ("papermill", "execution", "ExecuteTime"):
            cell.metadata.pop(name, None)
        if not cell.metadata.get("tags", True):
            del cell.metadata["tags"]
    for name in ("papermill", "widgets", "companion"):
        notebook.metadata.pop(name, None)
    notebook.metadata["kernelspec"] = dict(_KERNELSPEC)
    notebook.metadata["language_info"] = {"name": "python"}


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


def _execute(notebook, folder, environment, again=True):
    """Run all cells of a notebook, in place; what went wrong, and in which cell, or "".

    A kernel that dies before any cell gets another try: of its ports, which its manager chooses,
    a program beside it may have taken one meanwhile.
    """
    from jupyter_core.utils import ensure_event_loop
    from nbclient import NotebookClient

    started = []
    client = NotebookClient(
        notebook,
        kernel_manager_class=WarmKernelManager,
        kernel_name=_KERNELSPEC["name"],
        resources={"metadata": {"path": str(folder)}},
        timeout=None,
        coalesce_streams=True,  # not as they happened to come
        on_cell_execute=lambda cell, cell_index: started.append(cell.source),
    )
    try:
        with client.setup_kernel(env=os.environ | environment):
            for number, cell in enumerate(notebook.cells):
                client.execute_cell(cell, number)
    except Exception as error:  # of a cell or a kernel: other notebooks go on
        if again and not started and isinstance(error, RuntimeError):
            return _execute(notebook, folder, environment, again=False)
        where = ""
        if started:
            first_line = started[-1].strip().partition("\n")[0]
            where = f" in cell [{len(started)}] ({first_line})"
        name = getattr(error, "ename", type(error).__name__)
        message = shorten(str(getattr(error, "evalue", error)), 400, placeholder=" ...")
        return f"failed{where}: {name}: {message}"
    finally:
        loop = ensure_event_loop()  # Jupyter's client leaves that of this thread open
        if not loop.is_running():
            loop.close()
    return ""


def _prepared(source, artefact, parameters):
    """The notebook of a path without outputs, with its parameters and its navigation."""
    from papermill.parameterize import parameterize_notebook

    notebook = nbformat.read(source, as_version=4)
    _clean(notebook)
    cells = notebook.cells
    notebook.cells = [c for c in cells if _INJECTED not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    arrange(notebook, artefact)
    if parameters:
        notebook.metadata.papermill = {}
        for cell in notebook.cells:  # which papermill expects
            cell.metadata.setdefault("tags", [])
        notebook = parameterize_notebook(notebook, parameters)
    return notebook


def run_notebook(
    artefact, output, parameters=None, *, source=None, in_place=False, environment=None
):
    """Execute an artefact's notebook; a failure is reported, not raised.

    `output` is where it goes, as far as it ran. Parameters that are not the default are injected;
    bad ones are a ParameterError, and no kernel is started. The notebook is that of the artefact,
    or `source`, which is written over if every cell ran and `in_place` is asked for. `environment`
    has variables of its kernel beside those of this process.
    """
    source = notebook_path(artefact) if source is None else source
    declared = read_parameters(source)
    values = check_parameters(artefact.id, declared, parameters or {})
    changed = {
        name: value for name, value in values.items() if value != declared[name].default
    }
    start = time.monotonic()
    action = f"read notebook {source}"
    try:
        notebook = _prepared(source, artefact, changed)
        action = f"write {output}"
        _write(notebook, output)
        failure = _execute(notebook, source.parent, environment or {})
        _clean(notebook)
        notebook.metadata["companion"] = make_stamp(artefact)
        fold(notebook)
        _write(notebook, output)
        if in_place and not failure:
            action = f"write {source}"
            _with_few_colours(notebook)
            _write(notebook, source)
    except Exception as error:  # no such file, no JSON, no notebook, no space
        failure = f"failed: cannot {action}: {type(error).__name__}: {error}"
        output = None
    return NotebookReport(artefact.id, output, failure, time.monotonic() - start)
