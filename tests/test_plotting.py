"""Figures show what they are given: axes labelled in the paper's words, data unchanged."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from companion import plotting
from companion.plotting.common import style_of


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def test_a_toy_panel_has_the_axes_and_levels_of_the_print(ax):
    X = np.array([[0.0, 0.0], [5.0, 2.0], [1.0, 1.0]])
    y = np.array([1, -1, 1])
    assert plotting.plot_toy_machine(ax, X, y, np.array([-0.4, -0.1]), 1.0, flipped=[2]) is ax
    assert tuple(ax.get_xticks()) == plotting.TOY_TICKS["x"]
    assert tuple(ax.get_yticks()) == plotting.TOY_TICKS["y"]
    shown = np.vstack([line.get_xydata() for line in ax.lines])
    assert {tuple(point) for point in X} <= {tuple(point) for point in shown}
    (contours,) = [c for c in ax.collections if hasattr(c, "levels")]
    assert tuple(contours.levels) == plotting.TOY_LEVELS


def test_distributions_reach_one_and_mark_their_mean(ax):
    samples = {"LS": np.array([3.0, 1.0, 2.0]), "L1": np.array([0.5, 0.5, 0.5])}
    plotting.plot_distributions(ax, samples, xlabel="degrees")
    assert ax.get_xlabel() == "degrees"
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {
        "LS (mean 2.0)",
        "L1 (mean 0.5)",
    }


def test_curves_carry_their_error_bars(ax):
    distance = np.array([0.0, 10.0])
    plotting.plot_influence(ax, distance, {"LS": [1.0, 2.0]}, {"LS": [0.1, 0.2]}, ylabel="x")
    assert len(ax.containers) == 1 and ax.get_ylabel() == "x"


@pytest.mark.parametrize("ratio", [False, True])
def test_a_surface_stands_on_the_axes_of_the_search(ax, ratio):
    table = pd.DataFrame([[0.5, 1.0], [2.0, 4.0]], index=[0.0, 2.0], columns=[0.0, 4.0])
    plotting.plot_surface(ax, table, label="error", marks=[("here", 1.0, 3.0, "o")], ratio=ratio)
    assert ax.get_xlabel() == r"$\log_{10} \sigma$" and ax.get_ylabel() == r"$\log_{10} C$"
    (mark,) = [line for line in ax.lines if line.get_label() == "here"]
    assert mark.get_xydata().tolist() == [[3.0, 1.0]]


def test_every_machine_has_its_own_look():
    looks = [tuple(look.values()) for look in plotting.MACHINE_STYLES.values()]
    assert len(set(looks)) == len(looks) >= 4


def test_every_criterion_has_a_look_by_the_start_of_its_name():
    from companion.papers.gacv.selection import CRITERIA, NONSTANDARD_NAMES

    drawn = ("gacv", "xa", "misclass", "gckl", "cv_10", "loo")
    for names in (CRITERIA, NONSTANDARD_NAMES):
        looks = [tuple(style_of(names[key]).values()) for key in drawn]
        assert len(set(looks)) == len(drawn)
    assert style_of("BRXA")["color"] == style_of("XA")["color"]


def test_decision_curves_are_drawn_at_zero_with_the_true_one(ax):
    axes = np.linspace(-1, 1, 21), np.linspace(-2, 2, 31)
    X, y = np.array([[0.0, 1.0], [0.5, -1.0]]), np.array([-1, 1])
    values = -np.add.outer(axes[1], axes[0])
    plotting.plot_decision_curves(ax, X, y, axes, {"GACV": values}, -axes[0], title="t")
    (contour,) = [c for c in ax.collections if hasattr(c, "levels")]
    assert contour.levels.tolist() == [0.0]
    on = np.vstack([path.vertices for path in contour.get_paths()])
    assert np.allclose(on.sum(axis=1), 0, atol=1e-9)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "class +",
        "class -",
        "true",
        "GACV",
    ]


def test_a_criterion_stands_on_logarithmic_axes_with_its_minimum_marked(ax):
    lam, sigma = np.array([1.0, 0.1, 0.01]), np.array([1.0, 10.0])
    values = np.array([[2.0, 1.0, 1.5], [3.0, 1.2, 1.4]])
    plotting.plot_criterion(ax, lam, sigma, values, marks=[("XA", 0.1, 1.0)])
    (mark,) = [line for line in ax.lines if line.get_label() == "XA"]
    assert mark.get_xydata().tolist() == [[-1.0, 0.0]]
    filled = next(c for c in ax.collections if hasattr(c, "levels"))
    assert filled.levels[0] == 1.0 and filled.levels[-1] == 2.0


def test_minima_show_every_sample_and_their_mean(ax):
    points = np.array([[-3.0, 0.0], [-2.0, 1.0], [-1.0, 2.0]])
    plotting.plot_minima(ax, {"GACV": points}, limits=((-6, 0), (-2, 3)))
    assert np.array_equal(ax.lines[0].get_xydata(), points)
    (mean,) = ax.containers
    assert mean.lines[0].get_xydata().tolist() == [[-2.0, 1.0]]


def test_differences_are_drawn_with_two_standard_errors_from_top_to_bottom(ax):
    series = {"GACV": (np.array([0.5, -1.0]), np.array([0.1, 0.2]))}
    plotting.plot_differences(ax, ["Heart", "German"], series, xlabel="d")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Heart", "German"]
    assert ax.yaxis_inverted()
    bars = ax.containers[0].lines[2][0].get_segments()
    assert np.allclose([bar[:, 0] for bar in bars], [[0.3, 0.7], [-1.4, -0.6]])


def three_regions(axis):
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    return points @ np.array([[2.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]).T


def test_boundaries_are_where_the_predicted_class_changes(ax):
    axis = np.linspace(-1, 1, 21)
    plotting.plot_boundaries(ax, axis, {"a = 0": three_regions(axis)}, title="t")
    paths = [path for c in ax.collections for path in c.get_paths() if len(path.vertices)]
    on = np.vstack([path.vertices for path in paths])
    values = on @ np.array([[2.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]).T
    largest = np.sort(values, axis=1)
    assert np.allclose(largest[:, 2], largest[:, 1], atol=0.11)  # a cell of the lattice
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a = 0"]


def test_regions_show_the_predicted_class_and_the_sample(ax):
    axis = np.linspace(-1, 1, 11)
    values = three_regions(axis)
    X, y = np.array([[0.5, 0.0], [-0.5, 0.5]]), np.array([0, 1])
    plotting.plot_regions(ax, axis, values, X, y)
    assert ax.collections[0].get_array().ravel().tolist() == values.argmax(axis=1).tolist()
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[0.5, 0.0]], [[-0.5, 0.5]], []]


def test_bars_of_verdicts_fill_the_axis_and_say_their_numbers(ax):
    from companion.reproduction.verdicts import OUTCOMES

    assert set(plotting.VERDICT_STYLES) == set(OUTCOMES)
    counts = {
        "stochastic": {"reproduced": 3, "differs (declared)": 1},
        "draw": {"within spread": 99, "not run": 1},
    }
    assert plotting.plot_verdicts(ax, counts, title="all") is ax
    ends = {}
    for bar in ax.patches:
        middle = round(bar.get_y() + bar.get_height() / 2)
        ends[middle] = max(ends.get(middle, 0), bar.get_x() + bar.get_width())
    assert ends == {0: pytest.approx(1), 1: pytest.approx(1)}
    # 1 of 100 has no room
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["3", "99", "1"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["stochastic (4)", "draw (100)"]
    shown = ax.get_legend_handles_labels()[1]
    assert shown == ["reproduced", "within spread", "differs (declared)", "not run"]
    looks = {(look["facecolor"], look["hatch"]) for look in plotting.VERDICT_STYLES.values()}
    assert len(looks) == len(OUTCOMES)
