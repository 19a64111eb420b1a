"""Notebooks as pages: anchors at the values, text alternatives for figures, links that hold."""

from __future__ import annotations

import ast
import copy
import html
import posixpath
import re
from dataclasses import dataclass, field

from companion.reproduction.display import VALUES_MIME

__all__ = ["PreparedNotebook", "figure_text", "plain_text", "prepare_notebook", "rewrite_links"]

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$", re.M)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
_FIRST_CELL = re.compile(r"<tr><td>(.*?)</td>")
_TEXT_LIMIT = 320
_GREEK = re.compile(r"\\([A-Za-z]+)")


@dataclass
class PreparedNotebook:
    """A notebook ready for Sphinx.

    Attributes
    ----------
    notebook : nbformat.NotebookNode
    title : str
        Its first heading.
    anchors : dict
        From (row, column) of a published value to the anchor of the table row that shows it.
    """

    notebook: object
    title: str
    anchors: dict = field(default_factory=dict)


def plain_text(markdown):
    """A Markdown text as one plain line: no emphasis, links, code marks or commands of LaTeX."""
    text = _LINK.sub(r"\1", markdown)
    text = re.sub(r"\$+([^$]*)\$+", lambda m: _GREEK.sub(r"\1", m[1]).replace("\\", ""), text)
    text = re.sub(r"(\*\*|`|(?<!\w)\*|\*(?!\w)|(?<!\w)_|_(?!\w))", "", text)
    text = re.sub(r"[{}]", "", re.sub(r"^\s*[*#>-]+\s+", "", text, flags=re.M))
    return " ".join(text.split())


def _shortened(text):
    """The first sentences that fit the limit."""
    if len(text) <= _TEXT_LIMIT:
        return text
    cut = text[:_TEXT_LIMIT]
    end = max(cut.rfind(mark) for mark in (". ", ": ", "; "))
    return cut[: end + 1].rstrip(":;") if end > 80 else cut[: cut.rfind(" ")] + "…"


def _literal_titles(source):
    """Titles and labels that stand as plain texts in the code of a figure."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a magic command
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                named = keyword.arg in ("title", "xlabel", "ylabel", "label")
                if named and isinstance(keyword.value, ast.Constant):
                    found.append(str(keyword.value.value))
            name = getattr(node.func, "attr", "")
            if name in ("set_title", "suptitle", "set_xlabel", "set_ylabel") and node.args:
                if isinstance(node.args[0], ast.Constant):
                    found.append(str(node.args[0].value))
    return list(dict.fromkeys(plain_text(text) for text in found if text))


def _is_figure(output):
    return any(mime.startswith("image/") for mime in output.get("data", {}))


def _has_figure(cell):
    return any(map(_is_figure, cell.get("outputs", [])))


def _one_figure_a_cell(cells):
    """The cells, each with one figure at most: only a cell can carry a text alternative."""
    split = []
    for cell in cells:
        pieces = [[]]
        for output in cell.get("outputs", []):
            if _is_figure(output) and any(map(_is_figure, pieces[-1])):
                pieces.append([])
            pieces[-1].append(output)
        split.append(cell)
        if len(pieces) > 1:
            cell.outputs = pieces[0]
        for number, piece in enumerate(pieces[1:], start=2):
            more = copy.deepcopy(cell)
            more["id"] = f"{cell.get('id', 'cell')}-{number}"
            more.metadata["tags"] = ["remove-input"]
            more.outputs = piece
            split.append(more)
    return split


def figure_text(cells, index, title):
    """Text alternative of the figure that a cell draws: what it shows, by the story around it.

    Parameters
    ----------
    cells : list of nbformat.NotebookNode
        Of the notebook.
    index : int
        Which cell drew it.
    title : str
        Title of the notebook.

    Returns
    -------
    str
        Which figure of the notebook it is, the section, the sentences right above the figure, and
        the titles in it.
    """
    section, prose = "", ""
    for cell in cells[:index]:
        if cell.cell_type != "markdown":
            continue
        headings = _HEADING.findall(cell.source)
        if headings:
            section = plain_text(headings[-1][1])
            prose = ""
        body = plain_text(_HEADING.sub("", cell.source))
        prose = body or prose
    with_figure = [i for i, cell in enumerate(cells) if _has_figure(cell)]
    number = f"Figure {with_figure.index(index) + 1} of {len(with_figure)}"
    parts = [f"{number} in “{title}”" + (f", section “{section}”" if section != title else "")]
    if prose and section != title:
        parts.append(_shortened(prose).rstrip(".:"))
    titles = _literal_titles(cells[index].source)
    if titles:
        parts.append("Titles and labels: " + "; ".join(titles))
    return ". ".join(parts) + "."


def rewrite_links(markdown, folder, pages, here=None):
    """Point relative links at the pages of the site; what is not in it is named instead.

    Parameters
    ----------
    markdown : str
    folder : str
        Folder of the text in the project, POSIX, e.g. ``"notebooks/l1nsvm"``.
    pages : mapping of str to str
        From paths in the project to the path of the page's source in the site.
    here : str, optional
        Folder of the text in the source of the site, if it is another one there.

    Returns
    -------
    str
    """
    here = folder if here is None else here

    def replace(match):
        text, target = match.groups()
        if re.match(r"[a-z][a-z0-9+.-]*:|#|<", target):
            return match[0]
        path, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(folder, path))
        if path not in pages:
            return text if text.strip("`") == path else f"{text} (`{path}`)"
        relative = posixpath.relpath(pages[path], here or ".")
        return f"[{text}]({relative}{'#' + anchor if anchor else ''})"

    return _LINK.sub(replace, markdown)


def _anchored_table(markup, values, number, name):
    """HTML of a table with an anchor on every line, and the anchors of the values of `name`."""
    lines, anchors, rows = markup.split("\n"), {}, []
    for i, line in enumerate(lines):
        if line.startswith("<tr><td>"):
            rows.append((f"table-{number}-row-{len(rows) + 1}", _FIRST_CELL.match(line)[1]))
            lines[i] = line.replace("<tr>", f'<tr id="{rows[-1][0]}">', 1)
    own = [
        value
        for value in values
        if {"row", "column"} <= set(value) and value.get("artefact", name) == name
    ]
    one_line_each = len(own) == len(rows) and all(
        html.escape(str(value["row"])) == text for value, (_, text) in zip(own, rows)
    )
    by_text = {}
    for anchor, text in rows:
        by_text.setdefault(text, anchor)
    for i, value in enumerate(own):
        key = (str(value["row"]), str(value["column"]))
        anchor = rows[i][0] if one_line_each else by_text.get(html.escape(key[0]))
        if anchor:
            anchors.setdefault(key, anchor)
    body = "\n".join(lines)
    return f'<div class="table-scroll">\n{body}\n</div>', anchors, one_line_each


def _prepare_outputs(cell, number, name, folder, pages):
    """Rewrite the outputs of a cell; yields the anchors of each table."""
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "text/markdown" in data:
            data["text/markdown"] = rewrite_links("".join(data["text/markdown"]), folder, pages)
        values = data.pop(VALUES_MIME, {}).get("rows", [])
        if "text/html" in data:
            number += 1
            markup = "".join(data["text/html"])
            data["text/html"], anchors, exact = _anchored_table(markup, values, number, name)
            yield anchors, exact


def prepare_notebook(notebook, artefact, folder, pages):
    """Make a page of a notebook, in place.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    artefact : companion.reproduction.Artefact
    folder : str
        Its folder in the project, POSIX.
    pages : mapping of str to str
        As of :func:`rewrite_links`.

    Returns
    -------
    PreparedNotebook
    """
    first = next((cell for cell in notebook.cells if cell.cell_type == "markdown"), None)
    heading = _HEADING.search(first.source) if first is not None else None
    title = plain_text(heading[2]) if heading else artefact.title
    exact_anchors, other_anchors, number = {}, {}, 0
    notebook.cells = _one_figure_a_cell(notebook.cells)
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            cell.source = rewrite_links(cell.source, folder, pages)
            continue
        for anchors, exact in _prepare_outputs(cell, number, artefact.name, folder, pages):
            number += 1
            target = exact_anchors if exact else other_anchors
            for key, anchor in anchors.items():
                target.setdefault(key, anchor)
        if _has_figure(cell):
            alt = figure_text(notebook.cells, index, title)
            cell.metadata["mystnb"] = {"image": {"alt": alt}}
    return PreparedNotebook(notebook, title, other_anchors | exact_anchors)
