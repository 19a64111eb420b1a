"""The static site: what is on its pages, and that its checks notice what they are for."""

import html
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest
from click.testing import CliRunner
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from companion.cli import main
from companion.reproduction.artefacts import Artefact, list_across, list_artefacts, list_papers
from companion.reproduction.deviations import load_deviations
from companion.reproduction.display import VALUES_MIME, verdict_table
from companion.reproduction.errata import load_errata
from companion.reproduction.notebooks import notebook_path
from companion.reproduction.report import ReportError, build_report
from companion.reproduction.report import build as build_module
from companion.reproduction.report.api import MODULES, own_members, public_names
from companion.reproduction.report.check import check_site, read_page
from companion.reproduction.report.content import Content, gather, group_reasons
from companion.reproduction.report.mathml import to_mathml
from companion.reproduction.report.notebooks import (
    figure_text,
    plain_text,
    prepare_notebook,
    rewrite_links,
)
from companion.reproduction.report.pages import errata_page, project_links, times_page
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.verdicts import OUTCOMES, verdict_counts

ARTEFACT = Artefact("toy", "table_1", "A toy")


class LedgerReader(HTMLParser):
    """Rows of the ledger: attributes, the texts and the links of each cell."""

    def __init__(self, text):
        super().__init__()
        self.rows, self._cell, self._inside = [], None, False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "table":
            self._inside = attrs.get("id") == "ledger"
        if not self._inside:
            return
        if tag == "tr" and "data-paper" in attrs:
            self.rows.append({"attrs": attrs, "cells": {}})
        if tag == "td":
            self._cell = self.rows[-1]["cells"][attrs["data-label"]] = {"text": "", "links": []}
        if tag == "a" and self._cell is not None:
            self._cell["links"].append(attrs["href"])

    def handle_endtag(self, tag):
        if tag == "td":
            self._cell = None
        if tag == "table":
            self._inside = False

    def handle_data(self, data):
        if self._cell is not None:
            self._cell["text"] += data


@pytest.fixture(scope="module")
def ledgers():
    return read_ledgers(list_artefacts(), "paper")[0]


@pytest.fixture(scope="module")
def rows(site):
    return LedgerReader(site.read("ledger.html")).rows


def page_name(artefact):
    return f"notebooks/{artefact.id}.html"


def all_pages():
    across = [a for a in list_across() if notebook_path(a).is_file()]
    first = [a for a in across if a.name == "overview"]
    last = [a for a in across if a.name != "overview"]
    return [*first, *list_artefacts(), *last]


# -- the built site -------------------------------------------------------------------------


def test_the_site_builds_without_a_warning_or_a_fault(site):
    assert site.code == 0, site.err + site.out
    *_, summary, index = site.out.strip().splitlines()
    assert index == str(site.folder / "index.html")
    assert re.fullmatch(r"\d+ pages in \d+ s, 0 faults", summary)
    assert [path.name for path in site.folder.parent.iterdir()] == [site.folder.name]


def test_the_checks_find_nothing_on_the_built_site(site):
    assert check_site(site.folder) == []


def test_every_notebook_is_a_page_with_its_figures(site):
    for artefact in all_pages():
        notebook = nbformat.read(notebook_path(artefact), as_version=4)
        drawn = sum(
            "image/png" in output.get("data", {})
            for cell in notebook.cells
            for output in cell.get("outputs", [])
        )
        images = read_page(site.folder / page_name(artefact)).images
        assert len([s for s, _ in images if "_images" in s]) == drawn, artefact.id


def test_the_notebooks_are_read_one_after_the_other(site):
    names = [page_name(artefact) for artefact in all_pages()]
    for before, after in zip(names, names[1:], strict=False):
        text = site.read(before)
        link = re.search(r'<a class="right-next"\s+href="([^"]+)"', text)[1]
        assert ((site.folder / before).parent / link).resolve() == (site.folder / after).resolve()
        back = re.search(r'<a class="left-prev"\s+href="([^"]+)"', site.read(after))[1]
        assert ((site.folder / after).parent / back).resolve() == (site.folder / before).resolve()


def test_the_ledger_has_the_rows_of_the_verdicts_with_their_texts(rows, ledgers):
    expected = []
    for identifier, ledger in ledgers.items():
        for line, text in zip(ledger.to_dict("records"), verdict_table(ledger).rows, strict=True):
            expected.append(
                (
                    line["paper"],
                    identifier,
                    line["outcome"],
                    line["kind"],
                    text[0],
                    text[1],
                    text[3],
                    text[4],
                    text[5],
                )
            )
    found = []
    for row in rows:
        attrs, cells = row["attrs"], row["cells"]
        found.append(
            (
                *(attrs[f"data-{name}"] for name in ("paper", "artefact", "verdict", "kind")),
                *(cells[name]["text"] for name in ("row", "column", "reproduced", "z", "n")),
            )
        )
        assert attrs["data-verdict"] in cells["verdict"]["text"]
    assert found == expected
    assert len({row["attrs"]["id"] for row in rows}) == len(rows)


def test_every_row_leads_to_its_value_in_its_notebook(site, rows):
    texts = {}
    for row in rows:
        (link,) = row["cells"]["artefact"]["links"]
        page, _, anchor = link.partition("#")
        assert page == f"notebooks/{row['attrs']['data-artefact']}.html"
        if page not in texts:
            found = re.findall(r'<tr id="(table-\d+-row-\d+)">(.*?)</tr>', site.read(page))
            texts[page] = dict(found)
        assert html.escape(row["cells"]["row"]["text"]) in texts[page][anchor], row


def test_a_declared_deviation_leads_to_its_reason(site, rows):
    text = site.read("deviations.html")
    reasons = {key: d.reason for key, d in load_deviations().items()}
    declared = [row for row in rows if row["attrs"]["data-verdict"] == "differs (declared)"]
    assert len(declared) > 50
    ids = read_page(site.folder / "deviations.html").ids
    for row in declared:
        (link,) = row["cells"]["verdict"]["links"]
        page, _, anchor = link.partition("#")
        assert (page, anchor in ids) == ("deviations.html", True)
        identifier = row["attrs"]["data-artefact"].split("/")
        reason = reasons[*identifier, row["cells"]["row"]["text"], row["cells"]["column"]["text"]]
        assert reason in row["cells"]["verdict"]["text"]
        block = text[text.index(f'id="{anchor}"') :]
        assert f'#{row["attrs"]["id"]}"' in block[: block.index("</ul>")]


def test_the_landing_page_counts_the_verdicts_of_each_paper(site, ledgers):
    text = site.read("index.html")
    for paper in list_papers():
        of_paper = [ledger for name, ledger in ledgers.items() if name.startswith(f"{paper}/")]
        counts = {o: sum(verdict_counts(ledger)[o] for ledger in of_paper) for o in OUTCOMES}
        bar = re.search(rf'role="img" aria-label="{paper}: ([^"]*)"', text)[1]
        assert bar == f"{sum(counts.values())} values, " + ", ".join(
            f"{n} {o}" for o, n in counts.items() if n
        )


def test_figures_have_text_alternatives_that_tell_them_apart(site):
    for artefact in all_pages():
        page = read_page(site.folder / page_name(artefact))
        alts = [alt for source, alt in page.images if "_images" in source]
        assert len(set(alts)) == len(alts), artefact.id
        assert all(len(alt) > 40 and "$" not in alt and "\\" not in alt for alt in alts), alts


def test_formulas_are_mathml_and_none_is_left_in_latex(site):
    count = 0
    for path in site.folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        count += text.count("<math ")
        assert "<merror" not in text and "\\frac" not in re.sub(r'alttext="[^"]*"', "", text), path
        assert "mathjax" not in text.lower(), path
    assert count > 100


def test_the_reference_lists_every_public_name(site):
    from importlib import import_module

    seen = set()
    for name, _, _ in MODULES:
        ids = read_page(site.folder / f"api/{name}.html").ids
        module = import_module(name)
        for public in public_names(module):
            value = getattr(module, public)
            if isinstance(value, type):
                if value in seen:  # the same class under two names stands once
                    continue
                seen.add(value)
            if callable(value):
                assert any(i.endswith(f".{public}") for i in ids), f"{name}.{public}"
            if isinstance(value, type) and not issubclass(value, BaseException):
                for member in own_members(value):
                    assert any(i.endswith(f".{public}.{member}") for i in ids), (public, member)


def test_the_pages_of_errata_and_times_show_the_data(site):
    assert site.read("errata.html").count('class="erratum"') == len(load_errata())
    text = site.read("times.html")
    from companion.reproduction.times import load_times

    for name in load_times()["artefact"].unique():
        assert f"{name}</a>" in text


# -- the checks -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "fault"),
    [
        ('<a href="b.html">b</a>', "'b.html', which is not there"),
        ('<a href="#top">up</a>', "'#top': no such anchor"),
        ('<a href="other.html#no">o</a>', "'other.html#no': no such anchor"),
        ('<script src="https://cdn.example/x.js"></script>', "from elsewhere"),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', "from elsewhere"),
        ('<style>@import "https://fonts.example/f.css";</style>', "from elsewhere"),
        ('<p style="background: url(https://a.example/i.png)"></p>', "from elsewhere"),
        ('<img src="data:image/png;base64,AA">', "no text alternative"),
        ('<img src="data:image/png;base64,AA" alt="Image">', "no text alternative"),
        ('<img src="gone.png" alt="A curve falling">', "'gone.png', which is not there"),
    ],
)
def test_the_check_finds(tmp_path, markup, fault):
    (tmp_path / "a.html").write_text(f"<html><body>{markup}</body></html>")
    (tmp_path / "other.html").write_text('<p id="yes"></p>')
    (found,) = check_site(tmp_path)
    assert found.startswith("a.html: ") and fault in found


def test_the_check_lets_pass_what_is_in_order(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="top"></p><a href="#top">up</a><a href="other.html#yes">o</a>'
        '<a href="https://example.org">away</a><a href="other.html#verdict=differs">state</a>'
        '<img src="i.png" alt="A curve falling from left to right">'
    )
    (tmp_path / "other.html").write_text('<p id="yes"></p>')
    (tmp_path / "i.png").write_bytes(b"")
    assert check_site(tmp_path) == []


def test_the_check_reads_style_sheets(tmp_path):
    (tmp_path / "a.css").write_text("@font-face { src: url('https://fonts.example/f.woff2') }")
    (found,) = check_site(tmp_path)
    assert found == "a.css: loads 'https://fonts.example/f.woff2' from elsewhere"


# -- the parts ------------------------------------------------------------------------------


def test_formulas():
    assert "<mfrac>" in to_mathml(r"\frac{1}{2}")
    block = to_mathml(r"a = \bigl(b\bigr) \tag{2.1}", block=True)
    assert 'display="block"' in block and '<span class="math-tag">(2.1)</span>' in block
    assert "tag" not in re.sub("math-tag", "", block)
    assert "<munder>" in to_mathml(r"\min_{w, b} \tfrac12 w^2", block=True)
    assert ">arg<" in to_mathml(r"\arg\max_j f_j")
    skipped = to_mathml(r"\begin{cases} a \\[2ex] b \end{cases}")
    assert "2" not in re.sub(r'alttext="[^"]*"|&#x\w+;|http\S*', "", skipped)
    # the index beside the letter, not below it
    assert re.search(r"<msub><mover[^>]*><mi>w</mi>", to_mathml(r"\hat w_+"))
    assert "msup" not in to_mathml("k(x, x') + x'_j") and "&#x02032;" in to_mathml("x'_j")
    with pytest.raises(ValueError, match="nosuchcommand"):
        to_mathml(r"\nosuchcommand{x}")


def test_text_of_markdown():
    assert plain_text("**What.** The *gain* of $\\xi\\alpha$ in `run_it`, [here](a.md)") == (
        "What. The gain of xialpha in run_it, here"
    )


def test_links_lead_to_pages_and_other_files_are_named():
    pages = {"notebooks/toy/fig_1.ipynb": "notebooks/toy/fig_1.ipynb", "docs/a.md": "a.md"}
    text = (
        "[one](fig_1.ipynb#part), [two](../../docs/a.md), [three](../../tests/x.py), "
        "[four](https://example.org), [`tests/y.py`](../../tests/y.py)"
    )
    assert rewrite_links(text, "notebooks/toy", pages) == (
        "[one](fig_1.ipynb#part), [two](../../a.md), three (`tests/x.py`), "
        "[four](https://example.org), `tests/y.py`"
    )


def test_evidence_is_linked_where_it_is_a_page():
    known = {"notebooks/toy/fig_1.ipynb": "notebooks/toy/fig_1.ipynb"}
    text = project_links("notebooks/toy/fig_1.ipynb, *units*; tests/a/test_b.py::test_c", known)
    assert text == (
        "[`notebooks/toy/fig_1.ipynb`](notebooks/toy/fig_1.ipynb), \\*units\\*; "
        "`tests/a/test_b.py::test_c`"
    )


def toy_notebook():
    values = [{"artefact": "table_1", "row": "a & b", "column": "x", "published": 1.0}]
    table = '<table class="companion">\n<tbody>\n<tr><td>a &amp; b</td><td>1</td></tr>\n</tbody>'
    return new_notebook(
        cells=[
            new_markdown_cell("# Table 1: toys"),
            new_markdown_cell("## The *curve*\n\nIt falls from left to right."),
            new_code_cell(
                "ax.set(xlabel='size', title=f'{x}')\nplt.show()",
                outputs=[new_output("display_data", {"image/png": "", "text/plain": "<Figure>"})],
            ),
            new_code_cell(
                "show()",
                outputs=[
                    new_output(
                        "display_data",
                        {"text/html": table, VALUES_MIME: {"title": "", "rows": values}},
                    )
                ],
            ),
            new_code_cell(
                "tell()",
                outputs=[
                    new_output("display_data", {"text/markdown": "[proof](../../tests/x.py)"})
                ],
            ),
        ]
    )


def test_a_figure_is_described_by_the_story_around_it():
    assert figure_text(toy_notebook().cells, 2, "Table 1: toys") == (
        "Figure 1 of 1 in “Table 1: toys”, section “The curve”. It falls from left to right. "
        "Titles and labels: size."
    )


def test_a_prepared_notebook_has_anchors_at_its_values():
    prepared = prepare_notebook(toy_notebook(), ARTEFACT, "notebooks/toy", {})
    assert prepared.title == "Table 1: toys"
    assert prepared.anchors == {("a & b", "x"): "table-1-row-1"}
    data = prepared.notebook.cells[3].outputs[0].data
    assert '<tr id="table-1-row-1"><td>a &amp; b</td>' in data["text/html"]
    assert VALUES_MIME not in data
    assert prepared.notebook.cells[4].outputs[0].data["text/markdown"] == "proof (`tests/x.py`)"


def test_of_two_figures_each_has_a_text_of_its_own():
    notebook = toy_notebook()
    notebook.cells[2].outputs *= 2
    cells = prepare_notebook(notebook, ARTEFACT, "notebooks/toy", {}).notebook.cells
    texts = [cell.metadata["mystnb"]["image"]["alt"] for cell in cells if "mystnb" in cell.metadata]
    assert [text[:13] for text in texts] == ["Figure 1 of 2", "Figure 2 of 2"]
    assert cells[3].metadata["tags"] == ["remove-input"]


def content(**changes):
    values = {
        "profile": "paper",
        "pages": [],
        "ledgers": {},
        "reasons": [],
        "errata": [],
        "times": pd.DataFrame(),
        "remarks": [],
        "guide": None,
    }
    return Content(**{**values, **changes})


def test_errata_keep_their_formulas_and_nothing_else_is_markup():
    erratum = SimpleNamespace(
        paper="toy",
        where="(3)",
        printed="a <b> *c* $\\xi^2$",
        correct="$\\xi$",
        kind="formula",
        proof=["tests/a.py::test_b"],
    )
    text = errata_page(content(errata=[erratum]), {})
    assert "a \\<b\\> \\*c\\* $\\xi^2$" in text
    assert "`tests/a.py::test_b`" in text


def test_times_are_summed_by_artefact():
    times = pd.DataFrame(
        [("toy/table_1", "s", 10, 2, 2, 60.0), ("toy/table_1", "(notebook)", 1, 1, 2, 63.0)],
        columns=["artefact", "study", "units", "jobs", "cores", "seconds"],
    )
    text = times_page(content(times=times))
    assert "<td>2 min</td>" in text and "<td>60 s</td>" in text and "of 2 cores" in text
    empty = times_page(content(times=times.iloc[:0]))
    assert "No times are on record" in empty


def test_reasons_are_grouped():
    reason = SimpleNamespace(reason="r", evidence="e")
    other = SimpleNamespace(reason="q", evidence="e")
    groups = group_reasons(
        {("p", "t", "a", "x"): reason, ("p", "t", "a", "y"): other, ("p", "t", "b", "x"): reason}
    )
    assert [(g.anchor, g.cells) for g in groups] == [
        ("p-t-1", [("a", "x"), ("b", "x")]),
        ("p-t-2", [("a", "y")]),
    ]


# -- the command ----------------------------------------------------------------------------


def test_executed_notebooks_are_shown_and_the_committed_stand_in(tmp_path):
    chosen, other = list_artefacts("l1nsvm")[:2]
    path = tmp_path / chosen.paper / f"{chosen.name}.ipynb"
    path.parent.mkdir()
    shutil.copy(notebook_path(chosen), path)
    pages = gather("quick", tmp_path, [chosen, other]).pages
    assert [(page.path, page.missing) for page in pages] == [
        (path, False),
        (notebook_path(other), True),
    ]


def test_a_quick_report_without_a_quick_run_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_PROJECT", str(tmp_path))
    result = CliRunner().invoke(main, ["report", "--profile", "quick"], obj=[ARTEFACT])
    assert result.exit_code == 2
    assert "`companion reproduce --profile quick` writes them" in result.output


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ReportError, match="is not empty and holds no site of ours"):
        build_report(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_without_sphinx_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(build_module, "find_spec", lambda name: None)
    result = CliRunner().invoke(main, ["report", "--output", str(tmp_path / "html")])
    assert result.exit_code == 2
    assert "pip install svm-companion[docs]" in result.output
    assert not Path(tmp_path / "html").exists()
