"""The figures of the Least 1-Norm paper show what they are given."""

import numpy as np
import pandas as pd

from companion.papers.l1nsvm import fig_1
from companion.papers.l1nsvm.machines import MACHINES


def test_a_toy_panel_has_the_axes_and_levels_of_the_print(ax):
    X, y = np.array([[0.0, 0.0], [5.0, 2.0], [1.0, 1.0]]), np.array([1, -1, 1])
    assert fig_1.plot_toy_machine(ax, X, y, np.array([-0.4, -0.1]), 1.0, flipped=[2]) is ax
    assert tuple(ax.get_xticks()) == fig_1.TICKS["x"] and tuple(ax.get_yticks()) == fig_1.TICKS["y"]
    shown = np.vstack([line.get_xydata() for line in ax.lines])
    assert {tuple(point) for point in X} <= {tuple(point) for point in shown}
    (contours,) = [c for c in ax.collections if hasattr(c, "levels")]
    assert tuple(contours.levels) == fig_1.LEVELS


def test_curves_carry_their_error_bars(ax):
    distance, values = [0.0, 0.0, 10.0, 10.0], [1.0, 3.0, 2.0, 2.0]
    frame = pd.DataFrame({"distance": distance, **{f"alpha_{m}": values for m in MACHINES}})
    fig_1.plot_influence(ax, frame, "alpha", ylabel="x")
    assert len(ax.containers) == len(MACHINES) and ax.get_ylabel() == "x"
    curve, _, (bars,) = ax.containers[0].lines
    assert curve.get_xydata().tolist() == [[0.0, 2.0], [10.0, 2.0]]
    assert [bar[:, 1].tolist() for bar in bars.get_segments()] == [[1.0, 3.0], [2.0, 2.0]]
