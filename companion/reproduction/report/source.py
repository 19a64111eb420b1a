"""Writing the Sphinx source of the site from its content."""

from __future__ import annotations

import posixpath
import shutil
from html import escape
from pathlib import Path

import nbformat

from companion.reproduction.report.api import api_pages
from companion.reproduction.report.content import slug
from companion.reproduction.report.markup import (
    counts_line,
    filter_link,
    ledger_markup,
    overview_markup,
)
from companion.reproduction.report.notebooks import prepare_notebook, rewrite_links
from companion.reproduction.report.pages import (
    deviations_page,
    duration,
    errata_page,
    index_page,
    notebooks_page,
    times_page,
    verdict_page,
)

__all__ = ["write_source"]

_STATIC = Path(__file__).parent / "static"


def _known_pages(content):
    """From paths in the project to paths in the source of the site."""
    known = {
        f"notebooks/{page.artefact.id}.ipynb": f"{page.docname}.ipynb" for page in content.pages
    }
    if content.guide is not None:
        known["docs/adding_a_paper.md"] = "adding_a_paper.md"
    known["data/deviations.yaml"] = "deviations.md"
    known["data/errata.yaml"] = "errata.md"
    known["data/times.csv"] = "times.md"
    return known


def _summary(page, content):
    """What stands under the heading of a notebook: its verdicts and where they are listed."""
    artefact, ledger = page.artefact, content.ledgers.get(page.artefact.id)
    parts = []
    root = "../" * (page.docname.count("/"))
    if page.missing:
        parts.append(
            "<p><strong>Not among the executed notebooks:</strong> this is the committed "
            "one, in the paper profile.</p>"
        )
    if ledger is not None and len(ledger):
        link = escape(filter_link(root, artefact=artefact.id))
        parts.append(
            f"<p>{counts_line(ledger, root, artefact=artefact.id)}. "
            f'<a href="{link}">All {len(ledger)} in the ledger</a>.</p>'
        )
    seconds = content.times.loc[content.times["artefact"] == artefact.id, "seconds"].sum()
    if seconds:
        link = f"{root}times.html#{slug('time', artefact.id)}"
        parts.append(
            f'<p>Regenerated from nothing in <a href="{link}">{duration(seconds)}</a>.</p>'
        )
    if not parts:
        return ""
    return f'<div class="artefact-summary">{"".join(parts)}</div>'


def _write_notebook(page, content, folder, known):
    """Write one notebook page and give its anchors back."""
    notebook = nbformat.read(page.path, as_version=4)
    home = posixpath.dirname(page.docname)
    prepared = prepare_notebook(notebook, page.artefact, home, known)
    summary = _summary(page, content)
    if summary:
        cell = nbformat.v4.new_markdown_cell(summary)
        cell["id"] = "report-summary"
        notebook.cells.insert(1, cell)
    path = folder / f"{page.docname}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return prepared.anchors


def _guide(content, known):
    if content.guide is None:
        return None
    text = content.guide.read_text(encoding="utf-8")
    return rewrite_links(text, "docs", known, here="")


def write_source(content, folder):
    """Write all pages.

    Parameters
    ----------
    content : companion.reproduction.report.content.Content
    folder : path-like
        Emptied first.

    Returns
    -------
    dict
        Anchors of the published values, by artefact.
    """
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    known = _known_pages(content)
    anchors = {
        page.artefact.id: _write_notebook(page, content, folder, known) for page in content.pages
    }
    guide = _guide(content, known)
    texts = {
        "index.md": index_page(content, guide is not None),
        "_parts/overview.html": overview_markup(content),
        "_parts/ledger.html": ledger_markup(content, anchors),
        "notebooks/index.md": notebooks_page(content),
        "ledger.md": verdict_page(content),
        "deviations.md": deviations_page(content, known),
        "errata.md": errata_page(content, known),
        "times.md": times_page(content),
        **api_pages(),
    }
    if guide is not None:
        texts["adding_a_paper.md"] = guide
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    shutil.copytree(_STATIC, folder / "_static", dirs_exist_ok=True)
    return anchors
