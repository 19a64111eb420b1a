"""Figures of the weighted robust SVM paper show what they are given."""

import numpy as np

from companion.papers.wrsvm import fig_1, fig_2


def three_regions(axis):
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    return points @ np.array([[2.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]).T


def test_boundaries_are_where_the_predicted_class_changes(ax):
    axis = np.linspace(-1, 1, 21)
    fig_1.plot_boundaries(ax, axis, {"a = 0": three_regions(axis)}, title="t")
    paths = [path for c in ax.collections for path in c.get_paths() if len(path.vertices)]
    on = np.vstack([path.vertices for path in paths])
    values = on @ np.array([[2.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]).T
    largest = np.sort(values, axis=1)
    assert np.allclose(largest[:, 2], largest[:, 1], atol=0.11)  # a cell of the lattice
    assert ax.get_legend_handles_labels()[1] == ["a = 0"]


def test_regions_show_the_predicted_class_and_the_sample(ax):
    axis = np.linspace(-1, 1, 11)
    values = three_regions(axis)
    X, y = np.array([[0.5, 0.0], [-0.5, 0.5]]), np.array([0, 1])
    fig_2.plot_regions(ax, axis, values, X, y)
    assert ax.collections[0].get_array().ravel().tolist() == values.argmax(axis=1).tolist()
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[0.5, 0.0]], [[-0.5, 0.5]], []]
