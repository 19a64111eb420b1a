"""The digest of a study's code: what moves it and what does not."""

import importlib
import json
import sys

import pytest
from _cases import cases, refused

from companion.reproduction import codehash
from companion.reproduction.codehash import code_digest

FILES = {
    "__init__.py": "",
    "study.py": '''
"""A study."""

import math

from package_of_the_test import lazy, tools
from package_of_the_test.shapes import Circle as Round
from package_of_the_test.tools import scaled

FACTOR = 2.0
TABLE = {"a": [1]}
TABLE["b"] = [2]
for _entry in TABLE.values():
    _entry.append(3)
COLOUR = "red"
if FACTOR > 1:

    def chosen(x): return x + 10


def decorated(times): return lambda function: function


def exponent(): return 3


def draw(ax):
    """A figure."""
    from package_of_the_test.tools import unused

    return unused(ax, COLOUR)


@decorated(times=1)
def compute(unit, power=exponent()):
    """One unit."""
    from package_of_the_test.nested import shift

    if unit:
        area = Round(unit).area() ** power * math.pi
        return {"x": f"{FACTOR * scaled(area):.3f}", "y": lazy.lazily(1) + chosen(area)}
    return [TABLE, shift(unit),
            tools.deep.value]
''',
    "shapes.py": '''
SIDES = 4


class Shape:
    def name(self): return "shape"


class Circle(Shape):
    def __init__(self, radius): self.radius = radius

    def area(self):
        """Not the whole truth."""
        return self.radius**2
''',
    "tools/__init__.py": "from package_of_the_test.tools.inner import scaled, unused\n",
    "tools/inner.py": """
def helper(x):
    return x + 1


def scaled(x): return helper(x) / 7


def unused(x, colour): return x
""",
    "tools/deep.py": "value = 1\n",
    "nested.py": """
import package_of_the_test.far.away


def shift(x): return package_of_the_test.far.away.distance + 4
""",
    "far/__init__.py": "",
    "far/away.py": "distance = 5\n",
    "lazy/__init__.py": """
from importlib import import_module


def __getattr__(name):
    if name != "lazily":
        raise AttributeError(name)
    return import_module("package_of_the_test.lazy.late").lazily
""",
    "lazy/late.py": """
LATE = 6


def lazily(x): return LATE + x
""",
}

SAME = {
    "a comment": ("study.py", "import math", "import math  # for pi"),
    "the docstring of a method": ("shapes.py", "Not the whole truth.", ""),
    "another docstring": ("study.py", "One unit.", "A unit.\n\n    Of many.\n    "),
    "a broken line": ("study.py", "shift(unit),\n            ", "shift(unit), "),
    "line ends of another system": ("study.py", "\n", "\r\n"),
    "a figure": ("study.py", "return unused(ax, COLOUR)", "return None"),
    "a function that only a figure calls": (
        "tools/inner.py",
        "return x\n",
        "return colour\n",
    ),
    "a comprehension that counts by a local name": (
        "study.py",
        'COLOUR = "red"\n',
        'COLOUR = "red"\nextra = [unit for unit in (1, 2)]\n',
    ),
}

DIFFERENT = {
    "the function itself": ("study.py", "** power", "** -power"),
    "a function that this one calls": ("tools/inner.py", "x + 1", "x + 2"),
    "a constant of what is loaded lazily": ("lazy/late.py", "LATE = 6", "LATE = 7"),
    "a formatted string": ("study.py", ":.3f", ":.4f"),
    "a constant": ("study.py", "FACTOR = 2.0", "FACTOR = 3.0"),
    "what is put into a constant later": (
        "study.py",
        'TABLE["b"] = [2]',
        'TABLE["b"] = [3]',
    ),
    "a loop over a constant": ("study.py", "_entry.append(3)", "_entry.append(4)"),
    "a function under a condition": ("study.py", "return x + 10", "return x + 11"),
    "the argument of a decorator": (
        "study.py",
        "@decorated(times=1)",
        "@decorated(times=2)",
    ),
    "a default": ("study.py", "return 3\n", "return 4\n"),
    "a class": ("shapes.py", "radius**2", "radius**3"),
    "a base class": ("shapes.py", '"shape"', '"form"'),
    "a function through a re-export": ("tools/inner.py", "/ 7", "/ 8"),
    "a module that is taken from a package": (
        "tools/deep.py",
        "value = 1",
        "value = 2",
    ),
    "what an import inside the function brings": ("nested.py", "+ 4", "+ 3"),
    "what a dotted import brings": ("far/away.py", "distance = 5", "distance = 6"),
    "another function of a library under the same name": (
        "study.py",
        "import math",
        "import cmath as math",
    ),
}


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """The digest of the study's code, with some of its files written otherwise."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def forget():
        importlib.invalidate_caches()
        codehash._module.cache_clear()
        codehash._definition.cache_clear()
        codehash.KNOWN_DIGESTS.clear()
        for name in [
            name for name in sys.modules if name.startswith("package_of_the_test")
        ]:
            del sys.modules[name]

    def digest(changed=None):
        for name, text in {**FILES, **(changed or {})}.items():
            path = tmp_path / "package_of_the_test" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        forget()
        return code_digest(importlib.import_module("package_of_the_test.study").compute)

    yield digest
    forget()


def edited(file, old, new):
    assert old in FILES[file]
    return {file: FILES[file].replace(old, new)}


@cases("change", *SAME)
def test_what_cannot_change_results_keeps_the_digest(digest, change):
    before = digest()
    assert digest(edited(*SAME[change])) == before


@cases("change", *DIFFERENT)
def test_what_is_reached_moves_the_digest(digest, change):
    assert digest(edited(*DIFFERENT[change])) != digest()


def test_a_module_beside_the_package_counts_as_the_project_does(
    digest, tmp_path, monkeypatch
):
    monkeypatch.setattr(codehash, "project_root", lambda: tmp_path)
    beside = tmp_path / "tools_beside_the_test.py"
    uses = edited(
        "study.py", "import math", "import math\nimport tools_beside_the_test"
    )
    uses["study.py"] = uses["study.py"].replace(
        "FACTOR = 2.0", "FACTOR = tools_beside_the_test.TWO"
    )
    found = []
    for value in (2.0, 3.0):
        beside.write_text(f"TWO = {value}\n")
        codehash._is_followed.cache_clear()
        found.append(digest(uses))
    assert found[0] != found[1]


def test_a_star_hides_what_is_reached_and_is_refused(digest):
    starred = edited("study.py", "import math", "import math\nfrom math import *")
    refused("imports \\* from math: name what it needs", digest, starred)


def test_where_a_definition_stands_does_not_matter(digest):
    helper = "def helper(x):\n    return x + 1\n"
    moved = edited(
        "tools/inner.py", helper, "from package_of_the_test.far.away import helper\n"
    )
    moved["far/away.py"] = f"{helper}\n\ndistance = 5\n"
    assert digest(moved) == digest()


@cases("compute", lambda unit: {}, dict.fromkeys, json.JSONEncoder.encode)
def test_what_is_no_function_of_a_module_is_refused(compute):
    refused(
        "must be a function at the top level of a module. Got", code_digest, compute
    )
