"""Figures show what they are given: axes labelled in the paper's words, data unchanged."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from companion import plotting


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def test_distributions_reach_one_and_mark_their_mean(ax):
    samples = {"LS": np.array([3.0, 1.0, 2.0]), "L1": np.array([0.5, 0.5, 0.5])}
    plotting.plot_distributions(ax, samples, xlabel="degrees")
    assert ax.get_xlabel() == "degrees"
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {
        "LS (mean 2.0)",
        "L1 (mean 0.5)",
    }


def test_every_machine_has_its_own_look():
    looks = [tuple(look.values()) for look in plotting.MACHINE_STYLES.values()]
    assert len(set(looks)) == len(looks) >= 4


def test_differences_are_drawn_with_two_standard_errors_from_top_to_bottom(ax):
    series = {"GACV": (np.array([0.5, -1.0]), np.array([0.1, 0.2]))}
    plotting.plot_differences(ax, ["Heart", "German"], series, xlabel="d")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Heart", "German"]
    assert ax.yaxis_inverted()
    bars = ax.containers[0].lines[2][0].get_segments()
    assert np.allclose([bar[:, 0] for bar in bars], [[0.3, 0.7], [-1.4, -0.6]])


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
