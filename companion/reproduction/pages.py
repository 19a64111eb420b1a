"""An extension of Sphinx: the pages that are written from data, beside the committed notebooks.

A project of Sphinx in the folder ``docs`` names it among its extensions. Before Sphinx reads its
sources it copies the notebooks into ``docs/notebooks``, and writes ``ledger.md`` (every printed
value with its verdict), ``reasons.md`` (why values differ) and ``errata.md`` there. Formulas
become MathML, and the ledger brings its script with it, so that the pages open without a network.
"""

import json
import posixpath
import re
import shutil
from base64 import b64encode
from functools import cache
from html import escape
from pathlib import Path

from companion._utils.paths import notebooks_dir, project_root
from companion._utils.repository import find_repository
from companion.reproduction.artefacts import (
    list_across,
    list_artefacts,
    list_papers,
    notebook_path,
)
from companion.reproduction.declared import load_deviations, load_errata
from companion.reproduction.display import (
    departures_first,
    explained,
    ledger_text,
    published_text,
    reproduced_text,
    slug,
)
from companion.reproduction.manifests import write_manifests
from companion.reproduction.reproduce import read_ledgers

_FILE = r"(?:notebooks|tests|companion|docs)/[\w./-]+\.\w+(?:::\w+)?"
_LINK = re.compile(r"\]\(([\w./-]*)(#[^\s)(]*(?:\([^\s)(]*\))?[^\s)(]*)?\)")
#: What docutils does not know in formulas, and what it knows instead.
_FORMULAS = (
    (r"\\tag\{([^{}]*)\}", r"\\qquad(\\text{\1})"),
    (r"\\dots\b", r"\\ldots"),
    (r"\\[bB]ig\b", ""),
)
#: What stands one click deeper in a row of the ledger, by its names in `explained`.
_DEEPER = ("distance", "support", "would see", "n", "read otherwise", "where", "why so")


@cache
def _templates():
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["md"] = lambda text: Markup(as_markdown(text))
    environment.globals["slug"] = slug
    return environment


def as_markdown(text):
    """A text of the data files as Markdown: formulas, code and names of files, which are linked."""
    parts = re.split(rf"(\$[^$\n]+\$|`[^`\n]+`|{_FILE})", re.sub(r"\s+", " ", text))
    parts[::2] = [
        re.sub(r"([\\*_\[\]<>#|~{}!&])", r"\\\1", part) for part in parts[::2]
    ]
    return "".join(
        re.sub(rf"^({_FILE})$", _link_to_file, part) if number % 2 else part
        for number, part in enumerate(parts)
    )


def _link_to_file(match):
    return f"[`{match[1]}`](../{match[1].partition('::')[0]})"


def _ledger_rows(ledgers, artefacts, papers):
    """The rows of all ledgers as the ledger's page shows them."""
    reasons = load_deviations()
    taken = set()
    for artefact in artefacts:
        name = artefact.id
        ledger = ledgers.get(name)
        if ledger is None:
            continue
        for line in departures_first(ledger).to_dict("records"):
            texts = explained(line, artefact)
            cell = tuple(line[key] for key in ("paper", "artefact", "row", "column"))
            place = slug(name, line["row"], line["column"])
            while place in taken:
                place += "-again"
            taken.add(place)
            yield line | {
                "id": place,
                "name": name,
                "short": papers[line["paper"]].short or line["paper"],
                "texts": texts,
                "printed": published_text(line),
                "ours": reproduced_text(line),
                "declared": reasons.get(cell),
                "deeper": {key: texts[key] for key in _DEEPER if key in texts},
            }


def _reasons(rows):
    """The rows of each declared reason, by artefact and reason."""
    found = {}
    for row in rows:
        if row["declared"] is not None:
            of_artefact = found.setdefault(row["name"], {})
            of_artefact.setdefault(row["declared"], []).append(row)
    return found


def _bundle(kind):
    """A file of the DataTables that itables ships, as an address that holds it whole."""
    from itables.utils import find_package_file

    content = b64encode(find_package_file("html", f"dt_bundle.{kind}").read_bytes())
    mime = {"js": "text/javascript", "css": "text/css"}[kind]
    return f"data:{mime};base64,{content.decode()}"


def _notebooks():
    """The artefacts that have a notebook, those about all papers first."""
    return [
        artefact
        for artefact in [*list_across(), *list_artefacts()]
        if notebook_path(artefact).is_file()
    ]


def write_pages(app, config):
    """Copy the notebooks into the sources, and write the pages that are made from data."""
    artefacts = list_artefacts()
    papers = list_papers()
    ledgers, _, failures = read_ledgers(artefacts)
    for failure in failures:
        raise RuntimeError(failure)
    rows = [*_ledger_rows(ledgers, artefacts, papers)]
    source = Path(app.srcdir)
    copied = source / "notebooks"
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(
        notebooks_dir(), copied, ignore=shutil.ignore_patterns(".ipynb_checkpoints")
    )
    context = {
        "rows": rows,
        "papers": papers,
        "artefacts": artefacts,
        "shown": _notebooks(),
        "reasons": _reasons(rows),
        "errata": load_errata(),
        "bundle": _bundle,
    }
    for page in ("ledger", "reasons", "errata", "notebooks/index"):
        template = _templates().get_template(f"{page.partition('/')[0]}.md")
        path = source / f"{page}.md"
        text = template.render(context)
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")
    app.companion_ledgers = ledgers
    app.companion_repository = find_repository(project_root())


def as_source(app, docname, content):
    """Links as they are in the sources of Sphinx, and notebooks as MyST-NB shows them."""
    folder = posixpath.dirname(docname)
    if not docname.startswith("notebooks/"):
        folder = posixpath.join("docs", folder)

    def linked(match):
        file, heading = match.groups()
        heading = re.sub(r"[^\w#-]", "", heading or "").lower()
        if not file:
            return f"]({heading})"
        path = posixpath.normpath(posixpath.join(folder, file))
        top, _, rest = path.partition("/")
        if top == "docs":
            return f"](/{rest}{heading})"
        return f"]({'/' if top == 'notebooks' else '/../'}{path}{heading})"

    content[0] = _LINK.sub(linked, content[0])
    if folder.startswith("notebooks") and not docname.endswith("/index"):
        notebook = _prepared(json.loads(content[0]))
        if app.companion_repository is not None:
            _lead_to(app.companion_repository, docname, notebook)
        content[0] = json.dumps(notebook)


def _lead_to(repository, docname, notebook):
    """Where the notebook can be run, and the code of what it shows, below its title."""
    file = f"{docname}.ipynb"
    links = [
        f"[Run it on Binder]({repository.on_binder(file)})",
        f"[Open it in Colab]({repository.in_colab(file)})",
        f"[its source]({repository.file(file)})",
    ]
    for artefact in _notebooks():
        if docname == f"notebooks/{artefact.id}":
            modules = [name.replace(".", "/") for name in artefact.modules]
            links += [
                f"[{name.rpartition('/')[2]}.py]({repository.file(f'{name}.py')})"
                for name in dict.fromkeys(modules)
            ]
    package = f"svm-companion[lab] @ git+{repository.url}@{repository.commit}"
    text = f'{" · ".join(links)}\n\nIn Colab first `%pip install "{package}"`'
    cell = {"cell_type": "markdown", "metadata": {}, "source": text}
    notebook["cells"].insert(1, cell | {"id": "where-to-run-it"})


def _prepared(notebook):
    """A notebook whose parameters are folded, and whose figures keep their texts."""
    cells = []
    for cell in notebook["cells"]:
        tags = cell["metadata"].setdefault("tags", [])
        if "parameters" in tags:
            tags.append("hide-input")
        cells.append(cell)
        outputs = cell.get("outputs", [])
        if outputs:
            cell["outputs"] = []
        for output in outputs:
            figure = output.get("metadata", {}).get("image/png")
            if figure and "mystnb" in cells[-1]["metadata"]:
                # MyST-NB gives all figures of a cell one text: each has a cell of its own
                metadata = {"tags": ["remove-input"]}
                name = {"id": f"{cell['id']}-{len(cells)}"} if "id" in cell else {}
                cells.append(cell | {"outputs": [], "metadata": metadata} | name)
            if figure:
                known = [name for name in ("alt", "width") if name in figure]
                image = {name: str(figure[name]) for name in known}
                cells[-1]["metadata"]["mystnb"] = {"image": image}
            cells[-1]["outputs"].append(output)
    return notebook | {"cells": cells}


def _formula(translator, node):
    """A formula that the browser draws itself, without a script or a font from elsewhere."""
    from docutils import nodes
    from docutils.utils.math import MathError
    from docutils.utils.math.latex2mathml import tex2mathml
    from sphinx.util import logging

    is_block = isinstance(node, nodes.math_block)
    text = node.astext().strip()
    for pattern, known in _FORMULAS:
        text = re.sub(pattern, known, text)
    try:
        markup = tex2mathml(text, as_block=is_block)
    except MathError as error:
        logging.getLogger(__name__).warning("%s: %s", text, error, location=node)
        markup = f"<code>{escape(text)}</code>"
    kind = "div" if is_block else "span"
    translator.body.append(f'<{kind} class="math">{markup}</{kind}>')
    raise nodes.SkipNode


def write_data(app, error):
    """Put beside the pages the ledger for programs, and the manifests of what is here."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    for form in ("csv", "json"):
        text = ledger_text(app.companion_ledgers, form)
        (folder / f"ledger.{form}").write_text(text, encoding="utf-8")
    shutil.copy(Path(__file__).with_name("ledger.schema.json"), folder)
    files = {
        "ledger.csv": "Each printed value with its verdict, at the papers' own sizes",
        "ledger.json": "The same",
        "ledger.schema.json": "What each field of ledger.json means",
    }
    files |= {
        f"_sources/notebooks/{artefact.id}.ipynb": artefact.title
        for artefact in _notebooks()
    }
    papers = [paper for paper in list_papers().values() if paper.key]
    repository = app.companion_repository
    if write_citation(folder, repository):
        files["CITATION.cff"] = "How to cite the project"
    write_manifests(folder, app.config.html_title, files, papers, repository)


def write_citation(folder, repository):
    """Put beside the pages how the project is cited, with its address and commit where known.

    Returns whether the project says how.
    """
    citation = project_root() / "CITATION.cff"
    if not citation.is_file():
        return False
    text = citation.read_text(encoding="utf-8")
    if repository is not None:
        text += f'repository-code: {repository.url}\ncommit: "{repository.commit}"\n'
    (folder / citation.name).write_text(text, encoding="utf-8")
    return True


def setup(app):
    """Register the extension, with what every project that uses it is configured by."""
    app.add_html_math_renderer("mathml", (_formula, None), (_formula, None))
    app.connect("config-inited", write_pages)
    app.connect("source-read", as_source)
    app.connect("build-finished", write_data)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
