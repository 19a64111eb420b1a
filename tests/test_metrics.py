"""Means, standard errors, paired differences and g-means, against simulation and known formulas."""

import numpy as np
import pytest
from _cases import cases, refused
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import recall_score

from companion.metrics import g_mean, g_mean_error, paired_difference
from companion.metrics import mean_and_standard_error as mean_error


def test_the_standard_error_is_that_of_scipy():
    values = np.random.default_rng(0).normal(size=25)
    *found, n = mean_error(values)
    assert found == pytest.approx([values.mean(), stats.sem(values)])
    assert n == 25
    assert mean_error([3.0]) == pytest.approx((3.0, np.nan, 1), nan_ok=True)


@cases(
    "call, message",
    (lambda: mean_error([]), r"at least one repetition. Got shape \(0,\)"),
    (lambda: mean_error([[1.0, 2.0]]), "one-dimensional"),
    (lambda: mean_error([1.0, np.nan]), "must be finite. Got 1 entries"),
    (lambda: mean_error([1.0, 2.0], n_train=5), "must be given together"),
    (lambda: mean_error([1.0], n_train=5, n_test=0), "must be positive"),
    (lambda: paired_difference([1.0], [1.0, 2.0]), r"same length.*\(1,\) and \(2,\)"),
)
def test_bad_input_is_refused_with_what_was_got(call, message):
    refused(message, call)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=30)
)
def test_g_means_are_geometric_means_of_the_recalls_of_scikit_learn(pairs):
    for truth, chosen in (np.array(pairs).T, np.array(list("abcd"))[np.array(pairs)].T):
        recalls = recall_score(truth, chosen, labels=np.unique(truth), average=None)
        wanted = np.prod(recalls) ** (1 / recalls.size)
        assert g_mean(truth, chosen) == pytest.approx(wanted)
        assert g_mean_error(truth, chosen) == pytest.approx(1 - wanted)


@cases("truth, chosen", ([], []), ([1, 2], [1]), ([[1]], [[1]]))
def test_g_means_refuse_labels_that_do_not_match(truth, chosen):
    refused("one true and one predicted label.*Got shapes", g_mean, truth, chosen)


def test_of_many_classes_the_g_mean_does_not_underflow():
    y_true = np.repeat(np.arange(400), 10)
    y_pred = np.where(np.arange(4000) % 10 == 0, y_true, -1)
    assert g_mean(y_true, y_pred) == pytest.approx(0.1)
