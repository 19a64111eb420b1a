"""Skip a test, with the reason, where its data are not available."""

from functools import wraps

import pytest

from companion.datasets import DataUnavailable


def or_skip(function):
    """Wrap a function so that it skips the test where data are not available."""

    @wraps(function)
    def called(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except DataUnavailable as error:
            pytest.skip(str(error))

    return called
