"""Figures of the agreement of solvers show what they are given."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from companion import plotting
from companion.agreement import FAMILIES, SOLVERS


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def test_the_matrix_has_a_power_of_ten_a_cell_and_leaves_out_what_is_missing(ax):
    columns = pd.MultiIndex.from_tuples([("p", "one", "L1"), ("q", "two", "LS")])
    matrix = pd.DataFrame([[1e-9, np.nan], [0.0, 0.4]], index=["SMO", "MDM"], columns=columns)
    marked = matrix > 0.1
    assert plotting.plot_agreement(ax, matrix, label="difference", marked=marked) is ax
    texts = {text.get_position(): text.get_text() for text in ax.texts}
    assert texts[0, 0] == "\N{MINUS SIGN}9" and texts[0, 1] == "\N{MIDDLE DOT}"
    assert texts[1, 1] == "0" and (1, 0) not in texts
    assert [text.get_text() for text in ax.get_xticklabels()] == ["one: L1", "two: LS"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["SMO", "MDM"]
    assert len(ax.patches) == 1 and len(ax.lines) == 1
    assert {"p", "q"} <= set(texts.values())


def test_every_solver_has_a_family_and_every_family_a_look():
    assert {name for names in FAMILIES.values() for name in names} == set(SOLVERS)
    assert set(FAMILIES) == set(plotting.FAMILY_STYLES)


def test_times_are_in_milliseconds_with_their_median(ax):
    frame = pd.DataFrame({"solver": ["MDM", "MDM", "Cholesky"], "seconds": [0.001, 0.003, 0.01]})
    plotting.plot_solver_times(ax, frame, FAMILIES)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["MDM", "Cholesky"]
    assert ax.lines[0].get_xdata().tolist() == [1.0, 3.0]
    assert ax.lines[1].get_xdata()[0] == 2.0 and ax.get_xscale() == "log"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "pair updates",
        "closed form",
    ]


@pytest.mark.parametrize("legend", [True, False])
def test_errors_against_C_leave_zeros_out(ax, legend):
    frame = pd.DataFrame(
        {"solver": ["a", "a", "b"], "C": [1.0, 10.0, 1.0], "error": [0.0, 1e-7, 1e-3]}
    )
    plotting.plot_large_costs(ax, frame, ylabel="error", tolerance=1e-6, legend=legend)
    first = ax.lines[0].get_ydata()
    assert np.isnan(first[0]) and first[1] == 1e-7
    assert len(ax.lines) == 3 and (ax.get_legend() is not None) == legend
