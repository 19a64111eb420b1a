"""Configuration of Sphinx."""

import companion

project = "companion"
author = copyright = "The companion developers"
version = release = companion.__version__
extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "companion.reproduction.report.extension",
]
default_role = "literal"
smartquotes = False  # what is printed stays as it is printed
suppress_warnings = [
    "ref.term"
]  # docstrings taken over from scikit-learn speak of its glossary
toc_object_entries_show_parents = "hide"

autodoc_default_options = {"members": True, "inherited-members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
myst_update_mathjax = False
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
nb_code_prompt_show = "Show the code"
plot_formats = [("png", 150)]
plot_html_show_formats = plot_html_show_source_link = False
plot_include_source = True
plot_rcparams = {"savefig.bbox": "tight"}

html_theme = "pydata_sphinx_theme"
html_static_path = ["static"]
html_css_files = ["site.css", "ledger.css"]
html_js_files = ["site.js", "ledger.js"]
html_math_renderer = "mathml"
html_copy_source = html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_show_search_summary = (
    False  # it would fetch other pages, which a file path does not allow
)
# Pages without other pages below them have no use for a list of those.
html_sidebars: dict[str, list[str]] = {
    "[!a]*": [],
    "docs/*": [],
    "notebooks/**": [],
    "source/**": [],
}  # all but api/
html_theme_options = {
    "header_links_before_dropdown": 8,
    "navigation_depth": 2,
    "primary_sidebar_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "ledger": []},
    "show_toc_level": 2,
}
