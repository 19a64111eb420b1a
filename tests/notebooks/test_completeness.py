"""Nothing is left out: every notebook, table, figure, study and published value has its test."""

import ast
import re
from copy import deepcopy
from functools import cache
from importlib import import_module

import nbformat
import papermill
import pytest
from _cases import cases

from companion._utils.paths import data_dir, notebooks_dir, project_root
from companion.papers.conformal.real_sets import SETS
from companion.papers.gacv.beyond import KEYS
from companion.papers.gacv.example import CASES, GRIDS
from companion.papers.l1nsvm.fig_1 import RULES
from companion.papers.l1nsvm.machines import SETTINGS
from companion.papers.usvc.splits import BENCHMARK_SETS, MEDICAL_SETS
from companion.papers.wrsvm.theory import LOSSES
from companion.reproduction.arrangement import fold, navigation, way_out
from companion.reproduction.artefacts import (
    list_across,
    list_artefacts,
    list_papers,
    notebook_path,
)
from companion.reproduction.codehash import code_digest
from companion.reproduction.parameters import check_parameters, read_parameters
from companion.reproduction.published import load_published
from companion.reproduction.tables import VALUES_MIME

NOTEBOOKS = sorted(notebooks_dir().rglob("*.ipynb"))
PRINTED = {artefact.id for artefact in list_artefacts() if artefact.values is not None}
ARTEFACTS = {artefact.id: artefact for artefact in list_artefacts() + list_across()}
METHODS = [name for name in ARTEFACTS if name.endswith("/method")]


@cache
def read(path):
    return nbformat.read(path, as_version=4)


def test_every_notebook_belongs_to_an_artefact_and_every_artefact_has_its_notebook():
    assert {notebook_path(artefact) for artefact in ARTEFACTS.values()} == set(
        NOTEBOOKS
    )


def test_every_notebook_is_compared_by_nbval(pytestconfig):
    """`make test` calls plain ``pytest``, which hands notebooks to nbval."""
    assert pytestconfig.getoption("nbval")
    assert project_root() / "notebooks" == notebooks_dir()
    assert "notebooks" in pytestconfig.getini("testpaths")


def test_every_printed_table_and_figure_has_an_artefact():
    published = {
        paper: load_published(paper)["artefact"].unique() for paper in list_papers()
    }
    assert {
        f"{paper}/{name}" for paper, names in published.items() for name in names
    } == PRINTED
    assert {path.stem for path in (data_dir() / "published").glob("*.csv")} == set(
        list_papers()
    )


@cases("path", *NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_notebooks_are_executed_compared_and_print_nothing_of_this_machine(
    path,
):
    for cell in (cell for cell in read(path).cells if cell.cell_type == "code"):
        tags = set(cell.metadata.get("tags", []))
        assert (cell.execution_count is None) == ("skip-execution" in tags)
        marked = "NBVAL" in cell.source or any(tag.startswith("nbval") for tag in tags)
        for output in cell.outputs:
            assert not (marked and VALUES_MIME in output.get("data", {})), cell.source
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text
            text = output.get("text", "") + str(
                output.get("data", {}).get("text/plain", "")
            )
            assert str(project_root()) not in text
            assert not re.search(r"\b0x[0-9a-f]{6,}", text)


#: Words of the rules, which a reader of a notebook need not know.
OLD_WORDS = re.compile(
    r"\b(as read|on record|would see|listed|conjectures?|matters)\b", re.IGNORECASE
)


@cases("path", *NOTEBOOKS, ids=lambda path: path.stem)
def test_no_sentence_has_words_of_the_rules(path):
    """But for what is folded."""
    texts = []
    for cell in read(path).cells:
        outputs = cell.get("outputs", [])
        texts += [cell.source, *(output.get("text", "") for output in outputs)]
        texts += [o.get("data", {}).get("text/markdown", "") for o in outputs]
    shown = re.sub(r"(?s)<details>.*?</details>", "", "\n".join(texts))
    assert OLD_WORDS.findall(shown) == []


@cases("name", *ARTEFACTS)
def test_papermill_sees_the_parameters_that_the_command_checks(name):
    path = notebook_path(ARTEFACTS[name])
    seen = papermill.inspect_notebook(str(path)).values()
    declared = read_parameters(path)
    assert [(p["name"], p["inferred_type_name"]) for p in seen] == [
        (p.name, p.type.__name__) for p in declared.values()
    ]
    defaults = {p["name"]: ast.literal_eval(p["default"]) for p in seen}
    assert defaults
    assert check_parameters(name, declared, defaults) == check_parameters(
        name, declared, {}
    )


#: What the papers know of the values that a parameter may have.
KNOWN = {
    ("l1nsvm/fig_1", "rule"): RULES,
    ("l1nsvm/table_2", "dataset"): SETTINGS,
    ("gacv/inefficiency", "grid"): GRIDS,
    ("gacv/fig_2", "case"): CASES,
    ("gacv/beyond", "dataset"): KEYS,
    ("usvc/table_2", "dataset"): BENCHMARK_SETS,
    ("usvc/table_3", "dataset"): BENCHMARK_SETS,
    ("usvc/table_4", "dataset"): MEDICAL_SETS,
    ("wrsvm/theory", "loss"): LOSSES,
    ("conformal/real_sets", "data_set"): SETS,
    ("conformal/criterion", "data_set"): SETS,
}


@cases("name, parameter", *KNOWN)
def test_the_choices_are_what_the_paper_has(name, parameter):
    declared = read_parameters(notebook_path(ARTEFACTS[name]))[parameter]
    assert {*declared.choices} == {*KNOWN[name, parameter]}


@cases("name", *ARTEFACTS)
def test_notebooks_carry_a_stamp_of_what_they_were_made_from_and_a_table_with_its_numbers(
    name,
):
    artefact = ARTEFACTS[name]
    notebook = read(notebook_path(artefact))
    stamp = notebook.metadata["companion"]
    assert stamp["artefact"] == artefact.id
    assert stamp["code"] == {
        study.name: code_digest(study.compute) for study in artefact.studies
    }
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert name in {*METHODS, "tour"} or any(
        VALUES_MIME in output.get("data", {}) for output in outputs
    )


@cases("name", *ARTEFACTS)
def test_titles_and_the_way_to_the_next_notebook_are_the_registered_ones(name):
    cells = read(notebook_path(ARTEFACTS[name])).cells
    artefact = ARTEFACTS[name]
    assert cells[0].source.startswith(f"# {artefact.title}\n")
    tagged = [
        cell.source for cell in cells if "navigation" in cell.metadata.get("tags", [])
    ]
    assert tagged == list(filter(None, [navigation(artefact)]))
    assert not tagged or tagged == [cells[-1].source]


@cases("name", *ARTEFACTS)
def test_the_first_cell_leads_to_paper_method_code_and_the_nearest_in_scikit_learn(
    name,
):
    text = way_out(ARTEFACTS[name])
    assert read(notebook_path(ARTEFACTS[name])).cells[0].source.endswith(text)
    if name in PRINTED:
        assert re.search(
            r"\[the paper\]\(https://.*\[its method\].*scikit-learn's nearest", text
        )
        assert re.search(r"code: .*/companion/reproduction/regenerate\.py\)", text)


@cases("name", *list_papers())
def test_the_nearest_in_scikit_learn_is_there(name):
    module, _, nearest = list_papers()[name].alike.rpartition(".")
    assert callable(getattr(import_module(module), nearest))


def anchors(path):
    """What a page of Jupyter calls its headings."""
    lines = [line for cell in read(path).cells for line in cell.source.splitlines()]
    return {
        line.lstrip("# ").replace(" ", "-") for line in lines if line.startswith("#")
    }


@cases("path", *NOTEBOOKS, ids=lambda path: path.stem)
def test_links_lead_to_files_and_headings_that_are_there(path):
    texts = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    pattern = r"\]\(((?:[^()\s]|\([^()\s]*\))+)\)"
    for link in re.findall(pattern, "\n".join(texts)):
        if link.startswith("https://"):
            continue
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        assert target.is_file(), link
        assert not anchor or target.suffix == ".md" or anchor in anchors(target), link


@cases("path", *NOTEBOOKS, ids=lambda path: path.stem)
def test_a_picture_stands_near_the_top_and_the_page_is_no_wall(path):
    notebook = read(path)
    assert len(notebook.cells) <= 30
    folded = deepcopy(notebook)
    fold(folded)
    assert [c.metadata.get("jupyter") for c in folded.cells] == [
        c.metadata.get("jupyter") for c in notebook.cells
    ]
    n_lines = 0
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        shown = str([output.get("data", {}) for output in cell.outputs])
        if not cell.metadata.get("jupyter", {}).get("source_hidden"):
            n_lines += len(list(filter(None, cell.source.splitlines())))
        if "image/png" in shown or "companion-sliders" in shown:
            break
    else:
        pytest.fail("There is no figure.")
    assert n_lines <= 15


@cases("path", *NOTEBOOKS, ids=lambda path: path.stem)
def test_every_figure_has_a_text_alternative_and_a_title_with_a_number(path):
    for cell in read(path).cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                alt = output.metadata["image/png"]["alt"]
                assert len(alt) > 40, cell.source
                title = re.search(
                    r"Title: (.*?)(?:\. (?:Axes|Along|Drawn|Texts)|$)", alt
                )
                assert title, cell.source
                assert re.search(r"\d", title[1]), title[1]
                assert len(title[1].split()) > 3, title[1]


@pytest.mark.slow
def test_a_number_that_moved_fails_where_its_print_did_not(pytester):
    value = 0.1234567890123456
    code = (
        "from IPython.display import display\n"
        f"display({{'text/plain': '0.12', {VALUES_MIME!r}: {{'x': [{value!r}]}}}}, raw=True)"
    )
    cells = []
    for factor in (1 + 1e-12, 1 + 1e-6):  # rounding, and another number
        data = {"text/plain": "0.12", VALUES_MIME: {"x": [value * factor]}}
        output = nbformat.v4.new_output("display_data", data=data)
        cell = nbformat.v4.new_code_cell(code, execution_count=1, outputs=[output])
        cells.append(cell)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), pytester.path / "one.ipynb")
    pytester.makeconftest('pytest_plugins = ["companion.reproduction.nbval_values"]')
    options = ("--nbval", "--nbval-current-env", "one.ipynb")
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(passed=1, failed=1)
    message = "*numbers behind a table differ at tables*x*committed*"
    result.stdout.fnmatch_lines([message])


def test_answers_to_exercises_are_folded_up():
    """With what they print: a reader is to predict first."""
    n_answers = 0
    for name in METHODS:
        asked = False
        for cell in read(notebook_path(ARTEFACTS[name])).cells:
            if cell.cell_type == "markdown" and re.search("^## ", cell.source, re.M):
                asked = "## Predict, then run" in cell.source
            elif cell.cell_type == "code" and asked:
                folded = {"source_hidden": True, "outputs_hidden": True}
                assert cell.metadata.get("jupyter") == folded, cell.source
                n_answers += 1
    assert n_answers >= 2 * len(METHODS)
