"""Every public name can be had from where it is listed, and says what it takes."""

import inspect
import pkgutil
import re
from importlib import import_module

import pytest

import companion
from companion.papers import PAPERS

PACKAGES = ("datasets", "estimators", "papers", "plotting", "solvers", "tuning")


def public_modules():
    """The package, its modules and the packages in it; ``reproduction`` has modules of its own."""
    yield "companion"
    for module in pkgutil.iter_modules(companion.__path__):
        if not module.name.startswith("_") and module.name not in ("cli", "reproduction"):
            yield f"companion.{module.name}"
    for module in pkgutil.iter_modules(import_module("companion.reproduction").__path__):
        if not module.name.startswith("_"):
            yield f"companion.reproduction.{module.name}"


def documented(name, documentation):
    """Whether a section of a numpydoc text has a line for a parameter."""
    return re.search(rf"(?m)^([*\w]+, )*\*{{0,2}}{name}(, [*\w]+)*( :.*)?$", documentation)


def test_the_packages_are_found():
    assert {f"companion.{name}" for name in PACKAGES} < set(public_modules())


def inner_modules():
    """The modules within the packages that list public names."""
    for package in ("agreement", "datasets", "papers", "tuning"):
        home = import_module(f"companion.{package}")
        for module in pkgutil.walk_packages(home.__path__, home.__name__ + "."):
            private = any(part.startswith("_") for part in module.name.split("."))
            if not private and hasattr(import_module(module.name), "__all__"):
                yield module.name


def test_the_tables_of_the_papers_are_among_the_inner_modules():
    found = set(inner_modules())
    for paper in PAPERS:
        assert f"companion.papers.{paper}.tables" in found
    assert "companion.papers.wrsvm.claim_tables" in found


@pytest.mark.parametrize("module", [*public_modules(), *inner_modules()])
def test_public_names_exist_and_document_their_parameters(module):
    home = import_module(module)
    assert len(set(home.__all__)) == len(home.__all__)
    for name in home.__all__:
        found = getattr(home, name)
        if not (inspect.isfunction(found) or inspect.isclass(found)):
            continue
        text = "".join(
            inspect.cleandoc(part.__doc__ or "") + "\n"
            for part in (inspect.getmro(found) if inspect.isclass(found) else [found])
            if (part.__module__ or "").startswith("companion")
        )
        assert text.strip(), f"{module}.{name} has no docstring"
        if inspect.isclass(found) and issubclass(found, Exception):
            continue
        missing = [p for p in inspect.signature(found).parameters if not documented(p, text)]
        assert not missing, f"{module}.{name} does not document {', '.join(missing)}"
