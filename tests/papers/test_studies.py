"""What every study keeps to: the name of its constant, and a complete list of its code.

The digest of a record runs over the modules that its study lists. A module that is missing there
could change without the record being called stale, so the list must cover all that the module of
the study imports, directly or through others.
"""

import ast
import importlib.util
import pkgutil
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import pytest

import companion.papers
from companion.reproduction.artefacts import list_artefacts
from companion.reproduction.units import Study

STUDIES = {
    f"{study.paper}/{study.name}": study
    for artefact in list_artefacts()
    for study in artefact.studies
}
#: Imported, and without influence on any number: where files lie, which edition of them a unit
#: names, what an error is called, what is said of an estimator.
NO_NUMBERS = {
    "companion._paths",
    "companion._threads",
    "companion.datasets._at_hand",
    "companion.datasets._fetch",
    "companion.datasets._sources",
    "companion.errors",
    "companion.estimators._docs",
    "companion.papers._code",
    "companion.reproduction.units",
}

# ------------------------------------------------------------------ names


@lru_cache(maxsize=1)
def constants():
    """Module, name and study of every study that a module of the papers makes."""
    prefix = companion.papers.__name__ + "."
    modules = [
        import_module(found.name)
        for found in pkgutil.walk_packages(companion.papers.__path__, prefix)
    ]
    return [
        (module.__name__, name, value)
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, Study)
    ]


def fault_of_names(study, made):
    """What is wrong with the constants that hold a study, "" if nothing is."""
    wanted = study.name.upper()
    names = [(module, name) for module, name, other in made if other is study]
    if not names:
        return (
            f"no module of companion.papers holds the study {study.name!r}; "
            f"make it a constant: {wanted} = Study(...)"
        )
    return "; ".join(
        f"{module}.{name} holds the study {study.name!r}; call it {wanted}"
        for module, name in names
        if name != wanted
    )


@pytest.mark.parametrize("name", STUDIES)
def test_the_constant_of_a_study_is_its_name_in_upper_case(name):
    assert fault_of_names(STUDIES[name], constants()) == ""


def test_another_name_of_a_constant_is_noticed_and_the_right_one_given():
    study = Study("toy", "table_1", list, dict)
    assert fault_of_names(study, [("toy", "TABLE_1", study)]) == ""
    assert fault_of_names(study, [("toy", "TABLE", study)]) == (
        "toy.TABLE holds the study 'table_1'; call it TABLE_1"
    )
    assert "make it a constant: TABLE_1" in fault_of_names(study, [])


# ------------------------------------------------------------------ code


@lru_cache(maxsize=None)
def spec_of(module):
    try:
        return importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None


def is_package(module):
    return spec_of(module).submodule_search_locations is not None


@lru_cache(maxsize=None)
def imports(module):
    """Pairs of a module of this package and a name imported from it, wherever in the source."""
    tree = ast.parse(Path(spec_of(module).origin).read_text(encoding="utf-8"))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: a relative import in line {node.lineno}"
            found += [(node.module, alias.name, alias.asname or alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "", "") for alias in node.names]
    return [entry for entry in found if entry[0].split(".")[0] == "companion"]


@lru_cache(maxsize=None)
def home(module, name):
    """The module that makes a name, where it is imported from one that passes it on."""
    if name and is_package(module) and spec_of(f"{module}.{name}"):
        return f"{module}.{name}"
    for source, original, alias in imports(module):
        if alias == name and name:
            return home(source, original)
    return module


def needed(module):
    """All modules behind a module, itself included, those without influence left out."""
    seen, waiting = set(), [module]
    while waiting:
        module = waiting.pop()
        if module not in seen and module not in NO_NUMBERS:
            seen.add(module)
            waiting += [home(source, name) for source, name, _ in imports(module)]
    return seen


def covered(code):
    """The modules that the entries of a list stand for, packages with all they hold."""
    for entry in code:
        yield entry
        for folder in spec_of(entry).submodule_search_locations or ():
            for found in pkgutil.walk_packages([folder], entry + "."):
                yield found.name


def left_out(study):
    return sorted(needed(study.compute.__module__) - set(covered(study.code)))


@pytest.mark.parametrize("name", STUDIES)
def test_the_code_of_a_study_is_all_that_its_module_imports(name):
    missing = left_out(STUDIES[name])
    assert not missing, f"the code list of {name} lacks {', '.join(missing)}"


@pytest.mark.parametrize(
    "module",
    [
        "companion.papers.wrsvm.simulation",  # where the study is computed
        "companion.papers.wrsvm.examples",  # imported there
        "companion.datasets.three_classes",  # imported by examples from a package
        "companion.solvers._design",  # passed on by two modules
        "companion._kernel_loops",  # imported within a function
    ],
)
def test_a_module_that_a_code_list_lacks_is_noticed(module):
    study = STUDIES["wrsvm/table_2"]
    code = tuple(entry for entry in study.code if entry != module)
    assert len(code) < len(study.code)
    assert left_out(replace(study, code=code)) == [module]
