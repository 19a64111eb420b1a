"""The protocol of Table 2: its data sets and their splits, and the grid of C and sigma."""

from itertools import product

import numpy as np

from companion.datasets import data_digest, ida_split, load_ida, split_source
from companion.papers.l1nsvm.machines import PAPER, PRINTED_NAMES
from companion.papers.summaries import present
from companion.reproduction import Unit

DATASETS = tuple(PRINTED_NAMES)
#: The ranges of the grid are the paper's; its steps are ours.
LOG10_C_RANGE = (0.0, 2.0)
LOG10_SIGMA_RANGE = (0.0, 4.0)


def grid(bounds, step):
    """Points from ``bounds[0]`` to ``bounds[1]``, both included, ``step`` apart."""
    low, high = bounds
    return [round(low + k * step, 6) for k in range(round((high - low) / step) + 1)]


def split_units(study, splits, **params):
    """One unit of a study for each data set and split, with the same further parameters."""
    units = []
    for name, split in product(DATASETS, range(1, splits + 1)):
        identity = {"dataset": name, "split": split, "splits": split_source(name), **params}
        units.append(Unit(PAPER, study, identity, data=data_digest(name)))
    return units


def split_rows(name, split, source):
    """Training inputs and labels, test inputs and labels of one split."""
    data = load_ida(name, source)
    train, test = ida_split(name, split, source)
    return data.X[train], data.y[train], data.X[test], data.y[test]


def predicted(values):
    """Labels of decision values; zero is a decision for the negative class."""
    return np.where(values > 0, 1, -1)


def count_wrong(values, y):
    """How many decision values fall on the wrong side."""
    return int((predicted(values) != y).sum())


def row_a_machine(frame, machines, row):
    """A table with what ``row(data set, machine)`` gives for each data set on record."""
    import pandas as pd

    rows = []
    for name, machine in product(present(frame, DATASETS), machines):
        head = {"data set": PRINTED_NAMES[name], "machine": machine}
        rows.append({**head, **row(name, machine)})
    return pd.DataFrame(rows)
