"""Generators have the moments they promise, and outliers are chosen by their rule."""

import numpy as np
import pytest

from companion.datasets import (
    FLIP_RULES,
    flip_labels,
    noisy_two_class,
    ringnorm,
    two_gaussians,
    twonorm,
    waveform,
)


def test_two_gaussians_have_their_means_and_unit_covariance():
    n = 20000
    X, y = two_gaussians(n, rng=1)
    assert X.shape == (2 * n, 2) and list(np.unique(y)) == [-1, 1]
    for label, mean in ((1, (0, 0)), (-1, (5, 2))):
        part = X[y == label]
        assert len(part) == n
        # Four standard errors: 1/sqrt(n) of a mean, sqrt(2/n) of a variance, 1/sqrt(n) otherwise.
        np.testing.assert_allclose(part.mean(axis=0), mean, atol=4 / np.sqrt(n))
        covariance = np.cov(part.T)
        np.testing.assert_allclose(np.diag(covariance), 1, atol=4 * np.sqrt(2 / n))
        assert abs(covariance[0, 1]) < 4 / np.sqrt(n)


def test_the_default_sample_is_that_of_the_figure():
    X, y = two_gaussians(rng=0)
    assert X.shape == (40, 2)
    assert np.sum(y == 1) == np.sum(y == -1) == 20


def test_generators_depend_on_the_seed_alone():
    for draw in (two_gaussians, lambda rng: noisy_two_class(50, rng=rng)):
        for a, b in zip(draw(rng=4), draw(rng=np.random.default_rng(4)), strict=True):
            np.testing.assert_array_equal(a, b)
        assert not np.array_equal(draw(rng=4)[0], draw(rng=5)[0])


@pytest.mark.parametrize("rule", FLIP_RULES)
def test_two_labels_are_turned_and_the_original_is_left_alone(rule):
    X, y = two_gaussians(rng=2)
    kept = y.copy()
    turned, flipped = flip_labels(X, y, rule, rng=3)
    assert np.array_equal(y, kept)
    assert len(set(flipped)) == 2
    assert np.array_equal(np.flatnonzero(turned != y), np.sort(flipped))


def test_one_per_class_turns_one_of_each():
    X, y = two_gaussians(rng=2)
    for seed in range(50):
        _, flipped = flip_labels(X, y, "one_per_class", rng=seed)
        assert sorted(y[flipped]) == [-1, 1]


def test_two_at_random_turns_two_of_one_class_as_often_as_it_should():
    X, y = two_gaussians(rng=2)
    rng, n = np.random.default_rng(0), 4000
    pairs = np.array([flip_labels(X, y, "two_at_random", rng)[1] for _ in range(n)])
    assert np.all(pairs[:, 0] != pairs[:, 1])
    same = np.mean(y[pairs[:, 0]] == y[pairs[:, 1]])
    share = 19 / 39
    assert abs(same - share) < 4 * np.sqrt(share * (1 - share) / n)


def test_one_per_class_draws_all_rows_alike():
    X, y = two_gaussians(rng=2)
    rng, n = np.random.default_rng(1), 4000
    times = np.bincount(
        np.concatenate([flip_labels(X, y, "one_per_class", rng)[1] for _ in range(n)]), minlength=40
    )
    share = 1 / 20
    assert np.abs(times / n - share).max() < 4.5 * np.sqrt(share * (1 - share) / n)


def test_the_two_deepest_have_the_largest_margins_under_the_bayes_rule():
    X, y = two_gaussians(rng=7)
    _, flipped = flip_labels(X, y, "two_deepest")
    # Equal covariances: log p(+|x)/p(-|x) from the densities themselves.
    log_odds = 0.5 * (((X - [5, 2]) ** 2).sum(axis=1) - (X**2).sum(axis=1))
    assert set(flipped) == set(np.argsort(y * log_odds)[-2:])


def test_the_two_deepest_are_found_without_randomness():
    X, y = two_gaussians(rng=7)
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    flip_labels(X, y, "two_deepest", rng)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_the_noisy_problem_turns_labels_at_its_rate(noise):
    n = 20000
    X, y = noisy_two_class(n, 6, noise, rng=1)
    clean = np.where(X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 3] ** 2 - 1) / 2 >= 0, 1, -1)
    assert abs(np.mean(y != clean) - noise) <= 4 * np.sqrt(noise * (1 - noise) / n)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=4 / np.sqrt(n))
    np.testing.assert_allclose(X.var(axis=0), 1, atol=4 * np.sqrt(2 / n))


@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 10])
def test_the_noisy_problem_has_both_classes_in_any_dimension(n_features):
    X, y = noisy_two_class(200, n_features, rng=0)
    assert X.shape == (200, n_features)
    assert 0.2 < np.mean(y == 1) < 0.8


def test_bad_arguments_are_named():
    X, y = two_gaussians(rng=0)
    with pytest.raises(ValueError, match="n_per_class must be at least 1. Got 0"):
        two_gaussians(0)
    with pytest.raises(ValueError, match="means must be two points of the same space"):
        two_gaussians(5, means=((0, 0), (1, 1, 1)))
    with pytest.raises(ValueError, match="rule must be one of one_per_class, .* Got 'three'"):
        flip_labels(X, y, "three")
    with pytest.raises(ValueError, match="labels -1 and \\+1"):
        flip_labels(X, np.ones(len(X)), "two_at_random")
    with pytest.raises(ValueError, match=r"noise must be in \[0, 0.5\]. Got 0.7"):
        noisy_two_class(10, noise=0.7)
    with pytest.raises(ValueError, match="n and n_features must be at least 1"):
        noisy_two_class(0)


def test_twonorm_has_its_means_and_its_bayes_error():
    n = 20_000
    X, y = twonorm(n, rng=1)
    assert X.shape == (n, 20)
    np.testing.assert_allclose(
        (X * y[:, np.newaxis]).mean(axis=0), 2 / np.sqrt(20), atol=4.5 / np.sqrt(n)
    )
    bayes = 0.0227501
    found = np.mean((X.sum(axis=1) > 0) != (y > 0))
    assert abs(found - bayes) < 4 * np.sqrt(bayes * (1 - bayes) / n)


def test_ringnorm_has_a_wide_and_a_narrow_class():
    n = 20_000
    X, y = ringnorm(n, rng=1)
    for label, mean, variance in ((1, 0.0, 4.0), (-1, 2 / np.sqrt(20), 1.0)):
        part = X[y == label]
        error = np.sqrt(variance / len(part))
        np.testing.assert_allclose(part.mean(axis=0), mean, atol=4.5 * error)
        np.testing.assert_allclose(part.var(axis=0), variance, rtol=4.5 * np.sqrt(2 / len(part)))


@pytest.mark.parametrize("positive", [0, 1, 2])
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
    np.testing.assert_allclose(part.mean(axis=0), (first + second) / 2, atol=4.5 * spread)
    # A share uniform on (0, 1) has the variance 1/12; the noise adds 1.
    np.testing.assert_allclose(part.var(axis=0), 1 + (first - second) ** 2 / 12, rtol=0.07)


def test_the_problems_of_breiman_depend_on_the_seed_alone():
    for draw in (twonorm, ringnorm, waveform):
        for a, b in zip(draw(50, rng=4), draw(50, rng=np.random.default_rng(4)), strict=True):
            np.testing.assert_array_equal(a, b)
        assert not np.array_equal(draw(50, rng=4)[0], draw(50, rng=5)[0])


def test_bad_arguments_of_the_problems_of_breiman_are_named():
    with pytest.raises(ValueError, match="positive must be 0, 1 or 2. Got 3"):
        waveform(10, positive=3)
    for draw in (twonorm, ringnorm, waveform):
        with pytest.raises(ValueError, match="n must be at least 1. Got 0"):
            draw(0)
