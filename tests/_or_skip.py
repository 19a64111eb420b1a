"""What tests do about data that cannot be had: they say so and are skipped."""

from functools import wraps

import pytest

from companion.datasets import DataUnavailable


def or_skip(function):
    """The function, skipping the test where it finds that data cannot be had."""

    @wraps(function)
    def called(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except DataUnavailable as error:
            pytest.skip(str(error))

    return called
