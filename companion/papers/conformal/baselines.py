"""What a user would take today on the same training parts, and the grid search of the thesis."""

from __future__ import annotations

from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

from companion.estimators import L1SVC, L2SVC
from companion.metrics import g_mean_scorer
from companion.papers.conformal.problems import WIDTH, C
from companion.tuning import KernelGridSearchCV, ParameterVectorGridSearchCV

FOLDS = 5

#: Grid of the tuned machine; widths 2 sigma^2 around that of the thesis.
TUNED_C = tuple(10.0**k for k in range(-1, 5))
TUNED_GAMMA = tuple(1.0 / width for width in (5.0, 15.0, 50.0, 150.0, 500.0))

#: Neighbours that a synthetic pattern of SMOTE may lie between, the default of imbalanced-learn.
NEIGHBOURS = 5

#: Ranges of the grid search of the thesis, in which the printed C and 2 sigma^2 lie.
PVGS_RANGES = {"C": (2.0**-4, 2.0**16), "gamma": (2.0**-8, 2.0**8)}


def _cut(problem):
    return StratifiedKFold(FOLDS, shuffle=True, random_state=problem.seed)


def balanced_weights(problem):
    """The base machine with C inversely proportional to the size of the class.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    fitted classifier
    """
    return L2SVC(C=C, gamma=1.0 / WIDTH, class_weight="balanced").fit(problem.X, problem.y)


def moved_threshold(problem):
    """The base machine with the threshold of the best cross-validated g-means.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    fitted classifier
    """
    machine = TunedThresholdClassifierCV(
        L2SVC(C=C, gamma=1.0 / WIDTH),
        scoring=_g_means(),
        response_method="decision_function",
        cv=_cut(problem),
    )
    return machine.fit(problem.X, problem.y)


def smote(problem):
    """The base machine on the training part with synthetic positives, as many as negatives.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    fitted classifier
    """
    from imblearn.over_sampling import SMOTE

    sampler = SMOTE(k_neighbors=NEIGHBOURS, random_state=problem.seed % 2**31)
    X, y = sampler.fit_resample(problem.X, problem.y)
    return L2SVC(C=C, gamma=1.0 / WIDTH).fit(X, y)


def tuned(problem):
    """A support vector machine with C and width of the best cross-validated g-means.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    fitted classifier
    """
    search = KernelGridSearchCV(
        L1SVC(), {"C": TUNED_C, "gamma": TUNED_GAMMA}, cv=_cut(problem), scoring=g_mean_scorer
    )
    return search.fit(problem.X, problem.y)


#: By the names in our tables.
BASELINES = {
    "balanced weights": balanced_weights,
    "threshold by CV": moved_threshold,
    "SMOTE": smote,
    "tuned SVC": tuned,
}


def pvgs(problem, scoring="accuracy"):
    """Parameter vector grid search for C and width, the thesis's reference [32].

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
    search = ParameterVectorGridSearchCV(L2SVC(), PVGS_RANGES, cv=_cut(problem), scoring=scoring)
    search.fit(problem.X, problem.y)
    return search.best_estimator_, FOLDS * len(search.cv_results_["params"]) + 1


def _g_means():
    from sklearn.metrics import make_scorer

    from companion.metrics import g_mean

    return make_scorer(g_mean)
