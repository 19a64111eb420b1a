"""What a user would take today on the same training parts, and the grid search of the thesis."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

from companion import KernelGridSearchCV, L1SVC, L2SVC
from companion.metrics import g_mean_scorer
from companion.papers.conformal.problems import WIDTH, C

FOLDS = 5

#: Grid of the tuned machine; widths 2 sigma^2 around that of the thesis.
TUNED_C = tuple(10.0**k for k in range(-1, 5))
TUNED_GAMMA = tuple(1.0 / width for width in (5.0, 15.0, 50.0, 150.0, 500.0))

#: Neighbours that a synthetic pattern of SMOTE may lie between, the default of imbalanced-learn.
NEIGHBOURS = 5

#: First grid of the grid search: exponents of 2 of C and of 2 sigma^2, and how often it is refined.
PVGS_START = (np.arange(-4.0, 17.0, 4.0), np.arange(-8.0, 9.0, 4.0))
PVGS_ROUNDS = 3


def _cut(problem):
    return StratifiedKFold(FOLDS, shuffle=True, random_state=problem.seed)


def balanced_weights(problem):
    """The base machine with C inversely proportional to the size of the class."""
    return L2SVC(C=C, gamma=1.0 / WIDTH, class_weight="balanced").fit(problem.X, problem.y)


def moved_threshold(problem):
    """The base machine with the threshold of the best cross-validated g-means."""
    machine = TunedThresholdClassifierCV(
        L2SVC(C=C, gamma=1.0 / WIDTH), scoring=_g_means(), response_method="decision_function",
        cv=_cut(problem),
    )
    return machine.fit(problem.X, problem.y)


def smote(problem):
    """The base machine on the training part with synthetic positives, as many as negatives."""
    from imblearn.over_sampling import SMOTE

    sampler = SMOTE(k_neighbors=NEIGHBOURS, random_state=problem.seed % 2**31)
    X, y = sampler.fit_resample(problem.X, problem.y)
    return L2SVC(C=C, gamma=1.0 / WIDTH).fit(X, y)


def tuned(problem):
    """A support vector machine with C and width of the best cross-validated g-means."""
    search = KernelGridSearchCV(L1SVC(), {"C": TUNED_C, "gamma": TUNED_GAMMA}, cv=_cut(problem),
                                scoring=g_mean_scorer)
    return search.fit(problem.X, problem.y)


#: By the names in our tables.
BASELINES = {
    "balanced weights": balanced_weights,
    "threshold by CV": moved_threshold,
    "SMOTE": smote,
    "tuned SVC": tuned,
}


def pvgs(problem, scoring="accuracy"):
    """Parameter vector grid search: a coarse grid, refined around its best point.

    Each round halves the spacing of C and of 2 sigma^2, in powers of two, and looks at the nine
    points around the best one.

    Parameters
    ----------
    problem : Problem
    scoring : str or callable, default="accuracy"
        The thesis maximises the estimated classification rate.

    Returns
    -------
    machine : L2SVC
        Fitted to the whole training part.
    n_trained : int
        Machines trained on the way, folds counted.
    """
    exponents, trained, best = PVGS_START, 0, None
    for k in range(PVGS_ROUNDS + 1):
        if best is not None:
            step = 4.0 / 2**k
            exponents = tuple(at + step * np.arange(-1.0, 2.0) for at in best)
        grid = {"C": 2.0 ** exponents[0], "gamma": 2.0 ** -exponents[1]}
        search = KernelGridSearchCV(L2SVC(), grid, cv=_cut(problem), scoring=scoring)
        search.fit(problem.X, problem.y)
        chosen = search.best_params_
        best = (np.log2(chosen["C"]), -np.log2(chosen["gamma"]))
        trained += FOLDS * len(grid["C"]) * len(grid["gamma"]) + 1
    return search.best_estimator_, trained


def _g_means():
    from sklearn.metrics import make_scorer

    from companion.metrics import g_mean

    return make_scorer(g_mean)
