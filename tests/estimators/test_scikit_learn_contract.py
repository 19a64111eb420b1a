"""All of scikit-learn's estimator checks, with settings that make each check decidable."""

import pytest
from sklearn import __version__ as sklearn_version
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from companion import (
    L1SVC,
    L2SVC,
    LSSVC,
    LSSVCCV,
    ConformalSVC,
    LeastOneNormSVC,
    UnbiasedSVC,
    WeightedRobustSVC,
)

# The check that integer weights are repeated samples compares decision values to seven digits,
# so the iterative machines are asked for that precision.
PRECISE = {"tol": 1e-10}

MACHINES = [
    L1SVC(**PRECISE),
    L1SVC(kernel="precomputed"),
    L2SVC(**PRECISE),
    LSSVC(),
    LSSVC(solver="smo", **PRECISE),
    LeastOneNormSVC(**PRECISE),
    LSSVCCV(),
    UnbiasedSVC(**PRECISE),
    UnbiasedSVC(kernel="linear", **PRECISE),
    UnbiasedSVC(kernel="precomputed"),
    UnbiasedSVC(loss="hinge", **PRECISE),
    UnbiasedSVC(init="least_squares", s=4, k=1e-6),
    UnbiasedSVC(n_prototypes=2),
    WeightedRobustSVC(**PRECISE),
    WeightedRobustSVC(kernel="linear", truncation=None, **PRECISE),
    WeightedRobustSVC(kernel="precomputed", form="cost"),
    ConformalSVC(),
    ConformalSVC(transform="act", kernel="linear", validation_fraction=None, max_transforms=2),
    ConformalSVC(transform="mdt", search="validation_cma", n_generations=3),
    ConformalSVC(transform="kba", kernel="poly"),
    ConformalSVC(transform="xiong", search="separability_exact"),
    ConformalSVC(transform="tsvt"),
    # One check makes a Gram matrix with a single sample of a class: no validation part.
    ConformalSVC(transform="williams", kernel="precomputed", validation_fraction=None),
]


# scikit-learn 1.6 makes the labels of this check binary by comparing them with the first one,
# before and after a shuffle: it then fits two different problems. test_weights.py has the same
# comparison.
LABELS_MIXED_UP = parse_version(sklearn_version) < parse_version("1.7")
EQUIVALENCE = "check_sample_weight_equivalence_on_dense_data"


def expected_failures(estimator):
    if isinstance(estimator, LSSVCCV):
        reason = (
            "leave-one-out of a point leaves out all its weight, of a repeated point one copy; "
            "so the chosen C may differ"
        )
        return {EQUIVALENCE: reason}
    if getattr(estimator, "n_prototypes", None) is not None:
        reason = (
            "the samples that prototypes start at and learn from are drawn in proportion to their "
            "weight; repeated samples are drawn differently"
        )
        return {EQUIVALENCE: reason}
    if LABELS_MIXED_UP:
        return {EQUIVALENCE: "the check of this scikit-learn version compares different labels"}
    return {}


# Some checks lower max_iter themselves, and the warning that this is not enough is right.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(MACHINES, expected_failed_checks=expected_failures)
def test_machine_passes_every_check_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("machine", [L1SVC(), LSSVC(), LeastOneNormSVC(), LSSVCCV(), UnbiasedSVC()])
def test_tags_say_binary_only_dense_only(machine):
    tags = machine.__sklearn_tags__()
    assert not tags.classifier_tags.multi_class
    assert not tags.input_tags.sparse
    assert not tags.input_tags.pairwise


def test_a_precomputed_kernel_is_tagged_pairwise():
    assert LSSVC(kernel="precomputed").__sklearn_tags__().input_tags.pairwise
