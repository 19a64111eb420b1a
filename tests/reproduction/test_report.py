"""The static site: what its pages show, that every link holds, and that nothing is fetched."""

import json
import re
from importlib import import_module
from xml.etree import ElementTree

import jsonschema
import nbformat
import pandas as pd
import pytest
import yaml
from _cases import refused
from _command import invoke
from _pages import faults_of, read_pages
from bs4 import BeautifulSoup

from companion.reproduction.artefacts import (
    Artefact,
    list_across,
    list_artefacts,
    list_papers,
    notebook_path,
)
from companion.reproduction.declared import load_deviations
from companion.reproduction.display import departures_first, verdict_table
from companion.reproduction.report import ReportError, build, build_report, content
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.scores import (
    NOT_SCORED,
    NUMBER_PARTS,
    SENTENCE_PARTS,
    SIGNS,
    joint_lines,
    score,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(site):
    """The parsed pages by name, such as ``ledger``."""
    found = read_pages(site.folder)
    return {
        str(path.relative_to(site.folder))[:-5]: page for path, page in found.items()
    }


@pytest.fixture(scope="module")
def ledgers():
    return read_ledgers(list_artefacts(), "paper")[0]


NAMES = "anchor row column printed where reproduced distance support would_see n asks part outcome"
NAMES = [*NAMES.split(), "as_read", "status", "reason", "remarks", "number"]


@pytest.fixture(scope="module")
def rows(site):
    """The rows of the ledger: paper, artefact, number in it, and what there is by its name."""
    texts = [site.read(f"ledger/{paper}.js").strip() for paper in list_papers()]
    return [
        (data["paper"], artefact, row[-1], dict(zip(NAMES, row, strict=True)))
        for data in (json.loads(t.removeprefix("companionLedger(")[:-2]) for t in texts)
        for artefact in data["artefacts"]
        for row in artefact["rows"]
    ]


def all_artefacts():
    return [
        a for a in [*list_across(), *list_artefacts()] if notebook_path(a).is_file()
    ]


# -- the built site -------------------------------------------------------------------------


def test_the_site_builds_without_a_warning(site):
    assert site.code == 0, site.err + site.out
    *_, summary, index = site.out.strip().splitlines()
    assert index == f"The site: {site.folder / 'index.html'}"
    assert re.fullmatch(r"\d+ pages in \d+ s, 0 faults", summary)
    assert [path.name for path in site.folder.parent.iterdir()] == [site.folder.name]


def test_every_link_holds_nothing_comes_from_elsewhere_and_formulas_are_mathml(
    site, pages, rows
):
    faults = faults_of(
        site.folder, {site.folder / f"{k}.html": v for k, v in pages.items()}
    )
    made = {
        f"ledger.html#{a['slug']}-{n}: no such anchor" for _, a, n, _ in rows
    }  # by its script
    assert [fault for fault in faults if fault[1] not in made] == []
    assert sum(len(page.find_all("math")) for page in pages.values()) > 100
    for name, page in pages.items():
        lost = [tag.text for tag in page.select(".xref") if not tag.find_parent("a")]
        assert not (name.startswith("notebooks/") and lost), (name, lost)
        assert not page.find("merror") and "\\frac" not in page.text, name
        assert not page.find("script", src=re.compile("mathjax")), name


def test_every_notebook_is_a_page_with_its_figures_and_their_text_alternatives(pages):
    for artefact in all_artefacts():
        notebook = nbformat.read(notebook_path(artefact), as_version=4)
        outputs = [
            output for cell in notebook.cells for output in cell.get("outputs", [])
        ]
        drawn = sum("image/png" in output.get("data", {}) for output in outputs)
        images = pages[f"notebooks/{artefact.id}"].select(".cell_output img")
        images = [
            image
            for image in images
            if not image.find_parent(class_="companion-sliders")
        ]
        alts = {image["alt"] for image in images}
        assert len(images) == len(alts) == drawn, artefact.id
        assert all(
            len(alt) > 40 and "$" not in alt and "\\" not in alt for alt in alts
        ), alts


def test_the_ledger_has_the_rows_of_the_verdicts_with_their_texts(pages, rows, ledgers):
    order = json.loads(pages["ledger"].find(id="ledger")["data-order"])
    assert (order[0], order[-1]) == ("fails, unexplained", "not scored")
    expected = []
    counts = list(SIGNS)
    for name, ledger in ledgers.items():
        lines = departures_first(ledger).to_dict("records")
        texts = verdict_table(ledger).rows
        for line, text in zip(lines, texts, strict=True):
            part = line["counts_as"] or NOT_SCORED
            outcome = line["outcome"]
            expected.append(
                (line["paper"], name, part, line["asks"], *text[:8], outcome)
            )
    columns = ["asks", *NAMES[1:4], *NAMES[5:10], "outcome"]
    found = [
        (p, a["id"], counts[r["part"]], *(r[c] for c in columns)) for p, a, _, r in rows
    ]
    assert found == expected


def test_rows_lead_to_their_values_and_declared_deviations_to_their_reasons_and_back(
    pages, rows
):
    reasons = load_deviations()
    blocks = {tag["id"]: tag for tag in pages["deviations"].find_all(id=True)}
    lines = {}
    for name in {artefact["id"] for _, artefact, *_ in rows}:
        found = pages[f"notebooks/{name}"].find_all("tr", id=True)
        lines[name] = {tag["id"]: tag for tag in found}
    n_declared = 0
    for paper, artefact, number, row in rows:
        name = artefact["id"]
        assert lines[name][row["anchor"]].td.text == row["row"]
        if "explained" in list(SIGNS)[row["part"]]:
            text, first = artefact["reasons"][row["reason"]]
            assert (
                text
                == reasons[paper, name.split("/")[1], row["row"], row["column"]].reason
            )
            block = blocks[f"reason-{artefact['slug']}-{first}"]
            assert block.find("a", href=f"ledger.html#{artefact['slug']}-{number}")
            n_declared += 1
    assert n_declared > 50


def test_the_verdicts_of_a_notebook_have_the_signs_of_the_ledger(pages, rows):
    signs = list(SIGNS.values())
    for name in ("usvc/table_1", "l1nsvm/table_2"):
        lines = pages[f"notebooks/{name}"].select("table:not(.printed) tr:has(.sign)")
        texts = [
            [line.find(class_="sign").text, *(c.text for c in line("td"))]
            for line in lines
        ]
        shown = {
            (row, column): sign
            for sign, row, column, *_ in texts
            if column != "verdict"
        }
        of_table = [row for _, artefact, _, row in rows if artefact["id"] == name]
        expected = {(row["row"], row["column"]): signs[row["part"]] for row in of_table}
        assert shown == expected
        mixed = [
            cell for line in lines for cell in line("td") if "±: differs" in cell.text
        ]
        assert all(cell.find(class_="sign").text in "≠✗·" for cell in mixed)
        folded = pages[f"notebooks/{name}"].select(".tag_hide-input details.hide pre")
        assert any("import matplotlib" in code.text for code in folded)


def test_what_stands_beside_the_pages_is_whole_and_valid(site, ledgers):
    schema, written = (
        json.loads(site.read(f"ledger{end}.json")) for end in (".schema", "")
    )
    jsonschema.validate(written, schema)
    assert len(written) == sum(map(len, ledgers.values()))
    wrong = [written[0] | {"outcome": "perhaps"}]
    error = jsonschema.ValidationError
    refused("perhaps", jsonschema.validate, wrong, schema, error=error)
    graph = json.loads(site.read("ro-crate-metadata.json"))["@graph"]
    crate = {item["@id"]: item for item in graph}
    files = {part["@id"] for part in crate["./"]["hasPart"]}
    files |= {
        entry["file"]
        for entry in yaml.safe_load(site.read("codecheck.yml"))["manifest"]
    }
    assert files <= set(crate)
    assert all((site.folder / name).is_file() for name in files)
    assert {
        "ledger.csv",
        "records/usvc/table_1.csv",
        "notebooks/usvc/table_1.ipynb",
    } <= files
    for name in list_papers():
        names = [of for of in ledgers if of.startswith(f"{name}/")]
        numbers = score(pd.concat(ledgers[of] for of in names))["numbers"]
        badge = ElementTree.fromstring(site.read(f"ledger/{name}.svg"))
        label = f"consistent {numbers['consistent']} of {numbers['all']}"
        assert badge.get("aria-label").endswith(label)


def test_the_landing_page_has_the_score_of_each_paper(pages, ledgers):
    whole = {}
    for name, ledger in ledgers.items():
        whole.setdefault(name.partition("/")[0], []).append(ledger)
    tables = pages["index"].select("table.verdict-counts")
    for table, kind, parts in zip(
        tables, ("numbers", "sentences"), (NUMBER_PARTS, SENTENCE_PARTS), strict=True
    ):
        shown = table.select("tbody tr")
        for line, (paper, of_paper) in zip(shown, whole.items(), strict=True):
            counts = score(pd.concat(of_paper))[kind]
            cells = {cell["data-label"]: cell.text for cell in line.find_all("td")[1:]}
            for part in ("all", *parts):
                assert cells[part] == str(counts[part])
            linked = [link.text for link in line.select("td a")]
            rows = [str(counts[part]) for part in parts if counts[part]]
            assert linked == (rows if kind == "numbers" else [])
            label = [f"{paper}: {counts['all']} {kind}"]
            label += [f"{part} {counts[part]}" for part in parts if counts[part]]
            assert line.find(role="img", attrs={"aria-label": ", ".join(label)})


def test_a_table_is_judged_as_a_whole_above_its_cells(pages, ledgers):
    for name in ("usvc/table_3", "l1nsvm/table_2"):
        summary = pages[f"notebooks/{name}"].select(".artefact-summary details li")
        assert [line.text.rstrip(".") for line in summary] == joint_lines(ledgers[name])
        assert summary


def test_the_reference_describes_every_public_name(pages):
    modules = [name[4:] for name in pages if name.startswith("api/companion")]
    assert {"companion", "companion.solvers", "companion.reproduction.display"} <= set(
        modules
    )
    apis = [page for name, page in pages.items() if name.startswith("api/")]
    ids = {tag["id"] for page in apis for tag in page.find_all(id=True)}
    top = import_module("companion")
    for name in modules:
        module = import_module(name)
        for public in filter(
            lambda public: callable(getattr(module, public)), module.__all__
        ):
            assert f"{'companion' if public in top.__all__ else name}.{public}" in ids
    for name in set(top.__all__) - {"__version__"}:
        assert ">>> from companion import" in pages[f"api/estimators/{name}"].text
        methods = (
            ("fit", "predict", "decision_function")
            if name.endswith("SVC")
            else ("fit",)
        )
        assert {f"companion.{name}.{method}" for method in methods} <= ids
        assert f"companion.{name}.set_params" not in ids, "inherited from scikit-learn"


# -- the command ----------------------------------------------------------------------------


def test_the_site_of_a_quick_run_has_the_verdicts_on_record_with_its_own_beside(
    tmp_path, monkeypatch
):
    chosen, other = [
        artefact for artefact in list_artefacts("l1nsvm") if artefact.values
    ][:2]
    on_record = read_ledgers([chosen, other])[0]
    words = {
        chosen.id: {"outcome": "differs", "counts_as": NUMBER_PARTS[4]},
        other.id: {"outcome": "not run", "counts_as": "not run"},
    }
    quick = {name: on_record[name].assign(**words[name]) for name in words}

    def read(artefacts, profile="paper"):
        ledgers = on_record if profile == "paper" else quick
        return ledgers, {"missing": [], "stale": []}, {}

    monkeypatch.setattr(content, "read_ledgers", read)
    monkeypatch.setattr(content, "build_dir", lambda: tmp_path)
    path = tmp_path / "reproduce" / "quick" / f"{chosen.id}.ipynb"
    path.parent.mkdir(parents=True)
    notebook = nbformat.read(notebook_path(chosen), as_version=4)
    notebook.cells[0].source = "# Executed"
    nbformat.write(notebook, path)
    context = content.gather("quick", [chosen, other])
    one, two = context["entries"]
    assert one.notebook.cells[0].source == "# Executed"
    assert not one.stands_in
    assert two.notebook is not None
    assert two.stands_in, "the committed one"
    for entry in (one, two):
        assert entry.counts.total() == (entry.ledger["counts_as"] != "").sum() > 0
    scored = (on_record[chosen.id]["outcome"] != "listed").sum()  # as on record
    assert one.run_counts == {NUMBER_PARTS[4]: scored}
    assert two.run_counts == {}
    assert all(line["beside"].startswith("quick run: ") for line in one.lines)
    assert not any(line["beside"] for line in two.lines)
    templates = build._templates(context | {"guides": {}})
    assert "the last quick run" in templates.get_template("banner.html").render()
    of_paper = build._templates({"profile": "paper"}).get_template("banner.html")
    assert not of_paper.render().strip()
    page = BeautifulSoup(templates.get_template("index.md").render(), "html.parser")
    record, beside, *_ = page.select("table.verdict-counts tbody tr")
    assert beside.th.text == "last quick run"
    not_run = record.find("td", attrs={"data-label": "not run"})
    assert not_run.text == "0", "nothing on record is not run"
    n_values = (quick[chosen.id]["asks"] == "value").sum()
    differing = beside.find("td", attrs={"data-label": NUMBER_PARTS[4]})
    assert differing.text == str(n_values)


def test_a_report_that_cannot_be_says_what_to_do(tmp_path, monkeypatch):
    artefact = Artefact("toy", "table_1", "A toy")
    with monkeypatch.context() as patch:
        patch.setenv("COMPANION_PROJECT", str(tmp_path))
        output = invoke([artefact], "report", "--profile", "quick", code=2)
    assert "`companion reproduce --profile quick` writes them" in output


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    refused(
        "is not empty and holds no site of ours",
        build_report,
        tmp_path,
        error=ReportError,
    )
    assert (tmp_path / "thesis.tex").read_text() == "years of work"
