"""Shorthands of many tests: parametrize, expect an error, expect a ConvergenceWarning."""

import pytest
from sklearn.exceptions import ConvergenceWarning


def cases(names, *rows, **options):
    """Run the test for every row of a table."""
    return pytest.mark.parametrize(names, rows, **options)


def each(**values):
    """Run the test for every combination of the values."""

    def for_each(test):
        for name, of_name in values.items():
            test = cases(name, *of_name)(test)
        return test

    return for_each


def refusals(*rows):
    """Run the test for every pair of a changed argument and the error message it causes."""
    return cases("change, message", *rows)


def refused(message, call, /, *args, error=ValueError, **settings):
    """The error that the call must raise, with this message if one is given."""
    with pytest.raises(error, match=message) as caught:
        call(*args, **settings)
    return caught.value


def warned(message, call, /, *args, **settings):
    """Return the result of a call that must give a ConvergenceWarning with this message."""
    with pytest.warns(ConvergenceWarning, match=message):
        return call(*args, **settings)
