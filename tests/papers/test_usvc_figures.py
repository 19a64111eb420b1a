"""Figures of the Unbiased SVC paper show what they are given, on the paper's axes."""

from itertools import product

import numpy as np
import pandas as pd

from companion.papers.usvc import benefit, fig_1, fig_3_4, paired_errors, table_3

X = np.linspace(0.0, 1.0, 11)


def test_minima_are_marked_where_they_are(ax):
    fig_1.plot_threshold_error(ax, X, X, marks=[(0.5, 0.25)])
    assert ax.get_xlabel() == "Th" and ax.get_ylabel() == "CE (%)"
    assert ax.lines[1].get_xydata().tolist() == [[0.5, 0.25]]


def test_a_path_runs_from_a_circle_to_a_cross(ax):
    surface = fig_3_4.Surface(X, 1 + X, 1 + X[:, None] ** 2 + (X - 0.4) ** 2)
    points = np.array([[0.1, 1.1], [0.3, 1.5], [0.4, 1.2]])
    fig_3_4.plot_error_surface(ax, surface, {"SVC": points})
    ends = {line.get_marker(): line.get_xydata().tolist() for line in ax.lines}
    assert ends["o"] == [[0.1, 1.1]] and ends["x"] == [[0.4, 1.2]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Th", "$w$")


def test_a_profile_has_the_objective_on_its_own_axis(ax):
    fig_3_4.plot_profile(ax, X, X, X, 100 * X, end=(0.5, 50.0))
    (other,) = [twin for twin in ax.figure.axes if twin is not ax]
    assert np.array_equal(other.lines[0].get_ydata(), 100 * X)
    assert other.lines[1].get_xydata().tolist() == [[0.5, 50.0]]


def test_gains_carry_two_standard_errors_on_a_logarithmic_axis(ax):
    cells = product(("A, cluster weight .265", "B"), (20, 50), (1, 3))
    frame = pd.DataFrame(cells, columns=["reading", "n", "draw"])
    frame = frame.assign(svc_error=frame.draw / 100, usvc_error=0.0, share_of_large_slacks=0.0)
    benefit.plot_gain(ax, frame, "n", xlabel="n")
    bars = [bar.get_segments() for c in ax.containers for bar in c.lines[2]]
    assert np.allclose(bars, [[[[20, 0], [20, 4]], [[50, 0], [50, 4]]]] * 2)
    assert ax.get_xscale() == "log"
    assert [c.get_label() for c in ax.containers] == ["case A", "case B"]


def test_losses_and_densities_have_a_look_each_and_iterates_their_axis(ax):
    fig_1.plot_losses(ax, X, {"error count": X, "SVC": 2 * X, "USVC, s = 2": X**2})
    assert ax.get_xlabel() == r"$\xi$" and len(ax.lines) == 3
    assert len({(line.get_linestyle(), line.get_color()) for line in ax.lines}) == 3
    assert np.array_equal(ax.lines[2].get_ydata(), X**2)
    ax.clear()
    fig_1.plot_densities(ax, X, X, 1 - X)
    styles = {line.get_label(): line.get_linestyle() for line in ax.lines}
    assert styles == {'class "+1"': "-", 'class "-1"': "--"}
    ax.clear()
    runs = {"a": [3.0, 1.0], "b": [3.0, 2.0, 3.0]}
    fig_3_4.plot_iterates(ax, runs, ylabel="Th", limits=(0.0, 4.0))
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_ylim()) == ("iteration", "Th", (0.0, 4.0))
    assert [line.get_ydata().tolist() for line in ax.lines] == list(runs.values())


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
