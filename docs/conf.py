"""Configuration of Sphinx: `make site`, or ``sphinx-build docs build/site``."""

import companion

project = "companion"
author = copyright = "The companion developers"
version = release = companion.__version__
extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "companion.reproduction.pages",
]
default_role = "literal"
smartquotes = False  # what is printed stays as it is printed
templates_path = ["_templates"]
suppress_warnings = [
    "mystnb.unknown_mime_type",  # the numbers behind a table, for nbval
    "ref.term",  # docstrings of scikit-learn name its glossary
]

autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator, BaseSearchCV, ClassifierMixin",
    "exclude-members": "get_metadata_routing, set_fit_request, set_score_request",
}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autosummary_ignore_module_all = False
autosummary_imported_members = True
numpydoc_show_class_members = False

nb_execution_mode = "off"
nb_code_prompt_show = "Show the code"
nb_render_markdown_format = "myst"
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_update_mathjax = False
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "companion"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}
html_sourcelink_suffix = ""  # notebooks are downloaded under their own names
html_theme_options = {
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": {"**": ["page-toc", "sourcelink"], "index": []},
    "show_toc_level": 2,
}
# Pages without others below them have no use for a list of those.
html_sidebars: dict[str, list[str]] = {"*": [], "notebooks/*": []}
