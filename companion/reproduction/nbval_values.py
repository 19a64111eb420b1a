"""A pytest plugin: nbval compares the numbers behind the tables of a notebook by value.

A table that is printed with two digits hides what changed in the third; text of sixteen digits
fails wherever a sum is formed in another order. An output that carries its numbers as JSON under
the MIME type :data:`~companion.reproduction.VALUES_MIME` beside its print is compared by
those, to a relative 1e-9 or an absolute 1e-12 (ini options ``values_rtol``, ``values_atol``).
:class:`~companion.reproduction.display.Table` carries them, and so does any

    display({"text/plain": "0.12", VALUES_MIME: {"error": [0.1234567]}}, raw=True)

A cell that is tagged ``raises-exception`` and raises none fails. One line switches both on, in the
conftest.py at the root of the tests or as ``pytest -p``:

    pytest_plugins = ["companion.reproduction.nbval_values"]
"""

import math
from functools import partial

import pytest

from companion.reproduction import VALUES_MIME

_TOLERANCES = {
    "values_rtol": ("relative", "1e-9"),
    "values_atol": ("absolute", "1e-12"),
}


def pytest_addoption(parser):
    """Add the two tolerances to the ini options."""
    for name, (kind, default) in _TOLERANCES.items():
        said = (
            f"{kind} difference that counts as rounding between numbers behind tables"
        )
        parser.addini(name, said, default=default)


def pytest_collectstart(collector):
    """Keep nbval from comparing the numbers as text."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += (VALUES_MIME,)


def pytest_itemcollected(item):
    """Let a cell compare the numbers after nbval has compared the rest."""
    if hasattr(item, "compare_outputs"):
        item.compare_outputs = partial(_compare_outputs, item, item.compare_outputs)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Have a cell fail that was to raise an exception and raised none."""
    result = yield
    if getattr(item, "options", {}).get("check_exception"):
        kinds = [output.output_type for output in item.test_outputs]
        if "error" not in kinds:
            item.raise_cell_error("It is tagged raises-exception and raised none")
    return result


def _compare_outputs(cell, compare, test, ref, skip_compare=None):
    if not compare(test, ref, skip_compare):
        return False
    rtol, atol = (float(cell.config.getini(name)) for name in _TOLERANCES)
    committed, again = map(_values, (ref, test))
    difference = difference_of_values(committed, again, "tables", rtol, atol)
    if difference:
        cell.comparison_traceback.append(
            f"The numbers behind a table differ at {difference}"
        )
    return not difference


def _values(outputs):
    """The numbers behind the tables among some outputs."""
    found = [output.get("data", {}) for output in outputs]
    return [data[VALUES_MIME] for data in found if VALUES_MIME in data]


def difference_of_values(committed, again, where="", rtol=1e-9, atol=1e-12):
    """Where two JSON contents first differ, "" if they do not; numbers may differ by rounding."""
    both = (committed, again)  # of a notebook, or of a kernel: a dict or a class of it
    if all(isinstance(one, dict) for one in both) and committed.keys() == again.keys():
        places = {name: f"{where} / {name}" for name in committed}
    elif all(isinstance(one, list) for one in both) and len(committed) == len(again):
        places = {i: f"{where} [{i}]" for i in range(len(committed))}
    else:
        numbers = {*map(type, both)} in ({float}, {float, int})
        if committed == again or (
            numbers and math.isclose(committed, again, rel_tol=rtol, abs_tol=atol)
        ):
            return ""
        return f"{where}: {committed!r} committed, {again!r} now"
    differences = (
        difference_of_values(committed[key], again[key], place, rtol, atol)
        for key, place in places.items()
    )
    return next(filter(None, differences), "")
