"""Second layer over nbval: the numbers of every table, compared by value.

nbval compares the printed digits. Here each notebook is executed once more and the numbers behind
its tables, at full precision, are compared with those committed.
"""

import math

import nbformat
import pytest
from _ahead import ahead

from companion.reproduction.artefacts import list_across, list_artefacts
from companion.reproduction.display import VALUES_MIME
from companion.reproduction.notebooks import notebook_path, notebook_surroundings, run_notebook
from companion.reproduction.parameters import check_parameters

ARTEFACTS = list_artefacts() + list_across()


def tables(notebook):
    """Numbers of every table of a notebook, in order."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if VALUES_MIME in output.get("data", {}):
                found.append(output["data"][VALUES_MIME])
    return found


def assert_same(published, again, where):
    if isinstance(published, float) or isinstance(again, float):
        # Means and standard errors of the same records: other order of summation, nothing else.
        assert math.isclose(published, again, rel_tol=1e-9, abs_tol=1e-12), where
    elif isinstance(published, dict):
        assert published.keys() == again.keys(), where
        for name, value in published.items():
            assert_same(value, again[name], f"{where} / {name}")
    elif isinstance(published, list):
        assert len(published) == len(again), where
        for number, (one, other) in enumerate(zip(published, again, strict=True)):
            assert_same(one, other, f"{where} [{number}]")
    else:
        assert published == again, where


@pytest.fixture(scope="module")
def executed(request, tmp_path_factory):
    """Waits for the report on an artefact's notebook and the path of what it gave."""

    def run(artefact):
        output = tmp_path_factory.mktemp("again") / "notebook.ipynb"
        return run_notebook(artefact, output, check_parameters(artefact, {})), output

    with notebook_surroundings(), ahead(run, request, "artefact") as wait:
        yield wait


@pytest.mark.parametrize("artefact", ARTEFACTS, ids=lambda artefact: artefact.id)
def test_the_numbers_of_every_table_are_those_committed(artefact, executed):
    committed = tables(nbformat.read(notebook_path(artefact), as_version=4))
    assert committed, "the notebook shows no table that carries its numbers"
    report, output = executed(artefact.id)
    assert report.ok, str(report)
    assert_same(committed, tables(nbformat.read(output, as_version=4)), artefact.id)


def test_a_changed_number_is_noticed():
    with pytest.raises(AssertionError, match="a / x"):
        assert_same({"x": 1.0}, {"x": 1.0 + 1e-6}, "a")
    with pytest.raises(AssertionError):
        assert_same([1, 2], [1], "a")
