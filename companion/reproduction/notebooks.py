"""Running a notebook in a kernel of this environment, and writing it: equal runs give equal files.

What differs from run to run or machine to machine is removed, and a stamp is left in
``metadata.companion``: the parameters, and the digests of the data and of the code.
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

_INJECTED = "injected-parameters"
_KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}


@dataclass(frozen=True)
class NotebookReport:
    """What became of one notebook, in words; `output` is None if nothing could be written."""

    notebook: str
    output: Path | None
    failure: str
    duration: float

    @property
    def ok(self):
        """Whether every cell ran."""
        return not self.failure

    def __str__(self):
        return f"{self.notebook}: {self.failure or f'ran in {self.duration:.0f} s'}"


def notebook_path(artefact):
    """The notebook of an artefact, ``notebooks/<paper>/<name>.ipynb``."""
    return notebooks_dir() / artefact.paper / f"{artefact.name}.ipynb"


def make_stamp(artefact, parameters):
    """What the numbers of a notebook rest on: parameters, code and data, no time and no path."""
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
    """A copy without what papermill and Jupyter note beside the story; with a stamp, if given."""
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
    """What kernels inherit; who runs several at a time enters this once around them."""
    return environment(COMPANION_PROGRESS="0", JUPYTER_PREFER_ENV_PATH="1")


def stop_kernels():
    """Kill the kernels that this process has started, so that nobody waits for their cells."""
    import psutil

    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "ipykernel_launcher" in child.cmdline():
                child.kill()


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
            lines = ["# Parameters", *(f"{n} = {value!r}" for n, value in parameters.items())]
            cells.append(new_code_cell("\n".join(lines), metadata={"tags": [_INJECTED]}))
    notebook.cells = cells


def _execute(notebook, folder):
    """Run a notebook where it stands; what went wrong, in words."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    started, where = [], ""
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
        name, message = type(error).__name__, str(error)
        if isinstance(error, CellExecutionError):
            name, message = error.ename, error.evalue
        if started:
            line = next(line.strip() for line in started[-1].splitlines() if line.strip())
            where = f" in cell [{len(started)}] ({line})"
        return f"failed{where}: {name}: {shorten(message, 400, placeholder=' ...')}"
    return ""


def run_notebook(artefact, output, parameters=None, *, source=None, in_place=False):
    """Execute an artefact's notebook; a failure is reported, not raised.

    `output` is where it goes, as far as it ran. Parameters that are not the default are injected;
    bad ones are a ParameterError, and no kernel is started. The notebook is that of the artefact,
    or `source`, which is written over if every cell ran and `in_place` is asked for.
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
        failure = f"failed: cannot {action}: {type(error).__name__}: {error}"
        output = None
    return NotebookReport(artefact.id, output, failure, time.monotonic() - start)
