"""Docstrings of public estimators: parameters, attributes, and examples that run."""

import doctest
import inspect
import re

from _cases import cases
from sklearn.datasets import make_moons

import companion

PUBLIC = [
    getattr(companion, name) for name in companion.__all__ if name != "__version__"
]
MACHINES = [
    public for public in PUBLIC if public.__module__.startswith("companion.estimators")
]


def entries(doc, section):
    """Names documented in a numpydoc section."""
    text = inspect.cleandoc(doc)
    match = re.search(rf"^{section}\n-+\n(.*?)(?=^\w[\w ]*\n---|\Z)", text, re.M | re.S)
    assert match, f"no section {section}"
    names = re.findall(r"^(\w[\w, ]*?) : ", match.group(1), re.M)
    return [name for group in names for name in group.split(", ")]


@cases("machine", *MACHINES)
def test_documented_attributes_are_those_of_a_fitted_machine(machine):
    X, y = make_moons(60, noise=0.2, random_state=0)
    documented = set(entries(machine.__doc__, "Attributes"))
    found = set()
    for kernel in ("linear", "rbf"):
        fitted = machine(kernel=kernel).fit(X, y)
        public = [name for name in dir(fitted) if re.fullmatch(r"[a-zA-Z]\w*_", name)]
        found |= {name for name in public if hasattr(fitted, name)}
    assert found == documented - {"feature_names_in_"}


def test_the_examples_on_the_page_of_the_api_run():
    page = "reproduction/report/pages/api/index.rst"
    assert doctest.testfile(page, package=companion).failed == 0
