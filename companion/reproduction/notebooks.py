"""Running a notebook, and writing it so that two equal runs give equal files.

A notebook is executed in a kernel of this environment, in its own folder, with parameters injected
as papermill does. What differs from run to run or machine to machine is removed afterwards, and a
stamp is left in ``metadata.companion``: the parameters, and the digests of the data and of the code
that the numbers come from.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from companion._paths import notebooks_dir
from companion.reproduction._environment import environment
from companion.reproduction._files import replace_text
from companion.reproduction.codehash import code_digest
from companion.reproduction.parameters import check_parameters

__all__ = ["NotebookReport", "clean_notebook", "make_stamp", "notebook_path", "run_notebook"]

_INJECTED = "injected-parameters"
_KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}


@dataclass(frozen=True)
class NotebookReport:
    """What became of one notebook, which is `output`, None if nothing ran.

    If a cell failed, `cell` is its number in brackets, as in ``In [3]``, and `line` its first line;
    `error` and `message` are the error's name and text. `duration` is in seconds.
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
    """The notebook of an artefact, ``notebooks/<paper>/<name>.ipynb``."""
    return notebooks_dir() / artefact.paper / f"{artefact.name}.ipynb"


def make_stamp(artefact, parameters):
    """What the numbers of a notebook rest on, without time or path.

    Beside the parameters, which include the profile, that are the digests of each study's code and
    of the data that its units work on.
    """
    profile = parameters.get("profile", "paper")
    data = {study.name: {u.data for u in study.units(profile)} - {""} for study in artefact.studies}
    return {
        "artefact": artefact.id,
        "profile": profile,
        "parameters": dict(parameters),
        "code": {study.name: code_digest(study.compute) for study in artefact.studies},
        "data": {name: sorted(digests) for name, digests in data.items()},
    }


def clean_notebook(notebook, stamp=None):
    """A copy of a notebook without what differs from run to run or machine to machine.

    Gone are what papermill and Jupyter note beside the story, and the states of widgets; kernel and
    language are named without their versions. A stamp becomes ``metadata.companion``.
    """
    import nbformat

    notebook = nbformat.from_dict(notebook)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell.setdefault("id", f"cell-{number:02d}")
        for name in ("papermill", "execution", "ExecuteTime"):
            cell.metadata.pop(name, None)
    for name in ("papermill", "widgets", "companion"):
        notebook.metadata.pop(name, None)
    notebook.metadata |= {"kernelspec": dict(_KERNELSPEC), "language_info": {"name": "python"}}
    if stamp is not None:
        notebook.metadata["companion"] = stamp
    return notebook


def _write(notebook, path):
    import nbformat

    replace_text(path, nbformat.writes(notebook).rstrip("\n") + "\n")


def notebook_surroundings():
    """What kernels inherit, for a while.

    The environment belongs to the whole process: who runs notebooks in several threads enters this
    once around them. Entering it again inside changes nothing.
    """
    return environment(COMPANION_PROGRESS="0", JUPYTER_PREFER_ENV_PATH="1")


def stop_kernels():
    """Kill the kernels that this process has started, so that nobody waits for their cells."""
    import psutil

    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "ipykernel_launcher" in child.cmdline():
                child.kill()


def _one_line(text):
    return shorten(str(text), 400, placeholder=" ...")


def _prepare(notebook, parameters):
    """Outputs go, and so does what was injected before; parameters are injected."""
    from nbformat.v4 import new_code_cell

    cells = []
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if _INJECTED not in tags:
            cells.append(cell)
        if parameters and "parameters" in tags:
            lines = [f"{name} = {value!r}" for name, value in parameters.items()]
            source = "\n".join(["# Parameters", *lines])
            cells.append(new_code_cell(source, metadata={"tags": [_INJECTED]}))
    notebook.cells = cells


def _execute(notebook, folder):
    """Run a notebook where it stands; the fields of a report that a failure fills."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    started = []
    client = NotebookClient(
        notebook,
        kernel_name=_KERNELSPEC["name"],
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        on_cell_execute=lambda cell, cell_index: started.append(cell.source),
    )
    try:
        with notebook_surroundings():
            asyncio.run(client.async_execute())
    except Exception as error:  # also a dead kernel, or none: the other notebooks go on
        failure = {"error": type(error).__name__, "message": _one_line(error)}
        if isinstance(error, CellExecutionError):
            failure = {"error": error.ename, "message": _one_line(error.evalue)}
        if started:
            lines = (line.strip() for line in started[-1].splitlines())
            failure |= {"cell": len(started), "line": next(filter(None, lines))}
        return failure
    return {}


def run_notebook(artefact, output, parameters=None, *, source=None, in_place=False):
    """Execute an artefact's notebook; a failure is reported, not raised.

    Parameters
    ----------
    artefact : companion.reproduction.Artefact
    output : path-like
        Where the executed notebook goes, also a failing one, as far as it ran.
    parameters : mapping, optional
        Values of the artefact's parameters; those that are not the default are injected. Bad ones
        are a ParameterError, and no kernel is started.
    source : path-like, optional
        The notebook; by default that of the artefact.
    in_place : bool, default=False
        Write the executed notebook also over the source, if every cell ran.

    Returns
    -------
    NotebookReport
    """
    import nbformat

    values = check_parameters(artefact, parameters or {})
    changed = {p.name: values[p.name] for p in artefact.parameters if values[p.name] != p.default}
    source = notebook_path(artefact) if source is None else Path(source)
    output, start = Path(output), time.monotonic()
    action = f"read notebook {source}"
    try:
        notebook = nbformat.read(source, as_version=4)
        _prepare(notebook, changed)
        action = f"write {output}"
        _write(clean_notebook(notebook), output)
        failure = _execute(notebook, source.parent)
        executed = clean_notebook(notebook, make_stamp(artefact, values))
        _write(executed, output)
        if in_place and not failure:
            action = f"write {source}"
            _write(executed, source)
    except Exception as error:  # no such file, no JSON, no notebook, no space
        failure = {"error": type(error).__name__, "message": f"cannot {action}: {_one_line(error)}"}
        output = None
    duration = time.monotonic() - start
    return NotebookReport(artefact.id, not failure, output, duration=duration, **failure)
