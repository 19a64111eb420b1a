"""Building the site: gather, fill the templates, run Sphinx."""

import gc
import io
import os
import re
import shutil
import time
from base64 import b64decode
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import nbformat

import companion
from companion._utils.extras import advice
from companion._utils.paths import build_dir, companion_root, project_root, unwritable
from companion.reproduction.display import ledger_text
from companion.reproduction.index import read_table
from companion.reproduction.published import ASKS
from companion.reproduction.report.content import ReportError, gather
from companion.reproduction.report.manifests import codecheck, write_crate
from companion.reproduction.scores import (
    NUMBER_PARTS,
    SENTENCE_PARTS,
    SIGNS,
    TEST_PARTS,
    counted,
    share_text,
)
from companion.reproduction.tables import slug

_HERE = Path(__file__).parent
_ROOT = Path(companion.__file__).parents[
    1
]  # of a checkout; without it there are no tests
_PAGES = _HERE / "pages"
_BESIDE = _HERE / "beside"
#: Pages on the package, which a site of papers of one's own does without.
_OF_PACKAGE = {"gallery.rst", "api/index.rst"}
_PUBLIC = [name for name in companion.__all__ if name != "__version__"]
#: Modules that the API describes, in the order in which they are read.
_ROOMS = [
    "metrics",
    "tuning",
    "solvers",
    "kernels",
    "losses",
    "conformal.factors",
    "conformal.separability",
    "datasets",
    "plotting",
    "reproduction",
    "reproduction.regenerate",
    "reproduction.published",
    "reproduction.verdicts",
    "reproduction.scores",
    "reproduction.declared",
    "reproduction.display",
    "papers.across.agreement",
]
_API = ["companion", *(f"companion.{name}" for name in _ROOMS)]
_MARKER = ".companion-report"
_FILE = r"(?:notebooks|tests|data|companion|docs)/[\w./-]+\w(?:::\w+)?"
_CODE = re.compile(r"(?:tests|companion)/[\w/]+\.py")


@dataclass(frozen=True)
class Site:
    """A built site: its first page, its pages, Sphinx's warnings, remarks on the records, time."""

    index: Path
    pages: int
    faults: list
    remarks: list
    seconds: float


def markdown_text(text):
    """A text of the data files as Markdown: formulas, code and names of files, which are linked."""
    parts = re.split(rf"(\$[^$\n]+\$|`[^`\n]+`|{_FILE})", re.sub(r"\s+", " ", text))
    parts[::2] = [
        re.sub(r"([\\*_\[\]<>#|~{}!&])", r"\\\1", part) for part in parts[::2]
    ]
    return "".join(re.sub(f"^{_FILE}$", r"[`\g<0>`](/\g<0>)", part) for part in parts)


def duration(seconds):
    """A time in words: seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def anchored(path):
    """The code of a file as parts of a page; each function and class has an anchor."""
    head = r"\n{3}((?:@.*\n(?:[ )\]].*\n)*)*(?:def|class) (\w+))"
    anchor = r'\n~~~~~\n\n<span class="source" id="\2"></span>\n\n~~~~~python\n\1'
    return re.sub(head, anchor, (_ROOT / path).read_text("utf-8"))


def _templates(context):
    """Jinja with the templates and all that they use."""
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    loader = FileSystemLoader([_PAGES, _BESIDE, _HERE / "templates"])
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "md": lambda text: Markup(markdown_text(text)),
        "duration": duration,
        "anchored": lambda path: Markup(anchored(path)),
    }
    environment.globals |= context | {
        "slug": slug,
        "version": companion.__version__,
        "signs": SIGNS,
        "parts": list(dict.fromkeys([*NUMBER_PARTS, *TEST_PARTS])),
        "kinds": {"numbers": NUMBER_PARTS, "sentences": SENTENCE_PARTS},
        "share_text": share_text,
        "counted": counted,
        "questions": ASKS,
    }
    return environment


def _write(folder, files):
    """Write files, texts or bytes, by their names."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(
            content if isinstance(content, bytes) else content.encode()
        )


def _write_source(context, folder, templates):
    """Write what Sphinx reads: pages, notebooks, code, the API, and the project's guides."""

    def filled(template, **more):
        return templates.get_template(template).render(**more)

    pages = templates.list_templates(filter_func=lambda name: (_PAGES / name).is_file())
    if not context["ours"]:
        pages = [name for name in pages if name not in _OF_PACKAGE]
    known = {*context["guides"], *(name.rpartition(".")[0] for name in pages)}
    texts = {name: filled(name, pages=known) for name in pages}
    texts |= {
        f"{name}.md": path.read_text("utf-8")
        for name, path in context["guides"].items()
    }
    if context["ours"]:
        for name in _API:
            home = import_module(name)
            texts[f"api/{name}.rst"] = filled("module.rst", home=home)
        for name in _PUBLIC:
            texts[f"api/estimators/{name}.rst"] = filled("estimator.rst", name=name)
    for entry in context["entries"]:
        if entry.notebook is not None:
            summary = nbformat.v4.new_markdown_cell(filled("summary.md", entry=entry))
            entry.notebook.cells.insert(1, summary)
            texts[f"notebooks/{entry.artefact.id}.ipynb"] = nbformat.writes(
                entry.notebook
            )
    named = {
        path
        for path in _CODE.findall("\n".join(texts.values()))
        if (_ROOT / path).is_file()
    }
    texts |= {
        f"source/{path[:-3]}.md": filled("source.md", path=path) for path in named
    }
    _write(folder, texts)


def _write_beside(context, folder, templates):
    """Write what stands beside the pages: ledger, notebooks, records, badges, manifests."""
    files = {
        f"ledger.{form}": ledger_text(context["ledgers"], form)
        for form in ("json", "csv")
    }
    files["ledger.schema.json"] = (_HERE.parent / "ledger.schema.json").read_bytes()
    files |= {name: read_table(path) for name, path in context["records"].items()}
    for entry in context["entries"]:
        if entry.notebook is not None:
            files[f"notebooks/{entry.artefact.id}.ipynb"] = entry.path.read_bytes()
        if entry.figure:
            files[f"notebooks/{entry.artefact.id}.png"] = b64decode(entry.figure)
    for group in context["groups"]:
        for name in ("ledger.js", "badge.svg"):
            text = templates.get_template(name).render(group=group)
            files[f"ledger/{group.paper.key or 'all'}.{name.partition('.')[2]}"] = text
    files["codecheck.yml"] = codecheck(context)
    _write(folder, files)


def _run_sphinx(source, output, **settings):
    """Run Sphinx over all pages and give its warnings back, one a line."""
    from sphinx.cmd.build import build_main

    said = io.StringIO()
    options = [
        "-q",
        "-N",
        "-j",
        # The main process does little but wait while others read, and one less of them writes.
        str((os.cpu_count() or 1) + 1),
        "-c",
        str(_HERE),
        "-d",
        str(source.parent / "doctrees"),
    ]
    for name, value in settings.items():
        options += ["-D", f"{name.replace('__', '.')}={value}"]
    with redirect_stderr(said):
        code = build_main([*options, str(source), str(output)])
    warnings = said.getvalue().replace(f"{source}/", "")
    if code:
        raise ReportError(f"Sphinx failed.\n{warnings}")
    return [line for line in warnings.splitlines() if line.strip()]


def _check(output):
    """Stop without what makes the pages, or at a folder that the site cannot be put into."""
    if lacking := advice("docs"):
        raise ReportError(lacking)
    others = output.exists() and not (output / _MARKER).is_file()
    if others and (not output.is_dir() or any(output.iterdir())):
        raise ReportError(
            f"{output} is not empty and holds no site of ours. Name another folder with --output."
        )
    if why := unwritable(output.parent):
        raise ReportError(f"{why} Or name another folder with --output.")


def _replace(built, output):
    """Put a site in the place of the old one, which stays if the new one cannot be written."""
    beside = output.with_name(f".{output.name}-new")
    try:
        shutil.rmtree(beside, ignore_errors=True)
        shutil.copytree(built, beside)
        shutil.rmtree(output, ignore_errors=True)
        beside.rename(output)
    except (OSError, shutil.Error) as error:
        shutil.rmtree(beside, ignore_errors=True)
        reason = getattr(error, "strerror", None) or error.args[0][0][2]
        raise ReportError(f"{output} cannot be written: {reason}") from error


@contextmanager
def _without_needless_searches():
    """Not to look often for garbage, of which there is little, and not for faults of notebooks.

    Each notebook is read and written twice, and would be checked each time.
    """
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)
    try:
        with patch.object(nbformat, "validate", lambda *_, **__: None):
            yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@_without_needless_searches()
def build_report(output=None, *, profile="paper", artefacts=None):
    """Build the static site.

    Parameters
    ----------
    output : path-like, optional
        Folder of the site; default ``build/report/html``. A site that is there is replaced; any
        other folder that is not empty is refused.
    profile : {"paper", "quick"}, default="paper"
        Whose verdicts and notebooks are shown.
    artefacts : list of companion.reproduction.Artefact, optional
        By default all of them.

    Returns
    -------
    Site

    Raises
    ------
    ReportError
        If there is nothing to show, what the extra ``docs`` brings is not installed, or the folder
        is somebody else's or cannot be written.
    """
    start = time.monotonic()
    output = Path(output or build_dir() / "report" / "html").resolve()
    _check(output)
    context = gather(profile, artefacts)
    with TemporaryDirectory() as work:
        work = Path(work).resolve()
        source = work / "source"
        beside = work / "beside"
        built = work / "site" / "html"
        guides = {
            f"docs/{path.stem}": path
            for root in (companion_root(), project_root())
            for path in (root / "docs").glob("*.md")
        }
        context |= {
            "guides": guides,
            "api": _API,
            "public": _PUBLIC,
            "today": date.today(),
        }
        templates = _templates(context)
        _write_source(context, source, templates)
        _write_beside(context, beside, templates)
        faults = _run_sphinx(
            source,
            built,
            html_title=context["title"],
            html_extra_path=beside,
            html_theme_options__announcement=templates.get_template(
                "banner.html"
            ).render(),
        )
        (built / _MARKER).write_text("This folder is replaced by `companion report`.\n")
        write_crate(built, context)
        _replace(built, output)
    pages = sum("_static" not in path.parts for path in output.rglob("*.html"))
    return Site(
        output / "index.html",
        pages,
        faults,
        context["remarks"],
        time.monotonic() - start,
    )
