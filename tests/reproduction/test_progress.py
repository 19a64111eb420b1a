"""The progress bar: where it shows, and where it keeps quiet."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.reproduction import progress
from companion.reproduction.progress import Progress, wants_progress

HERE = Path(__file__).parent

SCRIPT = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from _studies import study
from companion.reproduction.run import load_records
records = load_records(study(), root=sys.argv[1], cache=sys.argv[1])
"""


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.delenv("COMPANION_PROGRESS", raising=False)
    monkeypatch.setattr(progress, "in_jupyter", lambda: False)


def terminal(monkeypatch, answer):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: answer, raising=False)


@pytest.mark.parametrize(
    ("tty", "jupyter", "setting", "show", "seen"),
    [
        (True, False, None, None, True),
        (False, True, None, None, True),
        (False, False, None, None, False),
        (False, False, None, True, True),
        (True, False, None, False, False),
        (False, False, "1", None, True),
        (True, True, "0", None, False),
        (True, True, "0", True, False),
        (True, True, "off", True, False),
        (True, False, "1", False, False),
        (False, False, "", None, False),
    ],
)
def test_a_bar_shows_where_someone_watches_or_asks(monkeypatch, tty, jupyter, setting, show, seen):
    terminal(monkeypatch, tty)
    monkeypatch.setattr(progress, "in_jupyter", lambda: jupyter)
    if setting is not None:
        monkeypatch.setenv("COMPANION_PROGRESS", setting)
    assert wants_progress(3, show) is seen
    assert wants_progress(0, show) is False  # nothing to compute, nothing to show


def test_a_bar_that_is_asked_for_counts_to_its_end(capfd):
    with Progress(4, "l1nsvm/table_2", show=True) as bar:
        for _ in range(4):
            bar.update()
    error = capfd.readouterr().err
    assert "l1nsvm/table_2" in error and "4/4" in error and "100%" in error


def test_a_bar_is_closed_by_an_error(capfd):
    with pytest.raises(ZeroDivisionError), Progress(4, "table", show=True) as bar:
        bar.update(2)
        raise ZeroDivisionError
    assert "2/4" in capfd.readouterr().err
    bar.update()  # as a late result would
    bar.close()


def test_a_silent_bar_writes_nothing(capfd):
    with Progress(4, "table") as bar:
        bar.update(4)
    assert capfd.readouterr() == ("", "")


def run_in_terminal(folder, **environment):
    """What a run writes to a terminal."""
    pty = pytest.importorskip("pty", reason="there are no pseudo terminals here")
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    done = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SCRIPT, str(folder)],
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert done.wait(timeout=60) == 0
    return b"".join(parts).decode()


def test_a_terminal_shows_the_bar_once_and_nothing_when_all_is_there(tmp_path):
    assert "tests/table_0: 100%" in run_in_terminal(tmp_path)
    assert run_in_terminal(tmp_path) == ""


def test_a_terminal_shows_no_bar_in_a_checked_run(tmp_path):
    assert run_in_terminal(tmp_path, COMPANION_PROGRESS="0") == ""


@pytest.mark.parametrize("setting", [None, "0"])
@pytest.mark.filterwarnings("ignore")  # of the kernel's own machinery
def test_a_notebook_shows_the_bar_unless_its_cells_are_checked(tmp_path, monkeypatch, setting):
    import nbformat
    from nbclient import NotebookClient

    if setting is not None:
        monkeypatch.setenv("COMPANION_PROGRESS", setting)
    source = SCRIPT.replace("sys.argv[1]", repr(str(tmp_path)))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    if setting == "0":
        assert outputs == []
    else:
        assert "tests/table_0" in str(outputs) and "0/6" in str(outputs)
