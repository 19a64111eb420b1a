"""What many tests say: a table of cases, what is refused, what warns of a spent budget."""

import pytest
from sklearn.exceptions import ConvergenceWarning


def cases(names, *rows, **options):
    """Once for every row of the table."""
    return pytest.mark.parametrize(names, rows, **options)


def each(**values):
    """Once for every combination of the values."""

    def for_each(test):
        for name, of_name in values.items():
            test = cases(name, *of_name)(test)
        return test

    return for_each


def refusals(*rows):
    """Once for every change of what is accepted and the message that refuses it."""
    return cases("change, message", *rows)


def refused(message, call, /, *args, error=ValueError, **settings):
    """The call raises an error that says the message."""
    with pytest.raises(error, match=message):
        call(*args, **settings)


def warned(message, call, /, *args, **settings):
    """What the call returns; it warns, with the message, that it has not converged."""
    with pytest.warns(ConvergenceWarning, match=message):
        return call(*args, **settings)
