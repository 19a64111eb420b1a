"""Generators have the moments they promise, and outliers are chosen by their rule."""

from functools import partial

import numpy as np
from _cases import cases, each, refused
from numpy.testing import assert_allclose

from companion.datasets import flip_labels, three_classes
from companion.datasets.checkers import checkers_board, checkers_board_grid
from companion.datasets.generators import ringnorm, two_gaussians, twonorm, waveform
from companion.datasets.threshold_cases import threshold_case


def test_two_gaussians_have_their_means_and_unit_covariance():
    n = 20000
    assert two_gaussians(rng=0)[0].shape == (40, 2)  # that of the figure
    X, y = two_gaussians(n, rng=1)
    assert X.shape == (2 * n, 2)
    assert list(np.unique(y)) == [-1, 1]
    for label, mean in ((1, (0, 0)), (-1, (5, 2))):
        part = X[y == label]
        assert len(part) == n
        # Four standard errors: 1/sqrt(n) of a mean, sqrt(2/n) of a variance, 1/sqrt(n) otherwise.
        assert_allclose(part.mean(axis=0), mean, atol=4 / np.sqrt(n))
        covariance = np.cov(part.T)
        assert_allclose(np.diag(covariance), 1, atol=4 * np.sqrt(2 / n))
        assert abs(covariance[0, 1]) < 4 / np.sqrt(n)


def test_the_two_deepest_have_the_largest_margins_under_the_bayes_rule():
    X, y = two_gaussians(rng=7)
    _, flipped = flip_labels(X, y, "two_deepest", None)
    # Equal covariances: log p(+|x)/p(-|x) from the densities themselves.
    log_odds = 0.5 * (((X - [5, 2]) ** 2).sum(axis=1) - (X**2).sum(axis=1))
    assert set(flipped) == set(np.argsort(y * log_odds)[-2:])


def test_twonorm_has_its_means_and_its_bayes_error():
    n = 20_000
    X, y = twonorm(n, rng=1)
    assert X.shape == (n, 20)
    assert_allclose((X.T * y).mean(axis=1), 2 / np.sqrt(20), atol=4.5 / np.sqrt(n))
    bayes = 0.0227501
    found = np.mean((X.sum(axis=1) > 0) != (y > 0))
    assert abs(found - bayes) < 4 * np.sqrt(bayes * (1 - bayes) / n)


def test_ringnorm_has_a_wide_and_a_narrow_class():
    X, y = ringnorm(20_000, rng=1)
    for label, mean, variance in ((1, 0.0, 4.0), (-1, 2 / np.sqrt(20), 1.0)):
        part = X[y == label]
        error = np.sqrt(variance / len(part))
        assert_allclose(part.mean(axis=0), mean, atol=4.5 * error)
        assert_allclose(part.var(axis=0), variance, rtol=4.5 * np.sqrt(2 / len(part)))


@cases("positive", 0, 1, 2)
def test_waveforms_are_mixtures_of_two_triangles(positive):
    n = 30_000
    X, y = waveform(n, rng=1, positive=positive)
    assert X.shape == (n, 21)
    assert abs(np.mean(y > 0) - 1 / 3) < 4 * np.sqrt(2 / 9 / n)
    points = np.arange(1, 22)
    centres = {0: (15, 7), 1: (11, 7), 2: (11, 15)}[positive]
    first, second = (np.maximum(6 - np.abs(points - centre), 0) for centre in centres)
    part = X[y > 0]
    spread = np.sqrt((1 + 3.0) / len(part))
    assert_allclose(part.mean(axis=0), (first + second) / 2, atol=4.5 * spread)
    # A share uniform on (0, 1) has the variance 1/12; the noise adds 1.
    assert_allclose(part.var(axis=0), 1 + (first - second) ** 2 / 12, rtol=0.07)


BREIMAN = [twonorm, ringnorm, waveform, partial(threshold_case, "B")]


X, Y = two_gaussians(rng=0)


BAD = [
    (lambda: two_gaussians(0), "n_per_class must be at least 1. Got 0"),
    (
        lambda: two_gaussians(5, means=((0, 0), (1, 1, 1))),
        "two points of the same space",
    ),
    (
        lambda: flip_labels(X, Y, "three"),
        "rule must be one of one_per_class, .* Got 'three'",
    ),
    (lambda: flip_labels(X, np.ones(40), "two_at_random"), "labels -1 and \\+1"),
    (lambda: waveform(10, positive=3), "positive must be 0, 1 or 2. Got 3"),
    *((partial(draw, 0), "n must be at least 1. Got 0") for draw in BREIMAN),
    (lambda: threshold_case("C"), "case must be 'A' or 'B'. Got 'C'"),
    (lambda: checkers_board(0), "at least 1. Got 0 and 2000"),
    (lambda: checkers_board(side=0.0), "positive number. Got 0.0"),
    (lambda: checkers_board_grid(5), "even number. Got 5"),
]


@cases("call, message", *BAD)
def test_bad_arguments_are_named(call, message):
    refused(message, call)


# ------------------------------------------------------------------ three classes

THREE = {
    three_classes.three_gaussians: three_classes.three_gaussians_probability,
    three_classes.quadratic_logits: three_classes.quadratic_logits_probability,
}


@each(draw=THREE, flip=[0.0, 0.15, 1.0])
def test_labels_come_with_their_probabilities(draw, flip):
    X, y = draw(60_000, flip, rng=0)
    p = THREE[draw](X, flip)
    assert np.allclose(p.sum(axis=1), 1.0)
    assert set(np.unique(y)) == {1, 2, 3}
    # calibration: among points of like probability that share has the label
    for j in range(3):
        bins = np.digitize(p[:, j], [0.1, 0.3, 0.5, 0.7])
        for k in range(5):
            in_bin = bins == k
            if in_bin.sum() > 1000:
                error = (
                    np.sqrt((p[in_bin, j] * (1 - p[in_bin, j])).sum()) / in_bin.sum()
                )
                assert (
                    abs((y[in_bin] == j + 1).mean() - p[in_bin, j].mean())
                    < 4.5 * error + 1e-12
                )


@cases("draw", *THREE)
def test_the_same_seed_gives_the_same_points_with_and_without_flips(draw):
    (X, y), (X_flipped, y_flipped) = draw(500, 0.0, rng=3), draw(500, 0.15, rng=3)
    assert np.array_equal(X, X_flipped)
    assert 0.09 < (y != y_flipped).mean() < 0.21


@cases("draw", *THREE)
def test_an_empty_sample_and_a_flip_that_is_no_probability_are_refused(draw):
    refused("n must be at least 1. Got 0", draw, 0)
    refused("flip must be a probability. Got 1.5", draw, 5, 1.5)
