"""nbval compares the numbers behind tables by value, as the conftest of the project tells it."""

import nbformat
import pytest

from companion._paths import project_root
from companion.reproduction.artefacts import list_across, list_artefacts
from companion.reproduction.display import VALUES_MIME
from companion.reproduction.notebooks import notebook_path

ARTEFACTS = list_artefacts() + list_across()


@pytest.mark.parametrize("artefact", ARTEFACTS, ids=lambda artefact: artefact.id)
def test_every_notebook_shows_a_table_that_carries_its_numbers(artefact):
    notebook = nbformat.read(notebook_path(artefact), as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any(VALUES_MIME in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize(
    ("factor", "passed"), [(1.0, 1), (1 + 1e-12, 1), (1 + 1e-6, 0)], ids=["same", "rounding", "off"]
)
def test_a_number_that_moved_fails_where_its_print_did_not(pytester, factor, passed):
    value = 0.1234567890123456
    code = (
        "from IPython.display import display\n"
        f"display({{'text/plain': '0.12', {VALUES_MIME!r}: {{'x': [{value!r}]}}}}, raw=True)"
    )
    data = {"text/plain": "0.12", VALUES_MIME: {"x": [value * factor]}}
    output = nbformat.v4.new_output("display_data", data=data)
    cell = nbformat.v4.new_code_cell(code, execution_count=1, outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), pytester.path / "one.ipynb")
    pytester.makeconftest((project_root() / "conftest.py").read_text(encoding="utf-8"))
    result = pytester.runpytest_subprocess("--nbval", "--nbval-current-env", "one.ipynb")
    result.assert_outcomes(passed=passed, failed=1 - passed)
    if not passed:
        result.stdout.fnmatch_lines(["*numbers behind a table differ at tables*x*committed*"])
