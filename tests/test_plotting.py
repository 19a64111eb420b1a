"""Figures show what they are given: axes labelled in the paper's words, data unchanged."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from companion import plotting


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
        "LS (mean 2.0)", "L1 (mean 0.5)",
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
