"""Cases A and B of the Unbiased SVC paper: densities, draws, closed forms, misprints."""

import numpy as np
import pytest
from _cases import each, refused
from numpy.testing import assert_allclose

from companion.datasets import get_threshold_case, threshold_case_error
from companion.datasets.threshold_cases import threshold_case_densities


def error_by_quadrature(case, threshold, cluster_weight=None):
    x = np.linspace(-0.5, 2.0, 500_001)
    positive, negative = threshold_case_densities(case, x, cluster_weight)
    prior = get_threshold_case(case).prior
    wrong = np.where(x <= threshold, prior * positive, (1 - prior) * negative)
    return np.sum(wrong) * (x[1] - x[0])


@each(case=["A", "B"], threshold=[0.1, 0.21, 0.45, 0.5, 0.8])
def test_the_error_in_closed_form_is_the_integral_of_the_densities(case, threshold):
    closed = threshold_case_error(case, threshold)
    assert closed == pytest.approx(error_by_quadrature(case, threshold), abs=2e-5)


def test_the_printed_weights_of_case_a_contradict_its_text_and_exchanged_they_agree():
    """Equation (28): 50.8 % at the stated optimum 0.5; exchanged, 19.06 %, the global minimum."""
    thresholds = np.linspace(0, 1, 100_001)
    printed = threshold_case_error("A", thresholds, cluster_weight=0.75)
    assert threshold_case_error("A", 0.5, cluster_weight=0.75) == pytest.approx(
        0.508, abs=5e-4
    )
    assert thresholds[printed.argmin()] < 0.2
    exchanged = threshold_case_error("A", thresholds)
    assert thresholds[exchanged.argmin()] == pytest.approx(0.5, abs=1e-3)
    assert exchanged.min() == pytest.approx(0.1906, abs=5e-5)
    # By hand: 2/3 (3/4 Phi(-5/3) + 1/4) with Phi(-5/3) = 0.047790.
    assert exchanged.min() == pytest.approx(
        2 / 3 * (0.75 * 0.047790352 + 0.25), abs=1e-8
    )
    low = thresholds < 0.4
    assert thresholds[low][exchanged[low].argmin()] == pytest.approx(0.164, abs=1e-3)


def test_the_printed_minimum_of_case_a_belongs_to_another_cluster_weight():
    assert threshold_case_error("A", 0.5, cluster_weight=0.2649) == pytest.approx(
        0.2, abs=5e-5
    )
    assert threshold_case_error("A", 0.5) < 0.191


def test_no_cluster_weight_of_case_a_gives_the_printed_minimum_and_the_local_one():
    """Those that print 20 % have their local minimum beside .17, where it is printed."""
    thresholds = np.linspace(0, 1, 10_001)
    narrow = thresholds < 0.35
    both = []
    for weight in np.linspace(0.01, 0.99, 197):
        error = threshold_case_error("A", thresholds, cluster_weight=weight)
        place = thresholds[narrow][error[narrow].argmin()]
        if abs(error.min() - 0.2) <= 0.005:
            both.append(place)
    assert both
    assert max(both) < 0.165


def test_the_printed_optimum_of_case_b_mixes_two_minima():
    thresholds = np.linspace(0, 1, 100_001)
    error = threshold_case_error("B", thresholds)
    assert error.min() == pytest.approx(0.1785, abs=5e-5)
    assert thresholds[error.argmin()] == pytest.approx(0.211, abs=1e-3)
    assert_allclose(error[(thresholds >= 0.5) & (thresholds <= 0.7)], 0.2, atol=1e-9)


def test_a_weight_that_is_no_share_is_refused():
    message = r"cluster_weight must be in \[0, 1\]. Got 1.5"
    refused(message, threshold_case_error, "A", 0.5, cluster_weight=1.5)
