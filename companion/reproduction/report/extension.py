"""Sphinx extension of the site: formulas as MathML, and no link that leads nowhere."""

import html

from companion.reproduction.report.mathml import to_mathml

__all__ = ["setup"]


def _markup(translator, node, block):
    from sphinx.util import logging

    try:
        return to_mathml(node.astext(), block=block)
    except ValueError as error:
        logging.getLogger(__name__).warning(str(error), location=node, type="mathml")
        return f"<code>{html.escape(node.astext())}</code>"


def _inline(translator, node):
    from docutils import nodes

    translator.body.append(f'<span class="math">{_markup(translator, node, False)}</span>')
    raise nodes.SkipNode


def _block(translator, node):
    from docutils import nodes

    translator.body.append(_markup(translator, node, True))
    raise nodes.SkipNode


def _drop_dead_backlinks(app, doctree, docname):
    """Remove the way back from a reference where Sphinx has lost the place it was cited at."""
    from docutils import nodes

    ids = {name for node in doctree.findall(nodes.Element) for name in node.get("ids", [])}
    for citation in doctree.findall(nodes.citation):
        citation["backrefs"] = [name for name in citation.get("backrefs", []) if name in ids]


def setup(app):
    """Register the renderer of formulas under the name ``mathml``, and the repair of links."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("doctree-resolved", _drop_dead_backlinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
