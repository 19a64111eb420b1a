"""Building the site: gather, fill the templates, run Sphinx."""

import gc
import io
import os
import re
import shutil
import sys
import time
from base64 import b64decode
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import Mock, patch

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
#: Of a checkout; without it there are no tests.
_ROOT = Path(companion.__file__).parents[1]
_PAGES = _HERE / "pages"
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
#: What MyST-NB imports to run notebooks, which the site does not.
_TO_RUN_NOTEBOOKS = (
    "jupyter_cache",
    "jupyter_cache.base",
    "jupyter_cache.cache.db",
    "jupyter_cache.executors.utils",
)
_FORMS = ("json", "csv")
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

    environment = Environment(
        loader=FileSystemLoader([_PAGES, _HERE / "beside", _HERE / "templates"]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
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
        "public": _PUBLIC,
    }
    return environment


def _guides():
    """The guides of the package and of the project, by the names of their pages."""
    folders = (companion_root() / "docs", project_root() / "docs")
    paths = (path for folder in folders for path in folder.glob("*.md"))
    return {f"docs/{path.stem}": path for path in paths}


def _source(context, filled):
    """What Sphinx reads: pages, notebooks, code, the API, and the project's guides."""
    pages = [path.relative_to(_PAGES) for path in _PAGES.rglob("*.*")]
    if not context["ours"]:
        pages = [path for path in pages if path.as_posix() not in _OF_PACKAGE]
    names = {*context["guides"], *(path.with_suffix("").as_posix() for path in pages)}
    texts = {path.as_posix(): filled(path.as_posix(), pages=names) for path in pages}
    for name, path in context["guides"].items():
        texts[f"{name}.md"] = path.read_text("utf-8")
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
            text = nbformat.writes(entry.notebook)
            texts[f"notebooks/{entry.artefact.id}.ipynb"] = text
    for path in {*_CODE.findall("\n".join(texts.values()))}:
        if (_ROOT / path).is_file():
            texts[f"source/{path[:-3]}.md"] = filled("source.md", path=path)
    return texts


def _beside(context, filled):
    """What stands beside the pages: ledger, notebooks, records, badges, manifests."""
    files = {f"ledger.{kind}": ledger_text(context["ledgers"], kind) for kind in _FORMS}
    files["ledger.schema.json"] = (_HERE.parent / "ledger.schema.json").read_bytes()
    files["codecheck.yml"] = codecheck(context)
    files |= {name: read_table(path) for name, path in context["records"].items()}
    for entry in context["entries"]:
        if entry.notebook is not None:
            files[f"notebooks/{entry.artefact.id}.ipynb"] = entry.path.read_bytes()
        if entry.figure:
            files[f"notebooks/{entry.artefact.id}.png"] = b64decode(entry.figure)
    for group in context["groups"]:
        key = group.paper.key or "all"
        files[f"ledger/{key}.js"] = filled("ledger.js", group=group)
        files[f"ledger/{key}.svg"] = filled("badge.svg", group=group)
    return files


def _write(folder, files):
    """Write files, texts or bytes, by their names."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(
            content if isinstance(content, bytes) else content.encode()
        )


def _run_sphinx(source, output, settings):
    """Run Sphinx over all pages and give its warnings back, one a line."""
    from sphinx.cmd.build import build_main

    # The main process does little but wait while others read, and one less of them writes.
    jobs = (os.cpu_count() or 1) + 1
    options = ["-qN", f"-j{jobs}", f"-c{_HERE}", f"-d{source.parent / 'doctrees'}"]
    options += [f"-D{name}={value}" for name, value in settings.items()]
    said = io.StringIO()
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


@contextmanager
def _without_needless_work():
    """Not to look often for garbage, of which there is little, and not for faults of notebooks.

    Each notebook is read and written twice, and would be checked each time. Nor is a database
    imported, in which MyST-NB would look for outputs if it ran them.
    """
    thresholds = gc.get_threshold()
    unused = {name: Mock() for name in _TO_RUN_NOTEBOOKS if name not in sys.modules}
    sys.modules.update(unused)
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)
    try:
        with patch.object(nbformat, "validate", lambda *_, **__: None):
            yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
        for name in unused:
            del sys.modules[name]


@_without_needless_work()
def build_report(output=None, *, profile="paper", artefacts=None):
    """Build the static site.

    Parameters
    ----------
    output : path-like, optional
        Folder of the site; default ``build/report/html``. A site that is there is replaced once
        the new one is whole; any other folder that is not empty is refused.
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
    context = gather(profile, artefacts) | {"guides": _guides(), "api": _API}
    templates = _templates(context)

    def filled(template, **more):
        return templates.get_template(template).render(**more)

    with TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-new-") as work:
        work = Path(work)
        built = work / "html"
        _write(work / "source", _source(context, filled))
        _write(work / "beside", _beside(context, filled))
        settings = {
            "html_title": context["title"],
            "html_extra_path": work / "beside",
            "html_theme_options.announcement": filled("banner.html"),
        }
        faults = _run_sphinx(work / "source", built, settings)
        (built / _MARKER).write_text("This folder is replaced by `companion report`.\n")
        write_crate(built, context)
        shutil.rmtree(output, ignore_errors=True)
        built.rename(output)
    pages = sum("_static" not in path.parts for path in output.rglob("*.html"))
    seconds = time.monotonic() - start
    return Site(output / "index.html", pages, faults, context["remarks"], seconds)
