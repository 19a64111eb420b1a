"""The figures of the GACV report show what they are given."""

import numpy as np

from companion.papers.gacv import fig_1, fig_2
from companion.papers.gacv.selection import NAMES
from companion.plotting.common import style_of


def test_decision_curves_are_drawn_at_zero_with_the_true_one(ax):
    axes = np.linspace(-1, 1, 21), np.linspace(-2, 2, 31)
    X, y = np.array([[0.0, 1.0], [0.5, -1.0]]), np.array([-1, 1])
    values = -np.add.outer(axes[1], axes[0])
    fig_1.plot_decision_curves(ax, (X, y), axes, {"GACV": values}, -axes[0], title="t")
    (contour,) = [c for c in ax.collections if hasattr(c, "levels")]
    assert contour.levels.tolist() == [0.0]
    on = np.vstack([path.vertices for path in contour.get_paths()])
    assert np.allclose(on.sum(axis=1), 0, atol=1e-9)
    _, told = ax.get_legend_handles_labels()
    assert told == ["class +", "class -", "true", "GACV"]


def test_a_criterion_stands_on_logarithmic_axes_with_its_minimum_marked(ax):
    lam, sigma = np.array([1.0, 0.1, 0.01]), np.array([1.0, 10.0])
    values = np.array([[2.0, 1.0, 1.5], [3.0, 1.2, 1.4]])
    fig_2.plot_criterion(ax, lam, sigma, values, marks=[("XA", 0.1, 1.0)])
    (mark,) = [line for line in ax.lines if line.get_label() == "XA"]
    assert mark.get_xydata().tolist() == [[-1.0, 0.0]]
    filled = next(c for c in ax.collections if hasattr(c, "levels"))
    assert filled.levels[0] == 1.0 and filled.levels[-1] == 2.0


def test_minima_show_every_sample_and_their_mean(ax):
    points = np.array([[-3.0, 0.0], [-2.0, 1.0], [-1.0, 2.0]])
    fig_2.plot_minima(ax, {"GACV": points}, limits=((-6, 0), (-2, 3)))
    assert np.array_equal(ax.lines[0].get_xydata(), points)
    (mean,) = ax.containers
    assert mean.lines[0].get_xydata().tolist() == [[-2.0, 1.0]]


def test_every_criterion_has_a_look_by_the_start_of_its_name():
    drawn = ("gacv", "xa", "misclass", "gckl", "cv_10", "loo")
    for names in NAMES.values():
        assert len({tuple(style_of(names[key]).values()) for key in drawn}) == len(drawn)
    assert style_of("BRXA")["color"] == style_of("XA")["color"]
