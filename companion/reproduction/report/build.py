"""Building the site: gather, write the source, run Sphinx, check what came out."""

from __future__ import annotations

import io
import re
import shutil
import time
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from companion import __version__
from companion._paths import build_dir
from companion.reproduction.report.check import check_site, list_pages

__all__ = ["ReportError", "Site", "build_report", "sphinx_options"]

_NEEDED = ("latex2mathml", "sphinx", "myst_nb", "numpydoc", "pydata_sphinx_theme")
_MARKER = ".companion-report"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# Pages without other pages below them have no use for a list of those.
_ALONE = (
    "index",
    "ledger",
    "deviations",
    "errata",
    "times",
    "adding_a_paper",
    "search",
    "genindex",
)


class ReportError(RuntimeError):
    """The site cannot be built; the message says why and what to do."""


@dataclass(frozen=True)
class Site:
    """A built site.

    Attributes
    ----------
    index : pathlib.Path
        Its first page.
    pages : int
        Number of HTML pages.
    faults : list of str
        Warnings of Sphinx, and what the checks found.
    remarks : list of str
        On the records behind it.
    seconds : float
        Time of the build.
    """

    index: Path
    pages: int
    faults: list
    remarks: list
    seconds: float


def sphinx_options(profile="paper"):
    """The configuration of Sphinx, as in a ``conf.py``.

    Parameters
    ----------
    profile : {"paper", "quick"}, default="paper"

    Returns
    -------
    dict
    """
    return {
        "project": "companion",
        "author": "The companion developers",
        "copyright": "The companion developers",
        "version": __version__,
        "release": __version__,
        "extensions": [
            "myst_nb",
            "sphinx.ext.autodoc",
            "sphinx.ext.autosummary",
            "numpydoc",
            "companion.reproduction.report.extension",
        ],
        "exclude_patterns": ["_parts", "_static"],
        "default_role": "literal",
        "smartquotes": False,  # what is printed stays as it is printed
        "autosummary_generate": False,
        "autodoc_typehints": "none",
        "toc_object_entries_show_parents": "hide",
        "numpydoc_show_class_members": False,
        "myst_enable_extensions": ["dollarmath", "amsmath", "deflist"],
        "myst_heading_anchors": 3,
        "myst_update_mathjax": False,
        # docstrings taken over from scikit-learn speak of its glossary
        "suppress_warnings": ["ref.term"],
        "nb_execution_mode": "off",
        "nb_ipywidgets_js": {},
        "nb_render_markdown_format": "myst",
        "html_theme": "pydata_sphinx_theme",
        "html_title": "companion",
        "html_static_path": ["_static"],
        "html_css_files": ["site.css", "ledger.css"],
        "html_js_files": ["site.js", "ledger.js"],
        "html_math_renderer": "mathml",
        "html_copy_source": False,
        "html_show_sourcelink": False,
        # both would have pages fetch other pages, which a file path does not allow
        "html_show_search_summary": False,
        "html_sidebars": {name: [] for name in _ALONE},
        "html_context": {"default_mode": "auto"},
        "html_theme_options": {
            "check_switcher": False,
            "footer_start": ["copyright"],
            "footer_end": ["sphinx-version"],
            "header_links_before_dropdown": 8,
            "logo": {"text": "companion" if profile == "paper" else f"companion ({profile} run)"},
            "navigation_depth": 2,
            "primary_sidebar_end": [],
            "search_bar_text": "Search",
            "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "ledger": []},
            "show_toc_level": 2,
        },
    }


def _require_sphinx():
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ReportError(
            f"The site is built with Sphinx, and {', '.join(missing)} cannot be imported. "
            "Install what it needs with `pip install svm-companion[docs]`."
        )


def _run_sphinx(source, output, doctrees, options):
    """Run Sphinx over all pages and give its warnings back, one a line."""
    from sphinx.application import Sphinx
    from sphinx.util.console import nocolor
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    nocolor()
    warnings = io.StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            source,
            None,
            output,
            doctrees,
            "html",
            confoverrides=options,
            status=None,
            warning=warnings,
            freshenv=True,
        )
        app.build(force_all=True)
    lines = _COLOURS.sub("", warnings.getvalue()).splitlines()
    return [line.replace(f"{source}/", "") for line in lines if line.strip()]


def _check_output(output):
    """Refuse a folder that holds something else than a site."""
    if not output.exists():
        return
    if not output.is_dir() or (any(output.iterdir()) and not (output / _MARKER).is_file()):
        raise ReportError(
            f"{output} is not empty and holds no site of ours. Name another folder with --output."
        )


def build_report(output=None, *, profile="paper", executed=None, artefacts=None):
    """Build the static site.

    Parameters
    ----------
    output : path-like, optional
        Folder of the site; default ``build/report/html``. A site that is there is replaced; any
        other folder that is not empty is refused.
    profile : {"paper", "quick"}, default="paper"
        Whose verdicts and notebooks are shown.
    executed : path-like, optional
        Folder of executed notebooks to show in place of those of the profile.
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
    _require_sphinx()
    from companion.reproduction.report.content import gather
    from companion.reproduction.report.source import write_source

    own = build_dir() / "report"
    with TemporaryDirectory() if output else nullcontext(own) as work:
        output = Path(output or own / "html").resolve()
        _check_output(output)
        try:
            content = gather(profile, executed, artefacts)
        except FileNotFoundError as error:
            raise ReportError(str(error)) from error
        source = Path(work).resolve() / "source"
        write_source(content, source)
        # MyST-NB writes beside its output too; and the old site stays until the new one is there.
        built = source.parent / "built" / "html"
        shutil.rmtree(built.parent, ignore_errors=True)
        built.mkdir(parents=True)
        faults = _run_sphinx(
            str(source), str(built), str(source.parent / "doctrees"), sphinx_options(profile)
        )
        (built / _MARKER).write_text("This folder is replaced by `companion report`.\n")
        shutil.rmtree(output, ignore_errors=True)
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(built, output)
    faults += check_site(output)
    pages = sum(1 for _ in list_pages(output))
    return Site(output / "index.html", pages, faults, content.remarks, time.monotonic() - start)
