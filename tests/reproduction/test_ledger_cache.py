"""Ledgers kept in the cache folder: those of the present files, and of no others."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml
from _cases import cases
from _run import said

from companion._utils.files import replace_bytes
from companion.reproduction import reproduce
from companion.reproduction.artefacts import get_artefact, list_artefacts, notebook_path
from companion.reproduction.reproduce import read_ledgers, read_project

ROOT = Path(__file__).parents[2]


@pytest.fixture
def data(places):
    """The folder of the data in a project that has one paper, and of it the records of a table."""
    folder = places / "project" / "data"
    records = ("records/index.csv", "records/l1nsvm/table_1.csv")
    for name in ("published/l1nsvm.csv", "readings.yaml", *records):
        replace_bytes(folder / name, (ROOT / "data" / name).read_bytes())
    shutil.copytree(ROOT / "data" / "uci", folder / "uci")
    readings = yaml.safe_load((folder / "readings.yaml").read_text(encoding="utf-8"))
    own = [reading for reading in readings if reading["paper"] == "l1nsvm"]
    (folder / "readings.yaml").write_text(yaml.safe_dump(own))
    index = folder / "records" / "index.csv"
    header, *lines = index.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.startswith("l1nsvm/")]
    index.write_text("".join([header, *kept]), encoding="utf-8")
    return folder


@pytest.fixture
def artefacts():
    return [get_artefact("l1nsvm/table_1")]


@pytest.fixture
def compared(monkeypatch):
    """The artefacts whose values were compared, and not taken from what is kept."""
    names = []
    compare_records = reproduce.compare_records

    def counting(artefact, *given, **options):
        names.append(artefact.id)
        return compare_records(artefact, *given, **options)

    monkeypatch.setattr(reproduce, "compare_records", counting)
    return names


def test_a_second_reading_gives_the_same_without_a_comparison(
    data, artefacts, compared
):
    first, *rest = read_ledgers(artefacts)
    second, *others = read_ledgers(artefacts)
    pd.testing.assert_frame_equal(
        first["l1nsvm/table_1"], second["l1nsvm/table_1"], check_exact=True
    )
    assert (rest, compared) == (others, ["l1nsvm/table_1"])


ALL = """
import sys
from companion.reproduction.artefacts import list_artefacts
from companion.reproduction.reproduce import read_project
ledgers, gaps, failures = read_project(list_artefacts)
print(*ledgers, len(gaps["missing"]) > 0, failures, "companion.solvers" in sys.modules)
"""


def test_all_are_found_without_what_computes_them_once_there_was_no_fault(data):
    ledgers, _, failures = read_ledgers(list_artefacts())
    assert not failures
    *_, failures = read_project(list_artefacts)
    assert all(fault.endswith(" is not there") for fault in failures)
    assert len(failures) >= len(list_artefacts())
    assert said("-c", ALL).split()[-1] == "True", "a project with a fault is not kept"
    for artefact in list_artefacts():
        replace_bytes(notebook_path(artefact), b"{}")
    *_, failures = read_project(list_artefacts)
    assert not failures
    assert said("-c", ALL).split() == [*ledgers, "True", "{}", "False"]


RECORDS = "records/l1nsvm/table_1.csv"


@cases(
    "name, old, new, fault",
    (RECORDS, "", "", "have no record"),
    (RECORDS, "True", "False", "was altered"),
    ("published/l1nsvm.csv", "ordinal", "ordinary", "kind 'ordinary' is unknown"),
)
def test_nothing_is_taken_from_other_files(
    data, artefacts, compared, name, old, new, fault
):
    _, gaps, failures = read_ledgers(artefacts)
    assert not failures
    assert not gaps["missing"]
    text = (data / name).read_text()
    (data / name).unlink()
    if old:
        (data / name).write_text(text.replace(old, new, 1))
    for _ in range(2):  # what went wrong is not kept either
        _, gaps, failures = read_ledgers(artefacts)
        assert fault in "\n".join([*gaps["missing"], *failures])
