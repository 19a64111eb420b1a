"""The code digests of the records miss no module that the numbers come from."""

import ast
import importlib.util
from pathlib import Path

import pytest

from companion.papers import _code, list_artefacts

STUDIES = {
    f"{study.paper}/{study.name}": study
    for artefact in list_artefacts()
    for study in artefact.studies
}
#: Imported, and without influence on any number: where files lie, what an error is called.
NO_NUMBERS = {
    "companion._paths", "companion._threads", "companion.datasets._errors",
    "companion.datasets._fetch", "companion.datasets._sources", "companion.papers._code",
    "companion.papers.base", "companion.metrics",
}  # fmt: skip


def imported_by(module):
    """The modules of this package that a module names in its imports, packages left out."""
    source = Path(importlib.util.find_spec(module).origin).read_text(encoding="utf-8")
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("companion"):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if is_module(name)}


def is_module(name):
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return False
    return spec is not None and spec.submodule_search_locations is None


GROUPS = ("KERNELS", "DUAL", "SURFACES", "WLS", "MULTICATEGORY", "IDA", "UCI", "CONFORMAL",
          "SEARCHES", "IMBALANCED")  # fmt: skip


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_of_modules_holds_all_that_its_modules_import(group):
    listed = set(getattr(_code, group))
    for module in listed:
        wrappers = {name for name in imported_by(module) if name.startswith("companion.estimators")}
        assert imported_by(module) - NO_NUMBERS - wrappers <= listed, module


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_lists_the_module_that_computes_it_and_what_that_imports(name):
    code = STUDIES[name].code
    listed = {module for entry in code for module in (entry, *modules_under(entry))}
    assert STUDIES[name].compute.__module__ in code
    own = {module for module in listed if module.startswith("companion.papers")}
    for module in own:
        assert imported_by(module) - NO_NUMBERS <= listed, module


def modules_under(package):
    spec = importlib.util.find_spec(package)
    for folder in spec.submodule_search_locations or ():
        for path in Path(folder).rglob("*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            yield ".".join([package, *parts])
