"""Typed parameters: all faults at once, before anything is computed."""

import math
import re
from functools import partial

import nbformat
import pytest
from _cases import cases, refusals, refused

from companion.reproduction.artefacts import get_artefact, notebook_path
from companion.reproduction.parameters import (
    ParameterError,
    check_parameters,
    parameters_for,
    read_parameters,
)

CELL = """\
profile: str = "paper"  # size of the run: quick or paper
n_draws: int = 1000  # random draws, 1 to 10000

C: float = 1.0  # cost of slacks, at least 0
margin: float = -1.0  # where it is cut: off, at most 0.5
case: float = 0.5  # share of one, of two: 0, 0.5 or 1
bars: bool = True  # whether to show bars"""
DEFAULTS = {
    "profile": "paper",
    "n_draws": 1000,
    "C": 1.0,
    "margin": -1.0,
    "case": 0.5,
    "bars": True,
}


def declared_by(folder, source):
    """The parameters of a notebook with this parameters cell."""
    tags = {"tags": ["parameters"]}
    cell = nbformat.v4.new_code_cell(source, metadata=tags)
    path = folder / "fig_1.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    return read_parameters(path)


@pytest.fixture
def check(tmp_path):
    return partial(check_parameters, "toy/fig_1", declared_by(tmp_path, CELL))


def test_a_line_declares_type_default_help_and_limits(tmp_path):
    declared = declared_by(tmp_path, CELL)
    fields = [(p.type, p.help, p.choices, p.low, p.high) for p in declared.values()]
    inf = math.inf
    assert fields == [
        (str, "size of the run", ("quick", "paper"), -inf, inf),
        (int, "random draws, 1 to 10000", None, 1, 10_000),
        (float, "cost of slacks, at least 0", None, 0.0, inf),
        (float, "where it is cut: off, at most 0.5", None, -inf, 0.5),
        (float, "share of one, of two", (0.0, 0.5, 1.0), -inf, inf),
        (bool, "whether to show bars", None, -inf, inf),
    ]


@cases(
    "line",
    "n = 3",
    "n: int = 3",
    "n: list = []  # some",
    "n: int = 3; n = 4  # a count",
    "print(n_draws)",
    "n: int = x  # a count",
    "n: int = None  # a count",
    "n: int = 99  # a count, 1 to 50",
    "n: str = 'c'  # which: a or b",
    "n: int = 3  # 1 to 50 draws",
    "x: float = 0.5  # a share, at least 0 and at most 1",
)
def test_a_line_that_declares_nothing_is_told_with_what_to_write(tmp_path, line):
    text = f"{CELL}\n{line}"
    *_, fault = refused(None, declared_by, tmp_path, text, error=ParameterError).faults
    assert fault.startswith(f"{line!r} declares none: write `name: type = default")


def test_of_two_cells_of_parameters_neither_is_read(tmp_path):
    path = tmp_path / "fig_1.ipynb"
    tags = {"tags": ["parameters"]}
    cells = [nbformat.v4.new_code_cell(CELL, metadata=tags) for _ in range(2)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    message = "2 cells are tagged `parameters`: make them one"
    refused(message, read_parameters, path, error=ParameterError)


def test_defaults_fill_what_is_not_given(check):
    assert check({}) == DEFAULTS
    found = check({"n_draws": 5, "C": 2})
    assert found == {**DEFAULTS, "n_draws": 5, "C": 2.0}
    assert isinstance(found["C"], float)
    found = parameters_for("l1nsvm/method", C=2)
    assert (found["C"], found["distance"]) == (2.0, 10.0)
    refused(
        "'C' must be a number",
        parameters_for,
        "l1nsvm/method",
        C="2",
        error=ParameterError,
    )


def test_words_of_a_command_line_become_numbers(check):
    words = {"n_draws": "20", "C": "1e-2", "bars": "False", "profile": "quick"}
    numbers = {"n_draws": 20, "C": 0.01, "bars": False, "profile": "quick"}
    assert check(words, text=True) == {**DEFAULTS, **numbers}
    message = "'n_draws' must be a whole number"
    refused(message, check, words, error=ParameterError)


@refusals(
    ({"n_drawz": 5}, "'n_drawz' is no parameter of it: did you mean 'n_draws'?"),
    ({"zzz": 5}, "it has profile, n_draws, C, margin, case, bars"),
    ({"n_draws": 0}, "'n_draws' must be a whole number from 1 to 10000. Got 0 instead"),
    ({"n_draws": 5.0}, "Got 5.0 instead"),
    ({"n_draws": True}, "Got True instead"),
    ({"C": -0.5}, "'C' must be a number of at least 0.0. Got -0.5 instead"),
    ({"margin": 1.0}, "'margin' must be a number of at most 0.5. Got 1.0 instead"),
    ({"case": 0.25}, "'case' must be one of 0.0, 0.5, 1.0. Got 0.25 instead"),
    ({"C": float("inf")}, "Got inf instead"),
    ({"bars": 1}, "'bars' must be true or false. Got 1 instead"),
)
def test_a_bad_parameter_is_refused_by_name(check, change, message):
    message = f"(?s)^toy/fig_1 cannot run with these parameters:.*{re.escape(message)}"
    refused(message, check, change, error=ParameterError)


def test_all_bad_parameters_are_listed_at_once(check):
    wrong = {"n_drawz": 5, "C": "much", "n_draws": 7}
    assert len(refused(None, check, wrong, text=True, error=ParameterError).faults) == 2
    message = "'C' is no parameter of it: it has none"
    refused(message, check_parameters, "toy/t", {}, {"C": 1}, error=ParameterError)


def test_without_its_notebook_nothing_is_declared_and_all_is_taken(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("COMPANION_PROJECT", str(tmp_path))
    assert parameters_for("l1nsvm/table_2", profile="quick") == {"profile": "quick"}


@pytest.mark.slow
def test_plain_papermill_is_stopped_before_anything_is_computed(tmp_path):
    papermill = pytest.importorskip("papermill")
    source = notebook_path(get_artefact("l1nsvm/table_1"))
    wrong = {"n_drawz": 5, "profile": "p"}
    output = tmp_path / "executed.ipynb"
    run = partial(papermill.execute_notebook, progress_bar=False, cwd=source.parent)
    error = papermill.PapermillExecutionError
    stopped = refused("ParameterError", run, source, output, wrong, error=error)
    assert "'n_drawz' is no parameter of it" in stopped.evalue
    assert "'profile' must be one of 'quick', 'paper'" in stopped.evalue
    assert stopped.exec_count == 3
