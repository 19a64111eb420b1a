"""Pages of the public interface, from the docstrings."""

from __future__ import annotations

import inspect
from importlib import import_module

import companion

__all__ = ["MODULES", "api_pages", "own_members", "public_names"]

#: Module, heading, one line about it; in reading order.
MODULES = (
    ("companion", "Estimators and searches", "What ``from companion import ...`` offers."),
    ("companion.metrics", "Metrics", "Errors, g-means and utilities."),
    ("companion.tuning", "Tuning", "GACV, ξα, leave-one-out, and searches that share kernels."),
    ("companion.solvers", "Solvers", "One optimiser a function: arrays in, a result out."),
    ("companion.kernels", "Kernels", "Kernels, and the papers' widths turned into gamma."),
    ("companion.losses", "Losses", "The losses of the machines."),
    ("companion.conformal_factors", "Conformal transformations", "Kernels bent near the boundary."),
    ("companion.separability", "Separability", "The criterion J of scatter matrices."),
    ("companion.agreement", "Agreement", "The estimators against other programs."),
    ("companion.datasets", "Data sets", "Generators, and files with their hashes."),
    ("companion.plotting", "Plotting", "Figure functions: data and an Axes in, the Axes out."),
    ("companion.papers", "Papers", "Units, studies and artefacts."),
    ("companion.reproduction.regenerate", "Regenerating", "Records of an artefact, in a notebook."),
    ("companion.reproduction.run", "Running units", "Computing what is not on record."),
    ("companion.reproduction.published", "Published values", "Every printed number, as data."),
    ("companion.reproduction.verdicts", "Verdicts", "What the words mean, and their rules."),
    ("companion.reproduction.deviations", "Deviations", "Reasons for what differs."),
    ("companion.reproduction.errata", "Errata", "Errors of the prints, as data."),
    ("companion.reproduction.times", "Times", "How long the regeneration takes."),
    ("companion.reproduction.overview", "Overview", "The tables about all papers at once."),
    ("companion.reproduction.display", "Tables", "Tables for people, with the numbers behind."),
    ("companion.reproduction.notebooks", "Notebooks", "Running a notebook, and cleaning it."),
    ("companion.reproduction.report", "Report", "This site."),
)


def public_names(module):
    """What a module offers: ``__all__``, or the public functions and classes it defines."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("_")]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def own_members(cls):
    """Public methods and properties of a class that are our own: those of use first."""
    names = []
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] != "companion":
            continue
        for name, member in vars(base).items():
            documented = inspect.isroutine(member) or isinstance(member, (property, classmethod))
            if documented and not name.startswith("_") and name not in names:
                home = getattr(inspect.unwrap(getattr(cls, name)), "__module__", base.__module__)
                doc = inspect.getdoc(getattr(cls, name))
                if doc and str(home).startswith("companion"):
                    names.append(name)
    first = [name for name in ("fit", "predict", "decision_function") if name in names]
    return first + [name for name in names if name not in first]


def _directive(module, name, value):
    full = f"{module}.{name}"
    if inspect.isclass(value):
        lines = [f".. autoclass:: {full}"]
        if issubclass(value, BaseException):
            return lines
        for member in own_members(value):
            routine = inspect.isroutine(getattr(value, member))
            kind = "automethod" if routine else "autoproperty"
            lines += ["", f"   .. {kind}:: {full}.{member}"]
        return lines
    if callable(value):
        return [f".. autofunction:: {full}"]
    return [f".. autodata:: {full}", "   :no-value:"]


def _constant_is_documented(module, name):
    """Whether a comment ``#:`` stands above the constant, so that there is something to show."""
    from sphinx.pycode import ModuleAnalyzer

    analyzer = ModuleAnalyzer.for_module(module)
    analyzer.analyze()
    return ("", name) in analyzer.attr_docs


def _page(name, heading):
    module = import_module(name)
    public = public_names(module)
    values = {n: getattr(module, n) for n in public}
    elsewhere = [n for n in public if name != "companion" and n in companion.__all__]
    shown = [
        n
        for n, value in values.items()
        if n not in elsewhere and (callable(value) or _constant_is_documented(name, n))
    ]
    pointer = [f":class:`~companion.{n}`" for n in elsewhere]
    note = [f"{' and '.join(pointer)}: see :doc:`companion`.", ""] if pointer else []
    parts = [
        heading,
        "=" * len(heading),
        "",
        f"``import {name}``",
        "",
        f".. automodule:: {name}",
        "   :no-members:",
        "",
        f".. currentmodule:: {name}",
        "",
        *note,
        ".. autosummary::",
        "   :nosignatures:",
        "",
        *(f"   {n}" for n in shown),
        "",
    ]
    for n in shown:
        parts += ["", *_directive(name, n, values[n])]
    return "\n".join(parts) + "\n"


def api_pages():
    """Source of the pages of the interface.

    Returns
    -------
    dict of str to str
        From the file's path in the source of the site to its text.
    """
    pages = {f"api/{name}.rst": _page(name, heading) for name, heading, _ in MODULES}
    lines = [
        "API",
        "===",
        "",
        "Generated from the docstrings. Estimators follow scikit-learn, and",
        "solvers take arrays and know neither.",
        "",
    ]
    lines += [".. list-table::", "   :widths: 35 65", ""]
    for name, heading, text in MODULES:
        lines += [f"   * - :doc:`{heading} <{name}>`", f"     - {text}"]
    lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {name}" for name, _, _ in MODULES)]
    pages["api/index.rst"] = "\n".join(lines) + "\n"
    return pages
