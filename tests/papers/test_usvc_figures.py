"""Figures of the Unbiased SVC paper show what they are given, on the paper's axes."""

from itertools import product

import numpy as np
import pandas as pd

from companion.papers.usvc import benefit, paired_errors, table_3

X = np.linspace(0.0, 1.0, 11)


def test_gains_carry_two_standard_errors_on_a_logarithmic_axis(ax):
    cells = product(("A, cluster weight .265", "B"), (20, 50), (1, 3))
    frame = pd.DataFrame(cells, columns=["reading", "n", "draw"])
    frame = frame.assign(svc_error=frame.draw / 100, usvc_error=0.0, share_of_large_slacks=0.0)
    benefit.plot_gain(ax, frame, "n", xlabel="n")
    bars = [bar.get_segments() for c in ax.containers for bar in c.lines[2]]
    assert np.allclose(bars, [[[[20, 0], [20, 4]], [[50, 0], [50, 4]]]] * 2)
    assert ax.get_xscale() == "log"
    assert [c.get_label() for c in ax.containers] == ["case A", "case B"]


def test_sizes_are_logarithmic_and_machines_named(ax):
    frame = pd.DataFrame(product(table_3.MACHINES, (2, 4)), columns=["machine", "test_wrong"])
    frame = frame.assign(dataset="Twonorm", n_test=100, size=12)
    table_3.plot_error_against_size(ax, frame, "Twonorm")
    assert (ax.get_xscale(), ax.get_xlabel(), ax.get_title()) == ("log", "machine size", "Twonorm")
    assert [c.get_label() for c in ax.containers] == list(table_3.MACHINES)
    (bar,) = ax.containers[0].lines[2][0].get_segments()
    assert np.allclose(bar, [[12, 1], [12, 5]])


def test_intervals_name_their_lines_from_top_to_bottom(ax):
    paired_errors.plot_intervals(ax, ["a", "b"], np.zeros(2), np.ones(2), xlabel="points")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    assert ax.yaxis_inverted() and ax.get_xlabel() == "points"
    assert ax.containers[0].lines[2][0].get_segments()[1].tolist() == [[-2, 1], [2, 1]]
