"""Variables of the environment, changed for a while."""

import os
from contextlib import contextmanager


@contextmanager
def environment(**values):
    """Set these variables of the process, and give them back what they were."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
