"""Notebooks run in a kernel, and are written so that equal runs give equal files."""

import json
import os
import sys

import nbformat
import pytest
from _cases import cases
from _run import said
from _studies import two_gaussians
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from companion.reproduction.artefacts import Artefact
from companion.reproduction.notebooks import make_stamp, run_notebook
from companion.reproduction.parameters import ParameterError
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
    notebook = new_notebook(cells=cells)
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
def source(tmp_path):
    return tmp_path / "nb" / "fig_1.ipynb"


def test_a_notebook_runs_here_with_its_parameters_in_its_own_folder(
    tmp_path, source, monkeypatch
):
    monkeypatch.setenv("COMPANION_PROGRESS", "1")
    write_notebook(source, SHOW)
    report = run_notebook(
        ARTEFACT,
        tmp_path / "out" / "fig_1.ipynb",
        {"n": 5},
        source=source,
        environment={"COMPANION_PICTURES": "none"},
    )
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
    assert executed.metadata.companion.artefact == "toy/fig_1"


def test_in_place_twice_gives_the_same_bytes_and_no_injected_cell(tmp_path, source):
    write_notebook(source, "print(1, flush=True); print(2); n", ids=False)
    before = source.read_text()
    written = []
    for _ in range(2):
        report = run_notebook(
            ARTEFACT, source.with_stem("out"), source=source, in_place=True
        )
        assert not report.failure
        written += [source.read_text(), report.output.read_text()]
    assert len(set(written)) == 1
    assert before not in written
    executed = nbformat.read(source, as_version=4)
    assert [cell.id for cell in executed.cells] == ["cell-00", "cell-01", "cell-03"]
    printed, result = executed.cells[2].outputs
    assert printed.text == "1\n2\n"
    assert result.data["text/plain"] == "3"
    python3 = {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert executed.metadata.kernelspec == python3
    assert executed.metadata.language_info == {"name": "python"}
    assert not any(cell.metadata.get("execution") for cell in executed.cells)
    assert str(tmp_path) not in written[0]
    assert sorted(path.name for path in source.parent.iterdir()) == [
        "fig_1.ipynb",
        "out.ipynb",
    ]


def test_a_failing_cell_is_told_by_number_line_and_error_and_the_source_is_kept(
    tmp_path, source
):
    write_notebook(source, "ok = 1", "\n# why\n1 / 0", "never = 1")
    before = source.read_text()
    report = run_notebook(
        ARTEFACT, tmp_path / "out.ipynb", source=source, in_place=True
    )
    assert report.failure
    error = "ZeroDivisionError: division by zero"
    assert str(report) == f"toy/fig_1: failed in cell [3] (# why): {error}"
    assert source.read_text() == before
    executed = nbformat.read(report.output, as_version=4)
    assert executed.cells[-2].outputs[0].ename == "ZeroDivisionError"
    assert executed.cells[-1].source == "never = 1"
    assert not executed.cells[-1].execution_count


def test_a_dying_kernel_is_reported_with_the_cell_that_killed_it(tmp_path, source):
    write_notebook(source, "import os; os._exit(3)", "never = 1")
    report = run_notebook(ARTEFACT, tmp_path / "out.ipynb", source=source)
    assert report.failure
    assert "failed in cell [2] (import os; os._exit(3)): DeadKernelError: " in str(
        report
    )


def test_a_bad_parameter_starts_no_kernel(tmp_path, no_kernel, source):
    write_notebook(source, SHOW)
    with pytest.raises(ParameterError):
        run_notebook(ARTEFACT, tmp_path / "out.ipynb", {"n": 10}, source=source)
    assert not (tmp_path / "out.ipynb").exists()


@cases("content", None, "not json", "[]", "{}")
def test_what_cannot_be_read_or_written_is_a_failure_reported(
    tmp_path, no_kernel, source, content
):
    write_notebook(source, SHOW)
    (tmp_path / "file").write_text("")
    report = run_notebook(ARTEFACT, tmp_path / "file" / "out.ipynb", source=source)
    assert report.failure
    assert "cannot write" in str(report)
    source.unlink() if content is None else source.write_text(content)
    report = run_notebook(ARTEFACT, tmp_path / "out.ipynb", source=source)
    assert report.failure
    assert report.output is None
    assert f"cannot read notebook {source}" in str(report)


def test_the_stamp_names_data_and_code_and_nothing_of_the_run():
    stamp = make_stamp(ARTEFACT)
    assert stamp["data"] == {"fig_1": ["d1"]}
    assert len(stamp["code"]["fig_1"]) >= 12
    assert stamp == json.loads(json.dumps(stamp))
    assert {*stamp} == {"artefact", "data", "code"}


@pytest.mark.slow
def test_a_run_by_plain_papermill_has_no_parameters_of_another_run(tmp_path, source):
    write_notebook(source, "n")
    run_notebook(
        ARTEFACT, tmp_path / "first.ipynb", {"n": 5, "profile": "quick"}, source=source
    )
    run = f"papermill.execute_notebook({str(tmp_path / 'first.ipynb')!r}, sys.argv[1], {{'n': 7}})"
    said("-c", f"import sys, papermill; {run}", tmp_path / "second.ipynb")
    second = nbformat.read(tmp_path / "second.ipynb", as_version=4)
    assert second.cells[-1].outputs[0].data["text/plain"] == "7"
    assert second.metadata.papermill.parameters == {"n": 7}
    assert "quick" not in json.dumps(second.metadata)
