"""Typed parameters: all faults at once, before anything is computed."""

import re

import pytest
from _cases import refusals, refused

from companion.reproduction.artefacts import Artefact, Parameter, get_artefact
from companion.reproduction.notebooks import notebook_path
from companion.reproduction.parameters import (
    ParameterError,
    check_parameters,
    parameters_for,
)

PARAMETERS = (
    Parameter("profile", str, "paper", "size of the run", choices=("quick", "paper")),
    Parameter("n_draws", int, 1000, "random draws", low=1, high=10_000),
    Parameter("C", float, 1.0, "cost of slacks", low=0.0),
    Parameter("bars", bool, True, "whether to show bars"),
)
ARTEFACT = Artefact("toy", "fig_1", "A figure", parameters=PARAMETERS)
DEFAULTS = {"profile": "paper", "n_draws": 1000, "C": 1.0, "bars": True}


def test_defaults_fill_what_is_not_given():
    assert check_parameters(ARTEFACT, {}) == DEFAULTS
    found = check_parameters(ARTEFACT, {"n_draws": 5, "C": 2})
    assert found == {**DEFAULTS, "n_draws": 5, "C": 2.0}
    assert isinstance(found["C"], float)
    found = parameters_for("l1nsvm/method", C=2)
    assert (found["C"], found["distance"]) == (2.0, 5.0)
    refused(
        "'C' must be a number",
        parameters_for,
        "l1nsvm/method",
        C="2",
        error=ParameterError,
    )


def test_words_of_a_command_line_become_numbers():
    words = {"n_draws": "20", "C": "1e-2", "bars": "False", "profile": "quick"}
    checked = check_parameters(ARTEFACT, words, text=True)
    assert checked == {"n_draws": 20, "C": 0.01, "bars": False, "profile": "quick"}
    message = "'n_draws' must be a whole number"
    refused(message, check_parameters, ARTEFACT, words, error=ParameterError)


@refusals(
    ({"n_drawz": 5}, "'n_drawz' is no parameter of it: did you mean 'n_draws'?"),
    ({"zzz": 5}, "it has profile, n_draws, C, bars"),
    ({"n_draws": 0}, "'n_draws' must be a whole number from 1 to 10000. Got 0 instead"),
    ({"n_draws": 10_001}, "Got 10001 instead"),
    ({"n_draws": 5.0}, "Got 5.0 instead"),
    ({"n_draws": True}, "Got True instead"),
    ({"C": -0.5}, "'C' must be a number of at least 0.0. Got -0.5 instead"),
    ({"C": float("nan")}, "Got nan instead"),
    ({"C": float("inf")}, "Got inf instead"),
    ({"bars": 1}, "'bars' must be true or false. Got 1 instead"),
    (
        {"profile": "papper"},
        "'profile' must be one of 'quick', 'paper'. Got 'papper' instead",
    ),
)
def test_a_bad_parameter_is_refused_by_name(change, message):
    message = f"(?s)^toy/fig_1 cannot run with these parameters:.*{re.escape(message)}"
    refused(message, check_parameters, ARTEFACT, change, error=ParameterError)


def test_all_bad_parameters_are_listed_at_once():
    with pytest.raises(ParameterError) as caught:
        check_parameters(ARTEFACT, {"n_drawz": 5, "C": "much", "n_draws": 7}, text=True)
    assert len(caught.value.faults) == 2
    with pytest.raises(ParameterError, match="'C' is no parameter of it: it has none"):
        check_parameters(Artefact("toy", "t", "T"), {"C": 1})


def test_plain_papermill_is_stopped_before_anything_is_computed(tmp_path):
    papermill = pytest.importorskip("papermill")
    source = notebook_path(get_artefact("l1nsvm/table_1"))
    wrong = {"n_drawz": 5, "profile": "p"}
    output = tmp_path / "executed.ipynb"
    with pytest.raises(
        papermill.PapermillExecutionError, match="ParameterError"
    ) as caught:
        papermill.execute_notebook(
            source, output, wrong, progress_bar=False, cwd=source.parent
        )
    assert "'n_drawz' is no parameter of it" in caught.value.evalue
    assert "'profile' must be one of 'quick', 'paper'" in caught.value.evalue
    assert caught.value.exec_count == 3
