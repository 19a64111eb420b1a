"""Notebooks run in a kernel, and are written so that equal runs give equal files."""

import json
import os
import sys

import nbformat
import pytest
from _cases import cases, refused
from _run import said
from _studies import two_gaussians
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from companion._utils.errors import DamagedData
from companion.reproduction.artefacts import Artefact
from companion.reproduction.notebooks import run_notebook
from companion.reproduction.parameters import ParameterError, read_parameters
from companion.reproduction.units import Study

STUDY = Study(
    "toy", "fig_1", lambda profile: [STUDY.unit("d1", i=0)] * 2, two_gaussians
)
ARTEFACT = Artefact("toy", "fig_1", "A figure", (STUDY,))
CELL = 'profile: str = "paper"  # size: quick or paper\nn: int = 3  # count, 1 to 9'
SHOW = """\
import os, sys
names = ("COMPANION_PROGRESS", "COMPANION_PICTURES")
print(profile, n, os.getcwd(), *map(os.environ.get, names), sys.prefix)"""


def write_notebook(path, *sources, ids=True):
    """A notebook with a cell of parameters, and one that papermill injected long ago."""
    tagged = [{"tags": [tag]} for tag in ("parameters", "injected-parameters")]
    cells = [new_markdown_cell("# Title"), new_code_cell(CELL, metadata=tagged[0])]
    cells += [new_code_cell("n = 9", metadata=tagged[1])]
    cells += [new_code_cell(source) for source in sources]
    kernel = {"display_name": "Other", "language": "python", "name": "other"}
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    if not ids:
        for cell in notebook.cells:
            del cell["id"]
        notebook.nbformat_minor = 4
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path


@pytest.fixture
def no_kernel(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a kernel was started")

    monkeypatch.setattr("nbclient.NotebookClient.async_execute", refuse)


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_PROJECT", str(tmp_path))
    return tmp_path / "notebooks" / "toy" / "fig_1.ipynb"


def test_a_notebook_runs_here_with_its_parameters_in_its_own_folder(
    tmp_path, source, monkeypatch
):
    monkeypatch.setenv("COMPANION_PROGRESS", "1")
    monkeypatch.setenv("COMPANION_PICTURES", "none")
    write_notebook(source, SHOW)
    output = tmp_path / "{out}" / "fig_1.ipynb"
    report = run_notebook(ARTEFACT, output, {"n": 5})
    assert not report.failure
    assert str(report).startswith("toy/fig_1: ran in ")
    executed = nbformat.read(report.output, as_version=4)
    assert (
        executed.cells[3].outputs[0].text
        == f"paper 5 {source.parent} 0 none {sys.prefix}\n"
    )
    assert os.environ["COMPANION_PROGRESS"] == "1", "the environment is restored"
    tags = [cell.metadata.get("tags", []) for cell in executed.cells]
    assert tags == [[], ["parameters"], ["injected-parameters"], []]
    text = report.output.read_text()
    for trace in ("papermill", "start_time", "duration", "nbconvert_exporter"):
        assert trace not in text


def test_in_place_twice_gives_the_same_bytes_and_no_injected_cell(tmp_path, source):
    write_notebook(source, "print(1, flush=True); print(2); n", ids=False)
    written = []
    for _ in range(2):
        report = run_notebook(ARTEFACT, source.with_stem("out"), {}, in_place=True)
        assert not report.failure
        written.append([source.read_text(), report.output.read_text()])
    assert written[0] == written[1]
    executed = nbformat.read(source, as_version=4)
    assert executed == nbformat.read(report.output, as_version=4)
    assert [cell.id for cell in executed.cells] == ["cell-00", "cell-01", "cell-02"]
    printed, result = executed.cells[2].outputs
    assert printed.text == "1\n2\n"
    assert result.data["text/plain"] == "3"
    python3 = {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert executed.metadata.kernelspec == python3
    assert executed.metadata.language_info == {"name": "python"}
    assert not any(cell.metadata.get("execution") for cell in executed.cells)
    assert str(tmp_path) not in source.read_text()
    assert sorted(path.name for path in source.parent.iterdir()) == [
        "fig_1.ipynb",
        "out.ipynb",
    ]


def test_a_failing_cell_is_told_by_number_line_and_error_and_the_source_is_kept(
    tmp_path, source
):
    write_notebook(source, "ok = 1", "\n# why\n1 / 0", "never = 1")
    before = source.read_text()
    report = run_notebook(ARTEFACT, tmp_path / "out.ipynb", {}, in_place=True)
    assert report.failure
    error = "ZeroDivisionError: division by zero"
    assert str(report) == f"toy/fig_1: failed in cell [3] (# why): {error}"
    assert source.read_text() == before
    executed = nbformat.read(report.output, as_version=4)
    assert executed.cells[-2].outputs[0].ename == "ZeroDivisionError"
    assert executed.cells[-1].source == "never = 1"
    assert not executed.cells[-1].execution_count


NO_EXCEPTION = "it is tagged raises-exception and raised none"


@cases(
    "source_of_cell, tagged, fault",
    ("1 / 0", True, ""),
    ("1", True, f"failed in cell [2] (1): {NO_EXCEPTION}"),
    ("import sys; sys.exit(0)", False, "SystemExit: 0"),
    ("%no_such_magic", False, "UsageError: Line magic"),
    ("import os; os._exit(3)", False, "DeadKernelError: Kernel died"),
)
def test_a_cell_fails_unless_it_says_so_and_only_then_must(
    tmp_path, source, source_of_cell, tagged, fault
):
    write_notebook(source, source_of_cell, "print('on')")
    notebook = nbformat.read(source, as_version=4)
    notebook.cells[3].metadata["tags"] = ["raises-exception"] * tagged
    nbformat.write(notebook, source)
    report = run_notebook(ARTEFACT, tmp_path / "out.ipynb", {})
    assert fault in report.failure
    assert bool(report.failure) == bool(fault)
    if fault:
        assert f"failed in cell [2] ({source_of_cell}): " in report.failure
    went_on = nbformat.read(report.output, as_version=4).cells[-1].outputs != []
    assert went_on == tagged


def test_a_bad_parameter_starts_no_kernel(tmp_path, no_kernel, source):
    write_notebook(source, SHOW)
    with pytest.raises(ParameterError):
        run_notebook(ARTEFACT, tmp_path / "out.ipynb", {"n": 10})
    assert not (tmp_path / "out.ipynb").exists()


def test_what_is_no_notebook_is_named_and_starts_no_kernel(tmp_path, no_kernel, source):
    write_notebook(source, SHOW)
    source.write_text("[]")
    report = run_notebook(ARTEFACT, tmp_path / "out.ipynb", {})
    assert f"DamagedData: {source} cannot be read: " in report.failure
    assert report.output is None
    message = f"{source} cannot be read"
    refused(message, read_parameters, source, error=DamagedData)


def test_what_cannot_be_read_or_written_is_a_failure_reported(
    tmp_path, no_kernel, source
):
    write_notebook(source, SHOW)
    (tmp_path / "file").write_text("")
    output = tmp_path / "file" / "out.ipynb"
    assert "file" in run_notebook(ARTEFACT, output, {}).failure
    source.unlink()
    report = run_notebook(ARTEFACT, tmp_path / "out.ipynb", {})
    assert str(source) in report.failure
    assert report.output is None


def test_a_run_by_plain_papermill_has_no_parameters_of_another_run(tmp_path, source):
    write_notebook(source, "n")
    run_notebook(ARTEFACT, tmp_path / "first.ipynb", {"n": 5, "profile": "quick"})
    run = f"papermill.execute_notebook({str(tmp_path / 'first.ipynb')!r}, sys.argv[1], {{'n': 7}})"
    said("-c", f"import sys, papermill; {run}", tmp_path / "second.ipynb")
    second = nbformat.read(tmp_path / "second.ipynb", as_version=4)
    assert second.cells[-1].outputs[0].data["text/plain"] == "7"
    assert second.metadata.papermill.parameters == {"n": 7}
    assert "quick" not in json.dumps(second.metadata)


#: What a user may have lying about, by the place in his home.
OF_THE_USER = {
    ".ipython/profile_default/startup/00.py": "leaked = True",
    ".ipython/profile_default/ipython_config.py": (
        "c.InteractiveShell.ast_node_interactivity = 'all'\n"
        "c.InlineBackend.figure_formats = {'svg'}"
    ),
    ".config/matplotlib/matplotlibrc": "font.size: 30\nlines.linewidth: 9",
    ".config/matplotlib/stylelib/ggplot.mplstyle": "axes.grid: False",
    "started.py": "leaked = True",
    "other/matplotlibrc": "font.size: 40",
}
PLAIN = """\
import matplotlib.pyplot as plt
import matplotlib as mpl
mpl.rcParams["font.size"], mpl.rcParams["lines.linewidth"]
mpl.rcParams["font.size"], "leaked" in globals(), plt.style.library["ggplot"]["axes.grid"]"""


@pytest.mark.slow
def test_nothing_of_the_user_gets_into_a_notebook_and_a_plain_plot_gives_a_picture(
    tmp_path, source
):
    """Nor by what papermill starts with this engine, which cleans up as well."""
    home = tmp_path / "home"
    for place, text in OF_THE_USER.items():
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text(text)
    write_notebook(source, PLAIN, "plt.plot([1, 2]);")
    outputs = [tmp_path / name for name in ("a.ipynb", "b.ipynb")]
    variables = {
        "HOME": home,
        "IPYTHONDIR": home / ".ipython",
        "MPLCONFIGDIR": home / ".config" / "matplotlib",
        "MATPLOTLIBRC": home / "other",
        "MPLBACKEND": "agg",
        "PYTHONSTARTUP": home / "started.py",
    }
    environment = os.environ | {k: str(value) for k, value in variables.items()}
    for output in outputs:
        options = ("--engine", "companion", "--no-progress-bar", "-p", "n", "5")
        said("-m", "papermill", source, output, *options, env=environment)
        *_, told, drawn = nbformat.read(output, as_version=4).cells
        (shown,) = told.outputs
        assert shown.data["text/plain"] == "(10.0, False, True)"
        (picture,) = drawn.outputs
        assert {*picture.data} == {"image/png", "text/plain"}
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    assert "papermill" not in outputs[0].read_text()
    assert not (home / ".ipython/profile_default/history.sqlite").exists()
