"""The constant that holds a study is its name in upper case."""

import pkgutil
from functools import lru_cache
from importlib import import_module

import pytest

import companion.papers
from companion.reproduction.artefacts import list_artefacts
from companion.reproduction.units import Study

STUDIES = {
    f"{study.paper}/{study.name}": study
    for artefact in list_artefacts()
    for study in artefact.studies
}


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
