"""What the site asks of Sphinx beyond its configuration: formulas, figures, links, members."""

import html
import inspect
import posixpath
import re
import textwrap
from functools import cache

import numpydoc
from docutils import nodes
from jinja2 import PackageLoader
from jinja2.sandbox import SandboxedEnvironment
from numpydoc import docscrape, docscrape_sphinx
from sphinx.addnodes import pending_xref
from sphinx.highlighting import PygmentsBridge
from sphinx.util import logging

from companion.reproduction.report.mathml import to_mathml

_ALT_WIDTH = 400


def _formula(translator, node):
    """A formula that the browser draws itself, without a script or a font from elsewhere."""
    try:
        markup = to_mathml(node.astext(), block=isinstance(node, nodes.math_block))
    except ValueError as error:
        logging.getLogger(__name__).warning(str(error), location=node, type="mathml")
        markup = f"<code>{html.escape(node.astext())}</code>"
    translator.body.append(markup)
    raise nodes.SkipNode


def _describe_figures(app, doctree):
    """Give every figure a text alternative: which it is, and what it shows.

    What it shows is said by its notebook, or else by its section and the text above it.
    """
    n_figures = len([*doctree.findall(nodes.image)])
    number = 0
    title = section = text = ""
    for node in doctree.findall():
        if isinstance(node, nodes.title):
            section = node.astext()
            title = title or section
            text = ""
        elif isinstance(node, nodes.paragraph):
            text = node.astext()
        elif isinstance(node, nodes.image):
            number += 1
            about = node.get("alt") or f"In “{title}”, section “{section}”. {text}"
            alt = re.sub(r"[\\${}]", "", f"Figure {number} of {n_figures}. {about}")
            node["alt"] = textwrap.shorten(alt, _ALT_WIDTH, placeholder=" …")


def _name_files(app, doctree):
    """Link the page of a file of code, and name any other file of the project that is no page."""
    for node in [*doctree.findall(pending_xref)]:
        if node["reftype"] != "myst" or node.get("refdomain") is not None:
            continue
        folder = posixpath.dirname(node["refdoc"])
        path = posixpath.normpath(posixpath.join("/", folder, node["reftarget"]))[1:]
        file, _, name = path.partition("::")
        page = f"source/{file.removesuffix('.py')}"
        literal = nodes.literal("", path)
        if page in app.env.found_docs:
            address = f"{app.builder.get_relative_uri(node['refdoc'], page)}#{name}"
            shown = [nodes.reference("", "", *node.children, refuri=address)]
        elif node.astext() == path:
            shown = [literal]
        else:
            shown = [*node.children, nodes.Text(" ("), literal, nodes.Text(")")]
        node.replace_self(shown)


def _skip_foreign(app, what, name, member, *_):
    """Leave out what a class inherits from other packages."""
    function = inspect.unwrap(getattr(member, "fget", member))
    home = getattr(function, "__module__", None) or "companion"
    return True if what == "class" and not home.startswith("companion") else None


@cache
def _docstring_template():
    environment = SandboxedEnvironment(loader=PackageLoader("numpydoc"))
    return environment.get_template("numpydoc_docstring.rst")


def _read_docstring(thing, what=None, doc=None, config=None, builder=None):
    """As numpydoc does, which would compile its template for every docstring again."""
    return docscrape.get_doc_object(
        thing,
        what=what,
        doc=doc,
        config={**(config or {}), "template": _docstring_template()},
        class_doc=docscrape_sphinx.SphinxClassDoc,
        func_doc=docscrape_sphinx.SphinxFunctionDoc,
        obj_doc=docscrape_sphinx.SphinxObjDoc,
    )


def _share_formatters():
    """Make one formatter for all code of a kind: each finds the looks of all tokens anew."""
    make = PygmentsBridge.get_formatter

    def get_formatter(bridge, **options):
        made = vars(bridge).setdefault("formatters_made", {})
        kind = repr(options)
        if kind not in made:
            made[kind] = make(bridge, **options)
        return made[kind]

    PygmentsBridge.get_formatter = get_formatter


def setup(app):
    """Register all of it."""
    _share_formatters()
    numpydoc.setup(app, get_doc_object_=_read_docstring)
    app.add_html_math_renderer("mathml", (_formula, None), (_formula, None))
    app.connect("doctree-read", _describe_figures)
    app.connect("doctree-read", _name_files)
    app.connect("autodoc-skip-member", _skip_foreign)
    return {"parallel_read_safe": True}
