"""Figures of the Unbiased SVC paper show what they are given, on the paper's axes."""

import matplotlib

matplotlib.use("agg")

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from companion import plotting

X = np.linspace(0.0, 1.0, 11)


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def data(ax):
    return [line.get_ydata() for line in ax.lines]


def test_losses_are_drawn_over_the_slack_with_a_look_each(ax):
    curves = {"error count": X, "SVC": 2 * X, "USVC, s = 2": X**2}
    assert plotting.plot_losses(ax, X, curves) is ax
    assert ax.get_xlabel() == r"$\xi$" and len(ax.lines) == 3
    assert (
        len({line.get_linestyle() for line in ax.lines} | {line.get_color() for line in ax.lines})
        >= 4
    )
    assert any(np.array_equal(y, X**2) for y in data(ax))


def test_the_class_plus_one_is_continuous_and_minus_one_dashed(ax):
    plotting.plot_densities(ax, X, X, 1 - X)
    styles = {line.get_label(): line.get_linestyle() for line in ax.lines}
    assert styles == {'class "+1"': "-", 'class "-1"': "--"}


def test_minima_are_marked_where_they_are(ax):
    plotting.plot_threshold_error(ax, X, X, marks=[(0.5, 0.25)])
    assert ax.get_xlabel() == "Th" and ax.get_ylabel() == "CE (%)"
    assert ax.lines[1].get_xydata().tolist() == [[0.5, 0.25]]


def test_a_path_runs_from_a_circle_to_a_cross(ax):
    surface = SimpleNamespace(
        thresholds=X, slopes=1 + X, locus=1 + X, values=1 + X[:, None] ** 2 + (X - 0.4) ** 2
    )
    points = np.array([[0.1, 1.1], [0.3, 1.5], [0.4, 1.2]])
    plotting.plot_error_surface(ax, surface, {"SVC": points})
    ends = {line.get_marker(): line.get_xydata().tolist() for line in ax.lines}
    assert ends["o"] == [[0.1, 1.1]] and ends["x"] == [[0.4, 1.2]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Th", "$w$")


def test_a_profile_has_the_objective_on_its_own_axis(ax):
    plotting.plot_profile(ax, X, X, X, 100 * X, end=(0.5, 50.0))
    (other,) = [twin for twin in ax.figure.axes if twin is not ax]
    assert np.array_equal(other.lines[0].get_ydata(), 100 * X)
    assert other.lines[1].get_xydata().tolist() == [[0.5, 50.0]]


def test_iterates_are_drawn_over_iterations(ax):
    plotting.plot_iterates(
        ax, {"a": [3.0, 1.0], "b": [3.0, 2.0, 3.0]}, ylabel="Th", limits=(0.0, 4.0)
    )
    assert ax.get_ylabel() == "Th" and ax.get_ylim() == (0.0, 4.0)
    assert [len(y) for y in data(ax)] == [2, 3]


def test_gains_carry_two_standard_errors_on_a_logarithmic_axis(ax):
    plotting.plot_gain(ax, {"case A": (1 + X, X, np.ones(11))}, xlabel="n")
    bars = ax.containers[0].lines[2][0].get_segments()
    assert ax.get_xscale() == "log" and bars[0][:, 1].tolist() == [-2.0, 2.0]


def test_sizes_are_logarithmic_and_machines_named(ax):
    plotting.plot_error_against_size(ax, {"USVC": (12, 2.2, 0.1), "SVMlight": (565, 2.2, 0.1)})
    assert ax.get_xscale() == "log" and ax.get_xlabel() == "machine size"
    assert [c.get_label() for c in ax.containers] == ["USVC", "SVMlight"]


def test_intervals_name_their_lines_from_top_to_bottom(ax):
    plotting.plot_intervals(ax, ["a", "b"], np.zeros(2), np.ones(2), xlabel="points")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    assert ax.yaxis_inverted()


def test_false_alarms_stand_beside_the_diagonal(ax):
    levels = np.array([0.05, 0.1])
    plotting.plot_false_alarms(ax, {"SVC": (levels, levels, levels / 10)})
    assert any(np.array_equal(line.get_xdata(), line.get_ydata()) for line in ax.lines)
