"""What a user would take today on the same training parts, and the grid search of the thesis."""

from itertools import product

import numpy as np
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV

from companion.estimators import L1SVC, L2SVC
from companion.metrics import g_mean, g_mean_scorer
from companion.papers.conformal.problems import WIDTH, C
from companion.papers.experiment import folds_of
from companion.tuning import KernelGridSearchCV

FOLDS = 5

#: Grid of the tuned machine; widths 2 sigma^2 around that of the thesis.
TUNED_C = tuple(10.0**k for k in range(-1, 5))
TUNED_GAMMA = tuple(1.0 / width for width in (5.0, 15.0, 50.0, 150.0, 500.0))

#: Neighbours that a synthetic pattern of SMOTE may lie between, the default of imbalanced-learn.
NEIGHBOURS = 5

#: Least and largest log2 of C and gamma in the grid search of the thesis; the printed C and
#: 2 sigma^2 lie between them. A grid has so many values of each.
PVGS_RANGES = (-4, -8), (16, 8)
PVGS_POINTS = 5
PVGS_ROUNDS = 4


def _stratified_folds(problem):
    return folds_of(problem.X, problem.y, FOLDS, problem.seed)


def _base(**options):
    return L2SVC(C=C, gamma=1.0 / WIDTH, **options)


def balanced_weights(problem):
    """The base machine with C inversely proportional to the size of the class."""
    return _base(class_weight="balanced").fit(problem.X, problem.y)


def moved_threshold(problem):
    """The base machine with the threshold of the best cross-validated g-means."""
    machine = TunedThresholdClassifierCV(
        _base(),
        scoring=make_scorer(g_mean),
        response_method="decision_function",
        cv=_stratified_folds(problem),
    )
    return machine.fit(problem.X, problem.y)


def smote(problem):
    """The base machine on the training part with synthetic positives, as many as negatives."""
    from imblearn.over_sampling import SMOTE

    sampler = SMOTE(k_neighbors=NEIGHBOURS, random_state=problem.seed % 2**31)
    X, y = sampler.fit_resample(problem.X, problem.y)
    return _base().fit(X, y)


def tuned(problem):
    """A support vector machine with C and width of the best cross-validated g-means."""
    search = KernelGridSearchCV(
        L1SVC(),
        {"C": TUNED_C, "gamma": TUNED_GAMMA},
        cv=_stratified_folds(problem),
        scoring=g_mean_scorer,
    )
    return search.fit(problem.X, problem.y)


#: By the names in our tables.
BASELINES = {
    "balanced weights": balanced_weights,
    "threshold by CV": moved_threshold,
    "SMOTE": smote,
    "tuned SVC": tuned,
}


def pvgs(problem, search=KernelGridSearchCV):
    """Parameter vector grid search for C and gamma, the thesis's reference [32] (appendix A.1).

    A grid of their log2 is cross-validated; the next one is half as wide, around the best
    point so far, and moved inwards at the edges of the ranges. No point is tried twice. The machine
    of the best classification rate, and how many were trained on the way. `search` cross-validates;
    scikit-learn's trains each machine alone, where ours shares kernel values and starts.
    """
    low, high = np.array(PVGS_RANGES)
    centre = (low + high) / 2
    half = (high - low) / 2
    rates = {}
    for _ in range(PVGS_ROUNDS):
        centre = np.clip(centre, low + half, high - half)
        axes = np.linspace(centre - half, centre + half, PVGS_POINTS).T.tolist()
        fresh = [point for point in product(*axes) if point not in rates]
        grids = [{"C": [2.0**C], "gamma": [2.0**gamma]} for C, gamma in fresh]
        tried = search(L2SVC(), grids, cv=_stratified_folds(problem), refit=False).fit(
            problem.X, problem.y
        )
        found = tried.cv_results_["mean_test_score"]
        rates |= zip(fresh, found, strict=True)
        centre = np.array(max(rates, key=rates.get))
        half = half / 2
    machine = L2SVC(C=2.0 ** centre[0], gamma=2.0 ** centre[1]).fit(
        problem.X, problem.y
    )
    return machine, FOLDS * len(rates) + 1
