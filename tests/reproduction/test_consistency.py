"""What `companion verify` says of files that do not fit each other, or that cannot be read."""

import json
import os
import shutil
from functools import cache
from pathlib import Path

import pytest
from _cases import cases, refused
from _command import invoke
from _run import python

from companion._utils.errors import DamagedData, WrongSetting
from companion._utils.paths import cache_dir, own_project
from companion.reproduction import artefacts as artefacts_module
from companion.reproduction.artefacts import (
    Artefact,
    Paper,
    get_artefact,
    list_artefacts,
)
from companion.reproduction.consistency import faults_of_project, outdated_files
from companion.reproduction.reproduce import read_stored
from companion.reproduction.run import load_records
from companion.reproduction.units import Study

SETTINGS = """\
[project]
name = "toys"

[project.entry-points."companion.papers"]
toys = "toys_of_the_test:PAPERS"

[tool.companion]
"""
PAPERS = """\
from companion.reproduction import Paper

PAPERS = [Paper("toy", "A toy", "A. Nobody", "toys_of_the_test.table_1")]
"""
TABLE = """\
import pandas as pd

from companion.reproduction import Artefact, Study


def units(profile):
    return [TABLE_1.unit(i=i) for i in range(4)]


def compute(unit):
    return {"x": float(unit.params["i"])}


def values(records):
    mean = records["table_1"]["x"].mean()
    rows = [("all", "mean", mean, 4), ("all", "claim", mean - 2, 1)]
    return pd.DataFrame(
        [dict(row=r, column=c, value=v, n=n, se=0.1, converged=True) for r, c, v, n in rows]
    )


TABLE_1 = Study("toy", "table_1", units, compute)
ARTEFACTS = [Artefact("toy", "table_1", "Table 1", (TABLE_1,), values)]
"""
PRINT = """\
artefact,row,column,asks,printed,spread,spread_is,n,kind,relation,sentence,why,repeats,\
matters,where,note
table_1,all,mean,value,1.5,1.3,over draws,4,stochastic,,,,,,p. 1,
table_1,all,claim,claim,small,,,,ordinal,< 0,the mean is small,small is below 2,,,p. 2,
"""
ERRATA = """\
- paper: toy
  where: p. 1
  printed: a sum
  correct: a mean
  kind: misprint
  proof: [tests/test_toy.py::test_it_is_a_mean, notebooks/toy/table_1.ipynb]
"""
CARDS = """\
- paper: toy
  proposes: A mean.
  claim: the mean is small
  today: A mean.
  found: [{says: "It is {table_1: all / mean}."}]
"""
TIMES = "artefact,study,units,jobs,cores,seconds\ntoy/table_1,table_1,4,1,2,0.1\n"
READINGS = """\
- id: turned
  paper: toy
  kind: misprint
  changes: two rows stand exchanged
  proof: [notebooks/toy/table_1.ipynb]
  tried: "2"
"""
NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
FILES = {
    "pyproject.toml": SETTINGS,
    "toys_of_the_test/__init__.py": PAPERS,
    "toys_of_the_test/table_1.py": TABLE,
    "data/published/toy.csv": PRINT,
    "data/errata.yaml": ERRATA,
    "data/cards.yaml": CARDS,
    "data/times.csv": TIMES,
    "data/readings.yaml": READINGS,
    "notebooks/toy/table_1.ipynb": json.dumps(NOTEBOOK),
    "tests/test_toy.py": "def test_it_is_a_mean():\n    pass\n",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A project without a fault, with its records."""
    project = tmp_path_factory.mktemp("whole")
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    run = "from toys_of_the_test.table_1 import *; from companion.reproduction.run import *"
    environment = os.environ | {"COMPANION_PROJECT": str(project)}
    done = python("-c", f"{run}; load_records(TABLE_1)", cwd=project, env=environment)
    assert done.returncode == 0, done.stderr
    return project


@pytest.fixture
def project(whole, tmp_path, monkeypatch):
    """A copy of it, whose papers are those that are registered."""
    folder = tmp_path / "project"
    shutil.copytree(whole, folder)
    monkeypatch.setenv("COMPANION_PROJECT", str(folder))
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    registered(monkeypatch)
    return folder


def registered(monkeypatch):
    """Forget what was imported before, and have only the project's own papers."""
    import sys

    monkeypatch.setattr(artefacts_module, "entry_points", lambda group: [])
    monkeypatch.setattr(artefacts_module, "_faults", [])
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("_registered", "_artefacts"):
        function = getattr(artefacts_module, name).__wrapped__
        monkeypatch.setattr(artefacts_module, name, cache(function))
    for name in [name for name in sys.modules if name.startswith("toys_of_the_test")]:
        monkeypatch.delitem(sys.modules, name)


def added(text):
    return lambda path: path.write_text(path.read_text() + text)


def swapped(old, new):
    def change(path):
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return change


def test_this_project_is_consistent():
    artefacts = list_artefacts()
    assert faults_of_project(artefacts) == []
    assert outdated_files(artefacts, {}) == []


def test_a_project_without_a_fault_has_none(project):
    assert "Nothing is wrong" in invoke(None, "verify")


PUBLISHED = "data/published/toy.csv"
ERRATA_FILE = "data/errata.yaml"
PACKAGE = "toys_of_the_test/__init__.py"
MODULE = "toys_of_the_test/table_1.py"
INDEX = "data/records/index.csv"
MISSPELLED = "tabel_1,all,mode,value,1,,,,deterministic,,,,,,p. 1,\n"
STRAY = "i,x\n1,2.0\n"
#: A file, what becomes of it, what is said, and the exit code.
FAULTS = {
    "a row of no artefact": (
        PUBLISHED,
        added(MISSPELLED),
        "toy.csv: line 4: no artefact 'tabel_1'; none of table_1 has that name",
        3,
    ),
    "a main claim that is not printed": (
        "data/cards.yaml",
        swapped("is small", "is large"),
        "no claim has the main one of cards.yaml, 'the mean is large'",
        3,
    ),
    "a test that a bound names": (
        PUBLISHED,
        swapped("small is below 2", "proved by tests/test_toy.py::test_it"),
        "toy.csv: line 3: tests/test_toy.py has no test_it",
        3,
    ),
    "print of no paper": (
        "data/published/toys.csv",
        lambda path: path.write_text("x\n"),
        "toys.csv is of no paper that is registered",
        3,
    ),
    "no notebook": (
        "notebooks/toy/table_1.ipynb",
        Path.unlink,
        "the notebook of toy/table_1 is not there",
        3,
    ),
    "a test that is not there": (
        "tests/test_toy.py",
        swapped("it_is", "it_was"),
        "errata.yaml, toy, p. 1: tests/test_toy.py has no test_it_is_a_mean",
        3,
    ),
    "an erratum that nothing computes": (
        ERRATA_FILE,
        swapped("tests/test_toy.py::test_it_is_a_mean, ", ""),
        "a misprint needs a test among its proofs",
        3,
    ),
    "a reading of a paper that is not here": (
        "data/readings.yaml",
        swapped("paper: toy", "paper: toys"),
        "paper 'toys' is unknown",
        3,
    ),
    "evidence that is not there": (
        "data/deviations.yaml",
        lambda path: path.write_text(
            "- paper: toy\n  artefact: table_1\n  rows: [all]\n  columns: [mean]\n"
            "  cause: shown\n  reason: x\n  evidence: notebooks/toy/table_2.ipynb\n"
        ),
        "table_1 / all / mean: notebooks/toy/table_2.ipynb is not there",
        3,
    ),
    "a card of no paper": (
        "data/cards.yaml",
        swapped("paper: toy", "paper: toys"),
        "cards.yaml: paper 'toys' is unknown",
        3,
    ),
    "a card of a row that is not there": (
        "data/cards.yaml",
        swapped("all / mean", "all / mode"),
        "all / mode: no such row",
        1,
    ),
    "times that are none": (
        "data/times.csv",
        swapped("seconds", "hours"),
        "times.csv has 1 fault: the columns must be artefact, study",
        3,
    ),
    "a table of no study": (
        "data/records/toy/table_9.csv",
        lambda path: path.write_text(STRAY),
        "table_9.csv and its line in",
        1,
    ),
    "a line of the index that leads out": (
        INDEX,
        added(f"../../../toy/table_8,1,abc,{'0' * 64}\n"),
        "line 3: '../../../toy/table_8' is no '<paper>/<study>'",
        3,
    ),
    "a syntax error where it computes": (MODULE, added("("), "The paper toy of", 4),
    "a table that ends Python": (
        MODULE,
        added("raise SystemExit('bye')\n"),
        "cannot be imported: SystemExit: bye",
        4,
    ),
    "papers that are none": (
        PACKAGE,
        added("PAPERS = ['toy']\n"),
        "it must hold Papers alone. Got 'toy'",
        4,
    ),
    "two papers with one key": (
        PACKAGE,
        added("PAPERS *= 2\n"),
        "has the key of one of",
        4,
    ),
    "a study that leads out": (
        MODULE,
        swapped('"toy", "table_1", units', '"toy", "../../../x", units'),
        "must have letters, digits, _ and - alone",
        4,
    ),
    "settings that are no TOML": (
        "pyproject.toml",
        added("[tool"),
        "is no TOML file",
        3,
    ),
    "values that end Python": (
        MODULE,
        swapped("    mean = ", "    raise SystemExit(0)\n    mean = "),
        "no verdicts from data/records/toy/table_1.csv: SystemExit: 0",
        4,
    ),
}


@cases("what", *FAULTS)
def test_every_fault_is_named_and_has_its_exit_code(project, monkeypatch, what):
    name, change, message, code = FAULTS[what]
    change(project / name)
    registered(monkeypatch)
    output = " ".join(invoke(None, "verify", "--all", code=code).split())
    assert message in output
    assert "Traceback" not in output


@cases("words", "reproduce", "reproduce toy", "verify toy", "explain toy/table_1")
def test_the_only_paper_that_cannot_be_imported_ends_every_command(
    project, monkeypatch, words
):
    (project / PACKAGE).write_text("raise SystemExit(0)\n")
    registered(monkeypatch)
    output = invoke(None, *words.split(), code=4)
    assert "SystemExit: 0" in output
    assert "data/published" not in output


def test_a_unit_that_ends_python_is_a_failure(project, monkeypatch):
    change = swapped('    return {"x"', '    raise SystemExit(0)\n    return {"x"')
    change(project / MODULE)
    registered(monkeypatch)
    words = ("reproduce", "--profile", "paper", "--fresh")
    output = invoke(None, *words, code=4)
    assert "4 of 4 units of toy/table_1 failed" in output
    assert "SystemExit: 0" in output


def test_papers_of_other_projects_are_not_offered(project):
    for name in ("toys", "toys/table_1", "toy/table_2", "nothing"):
        error = refused(None, get_artefact, name, error=KeyError)
        assert "toy" in str(error)
        assert "gacv" not in str(error)


@cases("name", "../x", "", "a b", "x/y", ".")
def test_names_are_plain_words(name):
    message = "must have letters, digits, _ and - alone"
    refused(message, Study, "toy", name, list, dict)
    refused(message, Study, name, "table_1", list, dict)
    refused(message, Artefact, "toy", name, "A title")
    if name:
        refused(message, Paper, name, "A title", "", "nowhere")


def test_parameters_of_several_kinds_are_sorted(places):
    study = Study("toy", "mixed", lambda profile: units, compute_kind)
    values = ("a", "", 2.5, None, True)
    units = [study.unit(kind=kind, other=0) for kind in values if kind is not None]
    units += [study.unit(kind=None, other=1)]
    frame = load_records(study).frame
    assert frame["kind"].tolist() == [None, True, 2.5, "", "a"]
    assert read_stored(study).frame["x"].tolist() == frame["x"].tolist()


def compute_kind(unit):
    return {"x": str(type(unit.params["kind"]))}


def test_a_cache_of_nobody_is_a_mistake_in_the_command(project, monkeypatch):
    monkeypatch.setenv("COMPANION_CACHE", "~nosuchuser/x")
    refused("no user of that name", cache_dir, error=WrongSetting)
    output = " ".join(invoke(None, "verify", code=2).split())
    assert "COMPANION_CACHE is '~nosuchuser/x'" in output


def test_settings_that_cannot_be_read_are_named(project, monkeypatch):
    def read_text(path, **options):
        if path.name == "pyproject.toml":
            raise PermissionError(13, "Permission denied")
        return read(path, **options)

    read = Path.read_text
    monkeypatch.delenv("COMPANION_PROJECT")
    monkeypatch.chdir(project)
    monkeypatch.setattr(Path, "read_text", read_text)
    message = "pyproject.toml cannot be read .Permission denied., and it may name"
    refused(message, own_project, error=DamagedData)
    assert "cannot be read" in invoke(None, "verify", code=3)
