"""The networks that AdaBoost of Table 3 is built of."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from companion.papers.usvc import boosting


def two_rings(n=150, seed=0):
    """Patterns whose class is that of their distance from the origin, by a weight each."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(np.linalg.norm(X, axis=1) > 1.1, 1.0, -1.0)
    weight = rng.random(n)
    return X, y, weight / weight.sum()


def test_the_network_goes_down_the_gradient_of_its_weighted_error(monkeypatch):
    asked = {}

    def watched(error, start, **options):
        asked.update(error=error, start=start)
        asked["found"] = minimize(error, start, **options)
        return asked["found"]

    monkeypatch.setattr(boosting, "minimize", watched)
    X, y, weight = two_rings()
    rng = np.random.default_rng(1)
    network, confidence = boosting.adapted_network(X, y, weight, rng, n_centres=4)
    for place in (asked["start"], asked["found"].x):
        _, slope = asked["error"](place)
        by_steps = approx_fprime(place, lambda at: asked["error"](at)[0], 1e-7)
        assert slope == pytest.approx(by_steps, abs=1e-5)
    assert asked["found"].fun < 0.9 * asked["error"](asked["start"])[0]
    assert confidence == pytest.approx(network.confidence(X))
    assert np.abs(confidence).max() <= 1.0


def test_boosting_lowers_the_exponential_loss_on_the_rows_that_it_sees():
    X, y, _ = two_rings(200)
    rows = np.arange(120)
    rng = np.random.default_rng(2)
    learn = partial(boosting.adapted_network, X, y, rng=rng, n_centres=2)
    losses = [1.0]
    for n_networks in (1, 5, 20):
        rng.bit_generator.state = np.random.default_rng(2).bit_generator.state
        networks, output = boosting.boost(learn, y, rows, n_networks)
        assert len(networks) == n_networks
        losses.append(np.mean(np.exp(-y * output)[rows]))
    assert np.all(np.diff(losses) < 0)
    by_networks = sum(factor * network.confidence(X) for factor, network in networks)
    assert output == pytest.approx(by_networks)
