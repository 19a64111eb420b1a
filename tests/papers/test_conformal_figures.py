"""The figures of the conformal kernel thesis show what they are given."""

import numpy as np

from companion.papers.conformal import background, beyond, checkers, drawing

X = np.array([[0.0, 0.0], [1.0, 0.5], [-1.0, 1.0]])
Y = np.array([1.0, -1.0, -1.0])
AXIS = np.linspace(-1.0, 1.0, 5)


def marked(ax, marker):
    return [line.get_xydata() for line in ax.lines if line.get_marker() == marker]


def test_classes_have_their_marks_and_support_vectors_are_ringed(ax):
    drawing.plot_two_classes(ax, X, Y, support=[2])
    assert np.array_equal(marked(ax, "+")[0], X[:1])
    rings = marked(ax, "o")
    assert np.array_equal(rings[0], X[1:]) and np.array_equal(rings[1], X[2:])


def test_wrong_places_are_those_whose_sign_differs(ax):
    truth = np.where(np.add.outer(AXIS, AXIS).ravel() > 0, 1.0, -1.0)
    decision = np.tile(AXIS, 5)
    checkers.plot_right_and_wrong(ax, AXIS, decision, truth)
    shown = np.asarray(ax.collections[0].get_array()).ravel()
    assert np.array_equal(shown.astype(bool), (decision > 0) != (truth > 0))
    ax.clear()
    checkers.plot_right_and_wrong(ax, AXIS, -np.ones(25), np.ones(25))
    assert len(ax.collections) == 1, "a decision of one sign has no frontier"


def test_the_frontier_is_solid_and_the_hyperplanes_dashed(ax):
    background.plot_lines(ax, (AXIS, AXIS), 2 * np.add.outer(0 * AXIS, AXIS))
    assert [style[1] is None for style in ax.collections[0].get_linestyle()] == [False, True, False]


def test_the_print_stands_in_the_row_of_its_name(ax):
    samples = {"SVM": np.array([0.1, 0.3]), "AMA": np.array([0.2, 0.2])}
    drawing.plot_placed(ax, list(samples), samples, {"AMA": 0.5}, xlabel="error")
    assert [d.tolist() for d in marked(ax, "D") if len(d)] == [[[0.5, 1.0]]]
    assert [d.tolist() for d in marked(ax, "o")] == [[[0.2, 0.0]], [[0.2, 1.0]]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["SVM", "AMA"]


def test_paths_have_two_standard_errors_and_their_scales(ax):
    path = np.array([1.0, 10.0]), np.array([0.2, 0.4]), np.array([0.1, 0.2])
    beyond.plot_paths(ax, {"SVM": path}, xlabel="x", ylabel="y")
    assert ax.get_xscale() == "log" and ax.get_yscale() == "linear"
    np.testing.assert_allclose(ax.collections[0].get_segments()[1], [[10.0, 0.0], [10.0, 0.8]])


def test_slacks_hulls_and_mapped_grids_are_drawn_through_their_points(ax):
    background.plot_slacks(ax, X, Y, X + 1.0)
    assert [line.get_xydata().tolist() for line in ax.lines] == np.stack([X, X + 1], 1).tolist()
    ax.clear()
    nearest = np.array([[0.0, 1.0], [2.0, 3.0]])
    background.plot_hulls(ax, X, Y, {1: X, -1: X + 3.0}, nearest)
    assert len(ax.patches) == 2 and np.array_equal(ax.lines[-1].get_xydata(), nearest)
    ax.clear()
    family = [np.column_stack([AXIS, AXIS + k]) for k in range(3)]
    background.plot_mapped_grid(ax, [family, family[:2]])
    colors = [line.get_color() for line in ax.lines]
    assert len(colors) == 5 and len(set(colors[:3])) == 1 and colors[0] != colors[-1]
