"""Nothing is left out: every notebook, table, figure, study and published value has its test."""

import ast
import re
from copy import deepcopy
from functools import cache
from importlib import import_module

import nbformat
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
from companion.reproduction import VALUES_MIME
from companion.reproduction.artefacts import (
    list_across,
    list_artefacts,
    list_papers,
    notebook_path,
)
from companion.reproduction.notebooks import fold, navigation, way_out
from companion.reproduction.parameters import check_parameters, read_parameters
from companion.reproduction.published import load_published

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


@cases("path", *NOTEBOOKS, ids=lambda path: path.stem)
def test_no_cell_is_there_twice(path):
    sources = [cell.source for cell in read(path).cells]
    assert sorted({*sources}) == sorted(sources)


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
def test_the_defaults_of_parameters_are_such_as_the_command_takes(name):
    declared = read_parameters(notebook_path(ARTEFACTS[name]))
    defaults = {p.name: p.default for p in declared.values()}
    assert defaults
    assert check_parameters(name, declared, defaults) == defaults


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
    ("conformal/beyond", "data_set"): SETS,
}


@cases("name, parameter", *KNOWN)
def test_the_choices_are_what_the_paper_has(name, parameter):
    declared = read_parameters(notebook_path(ARTEFACTS[name]))[parameter]
    assert {*declared.choices} == {*KNOWN[name, parameter]}


@cases("name", *ARTEFACTS)
def test_notebooks_have_a_table_with_its_numbers(name):
    notebook = read(notebook_path(ARTEFACTS[name]))
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


def has_picture(cell):
    shown = str([output.get("data", {}) for output in cell.get("outputs", [])])
    return "image/png" in shown or "companion-sliders" in shown


def up_to_the_first_picture(path):
    """The cells of a notebook, with that of the first picture; without parameters."""
    cells = read(path).cells
    drawn = next((k for k, cell in enumerate(cells) if has_picture(cell)), None)
    assert drawn is not None, "There is no figure."
    tagged = [(cell, cell.metadata.get("tags", [])) for cell in cells[: drawn + 1]]
    return [cell for cell, tags in tagged if "parameters" not in tags]


@cases("path", *NOTEBOOKS, ids=lambda path: path.stem)
def test_a_picture_stands_near_the_top_and_the_page_is_no_wall(path):
    """Where nothing folds: on a code host hidden source is read as well."""
    assert len(read(path).cells) <= 30
    cells = up_to_the_first_picture(path)
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    lines = [line for line in "\n".join(sources).splitlines() if line.strip()]
    assert len(lines) <= 15


@cases("path", *NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_folded_is_what_the_tags_say(path):
    folded = deepcopy(read(path))
    fold(folded)
    assert [c.metadata.get("jupyter") for c in folded.cells] == [
        c.metadata.get("jupyter") for c in read(path).cells
    ]


def nodes_and_lines(source):
    """Expressions and statements of a cell and its lines of code, without docstrings."""
    code = [line for line in source.splitlines() if not line.startswith(("%", "!"))]
    tree = ast.parse("\n".join(code))
    nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.expr, ast.stmt))]
    texts = [n.body[0] for n in nodes if hasattr(n, "name") and ast.get_docstring(n)]
    lines = [line for line in code if line.strip() and line.strip()[0] != "#"]
    n_said = sum(text.end_lineno - text.lineno + 1 for text in texts)
    return len(nodes) - 2 * len(texts), len(lines) - n_said


def test_the_code_of_notebooks_is_not_packed():
    cells = [cell for path in NOTEBOOKS for cell in read(path).cells]
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    nodes, lines = map(sum, zip(*map(nodes_and_lines, code), strict=True))
    assert nodes / lines <= 6.5


@cases("name", *(name for name in ARTEFACTS if ARTEFACTS[name].paper))
def test_what_came_out_stands_before_the_first_picture(name):
    """Sentences of its study, or the card of its paper."""
    shows = "show_card("
    if name not in METHODS:
        assert ARTEFACTS[name].what_came_out is not None
        shows = ".what_came_out()"
    cells = up_to_the_first_picture(notebook_path(ARTEFACTS[name]))
    (shown,) = [cell for cell in cells if shows in cell.source]
    texts = [output.get("data", {}).get("text/markdown") for output in shown.outputs]
    assert any(texts)


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


@pytest.mark.slow
def test_a_cell_that_was_to_raise_and_does_not_fails_whether_compared_or_not(pytester):
    cells = []
    for source in ("1 / 0", "pass", "pass  # ignored"):
        cell = nbformat.v4.new_code_cell(source, execution_count=1)
        cell.metadata["tags"] = ["raises-exception"]
        cells.append(cell)
    error = {"ename": "ZeroDivisionError", "evalue": "division by zero"}
    cells[0].outputs = [nbformat.v4.new_output("error", traceback=[], **error)]
    cells[2].metadata["tags"].append("nbval-ignore-output")
    nbformat.write(nbformat.v4.new_notebook(cells=cells), pytester.path / "one.ipynb")
    pytester.makeconftest('pytest_plugins = ["companion.reproduction.nbval_values"]')
    options = ("--nbval", "--nbval-current-env", "one.ipynb")
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*It is tagged raises-exception and raised none*"])


def answers(cell):
    """How many answers to exercises a cell has, closed in its text or behind a call."""
    if cell.cell_type == "markdown":
        return cell.source.count("<details>")
    *before, last = cell.source.splitlines()
    assert all(line.startswith(("from ", "import ")) for line in before if line)
    assert re.fullmatch(r"(\w+\.)?solution\(\d+\)", last), cell.source
    return 1


@cases("name", *METHODS)
def test_answers_to_exercises_are_not_seen_at_once(name):
    """Also where no cell folds: a reader is to predict first."""
    n_answers = 0
    asked = False
    for cell in read(notebook_path(ARTEFACTS[name])).cells:
        if cell.cell_type == "markdown" and re.search("^## ", cell.source, re.M):
            asked = "## Predict, then run" in cell.source
        if asked:
            n_answers += answers(cell)
    assert n_answers >= 2
