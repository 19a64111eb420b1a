"""Tables 6.3.1 to 6.3.3: all methods on a draw of the board, or on the folds of a real set.

The methods of a training part share its Gram matrix and squared distances, the machine without a
transformation, and the share V that decides when to stop.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from companion.metrics import g_mean_error
from companion.papers.conformal import problems
from companion.papers.conformal.baselines import BASELINES, pvgs
from companion.papers.conformal.problems import PAPER, SETS, WIDTH, C
from companion.papers.summaries import counts
from companion.reproduction import Study, Unit
from companion.solvers.conformal import ConformalProblem, conformal_transformations

GENERATIONS = 30
MAX_TRANSFORMATIONS = 10

SVM, WITHOUT_V = "SVM", "SVM without V"

_SEARCHES = {
    "JGRAD": "separability_gradient",
    "JMETA": "separability_cma",
    "VMETA": "validation_cma",
}

#: The methods: transformation and search, by the names of Table 6.0.1 and those it leaves out.
CONFORMAL = {
    "AMA": ("amari", None),
    "ACT": ("act", None),
    "WIL": ("williams", None),
    **{
        f"{name}-{short}": (name.lower(), search)
        for name in ("MDT", "TSVT")
        for short, search in _SEARCHES.items()
    },
    "Wu-Amari": ("wu_amari", None),
    "KBA": ("kba", None),
    "Xiong": ("xiong", "separability_gradient"),
}

#: Rows of the thesis's tables, and all of ours.
PRINTED = (SVM, *(name for name in CONFORMAL if name not in ("Wu-Amari", "KBA", "Xiong")))
ALL = (SVM, WITHOUT_V, *CONFORMAL, *BASELINES)

_LIST = {
    "Glass7": "WIL MDT-JGRAD MDT-JMETA MDT-VMETA TSVT-JGRAD TSVT-JMETA TSVT-VMETA",
    "Segment1": "WIL MDT-JGRAD MDT-JMETA TSVT-JGRAD",
    "Hepatitis": "AMA ACT TSVT-VMETA",
    "Sonar": "WIL MDT-JGRAD",
    "Heart disease": "ACT WIL MDT-JGRAD MDT-JMETA MDT-VMETA TSVT-JGRAD TSVT-JMETA TSVT-VMETA",
    "Ionosphere": "AMA WIL MDT-JGRAD MDT-JMETA MDT-VMETA TSVT-JGRAD TSVT-VMETA",
    "Breast cancer": "AMA ACT MDT-JMETA MDT-VMETA TSVT-JGRAD TSVT-JMETA TSVT-VMETA",
}

#: Methods with a printed asterisk, by data set.
PRINTED_ASTERISKS = {name: tuple(methods.split()) for name, methods in _LIST.items()}

N_DRAWS = {"paper": 20, "quick": 2}
N_PARTITIONS = {"paper": 20, "quick": 1}

_BLOCK = 2000


class Part:
    """What all methods of a training part share.

    Parameters
    ----------
    problem : Problem
    width : float, default=50
        2 sigma^2 of the kernel.
    C : float, default=10
    validate : bool, default=True
        Whether V is set apart; without it transformations are forced.
    """

    def __init__(self, problem, *, width=WIDTH, C=C, validate=True):
        self.problem, self.width = problem, width
        squares = cdist(problem.X, problem.X, "sqeuclidean")
        self.shared = ConformalProblem(
            np.exp(-squares / width),
            problem.y,
            problem.validate if validate else None,
            C=C,
            distances=squares,
            sigma=np.sqrt(width / 2),
            n_features=problem.X.shape[1],
        )

    def transformed(self, transform, search=None, **options):
        """The result of a method, seeded by the training part.

        Parameters
        ----------
        transform : str or rule
            As of :func:`companion.solvers.conformal.conformal_transformations`.
        search : str, optional
        **options : object
            Further options of that function.

        Returns
        -------
        ConformalResult
        """
        options = {"max_transforms": MAX_TRANSFORMATIONS, "seed": self.problem.seed} | options
        if search is not None:
            options["search"] = search
        with warnings.catch_warnings():
            # said in the records, as `converged`
            warnings.simplefilter("ignore", ConvergenceWarning)
            return conformal_transformations(self.shared, transform, **options)

    def decision(self, result, points=None):
        """Decision values of a result of :meth:`transformed`, by default on the test part.

        Parameters
        ----------
        result : ConformalResult
        points : ndarray of shape (m, n_features), optional

        Returns
        -------
        ndarray of shape (m,)
        """
        points = self.problem.X_test if points is None else points
        small, needed = result.compact()
        values = [
            small.decision_function(np.exp(-squares / self.width), squares)
            for squares in self._squares(points, needed)
        ]
        return np.concatenate(values)

    def plain_decision(self, whole=True, points=None):
        """Decision values of the machine without a transformation.

        Parameters
        ----------
        whole : bool, default=True
            Whether V was trained on too.
        points : ndarray of shape (m, n_features), optional

        Returns
        -------
        ndarray of shape (m,)
        """
        points = self.problem.X_test if points is None else points
        machine = self.shared.whole if whole else self.shared.first
        rows = np.arange(len(self.problem.y)) if whole else self.shared.train
        support = np.flatnonzero(machine.alpha)
        coef = (self.problem.y[rows] * machine.alpha)[support]
        values = np.concatenate(
            [
                np.exp(-squares / self.width) @ coef
                for squares in self._squares(points, rows[support])
            ]
        )
        return 2.0 / machine.squared_norm * (values + machine.intercept)

    def _squares(self, points, columns):
        """Squared distances to some training patterns, a block of points at a time."""
        for start in range(0, len(points), _BLOCK):
            yield cdist(points[start : start + _BLOCK], self.problem.X[columns], "sqeuclidean")


def test_error(decision, y):
    """g-means error of decision values; 0 counts as the negative class.

    Parameters
    ----------
    decision : ndarray of shape (n,)
    y : ndarray of shape (n,)

    Returns
    -------
    float
    """
    return g_mean_error(y, np.where(decision > 0, 1.0, -1.0))


def conformal_row(part, name):
    """The record of one conformal method.

    Parameters
    ----------
    part : Part
    name : str
        A key of ``CONFORMAL``.

    Returns
    -------
    dict
    """
    result = part.transformed(*CONFORMAL[name])
    first, tried = result.history[0], result.history[1:]
    return {
        "method": name,
        **counts(part.decision(result), part.problem.y_test),
        "n_transformations": result.n_transforms,
        "n_tried": len(tried),
        "n_trained": 1 + len(tried) + (result.n_transforms == 0),
        "v_before": round(first["validation_error"], 6),
        "v_error": round(result.validation_error, 6),
        "degenerate": result.is_degenerate,
        "converged": bool(result.machine.converged),
    }


def plain_rows(part):
    """The machine without a transformation, on the whole training part and without V.

    Parameters
    ----------
    part : Part

    Returns
    -------
    list of dict
    """
    result = part.transformed("williams", max_transforms=0)
    v_error = round(float(result.validation_error), 6)
    return [
        _plain(
            name,
            counts(part.plain_decision(whole), part.problem.y_test),
            v_before=v_error,
            v_error=v_error,
            converged=(part.shared.whole if whole else part.shared.first).converged,
        )
        for name, whole in ((SVM, True), (WITHOUT_V, False))
    ]


def _plain(name, errors, *, v_before=None, v_error=None, n_trained=1, converged=True):
    return {
        "method": name,
        **errors,
        "n_transformations": 0,
        "n_tried": 0,
        "n_trained": n_trained,
        "v_before": v_before,
        "v_error": v_error,
        "degenerate": False,
        "converged": bool(converged),
    }


def baseline_rows(problem):
    """What a user would take today, on the whole training part.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    list of dict
    """
    rows = []
    for name, train in BASELINES.items():
        machine = train(problem)
        predicted = machine.predict(problem.X_test)
        rows.append(_plain(name, counts(predicted, problem.y_test)))
    return rows


def all_rows(problem):
    """One row a method.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    list of dict
    """
    part = Part(problem)
    conformal = [conformal_row(part, name) for name in CONFORMAL]
    return [*plain_rows(part), *conformal, *baseline_rows(problem)]


def compute_board(unit):
    """A draw of the board: a row a method, the grid search of the thesis among them."""
    problem = problems.board(unit.params["draw"])
    machine, n_trained = pvgs(problem)
    found = counts(machine.decision_function(problem.X_test), problem.y_test)
    return [*all_rows(problem), _plain("PVGS", found, n_trained=n_trained)]


def compute_folds(unit):
    """A partition of a real set: a row a fold and method."""
    name = unit.params["dataset"]
    rows = []
    for fold, problem in enumerate(problems.folds(name, unit.params["partition"])):
        rows += [{"fold": fold} | row for row in all_rows(problem)]
    return rows


def board_units(profile):
    """One unit a draw."""
    return [Unit(PAPER, "board", {"draw": k}) for k in range(1, N_DRAWS[profile] + 1)]


def fold_units(profile):
    """One unit a data set and partition."""
    return [
        Unit(PAPER, "folds", {"dataset": name, "partition": k}, problems.digest(name))
        for name in SETS
        for k in range(1, N_PARTITIONS[profile] + 1)
    ]


#: All that the results of a method depend on.


BOARD = Study(PAPER, "board", board_units, compute_board)
FOLDS = Study(PAPER, "folds", fold_units, compute_folds)
