"""Building the site: gather, fill the templates, run Sphinx."""

import io
import math
import re
import shutil
import time
from contextlib import redirect_stderr
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

import companion
from companion._paths import build_dir, project_root
from companion.reproduction._files import replace_text
from companion.reproduction.published import ASKS
from companion.reproduction.report.content import NOT_SCORED, gather
from companion.reproduction.verdicts import PARTS, SCORES

_HERE = Path(__file__).parent
_PAGES = _HERE / "pages"
_NEEDED = ("latex2mathml", "sphinx", "myst_nb", "numpydoc", "pydata_sphinx_theme")
#: Modules that the API describes, in the order in which they are read.
_ROOMS = ("metrics", "tuning", "solvers", "kernels", "losses", "conformal_factors", "separability")
_ROOMS += ("agreement", "datasets", "plotting", "reproduction")
_ENGINE = ("regenerate", "published", "verdicts", "declared", "display")
_API = ["companion", *(f"companion.{name}" for name in _ROOMS)]
_API += [f"companion.reproduction.{name}" for name in _ENGINE]
_MARKER = ".companion-report"
#: A sign for what each row counts as, so that colour is never the only one.
_SIGNS = dict(zip((*PARTS, NOT_SCORED), "✓?≠∅✗–·", strict=True))


class ReportError(RuntimeError):
    """The site cannot be built; the message says why and what to do."""


@dataclass(frozen=True)
class Site:
    """A built site: its first page, its pages, Sphinx's warnings, remarks on the records, time."""

    index: Path
    pages: int
    faults: list
    remarks: list
    seconds: float


def slug(*parts):
    """A name for an anchor: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(map(str, parts)).lower()).strip("-")


def markdown_text(text):
    """A text of the data files as Markdown: formulas and code stay, nothing else is special."""
    parts = re.split(r"(\$[^$\n]+\$|`[^`\n]+`)", re.sub(r"\s+", " ", text))
    parts[::2] = [re.sub(r"([\\*_\[\]<>#|~{}!&])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def linked_files(text):
    """Markdown of a text that names files of the project, which Sphinx links if they are pages."""
    paths = r"((?:notebooks|tests|data|companion|docs)/[\w./-]+\w(?:::\w+)?)"
    parts = re.split(paths, text)
    parts[::2] = map(markdown_text, parts[::2])
    parts[1::2] = [f"[`{path}`](/{path})" for path in parts[1::2]]
    return "".join(parts)


def duration(seconds):
    """A time in words: seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def sortable(value):
    """A number as JavaScript reads it, "" for what is none."""
    if not isinstance(value, (int, float)) or math.isnan(value):
        return ""
    return f"{value:.12g}".replace("inf", "Infinity")


def _templates(context):
    """Jinja with the templates and all that they use."""
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    loader = FileSystemLoader([_PAGES, _HERE / "templates"])
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "md": lambda text: Markup(markdown_text(text)),
        "files": lambda text: Markup(linked_files(text)),
        "duration": duration,
        "sortable": sortable,
    }
    words = {"signs": _SIGNS, "parts": PARTS, "scores": SCORES, "questions": ASKS}
    environment.globals |= context | words | {"slug": slug}
    return environment


def _write_source(context, folder):
    """Write what Sphinx reads: pages, notebooks, modules of the API, and the project's guides."""
    guides = {f"docs/{path.stem}": path for path in (project_root() / "docs").glob("*.md")}
    templates = _templates(context | {"guides": guides, "api": _API})
    texts = {
        name: templates.get_template(name).render()
        for name in templates.list_templates(filter_func=lambda name: (_PAGES / name).is_file())
    }
    texts |= {f"{name}.md": path.read_text(encoding="utf-8") for name, path in guides.items()}
    for name in _API:
        home = import_module(name)
        members = [member for member in home.__all__ if callable(getattr(home, member))]
        page = templates.get_template("module.rst")
        elsewhere = companion.__all__ if home is not companion else ()
        texts[f"api/{name}.rst"] = page.render(name=name, members=members, elsewhere=elsewhere)
    for entry in context["entries"]:
        if entry.notebook is not None:
            summary = templates.get_template("summary.html").render(entry=entry)
            entry.notebook.cells.insert(1, nbformat.v4.new_markdown_cell(summary))
            texts[f"notebooks/{entry.artefact.id}.ipynb"] = nbformat.writes(entry.notebook)
    for name, text in texts.items():
        replace_text(folder / name, text)


def _run_sphinx(source, output, profile):
    """Run Sphinx over all pages and give its warnings back, one a line."""
    from sphinx.cmd.build import build_main

    said = io.StringIO()
    title = "companion" if profile == "paper" else f"companion ({profile} run)"
    options = ["-q", "-N", "-c", str(_HERE), "-d", str(source.parent / "doctrees")]
    with redirect_stderr(said):
        code = build_main([*options, "-D", f"html_title={title}", str(source), str(output)])
    warnings = said.getvalue().replace(f"{source}/", "")
    if code:
        raise ReportError(f"Sphinx failed.\n{warnings}")
    return [line for line in warnings.splitlines() if line.strip()]


def _check(output):
    """Refuse to go on without Sphinx, or into a folder that holds something else than a site."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ReportError(
            f"The site is built with Sphinx, and {', '.join(missing)} cannot be imported. "
            "Install what it needs with `pip install svm-companion[docs]`."
        )
    others = output.exists() and not (output / _MARKER).is_file()
    if others and (not output.is_dir() or any(output.iterdir())):
        raise ReportError(
            f"{output} is not empty and holds no site of ours. Name another folder with --output."
        )


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
        If Sphinx is not installed, there is nothing to show, or the folder is somebody else's.
    """
    start = time.monotonic()
    output = Path(output or build_dir() / "report" / "html").resolve()
    _check(output)
    try:
        context = gather(profile, artefacts)
    except FileNotFoundError as error:
        raise ReportError(str(error)) from error
    with TemporaryDirectory() as work:
        source, built = Path(work).resolve() / "source", Path(work).resolve() / "site" / "html"
        _write_source(context, source)
        faults = _run_sphinx(source, built, profile)
        (built / _MARKER).write_text("This folder is replaced by `companion report`.\n")
        shutil.rmtree(output, ignore_errors=True)  # the old site stays until the new one is there
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(built, output)
    static = output / "_static"
    pages = sum(static not in path.parents for path in output.rglob("*.html"))
    seconds = time.monotonic() - start
    return Site(output / "index.html", pages, faults, context["remarks"], seconds)
