"""A line on standard error that says how far a fit is, where ``verbose`` asks for it."""

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

# Seconds before the line is first shown, and between two changes.
_FIRST = 3.0
_NEXT = 0.5

_current = ContextVar("progress", default=None)


class _Line:
    def __init__(self, name):
        self.name = name
        self.start = perf_counter()
        self.due = self.start + _FIRST
        self.width = 0

    def show(self, text):
        now = perf_counter()
        if now < self.due:
            return
        self.due = now + _NEXT
        line = f"{self.name}: {text}, {now - self.start:.0f} s"
        self.width = max(self.width, len(line))
        print("\r" + line.ljust(self.width), end="", file=sys.stderr, flush=True)


@contextmanager
def progress(machine):
    """Context in which solvers say how far they are, if the machine is verbose."""
    if not machine.verbose:
        yield
        return
    line = _Line(type(machine).__name__)
    before = _current.set(line)
    try:
        yield
    finally:
        _current.reset(before)
        if line.width:
            print(file=sys.stderr, flush=True)


def is_asked():
    """Whether a machine is verbose, where what to say has to be computed."""
    return _current.get() is not None


def report(text, *values):
    """Say how far a solver is, by a text with places for values; it costs nothing if none asks."""
    line = _current.get()
    if line is not None:
        line.show(text.format(*values))
