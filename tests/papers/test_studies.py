"""The constant that holds a study is its name in upper case."""

import pkgutil
from collections import defaultdict
from functools import lru_cache
from importlib import import_module

import pytest

import companion.papers
from companion.reproduction.artefacts import list_artefacts
from companion.reproduction.units import Study

STUDIES = {f"{study.paper}/{study.name}": study for a in list_artefacts() for study in a.studies}


@lru_cache(maxsize=1)
def names():
    """Names of the constants that hold each study, by its identity."""
    prefix, found = companion.papers.__name__ + ".", defaultdict(set)
    for module in pkgutil.walk_packages(companion.papers.__path__, prefix):
        for name, value in vars(import_module(module.name)).items():
            if isinstance(value, Study):
                found[id(value)].add(name)
    return found


@pytest.mark.parametrize("name", STUDIES)
def test_the_constant_of_a_study_is_its_name_in_upper_case(name):
    assert names()[id(STUDIES[name])] == {STUDIES[name].name.upper()}
