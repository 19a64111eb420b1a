"""All of scikit-learn's estimator checks, with settings that make each check decidable."""

import pytest
from _cases import cases, refused
from sklearn import __version__ as sklearn_version
from sklearn import config_context
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from companion import estimators as svm

# The check that integer weights are repeated samples compares decision values to seven digits,
# so the iterative machines are asked for that precision.
PRECISE = {"tol": 1e-10}

# Every machine once, and once more where a kernel or prototypes take another path in the code.
MACHINES = [
    svm.L1SVC(**PRECISE),
    svm.L1SVC(kernel="precomputed"),
    svm.L2SVC(**PRECISE),
    svm.LSSVC(),
    svm.LeastOneNormSVC(**PRECISE),
    svm.UnbiasedSVC(**PRECISE),
    svm.UnbiasedSVC(n_prototypes=2),
    svm.WeightedRobustSVC(**PRECISE),
    svm.ConformalSVC(),
    svm.ConformalSVC(
        transform="act", kernel="linear", validation_fraction=None, max_transforms=2
    ),
]


# scikit-learn 1.6 makes the labels of this check binary by comparing them with the first one,
# before and after a shuffle: it then fits two different problems.
LABELS_MIXED_UP = parse_version(sklearn_version) < parse_version("1.7")
EQUIVALENCE = [
    f"check_sample_weight_equivalence_on_{form}_data" for form in ("dense", "sparse")
]


def expected_failures(estimator):
    reason = None
    if getattr(estimator, "n_prototypes", None) is not None:
        reason = (
            "samples are drawn in proportion to their weight, repeated ones one by one"
        )
    elif estimator.get_params().get("transform", "williams") != "williams":
        reason = "the validation part and the transformation count samples, repeated ones too"
    elif LABELS_MIXED_UP:
        reason = "the check of this scikit-learn version compares different labels"
    failures = dict.fromkeys(EQUIVALENCE, reason) if reason else {}
    if estimator.kernel == "precomputed":
        reason = "the check hands over a matrix that is no Gram matrix"
        failures["check_positive_only_tag_during_fit"] = reason
        failures["check_classifiers_one_label_sample_weights"] = reason
    return failures


# Some checks lower max_iter themselves, and the warning that this is not enough is right.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(MACHINES, expected_failed_checks=expected_failures)
def test_machine_passes_every_check_of_scikit_learn(estimator, check):
    check(estimator)


@cases("name", *svm.__all__)
def test_parameters_are_not_validated_where_scikit_learn_is_told_to_skip_that(name):
    machine = getattr(svm, name)(verbose=None)
    X, y = make_blobs(40, centers=2, random_state=0)
    refused("'verbose' parameter", machine.fit, X, y)
    with config_context(skip_parameter_validation=True):
        assert machine.fit(X, y).score(X, y) > 0.9


@cases("name", *svm.__all__)
def test_every_machine_is_checked_and_tagged_sparse_or_pairwise_and_whether_binary(
    name,
):
    machine = getattr(svm, name)
    assert machine in {type(checked) for checked in MACHINES}
    tags = machine().__sklearn_tags__()
    assert tags.classifier_tags.multi_class == (machine is svm.WeightedRobustSVC)
    assert tags.input_tags.sparse
    assert not tags.input_tags.pairwise
    of_matrices = machine(kernel="precomputed").__sklearn_tags__().input_tags
    assert of_matrices.pairwise
    assert not of_matrices.sparse
