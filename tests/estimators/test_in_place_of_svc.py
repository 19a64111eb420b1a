"""scikit-learn's own tests of SVC, as installed, with L1SVC in its place."""

import importlib.util
import inspect
import re
from types import SimpleNamespace

import pytest
from sklearn import svm

from companion import L1SVC

TWO_CLASSES = "three classes, which take a OneVsOneClassifier"
NO_SEED = "passes random_state; nothing in L1SVC is random"
NO_PROBABILITY = "probabilities are those of CalibratedClassifierCV"
NO_SHAPE = "decision_function_shape and break_ties are for more than two classes"
NEGATIVE = "negative weights, which L1SVC refuses where SVC drops the samples"

# Tests that cannot pass, by function or by function and case, each with its reason.
EXCLUDED = {
    "test_libsvm_iris": TWO_CLASSES,
    "test_precomputed": TWO_CLASSES,
    "test_auto_weight": TWO_CLASSES,
    "test_immutable_coef_property": TWO_CLASSES,
    "test_decision_function": NO_SHAPE,
    "test_decision_function_shape": NO_SHAPE,
    "test_decision_function_shape_two_class": NO_SHAPE,
    "test_ovr_decision_function": NO_SHAPE,
    "test_svc_invalid_break_ties_param": NO_SHAPE,
    "test_svc_ovr_tie_breaking": NO_SHAPE,
    "test_probability": NO_PROBABILITY,
    "test_hasattr_predict_proba": NO_PROBABILITY,
    "test_consistent_proba": NO_PROBABILITY,
    "test_unicode_kernel": NO_PROBABILITY,
    "test_probability_raises_futurewarning": NO_PROBABILITY,
    "test_svc_nusvc_probA_probB_deprecated": NO_PROBABILITY,
    "test_svc_clone_with_callable_kernel": NO_SEED,
    "test_libsvm_convergence_warnings": NO_SEED,
    "test_consistent_decision_function": NO_SEED,
    "test_negative_sample_weights_mask_all_samples": "other words where no weight is positive",
    "test_negative_weights_svc_leave_just_one_label": "other words where one class has no weight",
    "test_negative_weights_svc_leave_two_labels[partial-mask-label-1-SVC]": NEGATIVE,
    "test_negative_weight_equal_coeffs[partial-mask-label-1-SVC]": NEGATIVE,
    "test_bad_input": "sparse queries, which L1SVC takes after a fit to an array",
    "test_tweak_params": "writes into a private attribute of SVC",
    "test_unfitted": "looks for the name SVC in the message",
    "test_custom_kernel_not_array_input": "a list of texts for points",
    "test_svc_raises_error_internal_representation": "writes into a private attribute of SVC",
    "test_n_iter_libsvm": "n_iter_ is one number and no array of one a pair of classes",
}

# Cases of a test for several classes that are about another one.
OTHERS = ("NuSVC", "SVR", "OneClassSVM", "LinearSVC")


def loaded():
    """The module of tests as it is where svm.SVC is L1SVC."""
    spec = importlib.util.find_spec("sklearn.svm.tests.test_svm")
    tests = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(svm, "SVC", L1SVC)  # in the cases that are made on import
        spec.loader.exec_module(tests)
        tests.svm = SimpleNamespace(
            **{name: getattr(svm, name) for name in svm.__all__}
        )
    return tests


# As scikit-learn runs them.
pytestmark = pytest.mark.filterwarnings("default")


def _is_about_svc(test):
    return re.search(r"(?<![A-Za-z])SVC\b", inspect.getsource(test)) is not None


_tests = loaded()
globals().update(
    {
        name: test
        for name, test in vars(_tests).items()
        if name.startswith("test_") and _is_about_svc(test)
    }
)


@pytest.fixture
def global_random_seed():
    """The seed that scikit-learn runs its tests with by default."""
    return 42


@pytest.fixture(autouse=True)
def expected(request):
    """Excluded tests must fail: one that passes belongs to the others."""
    node = request.node
    reason = EXCLUDED.get(node.name) or EXCLUDED.get(node.originalname)
    if reason is not None and not any(other in node.name for other in OTHERS):
        request.applymarker(pytest.mark.xfail(strict=True, reason=reason))
