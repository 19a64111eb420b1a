"""Figures 1 and 2: the regions of Example 1 in which each class is predicted, and how they move.

The machines of a sample are recorded, so that its boundaries can be drawn from the records; what
the sentences about the figures say is counted on a lattice over the plotted square.
"""

from itertools import pairwise, product

import numpy as np
from scipy.ndimage import label

from companion.metrics import paired_difference
from companion.papers.summaries import select
from companion.papers.wrsvm import examples

A_VALUES = (0.0, 0.2, 0.4, 0.6, 0.8)
CONFIGS = (1, 2, 3)

#: Points of the plotted square by side, and half its side.
LATTICE = 101
HALF_SIDE = 2.5

#: Whether the regions of classes grow with a, by matrix: what is said about both figures.
GROWS = {
    1: {1: False, 2: True},
    2: {1: False, 2: True, 3: True},
    3: {1: True, 2: False, 3: False},
}


def lattice():
    """Points of the plotted square, shape (LATTICE^2, 2), row by row from the bottom."""
    axis = np.linspace(-HALF_SIDE, HALF_SIDE, LATTICE)
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


def samples(figure, n, number):
    """Training and tuning sample of a figure, without flips and of equal size."""
    rng = examples.rng_of(figure, "sample", number)
    return examples.piecewise_linear(n, rng), examples.piecewise_linear(n, rng)


def machine_rows(train, tune, points, C_values, columns_of):
    """The robust machine of every matrix, its regions and what ``columns_of(machine)`` adds."""
    for config, a in product(CONFIGS, A_VALUES):
        U = examples.utility(config, a)
        _, machine = examples.tuned_machines(*train, *tune, U, C_values=C_values)
        yield {
            "config": config,
            "a": a,
            "log2_C": machine.log2_C,
            **regions(machine.predict(points), U),
            **machine.certificate,
            **columns_of(machine),
        }


def regions(predicted, U):
    """Shares of the square, their agreement with the Bayes rule, and their connected parts."""
    rule = examples.bayes(
        examples.class_probabilities("piecewise_linear", lattice()), U
    )
    square = predicted.reshape(LATTICE, LATTICE)
    row = {"agrees_with_bayes": round((predicted == rule).mean(), 6)}
    for j in range(3):
        row[f"region_{j + 1}"] = round((square == j).mean(), 6)
        row[f"parts_{j + 1}"] = label(square == j)[1]
    return row


def growth(frame, config, j, low=A_VALUES[0], high=A_VALUES[-1]):
    """How much larger a region is at one a than at another, paired over the samples."""
    rows = select(frame, config=config).sort_values("sample")
    return paired_difference(*(select(rows, a=a)[f"region_{j}"] for a in (high, low)))


def add_values(out, frame):
    """Of every region the step from one a to the next that speaks most against its sentence."""
    for config, grows in GROWS.items():
        for j, larger in grows.items():
            steps = [growth(frame, config, j, *step) for step in pairwise(A_VALUES)]
            pick = min if larger else max
            least = pick(
                steps, key=lambda step: step.mean / max(step.standard_error, 1e-12)
            )
            column = f"region of class {j}: growth in its least certain step of a"
            out.add_mean(f"U{config},a", column, least)


def means_of(frame):
    """What numbers are that are averaged over the samples, as "means of 14 samples"."""
    n = frame["sample"].nunique()
    return f"means of {n} samples" if n > 1 else "one sample"
