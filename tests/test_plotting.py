"""Figures show what they are given: axes labelled in the paper's words, data unchanged."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from companion import plotting


def texts(labels):
    return [label.get_text() for label in labels]


def test_bars_of_verdicts_fill_the_axis_and_say_their_numbers(ax):
    counts = {"one": {"agrees": 3, "differs, unexplained": 1}}
    counts["two"] = {"undecided": 99, "not run": 1}
    assert plotting.plot_verdicts(ax, counts, title="all") is ax
    ends = {}
    for bar in ax.patches:
        middle = round(bar.get_y() + bar.get_height() / 2)
        ends[middle] = max(ends.get(middle, 0), bar.get_x() + bar.get_width())
    assert ends == {0: pytest.approx(1), 1: pytest.approx(1)}
    # 1 of 100 has no room
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["3", "99", "1"]
    assert texts(ax.get_yticklabels()) == ["one (4)", "two (100)"]
    shown = ax.get_legend_handles_labels()[1]
    assert shown == ["agrees", "undecided", "differs, unexplained", "not run"]


def test_the_matrix_has_a_power_of_ten_a_cell_and_leaves_out_what_is_missing(ax):
    columns = pd.MultiIndex.from_tuples([("p", "one", "L1"), ("q", "two", "LS")])
    matrix = pd.DataFrame(
        [[1e-9, np.nan], [0.0, 0.4]], index=["SMO", "MDM"], columns=columns
    )
    assert plotting.plot_agreement(ax, matrix, label="difference") is ax
    cells = {text.get_position(): text.get_text() for text in ax.texts}
    assert cells[0, 0] == "\N{MINUS SIGN}9" and cells[0, 1] == "\N{MIDDLE DOT}"
    assert (
        cells[1, 1] == "0" and (1, 0) not in cells and {"p", "q"} <= set(cells.values())
    )
    assert texts(ax.get_xticklabels()) == ["one: L1", "two: LS"]
    assert texts(ax.get_yticklabels()) == ["SMO", "MDM"]
    assert len(ax.lines) == 1


def test_a_player_needs_no_network_and_is_the_same_every_time():
    def html():
        fig = Figure()
        ax = fig.subplots()
        return plotting.player(
            fig, lambda k: ax.plot([0, k]), range(3), name="example"
        ).data

    first = html()
    assert first == html() and "http" not in first and "fa-" not in first
    assert (
        first.count("data:image/png;base64") == 3 and 'id="_anim_imgexample"' in first
    )
