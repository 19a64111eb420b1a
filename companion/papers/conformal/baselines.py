"""What a user would take today on the same training parts, and the grid search of the thesis."""

from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

from companion.estimators import L1SVC, L2SVC
from companion.metrics import g_mean, g_mean_scorer
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
    """The base machine with C inversely proportional to the size of the class."""
    return L2SVC(C=C, gamma=1.0 / WIDTH, class_weight="balanced").fit(problem.X, problem.y)


def moved_threshold(problem):
    """The base machine with the threshold of the best cross-validated g-means."""
    machine = TunedThresholdClassifierCV(
        L2SVC(C=C, gamma=1.0 / WIDTH),
        scoring=make_scorer(g_mean),
        response_method="decision_function",
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


def pvgs(problem):
    """Parameter vector grid search for C and width, the thesis's reference [32].

    The machine of the best classification rate, and how many were trained on the way.
    """
    search = ParameterVectorGridSearchCV(L2SVC(), PVGS_RANGES, cv=_cut(problem), scoring="accuracy")
    search.fit(problem.X, problem.y)
    return search.best_estimator_, FOLDS * len(search.cv_results_["params"]) + 1
