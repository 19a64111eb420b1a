"""The examples of three classes against their distributions."""

import numpy as np
import pytest

from companion.datasets import (
    quadratic_logits,
    quadratic_logits_probability,
    three_gaussians,
    three_gaussians_probability,
)

GENERATORS = [
    (three_gaussians, three_gaussians_probability),
    (quadratic_logits, quadratic_logits_probability),
]


@pytest.mark.parametrize(("draw", "probability"), GENERATORS)
@pytest.mark.parametrize("flip", [0.0, 0.15, 1.0])
def test_labels_come_with_their_probabilities(draw, probability, flip):
    X, y = draw(60_000, flip, rng=0)
    p = probability(X, flip)
    assert np.allclose(p.sum(axis=1), 1.0) and set(np.unique(y)) == {1, 2, 3}
    # calibration: among points of like probability that share has the label
    for j in range(3):
        bins = np.digitize(p[:, j], [0.1, 0.3, 0.5, 0.7])
        for k in range(5):
            own = bins == k
            if own.sum() > 1000:
                error = np.sqrt((p[own, j] * (1 - p[own, j])).sum()) / own.sum()
                assert abs((y[own] == j + 1).mean() - p[own, j].mean()) < 4.5 * error + 1e-12


def test_points_fill_their_rectangle_or_have_the_centres_and_the_spread_of_the_paper():
    uniform, _ = quadratic_logits(20_000, rng=2)
    assert np.allclose(np.abs(uniform).max(axis=0), [3, 6], atol=0.01)
    X, y = three_gaussians(90_000, rng=1)
    for j, centre in enumerate([(1, 0), (-0.5, np.sqrt(3) / 2), (-0.5, -np.sqrt(3) / 2)]):
        own = X[y == j + 1]
        assert np.allclose(own.mean(axis=0), centre, atol=0.02)
        assert np.allclose(own.std(axis=0), 0.7, atol=0.02)


@pytest.mark.parametrize(("draw", "_"), GENERATORS)
def test_the_same_seed_gives_the_same_points_with_and_without_flips(draw, _):
    (X, y), (X_flipped, y_flipped) = draw(500, 0.0, rng=3), draw(500, 0.15, rng=3)
    assert np.array_equal(X, X_flipped)
    assert 0.09 < (y != y_flipped).mean() < 0.21


@pytest.mark.parametrize(("draw", "_"), GENERATORS)
def test_an_empty_sample_and_a_flip_that_is_no_probability_are_refused(draw, _):
    with pytest.raises(ValueError, match="n must be at least 1. Got 0"):
        draw(0)
    with pytest.raises(ValueError, match="flip must be a probability. Got 1.5"):
        draw(5, 1.5)
