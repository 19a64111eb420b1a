"""Figures show what they are given: axes labelled in the paper's words, data unchanged."""

import json
import re
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from _cases import cases, refused
from matplotlib.colors import to_rgb

from companion import plotting
from companion.plotting import described, sliding


def texts(labels):
    return [label.get_text() for label in labels]


def test_bars_of_verdicts_fill_the_axis_and_say_their_numbers(ax):
    counts = {"one": {"matches": 3, "differs, unexplained": 1}}
    counts["two"] = {"not tested": 99, "differs, explained": 1}
    assert plotting.plot_verdicts(ax, counts, title="all") is ax
    ends = {}
    for bar in ax.patches:
        middle = round(bar.get_y() + bar.get_height() / 2)
        ends[middle] = max(ends.get(middle, 0), bar.get_x() + bar.get_width())
    assert ends == {0: pytest.approx(1), 1: pytest.approx(1)}
    # 1 of 100 has no room
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["3", "1", "99"]
    assert texts(ax.get_yticklabels()) == ["one (4)", "two (100)"]
    shown = ax.get_legend_handles_labels()[1]
    words = ["matches", "differs, explained", "differs, unexplained", "not tested"]
    assert shown == words


def test_every_number_above_zero_is_drawn_against_ours_and_all_are_counted(ax):
    ledger = pd.DataFrame(
        {
            "asks": "value",
            "scored": [True] * 4 + [False],
            "verdict": [
                "matches",
                "matches",
                "differs, explained",
                "not tested",
                "matches",
            ],
            "published": [1.0, 10.0, 5.0, 0.0, 7.0],
            "reproduced": [1.0, 11.0, 50.0, 2.0, 7.0],
        }
    )
    plotting.plot_everything(ax, {"One": ledger})
    points = [tuple(p) for shown in ax.collections for p in shown.get_offsets()]
    assert points == [(1.0, 1.0), (10.0, 11.0), (5.0, 50.0)]
    words = " ".join(text.get_text() for text in ax.texts)
    for count in ("matches: 2", "explained: 1", "not tested: 1", "as zero: 1"):
        assert count in words


@cases("pictures, n_frames, at", ("", 6, 3), ("few", 4, 3))
def test_sliders_need_no_network_and_start_where_they_are_told(
    monkeypatch, pictures, n_frames, at
):
    monkeypatch.setenv("COMPANION_PICTURES", pictures)

    def draw(place, height=0):
        plt.subplots(figsize=(2, 2))[1].plot([0, place, height])

    knobs = {"place": [1, 2, 3], "height": [0.5, 4.0]}
    options = {
        "start": {"place": 2, "height": 4.0},
        "name": "example",
        "alt": "A line.",
    }
    html = plotting.sliders(draw, knobs, **options).data
    assert html == plotting.sliders(draw, knobs, **options).data
    assert "http" not in html
    frames = json.loads(re.search(r"const frames = (.*);", html)[1])
    first = re.search(r'src="data:image/png;base64,([^"]+)"', html)[1]
    assert len(set(frames)) == n_frames
    assert first == frames[at]
    assert 'alt="A line. place 2, height 4"' in html
    assert plt.get_fignums() == []


NO_SLIDERS = [
    (1, "Give the knobs fewer values, or draw smaller figures"),
    (3, r"The knob 'k' must start at one of its values, \[1, 2\]. Got 3"),
]


@cases("start, message", *NO_SLIDERS)
def test_sliders_refuse_a_slow_page_and_a_start_without_a_picture(
    monkeypatch, start, message
):
    monkeypatch.setattr(sliding, "_MOST_BYTES", 1000)
    options = {"start": {"k": start}, "name": "example", "alt": "Nothing."}
    refused(
        message, plotting.sliders, lambda k: plt.subplots(), {"k": [1, 2]}, **options
    )


def test_a_figure_is_described_by_its_titles_axes_and_legend(ax):
    ax.plot([0, 1], label="SVC")
    ax.set(title=r"$\tau$ = 3: nine of ten found", xlabel="$x_1$", ylabel="error")
    ax.legend()
    assert plotting.describe(ax.figure) == (
        "A figure. Title: tau = 3: nine of ten found. Axes: error over x_1. Drawn: SVC."
    )


@cases("width, start", (9, "left"), (4, "center"))
def test_a_picture_that_a_telephone_scrolls_has_its_title_at_the_left(width, start):
    fig, axes = plt.subplots(1, 2, figsize=(width, 2), dpi=100)
    over_all = fig.suptitle("Two panels")
    described._retina_with_alt(fig)
    assert over_all.get_horizontalalignment() == start
    over_all.set_text("")
    axes[0].set_title("One title")
    described._retina_with_alt(fig)
    assert axes[0].title.get_horizontalalignment() == start


#: Names of one machine.
SAME = (
    {"L1", "SVC", "SVMlight"},
    {"L2", "SVM"},
    {"USVC", "USVC s=2"},
    {"AMA", "Amari"},
)
SAME = (*SAME, {"WIL", "Williams"})


def lab(color):
    """A colour by how it is seen: CIE L*a*b*."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    to_xyz = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ]
    x, y, z = np.cbrt(np.maximum(to_xyz @ linear / [0.9505, 1, 1.089], 1e-6))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_each_machine_has_a_colour_of_its_own():
    colors = {name: look["color"] for name, look in plotting.MACHINE_STYLES.items()}
    for one, other in combinations(colors, 2):
        if any({one, other} <= names for names in SAME):
            assert colors[one] == colors[other]
        else:
            distance = np.linalg.norm(lab(colors[one]) - lab(colors[other]))
            assert distance > 20, (one, other)  # two is what an eye just sees


def test_the_pull_of_each_loss_is_minus_its_slope():
    losses, pulls, boxes = plotting.plot_losses()
    assert len(losses.lines) == len(pulls.lines) == len(boxes.get_yticks()) + 1
    for loss, pull in zip(losses.lines[:-1], pulls.lines[:-1], strict=True):
        margin, cost = loss.get_data()
        slope = np.diff(cost) / np.diff(margin)
        middle = (pull.get_ydata()[1:] + pull.get_ydata()[:-1]) / 2
        jumps = np.abs(np.diff(pull.get_ydata())) > 0.5
        assert np.allclose(-slope[~jumps], middle[~jumps], atol=1e-4)


#: The colour of each machine is its own, but for one whose own is grey.
BOLD = {
    "Least 1-Norm": plotting.MACHINE_STYLES["Least 1-Norm"]["color"],
    "SVC": plotting.MACHINE_STYLES["L1"]["color"],
    "SVM": "black",
}


@cases("name", *BOLD)
def test_one_loss_is_bold_among_grey_ones(name):
    losses, pulls, _ = plotting.plot_losses(bold=name)
    color = BOLD[name]
    for ax in (losses, pulls):
        (bold,) = (line for line in ax.lines if line.get_linewidth() == 4)
        others = {line.get_color() for line in ax.lines if line is not bold}
        assert bold.get_color() == color
        assert others <= {"black", "#808080"}


def test_a_machine_without_a_loss_is_refused():
    refused("one of .*Least 1-Norm.* Got 'AMA'", plotting.plot_losses, bold="AMA")
