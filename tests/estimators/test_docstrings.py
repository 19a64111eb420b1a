"""Docstrings of public estimators: parameters, attributes, and examples that run."""

import doctest
import re

from _cases import cases
from numpydoc.docscrape import FunctionDoc
from sklearn.datasets import make_moons

import companion
from companion._utils.paths import companion_root

PUBLIC = [
    getattr(companion, name) for name in companion.__all__ if name != "__version__"
]
MACHINES = [
    public for public in PUBLIC if public.__module__.startswith("companion.estimators")
]


@cases("machine", *MACHINES)
def test_documented_attributes_are_those_of_a_fitted_machine(machine):
    X, y = make_moons(60, noise=0.2, random_state=0)
    entries = FunctionDoc(machine)["Attributes"]
    documented = {name for entry in entries for name in entry.name.split(", ")}
    found = set()
    for kernel in ("linear", "rbf"):
        fitted = machine(kernel=kernel).fit(X, y)
        public = [name for name in dir(fitted) if re.fullmatch(r"[a-zA-Z]\w*_", name)]
        found |= {name for name in public if hasattr(fitted, name)}
    assert found == documented - {"feature_names_in_"}


def test_the_examples_on_the_page_of_the_api_run():
    page = companion_root() / "docs" / "api.rst"
    assert doctest.testfile(str(page), module_relative=False).failed == 0
