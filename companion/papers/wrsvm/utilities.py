"""Utilities on record: of a machine at a setting, and what it gains over another."""

from companion.metrics import paired_difference
from companion.papers.summaries import select

PERCENT = 100.0


def setting_name(config, a):
    """What a utility matrix is called: "U2,0.4", "U = I"."""
    return f"U{config},{a:g}" if a else "U = I"


def with_setting(frame):
    """Records by a and number of their utility matrix, with what it is called, ``U``."""
    frame = frame.sort_values(["a", "config"])
    return frame.assign(
        U=[setting_name(*key) for key in zip(frame.config, frame.a, strict=True)]
    )


def percentages(frame, column="utility", **where):
    """Percentages in the order of the samples, of the records with these values elsewhere."""
    return PERCENT * select(frame, **where).sort_values("sample")[column].to_numpy()


def gain(frame, machine, other, column="utility", **where):
    """Paired difference of two machines, in points of utility."""
    first, second = (
        percentages(frame, column, machine=name, **where) for name in (machine, other)
    )
    return paired_difference(first, second)


def gains_of_truncation(frame):
    """What the WRSVM gains over the WSVM on the same test samples, by utility matrix."""
    return {
        U: gain(cell, "WRSVM", "WSVM", "test")
        for U, cell in with_setting(frame).groupby("U", sort=False)
    }
