"""The figures of the conformal kernel thesis show what they are given."""

import numpy as np

from companion.papers.conformal import figures

AXIS = np.linspace(-1.0, 1.0, 5)


def marked(ax, marker):
    return [line.get_xydata() for line in ax.lines if line.get_marker() == marker]


def test_wrong_places_are_those_whose_sign_differs(ax):
    truth = np.where(np.add.outer(AXIS, AXIS).ravel() > 0, 1.0, -1.0)
    decision = np.tile(AXIS, 5)
    figures.plot_right_and_wrong(ax, AXIS, decision, truth)
    shown = np.asarray(ax.collections[0].get_array()).ravel()
    assert np.array_equal(shown.astype(bool), (decision > 0) != (truth > 0))
    ax.clear()
    figures.plot_right_and_wrong(ax, AXIS, -np.ones(25), np.ones(25))
    assert len(ax.collections) == 1, "a decision of one sign has no frontier"


def test_the_print_stands_in_the_row_of_its_name(ax):
    samples = {"SVM": np.array([0.1, 0.3]), "AMA": np.array([0.2, 0.2])}
    figures.plot_placed(ax, list(samples), samples, {"AMA": 0.5}, xlabel="error")
    assert [d.tolist() for d in marked(ax, "D")] == [[[0.5, 1.0]]]
    assert [d.tolist() for d in marked(ax, "o")] == [[[0.2, 0.0], [0.2, 1.0]]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["SVM", "AMA"]
