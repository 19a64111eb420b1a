"""Running a notebook, and writing it so that two equal runs give equal files.

A notebook is executed by papermill in a kernel of this environment, in its own folder. What
papermill and Jupyter note beside the story (paths, times, durations, versions of the kernel) is
removed afterwards, and a stamp is left in ``metadata.companion``: the parameters, and the digests
of the data and of the code that the numbers come from.
"""

import logging
import os
import sys
import time
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from companion._paths import notebooks_dir
from companion.reproduction._files import replace_text
from companion.reproduction.codehash import code_digest
from companion.reproduction.parameters import check_parameters

__all__ = [
    "NotebookReport",
    "clean_notebook",
    "close_event_loop",
    "make_stamp",
    "notebook_path",
    "notebook_surroundings",
    "run_notebook",
    "stop_kernels",
]

_INJECTED = "injected-parameters"
_MARKER = "papermill-error-cell-tag"
_KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
_VOLATILE = ("papermill", "execution", "ExecuteTime")
_MESSAGE_LENGTH = 400


@dataclass(frozen=True)
class NotebookReport:
    """What became of one notebook.

    Attributes
    ----------
    notebook : str
        The artefact, as typed on the command line.
    ok : bool
        Whether every cell ran.
    output : pathlib.Path or None
        The executed notebook; None if nothing ran.
    cell : int or None
        The number in brackets of the failing cell, as in ``In [3]``.
    line : str
        Its first line.
    error, message : str
        Name and text of the error.
    duration : float
        Seconds.
    """

    notebook: str
    ok: bool
    output: Path | None
    cell: int | None = None
    line: str = ""
    error: str = ""
    message: str = ""
    duration: float = 0.0

    def __str__(self):
        if self.ok:
            return f"{self.notebook}: ran in {self.duration:.0f} s"
        where = "" if self.cell is None else f" in cell [{self.cell}] ({self.line})"
        return f"{self.notebook}: failed{where}: {self.error}: {self.message}"


def notebook_path(artefact):
    """The notebook of an artefact, ``notebooks/<paper>/<name>.ipynb``.

    Parameters
    ----------
    artefact : companion.reproduction.Artefact

    Returns
    -------
    pathlib.Path
    """
    return notebooks_dir() / artefact.paper / f"{artefact.name}.ipynb"


def make_stamp(artefact, parameters):
    """What the numbers of a notebook rest on, without time or path.

    Parameters
    ----------
    artefact : companion.reproduction.Artefact
    parameters : mapping
        As of :func:`~companion.reproduction.parameters.check_parameters`.

    Returns
    -------
    dict
        ``artefact``; ``profile`` and ``parameters``; ``code``, the digest of the code of each
        study; ``data``, the digests of the data each study's units work on.
    """
    profile = parameters.get("profile", "paper")
    return {
        "artefact": artefact.id,
        "profile": profile,
        "parameters": dict(parameters),
        "code": {study.name: code_digest(study.compute) for study in artefact.studies},
        "data": {
            study.name: sorted({unit.data for unit in study.units(profile)} - {""})
            for study in artefact.studies
        },
    }


def _without(cells, *tags):
    return [cell for cell in cells if not set(tags) & set(cell.metadata.get("tags", []))]


def _upgraded(notebook):
    """A copy in the present format whose cells have lasting names."""
    import nbformat

    notebook = nbformat.from_dict(notebook)
    for number, cell in enumerate(notebook.cells):
        cell.setdefault("id", f"cell-{number:02d}")
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def clean_notebook(notebook, stamp=None):
    """Remove from an executed notebook what differs from run to run or machine to machine.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Left as it is.
    stamp : mapping, optional
        Becomes ``metadata.companion``; without it, an old stamp is removed.

    Returns
    -------
    nbformat.NotebookNode
        Sources and outputs unchanged. Gone are papermill's metadata and error marks, execution
        times and widget states; kernel and language are named without their versions.
    """
    notebook = _upgraded(notebook)
    notebook.cells = _without(notebook.cells, _MARKER)
    for cell in notebook.cells:
        for name in _VOLATILE:
            cell.metadata.pop(name, None)
        if not cell.metadata.get("tags", True):
            del cell.metadata["tags"]
    for name in ("papermill", "widgets", "companion"):
        notebook.metadata.pop(name, None)
    notebook.metadata["kernelspec"] = dict(_KERNELSPEC)
    notebook.metadata["language_info"] = {"name": "python"}
    if stamp is not None:
        notebook.metadata["companion"] = stamp
    return notebook


def _write(notebook, path):
    """Write a notebook in one step."""
    import nbformat

    text = nbformat.writes(notebook)
    replace_text(path, text if text.endswith("\n") else text + "\n")


@contextmanager
def notebook_surroundings():
    """What kernels inherit and papermill must not say, for a while.

    The environment belongs to the whole process: who runs notebooks in several threads enters this
    once around them. Entering it again inside changes nothing.
    """
    changes = {"COMPANION_PROGRESS": "0", "JUPYTER_PREFER_ENV_PATH": "1"}
    before = {name: os.environ.get(name) for name in changes}
    logger = logging.getLogger("papermill")
    was_disabled = logger.disabled
    os.environ.update(changes)
    logger.disabled = True  # the report says what happened
    try:
        yield
    finally:
        logger.disabled = was_disabled
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def close_event_loop():
    """Close the event loop that Jupyter's client made for this thread and leaves open."""
    from jupyter_core.utils import ensure_event_loop

    ensure_event_loop().close()


def stop_kernels():
    """Kill the kernels that this process has started, so that nobody waits for their cells."""
    import psutil

    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "ipykernel_launcher" in child.cmdline():
                child.kill()


def _one_line(text):
    text = " ".join(str(text).split())
    return text if len(text) <= _MESSAGE_LENGTH else text[: _MESSAGE_LENGTH - 4] + " ..."


def _first_line(source):
    return next((line.strip() for line in source.splitlines() if line.strip()), "")


def _last_started(path):
    """Number and first line of the last code cell that papermill started, for a dead kernel."""
    import nbformat

    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    started = [
        (number, cell)
        for number, cell in enumerate(cells, start=1)
        if cell.metadata.get("papermill", {}).get("start_time")
    ]
    if not started:
        return {}
    number, cell = started[-1]
    return {"cell": number, "line": _first_line(cell.source)}


def _execute(path, parameters, folder, show):
    """Run the notebook at a path in place; the fields of a report that a failure fills."""
    import papermill

    try:
        with notebook_surroundings():
            papermill.execute_notebook(
                str(path),
                str(path),
                parameters=parameters,
                kernel_name=_KERNELSPEC["name"],
                language="python",
                cwd=str(folder),
                progress_bar=show,
                extra_arguments=["--IPKernelApp.log_level=ERROR"],
            )
    except papermill.PapermillExecutionError as error:
        return {
            "cell": error.exec_count,
            "line": _first_line(error.source),
            "error": error.ename,
            "message": _one_line(error.evalue),
        }
    except Exception as error:  # a dead kernel, no kernel: the other notebooks go on
        return {"error": type(error).__name__, "message": _one_line(error), **_last_started(path)}
    return {}


def run_notebook(artefact, output, parameters=None, *, source=None, in_place=False, show=None):
    """Execute an artefact's notebook.

    Parameters
    ----------
    artefact : companion.reproduction.Artefact
    output : path-like
        Where the executed notebook goes, also a failing one, as far as it ran.
    parameters : mapping, optional
        Values of the artefact's parameters; those that are not the default are injected.
    source : path-like, optional
        The notebook; by default that of the artefact.
    in_place : bool, default=False
        Write the executed notebook also over the source, if every cell ran.
    show : bool, optional
        Whether to show a bar over the cells; by default on a terminal only.

    Returns
    -------
    NotebookReport
        A failure is reported, not raised.

    Raises
    ------
    ParameterError
        If a parameter is unknown or has a bad value; no kernel is started.
    ValueError
        If `in_place` is asked for with parameters other than the notebook's own.
    """
    import nbformat

    values = check_parameters(artefact, parameters or {})
    changed = {p.name: values[p.name] for p in artefact.parameters if values[p.name] != p.default}
    if in_place and changed:
        raise ValueError(
            f"{artefact.id} is rewritten in place with its own parameters only. "
            f"Got {', '.join(f'{name} = {value!r}' for name, value in changed.items())}."
        )
    source = notebook_path(artefact) if source is None else Path(source)
    output, start = Path(output), time.monotonic()
    try:
        notebook = nbformat.read(source, as_version=4)
        if not isinstance(notebook, Mapping) or "cells" not in notebook:
            raise ValueError("it has no cells")
    except Exception as error:  # no such file, no JSON, no notebook
        message = f"cannot read notebook {source}: {_one_line(error)}"
        return NotebookReport(artefact.id, False, None, error=type(error).__name__, message=message)
    notebook = _upgraded(notebook)
    notebook.cells = _without(notebook.cells, _INJECTED, _MARKER)
    try:
        _write(notebook, output)
    except OSError as error:
        message = f"cannot write {output}: {error.strerror or error}"
        return NotebookReport(artefact.id, False, None, error=type(error).__name__, message=message)
    if show is None:
        show = sys.stderr.isatty() and os.environ.get("COMPANION_PROGRESS") != "0"
    failure = _execute(output, changed, source.parent, show)
    executed = clean_notebook(nbformat.read(output, as_version=4), make_stamp(artefact, values))
    try:
        _write(executed, output)
        if in_place and not failure:
            _write(executed, source)
    except OSError as error:
        message = f"cannot write {error.filename}: {error.strerror or error}"
        failure = failure or {"error": type(error).__name__, "message": message}
    return NotebookReport(
        artefact.id, not failure, output, duration=time.monotonic() - start, **failure
    )
