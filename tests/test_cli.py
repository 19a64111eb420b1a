"""The command: its words, its exit codes, and that one fault does not stop the rest."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import nbformat
import pandas as pd
import pytest
from _cases import cases, refused
from _command import invoke
from _run import start, wait_for
from click.testing import CliRunner

from companion import __main__
from companion._utils.errors import DamagedData, DataUnavailable
from companion.datasets import load_ida
from companion.papers.command import main
from companion.reproduction import artefacts as artefacts_module
from companion.reproduction import display
from companion.reproduction.artefacts import Artefact, Paper
from companion.reproduction.index import load_index, write_indexed
from companion.reproduction.notebooks import NotebookReport
from companion.reproduction.times import save_times
from companion.reproduction.units import Study

HERE = Path(__file__).parent
SCHEMA = Path(display.__file__).with_name("ledger.schema.json")
SEES_US = {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]), "COLUMNS": ""}
PUBLISHED = """\
artefact,row,column,asks,printed,spread,spread_is,n,kind,relation,sentence,why,repeats,\
matters,where,note
table_1,mean,error,value,1.5,1.0,over draws,4,stochastic,,,,,,p. 1,
fig_1,claim,gain,claim,lower,,,,ordinal,< 0,the gain is lower,lower is below 0,,,p. 2,
fig_2,size,points,value,20,,,,deterministic,,,,,,p. 3,
"""
PROFILE = 'profile: str = "paper"  # size of the run: quick or paper'
COUNT = "n_draws: int = 3  # random draws, 1 to 9"


def units_of(name, count=4, data=""):
    """A function that lists units; quick has half of them."""

    def units(profile):
        study = Study("toy", name, units, dict)
        return [
            study.unit(data, i=i)
            for i in range(count if profile == "paper" else count // 2)
        ]

    return units


CALLS = []


def compute_index(unit):
    return {"x": float(unit.params["i"])}


def compute_far(unit):
    return {"x": 9e5}


def stop_at_the_second(unit):
    CALLS.append(unit.params["i"])
    if len(CALLS) == 2:
        raise KeyboardInterrupt
    return compute_index(unit)


def needs_data(unit):
    way = "set COMPANION_DATA to a folder that has it or run `companion data fetch heart` later"
    raise DataUnavailable(f"heart/heart.dat cannot be had: no network; {way}")


NOTEBOOK_RUNS = threading.Event()


def has_damaged_data(unit):
    raise DamagedData("uci/heart.csv has the SHA-256 12ab; take it from the repository")


def waits_for_a_notebook(unit):
    assert NOTEBOOK_RUNS.wait(60), "no notebook runs while units are computed"
    return compute_index(unit)


def fail(unit):
    raise ZeroDivisionError("no such thing")


def shown(row, column, value, **changes):
    """Regenerated values of one cell; of the mean of x where no value is given."""

    def values(records):
        found = value
        if value is None:
            x = records["table_1"].get("x", pd.Series([float("nan")]))
            found = x.mean()
            changes["n"] = len(x)
        cell = {"row": row, "column": column, "value": found, "converged": True}
        return pd.DataFrame([cell | changes])

    return values


def table_1(compute=compute_index, value=None, data=""):
    study = Study("toy", "table_1", units_of("table_1", data=data), compute)
    values = shown("mean", "error", value, spread=1.0, n=2)
    return Artefact("toy", "table_1", "Table 1: means", (study,), values)


def fig_1(compute=compute_index):
    """A figure with a study and a claim."""
    study = Study("toy", "fig_1", units_of("fig_1"), compute)
    return Artefact(
        "toy", "fig_1", "Figure", (study,), values=shown("claim", "gain", -1.0)
    )


def fig_2(value=20.0):
    return Artefact("toy", "fig_2", "Figure 2", (), shown("size", "points", value))


def write_notebook(project, name, *sources, cell=PROFILE):
    cells = [nbformat.v4.new_code_cell(cell, metadata={"tags": ["parameters"]})]
    cells += [nbformat.v4.new_code_cell(source) for source in sources]
    path = project / "notebooks" / "toy" / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)))
    return path


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A small project of its own, with its own cache."""
    folder = tmp_path / "project"
    (folder / "data" / "published").mkdir(parents=True)
    (folder / "data" / "published" / "toy.csv").write_text(PUBLISHED)
    write_notebook(folder, "table_1", cell=f"{PROFILE}\n{COUNT}")
    write_notebook(folder, "fig_2")
    monkeypatch.setenv("COMPANION_PROJECT", str(folder))
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    return folder


@pytest.fixture
def notebooks_run(monkeypatch):
    """Notebooks that always run, without a kernel; the list of what was asked for."""
    asked = []

    def run(artefact, output, parameters, *, in_place=False):
        asked.append((artefact.id, dict(parameters), in_place))
        return NotebookReport(artefact.id, Path(output), "", 0.1)

    monkeypatch.setattr("companion.reproduction.notebooks.run_notebook", run)
    return asked


@pytest.fixture
def nothing_runs(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("something was run")

    monkeypatch.setattr("companion.reproduction.reproduce.load_records", refuse)
    monkeypatch.setattr("companion.reproduction.notebooks.run_notebook", refuse)


#: The words of a run in the paper profile.
PAPER = ("reproduce", "--profile", "paper")


def declare(project, row="mean", column="error", artefact="table_1", **others):
    deviation = {
        "paper": "toy",
        "artefact": artefact,
        "rows": [row],
        "columns": [column],
        "reason": "other draws",
        "evidence": "notebook",
        "cause": "shown",
    }
    (project / "data" / "deviations.yaml").write_text(json.dumps([deviation | others]))


# -- words ----------------------------------------------------------------------------------


COMMANDS = [
    "",
    "reproduce",
    "verify",
    "explain",
    "data",
    "data list",
    "data fetch",
    "data check",
]


@cases("words", *COMMANDS)
def test_every_help_page_documents_the_exit_codes(words):
    text = invoke([], *words.split(), "--help")
    for line in ("0  all is well", "1  an undeclared deviation", "130  interrupted"):
        assert line in text


@cases("command", "reproduce", "verify")
def test_unknown_targets_are_all_named_with_the_nearest_name(
    project, nothing_runs, command
):
    output = invoke(
        [table_1(), fig_2()], command, "toy/tabel_1", "fig_2", "zzzzzz", "toy", code=2
    )
    assert "'toy/tabel_1': did you mean 'toy/table_1'?" in output
    assert "'fig_2': did you mean 'toy/fig_2'?" in output
    assert (
        "'zzzzzz': the papers are toy; `companion reproduce --list` names their"
        in output
    )


def test_parameters_are_listed_and_bad_ones_refused_before_anything_runs(
    project, nothing_runs
):
    artefacts = [table_1(), fig_2()]
    text = invoke(artefacts, "reproduce", "--list")
    assert "toy/table_1  Table 1: means" in text
    assert "-p n_draws INT  random draws, 1 to 9 [3]" in text
    assert "-p profile" not in text, "what all notebooks have is an option"
    misspelt = ("reproduce", "toy/table_1", "-p", "n_drawz", "5")
    assert "did you mean 'n_draws'?" in invoke(artefacts, *misspelt, code=2)
    output = invoke(artefacts, "reproduce", "toy", "-p", "n_draws", "10", code=2)
    assert "'n_draws' must be a whole number from 1 to 9. Got 10 instead" in output
    assert "toy/fig_2 cannot run with these parameters" in output
    write_notebook(project, "fig_2", cell="n = 3")
    for words in (("--list",), ("toy/fig_2",)):
        output = invoke(artefacts, "reproduce", *words, code=2)
        assert "'n = 3' declares none: write `name: type = default" in output
    broken = project / "notebooks" / "toy" / "fig_2.ipynb"
    broken.write_text("<<<<<<< HEAD")
    output = invoke(artefacts, "reproduce", code=3)
    assert f"{broken} cannot be read: " in output


MISTAKES = {
    "-p profile paper": "chosen with --profile",
    "--jobs 0": "--jobs must be at least 1, or -1",
    "--jobs many": "'many' is not a valid integer",
    "--profile papper": "'papper' is not one of",
    "--in-place": "--in-place needs --profile paper without -p",
    "--in-place --profile paper -p n_draws 4": "committed notebooks have their own",
}


@cases("words, message", *MISTAKES.items())
def test_a_mistake_in_the_command_runs_nothing(project, nothing_runs, words, message):
    assert message in " ".join(
        invoke([table_1()], "reproduce", *words.split(), code=2).split()
    )


# -- reproduce ------------------------------------------------------------------------------


def test_a_failing_notebook_does_not_stop_the_next_and_is_named_with_its_cell(project):
    write_notebook(project, "table_1", "\n# look\n1 / 0", cell=f"{PROFILE}\n{COUNT}")
    write_notebook(project, "fig_2", "print(profile)")
    output = invoke([table_1(value=1.5), fig_2()], "reproduce", code=4)
    assert "[1/2] toy/table_1: Table 1: means" in output
    failure = "failed in cell [3] (# look): ZeroDivisionError: division by zero"
    assert f"toy/table_1: {failure}" in output
    folder = project / "build" / "reproduce" / "quick" / "toy"
    assert f"The notebooks of this run: {folder.parent}\n" in output
    executed = nbformat.read(folder / "fig_2.ipynb", as_version=4)
    assert executed.cells[2].outputs[0].text == "quick\n"
    scored = re.search(r"(?m)^numbers printed .* 2$", output)
    assert scored, "both have verdicts all the same"


def test_the_summary_has_verdicts_and_a_quick_run_computes_afresh(
    project, notebooks_run
):
    for _ in range(2):  # a quick run computes all afresh
        notebooks_run.clear()
        assert "2 units computed" in (
            output := invoke([table_1(value=1.5), fig_2()], "reproduce")
        )
    assert not (project / "data" / "records").exists()
    assert "Score, quick profile" in output
    quick = {"profile": "quick"}
    expected = [
        ("toy/table_1", quick | {"n_draws": 3}, False),
        ("toy/fig_2", quick, False),
    ]
    assert notebooks_run == expected


def test_a_notebook_runs_as_soon_as_its_records_are_there(project, monkeypatch):
    def run(artefact, output, parameters, *, in_place):
        NOTEBOOK_RUNS.set()
        return NotebookReport(artefact.id, Path(output), "", 0.1)

    NOTEBOOK_RUNS.clear()
    monkeypatch.setattr("companion.reproduction.notebooks.run_notebook", run)
    output = invoke([fig_2(), table_1(waits_for_a_notebook, value=1.5)], "reproduce")
    assert "2 units computed" in output
    assert output.count(": ran in 0 s") == 2


def test_an_undeclared_deviation_is_shown_and_exits_1(project, notebooks_run):
    output = invoke(
        [table_1(value=9e5), fig_2(21.0)], "reproduce", "toy/table_1", code=1
    )
    worse = "Worse than expected: toy/table_1: mean, error: here 900000.0 ± 1.0, printed 1.5 ± 1.0;"
    problem = "differs and is not declared in data/deviations.yaml"
    assert f"{worse} {problem}" in " ".join(output.split())
    declare(project)
    assert "Nothing is worse than expected." in invoke(
        [table_1(value=9e5)], "reproduce"
    )
    invoke([table_1()], "reproduce")  # a quick run heals nothing
    assert "declared deviation has healed" in invoke([table_1()], *PAPER, code=1)


def test_the_paper_profile_is_consolidated_and_computed_once(project, notebooks_run):
    assert "4 units computed" in invoke([table_1()], *PAPER, "--in-place")
    table = project / "data" / "records" / "toy" / "table_1.csv"
    assert table.read_text().count("\n") == 5
    assert notebooks_run[-1][2] is True
    assert "0 units computed" in invoke([table_1()], *PAPER)
    assert "4 units computed" in invoke([table_1()], *PAPER, "--fresh")


def test_what_shows_the_verdicts_of_a_paper_runs_after_what_computes_them(
    project, notebooks_run
):
    output = invoke([fig_2(), table_1(value=1.5)], *PAPER)
    assert "[1/2] toy/table_1" in output
    assert [name for name, *_ in notebooks_run] == ["toy/table_1", "toy/fig_2"]
    output = invoke([fig_2(), table_1(value=1.5)], "reproduce")
    assert "[1/2] toy/fig_2" in output, "a quick run shows the verdicts on record"


def test_times_are_kept_of_what_a_fresh_run_in_place_computed_whole(
    project, notebooks_run
):
    invoke([table_1()], *PAPER, "--in-place")
    times = project / "data" / "times.csv"
    assert not times.exists()
    for _ in range(2):
        invoke([table_1()], *PAPER, "--in-place", "--fresh")
        rows = pd.read_csv(times)[["artefact", "study", "units"]].to_numpy().tolist()
        assert rows == [["toy/table_1", "table_1", 4], ["toy/table_1", "(notebook)", 1]]
    # a study that both artefacts have, computed for the other one alone
    save_times(fig_1(), [("table_1", 4, 2, 1.5)])
    rows = pd.read_csv(times)[["artefact", "study"]].to_numpy().tolist()
    assert rows == [["toy/table_1", "(notebook)"], ["toy/fig_1", "table_1"]]


@cases("n", 2, 4, ids=["quick", "fresh"])
def test_an_interrupted_run_goes_on_and_the_next_computes_all(
    project, notebooks_run, n
):
    artefacts = [fig_1(), table_1(stop_at_the_second, value=1.5)]
    command = (*PAPER, "--fresh") if n == 4 else ("reproduce",)
    CALLS[:] = [None] * 2
    invoke(artefacts, *command)
    CALLS.clear()
    message = "What is finished is kept; the same command goes on from there."
    assert message in invoke(artefacts, *command, code=130)
    for computed in ((0, n - 1), (n, n)):
        n_computed = re.findall(r"(\d+) units computed", invoke(artefacts, *command))
        assert tuple(map(int, n_computed)) == computed
    assert [0, 1, *range(1, n), *range(n)] == CALLS  # the interrupted unit twice


def test_missing_data_are_named_and_are_no_failure(project, notebooks_run):
    output = invoke([table_1(needs_data, data="abc"), fig_2()], "reproduce")
    assert "0 units computed; 2 units missing\n" in output
    assert "toy/table_1: ran in" in output
    section = output.partition("Missing")[2].partition("The notebooks")[0]
    assert max(map(len, section.splitlines())) <= 80
    missing = " ".join(section.split())
    assert "2 units: heart/heart.dat cannot be had" in missing
    assert "COMPANION_DATA" in missing
    assert "Without them a part is not run of toy/table_1." in missing


def test_a_quick_run_stands_beside_what_is_on_record_and_what_is_worse_is_named(
    project, notebooks_run
):
    invoke([table_1(), fig_2()], *PAPER)
    output = invoke([table_1(compute_far), fig_2()], "reproduce", code=1)
    assert re.search(r"(?m)^ +on record +this run$", output)
    assert re.search(r"(?m)^numbers printed +2 +2$", output)
    assert re.search(r"(?m)^  matches +2 +1$", output)
    assert re.search(r"(?m)^  differs, unexplained +0 +1$", output)
    text = " ".join(output.split())
    assert "printed 1.5 ± 1.0; differs, unexplained, on record matches" in text
    assert "--profile paper decides" in text
    screen = output.partition("Score, quick profile")[2]
    assert screen.count("\n") <= 24


def test_damaged_data_end_a_run_with_3_and_failing_units_with_4_and_the_next_is_run(
    project, notebooks_run
):
    output = invoke([table_1(has_damaged_data), fig_2()], "reproduce", code=3)
    assert (
        output.count("uci/heart.csv has the SHA-256 12ab; take it from the repository")
        == 1
    )
    assert [name for name, _, _ in notebooks_run] == ["toy/fig_2"]
    both = [table_1(has_damaged_data), fig_1(fail), fig_2()]
    output = invoke(both, "reproduce", code=4)
    assert "2 of 2 units of toy/fig_1 failed" in output
    assert "ZeroDivisionError: no such thing" in output
    assert [name for name, _, _ in notebooks_run] == ["toy/fig_2"] * 2


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for another process")
def test_ctrl_c_in_a_notebook_ends_with_130_and_no_traceback(project, tmp_path):
    started = tmp_path / "started"
    sources = f"open({str(started)!r}, 'w').close()", "import time; time.sleep(300)"
    write_notebook(project, "fig_2", *sources)
    run = "from test_cli import *; main(['reproduce', '--profile', 'paper'], obj=[fig_2()])"
    running = start("-c", run, env=os.environ | SEES_US)
    wait_for(lambda: started.exists() or running.poll() is not None, 120)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130, errors
    assert "Interrupted" in errors
    assert "Traceback" not in errors


# -- verify ---------------------------------------------------------------------------------


def test_verify_lists_every_value_only_if_asked_to_and_computes_nothing(
    project, notebooks_run, nothing_runs
):
    output = invoke([table_1(), fig_2()], "verify", "--all", "--allow-missing")
    text = " ".join(output.split())
    assert "for mean, error (p. 1); it has no value here: not tested" in text
    assert "for size, points (p. 3); it is 20 here: matches" in text
    assert re.search(r"(?m)^numbers printed +2$", output), "the score"
    screen = invoke([table_1(), fig_2()], "verify", "--allow-missing")
    assert "mean, error" not in screen
    assert screen.rstrip().endswith("The list of all values: companion verify --all")


def test_verify_fails_on_a_deviation_until_it_is_declared_and_after_it_has_healed(
    project,
):
    invoke([fig_2(21.0)], "verify", code=1)
    declare(project, "size", "points", "fig_2")
    invoke([fig_2(21.0)], "verify")
    output = invoke([fig_2(20.0), table_1()], "verify", "--allow-missing", code=1)
    wrong = (
        "data/published/toy.csv, toy/fig_2: size, points: declared deviation has healed"
    )
    advice = (
        "its verdict is 'matches': remove its declaration"
        " (companion explain toy/fig_2 size points)"
    )
    assert f"{wrong}, {advice}" in " ".join(output.split())
    assert "mean" not in output
    invoke([fig_2(20.0)], "verify", "--profile", "quick")


def compute_steps(unit):
    return [{"step": step, "x": float(unit.params["i"])} for step in (0, 1)]


def as_printed_and_read(records):
    read = shown("size", "points", 20.0, reading="turned")(records)
    return pd.concat([shown("size", "points", 21.0)(records), read])


DEVIATION = """\
- paper: toy
  artefact: fig_2
  rows: [size]
  columns: [points]
  cause: shown
  reason: other points
  evidence: notebooks/toy/fig_2.ipynb
"""
READING = """\
# how the print is read
- id: turned
  paper: wrsvm
  kind: misprint
  changes: two rows stand exchanged
  proof: [tests/papers/test_wrsvm_errata.py::test_two]
  tried: "2"
"""
WHOLE = [table_1(compute_steps), replace(fig_2(), values=as_printed_and_read)]
TABLE = "records/toy/table_1.csv"
INDEX = "records/index.csv"
PRINT = "published/toy.csv"
DEVIATIONS = "deviations.yaml"
READINGS = "readings.yaml"


@pytest.fixture
def sound(project, notebooks_run):
    """The data of a project in which all is well, with records of two lines each."""
    (project / "data" / DEVIATIONS).write_text(DEVIATION)
    (project / "data" / READINGS).write_text(READING)
    invoke(WHOLE, *PAPER)
    return project / "data"


def swapped(old, new):
    """Write something else at the first place, or at the end where there is nothing to replace."""

    def change(path):
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1) if old else text + new)

    return change


def edited(change):
    """Alter the lines of a table, as lists of cells."""

    def alter(path):
        lines = [line.split(",") for line in path.read_text().splitlines()]
        change(lines)
        path.write_text("".join(",".join(line) + "\n" for line in lines))

    return alter


def cut(first, last):
    return edited(lambda lines: lines.__delitem__(slice(first - 1, last)))


def cell(line, place, text):
    return edited(lambda lines: lines[line - 1].__setitem__(place, text))


def written(content):
    return lambda path: path.write_bytes(content)


def shortened(n):
    return lambda path: path.write_bytes(path.read_bytes()[:-n])


def indexed(change):
    """Alter a table, and write its digest into the index as well."""

    def alter(path):
        entry = load_index()["toy/table_1"]
        change(path)
        write_indexed(path, "toy/table_1", path.read_bytes(), 4, entry.code)

    return alter


def in_index(change):
    return lambda path: change(path.parents[1] / "index.csv")


def of_another(lines):
    """Give lines 4 and 5 a parameter that no unit has."""
    lines[3][0] = lines[4][0] = "9"


CONFLICT = b"i,step,x\n<<<<<<< HEAD\n0,0,1.0\n=======\n0,0,2.0\n>>>>>>> theirs\n"
#: Damage to each file, and the message about it.
DAMAGE = {
    TABLE: {
        "the table removed": (Path.unlink, ": 4 of 4 units have no record"),
        "a record removed": (indexed(cut(4, 5)), ": 1 of 4 units have no record"),
        "a stray": (indexed(edited(of_another)), ": 1 of 4 records are of no unit"),
        "old code": (
            in_index(cell(2, 2, "0" * 12)),
            ": 4 of 4 records were made by other",
        ),
        "a digit": (
            cell(5, 2, "1.1"),
            "it was altered: .*index.csv has no line of it with its sha",
        ),
        "cut in a line": (shortened(6), "line 9: 2 cells instead of 3"),
        "a conflict": (written(CONFLICT), "line 2: .*git left two versions"),
    },
    INDEX: {
        "a line removed": (
            cut(2, 2),
            "table_1.csv: it was altered: .*index.csv has no line of it",
        ),
        "a conflict": (written(CONFLICT), "line 2: .*git left two versions"),
    },
    PRINT: {
        "the print removed": (Path.unlink, "there is no file .*toy.csv"),
        "no printed digit": (cell(4, 4, ""), "  line 4: printed is empty"),
    },
    DEVIATIONS: {
        "the deviations removed": (Path.unlink, "differs and is not declared"),
        "a broken line": (swapped("[size]", "[size"), "line 4, column"),
        "a name unknown": (swapped("reason", "why"), "line 1: 'why' is unknown"),
    },
    READINGS: {"the readings removed": (Path.unlink, "no entry has the id 'turned'")},
}
#: Damage that gives the exit code 1; the rest gives 3.
ONE = {
    "the table removed",
    "a record removed",
    "old code",
    "a stray",
    "the deviations removed",
}


@cases("name, what", *((name, what) for name in DAMAGE for what in DAMAGE[name]))
def test_verify_names_every_damage_with_its_file_and_line_and_goes_on(
    sound, name, what
):
    change, complaint = DAMAGE[name][what]
    change(sound / name)
    result = CliRunner().invoke(main, ["verify"], obj=WHOLE)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == (1 if what in ONE else 3), result.output
    found = re.search(complaint, result.output)
    assert found or complaint in " ".join(result.output.split())
    assert "Traceback" not in result.output
    faults = [line for line in result.stderr.splitlines() if not line.startswith(" ")]
    # a stray record also means that another one is missing
    expected = {"the deviations removed": 0, "a stray": 2}
    assert len(faults) == expected.get(what, 1)
    assert all(Path(name).name in fault for fault in faults)
    scored = re.search(r"(?m)^numbers printed +[12]$", result.output)
    assert scored or name not in (TABLE, INDEX), "the others are compared all the same"
    if what in ("the table removed", "a record removed"):
        invoke(WHOLE, "verify", "--allow-missing")


def test_a_comparison_that_fails_is_no_damage_and_counts_more(sound):
    def crash(records):
        raise KeyError("no such column")

    cell(5, 2, "1.1")(sound / TABLE)
    broken = replace(fig_2(), values=crash)
    output = invoke([WHOLE[0], broken], "verify", code=4)
    assert "toy/fig_2: no verdicts: KeyError: 'no such column'" in output
    assert f"{sound / TABLE}: it was altered" in output


# -- how verify shows it


def invoke_out(artefacts, *words, code=0):
    """The standard output of the command, without its errors."""
    result = CliRunner().invoke(main, list(words), obj=artefacts)
    assert result.exit_code == code, result.output
    return result.stdout


def test_the_ledger_for_machines_is_whole_in_both_forms(project):
    declare(project, "size", "points", "fig_2", reason='said "so", twice')
    artefacts = [fig_1(), fig_2(21.0)]
    words = ("verify", "--allow-missing", "--format")
    rows = json.loads(invoke_out(artefacts, *words, "json"))
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(rows, schema)
    wrong = [rows[0] | {"verdict": "perhaps"}]
    refused(
        "perhaps", jsonschema.validate, wrong, schema, error=jsonschema.ValidationError
    )
    verdicts = {row["artefact"]: row["verdict"] for row in rows}
    assert verdicts == {"fig_1": "holds", "fig_2": "differs, explained"}
    assert rows[1]["reason"] == 'said "so", twice'
    assert (rows[0]["sentence"], rows[0]["relation"]) == ("the gain is lower", "< 0")
    assert (rows[1]["published"], rows[1]["reproduced"], rows[1]["would_see"]) == (
        20.0,
        21.0,
        0.5,
    )
    table = pd.read_csv(io.StringIO(invoke_out(artefacts, *words, "csv")))
    assert list(table.columns) == list(rows[0])
    for name in table:
        other = [row[name] for row in rows]
        same = [None if pd.isna(value) else value for value in table[name]]
        assert same == [value if value != "" else None for value in other], name


def test_the_ledger_for_machines_has_only_problems_if_asked_to(project):
    command = ("verify", "--only", "problems", "--format", "json", "--allow-missing")
    (row,) = json.loads(invoke_out([fig_1(), fig_2(21.0)], *command, code=1))
    assert row["artefact"] == "fig_2"
    assert row["problem"] == "differs and is not declared in data/deviations.yaml"


ONLY = [
    ("unknown", "differs, unexplained"),
    ("missing data", "not tested"),
    ("shown", "differs, explained"),
]


@cases("cause, word", *ONLY)
def test_verify_lists_the_values_of_one_word_with_the_reason(project, cause, word):
    declare(project, "size", "points", "fig_2", cause=cause, reason="who knows")
    words = ("verify", "toy", "--allow-missing", "--only")
    text = invoke_out([fig_2(21.0), fig_1()], *words, word)
    listed = " ".join(text.partition("numbers ")[0].split())
    assert "toy/fig_2 ========= The paper prints 20 for size, points" in listed
    assert f"{word}: who knows." in listed
    assert "gain" not in listed
    assert "size" not in invoke_out([fig_2(21.0), fig_1()], *words, "holds")


def test_what_verify_shows_is_a_screen_of_80_columns_however_much_is_wrong(project):
    many = PUBLISHED + "".join(
        f"fig_3,row {i},points,value,20,,,,deterministic,,,,,,p. 3,\n"
        for i in range(40)
    )
    (project / "data" / "published" / "toy.csv").write_text(many)

    def values(records):
        rows = [
            {"row": f"row {i}", "column": "points", "value": 9.0, "converged": True}
            for i in range(40)
        ]
        return pd.DataFrame(rows)

    lines = invoke_out(
        [replace(fig_2(), name="fig_3", values=values)], "verify", code=1
    ).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert "... and 34 more values: companion verify --only problems" in lines


# -- explain --------------------------------------------------------------------------------


def test_explain_tells_all_about_one_value_and_how_to_see_it_again(
    project, nothing_runs
):
    text = invoke([fig_2(21.0), fig_1()], "explain", "toy/fig_2", "size", "points")
    found = dict(re.findall(r"(?m)^(\S.*?)  +(.*)$", text))
    assert [found[name] for name in ("published", "reproduced", "where")] == [
        "20",
        "21",
        "p. 3",
    ]
    assert found["see it again"].startswith(
        "companion reproduce toy/fig_2 --profile paper --fresh"
    )
    assert "computed by" not in found
    assert text.startswith(
        "in short        The paper prints 20 for size, points (p. 3);"
    )
    listed = invoke([fig_2(21.0), fig_1()], "explain", "toy")
    assert listed == "toy/fig_2 size  points\ntoy/fig_1 claim  gain\n"
    assert (
        invoke([fig_2(21.0), fig_1()], "explain", "toy", "claim")
        == "toy/fig_1 claim  gain\n"
    )


FAULTS = [
    (("sizes",), "toy has no row sizes. Did you mean size?"),
    (("sizes", "points"), "toy has no row sizes. Did you mean size?"),
    (("size", "point"), "Row size of toy has no column point. Did you mean points?"),
    (("quite other",), "toy has no row 'quite other'. Did you mean size, claim?"),
]


def test_explain_lists_each_name_in_one_line_to_be_copied(project):
    published = project / "data" / "published" / "toy.csv"
    names = [f"the size in points of print {i}" for i in range(6)]
    published.write_text(
        PUBLISHED
        + "".join(
            f"fig_2,size,{name},value,20,,,,deterministic,,,,,,p. 3,\n"
            for name in names
        )
    )
    listed = invoke([fig_2()], "explain", "toy").splitlines()
    assert max(map(len, listed)) <= 80
    for name in names:
        assert any(f"'{name}'" in line for line in listed)


@cases("place, fault", *FAULTS)
def test_explain_names_the_nearest_rows_and_columns(project, place, fault):
    assert fault in invoke([fig_2(21.0), fig_1()], "explain", "toy", *place, code=2)


# -- data -----------------------------------------------------------------------------------


@pytest.fixture
def no_data(project, tmp_path, monkeypatch):
    """The project itself, and an empty folder for files from outside, whose hosts are not asked."""
    (tmp_path / "mirror").mkdir()
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    monkeypatch.delenv("COMPANION_PROJECT")
    hosts = ("archive.ics.uci.edu", "github.com")
    monkeypatch.setattr(
        "companion.datasets.outside._failures", dict.fromkeys(hosts, "no network")
    )
    return tmp_path / "mirror"


def test_data_list_names_every_table_and_every_file_from_outside(no_data):
    from companion.datasets import OUTSIDE

    listed = dict(
        line.split(maxsplit=1) for line in invoke([], "data", "list").splitlines()
    )
    assert listed["heart-cleveland"] == "297 rows, 13 attributes"
    assert {place: listed[place] for place in OUTSIDE} == dict.fromkeys(
        OUTSIDE, "not here"
    )


def test_data_check_fails_on_a_damaged_file_and_not_on_a_missing_one(no_data):
    assert invoke([], "data", "check").endswith(" files, 0 damaged\n")
    (no_data / "pendigits").mkdir()
    (no_data / "pendigits" / "pendigits.tes").write_text("not the data")
    output = invoke([], "data", "check", code=3)
    assert "pendigits.tes is damaged" in output
    assert "1 damaged" in output


def test_a_project_of_ones_own_has_the_tables_of_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_PROJECT", str(tmp_path))
    assert "heart-cleveland" in invoke([], "data", "list")
    assert "0 damaged" in invoke([], "data", "check")
    assert load_ida("german").X.shape == (1000, 20)


def test_data_fetch_reports_each_file_and_fails_if_one_cannot_be_had(no_data):
    output = " ".join(invoke([], "data", "fetch", code=3).split())
    for name in ("pendigits.tra", "pendigits.tes", "waveform.data", "benchmarks.mat"):
        assert f"{name} is not here and no network; name a folder" in output
    assert "pendigits/pendigits.tra" in invoke([], "data", "fetch", "pendigits", code=2)


# -- how it is started ----------------------------------------------------------------------


@pytest.fixture
def not_installed(monkeypatch):
    """As if a package were not installed."""
    distributions = metadata.distributions

    def absent(package):
        def of(**wanted):
            return [] if wanted == {"name": package} else distributions(**wanted)

        monkeypatch.setattr(metadata, "distributions", of)

    return absent


NEEDS = [
    ("pandas", "verify", "reproduce"),
    ("distributed", "reproduce --backend dask", "distributed"),
]


@cases("package, words, extra", *NEEDS)
def test_what_a_command_needs_is_asked_before_anything_runs(
    project, nothing_runs, not_installed, package, words, extra
):
    not_installed(package)
    output = invoke([table_1()], *words.split(), code=2)
    message = (
        f"{package} must be installed first. In a clone of the repository: pip install"
    )
    assert f"{message} '.[{extra}]'" in " ".join(output.split())


@cases("missing", "click", "companion")
def test_a_missing_package_is_named_and_a_module_of_ours_is_a_fault(
    monkeypatch, capsys, missing
):
    def command():
        raise ModuleNotFoundError("No module", name=f"{missing}.core")

    monkeypatch.setattr("companion.papers.command.main", command)
    error = ModuleNotFoundError if missing == "companion" else SystemExit
    stop = refused(None, __main__.main, error=error)
    if missing == "click":
        said = "The command needs click, which is not installed. In a clone of the repository:"
        assert stop.code == 2
        assert capsys.readouterr().err == f"{said} pip install '.[reproduce]'\n"


def test_ctrl_c_before_the_command_has_begun_ends_with_130(monkeypatch, capsys):
    def command():
        raise KeyboardInterrupt

    monkeypatch.setattr("companion.papers.command.main", command)
    assert refused(None, __main__.main, error=SystemExit).code == 130
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no broken pipes")
@cases("words", "--help", "verify l1nsvm")
def test_a_reader_that_is_gone_is_no_fault(words):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "companion", *words.split()]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode in (0, 141)
    assert done.stderr == ""


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_computed(
    project, nothing_runs
):
    (project / "build").write_text("a file, where the folder of the products must be")
    output = invoke([table_1()], "reproduce", code=2)
    screen = " ".join(output.split())
    assert f"Nothing can be written into {project}/build/reproduce/quick" in screen
    assert (
        "set COMPANION_PROJECT to a copy of the project that can be written" in screen
    )


# -- what is registered ---------------------------------------------------------------------


class Point:
    """An entry point of a distribution that is not installed."""

    value = "theirs:PAPERS"
    dist = SimpleNamespace(name="theirs", version="1.2")

    def __init__(self, load):
        self.load = load


def broken():
    raise ImportError("libfoo is not here")


THEIRS = Paper("theirs", "Their paper", "", "no_such_module")


@cases("load", broken, lambda: [THEIRS], ids=["the list", "its module"])
def test_papers_that_cannot_be_imported_are_named_and_stop_only_themselves(
    project, monkeypatch, caplog, load
):
    (project / "data" / "published" / "theirs.csv").write_text("")
    monkeypatch.setitem(sys.modules, "toy_paper", SimpleNamespace(ARTEFACTS=[fig_2()]))
    ours = Point(lambda: [Paper("toy", "A toy", "", "toy_paper")])
    monkeypatch.setattr(
        artefacts_module, "entry_points", lambda group: [Point(load), ours]
    )
    monkeypatch.setattr(artefacts_module, "_faults", [])
    for name in ("_registered", "_artefacts"):
        function = getattr(artefacts_module, name).__wrapped__
        monkeypatch.setattr(artefacts_module, name, cache(function))
    assert invoke(None, "reproduce", "--list") == "toy/fig_2  Figure 2\n"
    assert "of the distribution theirs 1.2 cannot be imported" in caplog.text
    assert "theirs 1.2 cannot be imported" in invoke(None, "verify", code=4)
    assert "size, points" in invoke(None, "verify", "toy", "--all")


def test_a_project_with_papers_of_its_own_need_not_have_ours(project):
    published = project / "data" / "published"
    (published / "usvc.csv").write_text("damaged")
    listed = invoke(None, "reproduce", "--list")
    assert "usvc/table_1" in listed
    assert "l1nsvm" not in listed
    assert "overview" not in listed
    output = invoke(None, "verify", "--allow-missing", code=3)
    assert "usvc.csv has" in output
    assert "l1nsvm" not in output
    (published / "usvc.csv").unlink()
    assert "has nothing of any paper" in invoke(None, "verify", code=2)
