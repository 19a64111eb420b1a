"""The methods of Table 6.0.1, those it leaves out and today's baselines, on one training part.

They share its Gram matrix and squared distances, the machine without a transformation, and the
share V that decides when to stop.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from companion.kernels import gram
from companion.papers.conformal.baselines import BASELINES
from companion.papers.conformal.problems import WIDTH, C
from companion.papers.summaries import counts
from companion.solvers.conformal import ConformalProblem, conformal_transformations

GENERATIONS = 30
MAX_TRANSFORMATIONS = 10

SVM, WITHOUT_V = "SVM", "SVM without V"

#: The methods: transformation and search, by the names of Table 6.0.1 and those it leaves out.
CONFORMAL = {
    "AMA": ("amari",),
    "ACT": ("act",),
    "WIL": ("williams",),
    "MDT-JGRAD": ("mdt", "separability_gradient"),
    "MDT-JMETA": ("mdt", "separability_cma"),
    "MDT-VMETA": ("mdt", "validation_cma"),
    "TSVT-JGRAD": ("tsvt", "separability_gradient"),
    "TSVT-JMETA": ("tsvt", "separability_cma"),
    "TSVT-VMETA": ("tsvt", "validation_cma"),
    "Wu-Amari": ("wu_amari",),
    "KBA": ("kba",),
    "Xiong": ("xiong", "separability_exact"),
}

#: Rows of the thesis's tables, with those that its text speaks of as well, and all of ours.
PRINTED = (SVM, *(name for name in CONFORMAL if name not in ("Wu-Amari", "KBA", "Xiong")))
JUDGED = (*PRINTED, WITHOUT_V, "balanced weights", "threshold by CV")
ALL = (SVM, WITHOUT_V, *CONFORMAL, *BASELINES)

#: Rows of the tables that take well under a second a partition, so that many more are run.
CHEAP = (SVM, "AMA", "ACT", "WIL", "MDT-JGRAD")

_BLOCK = 2000


class Part:
    """What all methods of a training part share; `width` is 2 sigma^2 of its kernel.

    Without `validate` no V is set apart, and transformations are forced.
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

    def transformed(self, transform, search="separability_gradient", **options):
        """The result of a method, seeded by the training part; `search` if it has parameters."""
        options = {"max_transforms": MAX_TRANSFORMATIONS, "seed": self.problem.seed} | options
        with warnings.catch_warnings():
            # said in the records, as `converged`
            warnings.simplefilter("ignore", ConvergenceWarning)
            return conformal_transformations(self.shared, transform, search=search, **options)

    def decision(self, result, points=None):
        """Decision values of a result of :meth:`transformed`, by default on the test part."""
        small, needed = result.compact()
        return self._in_blocks(small.decision_function, points, needed)

    def plain_decision(self, whole=True, points=None):
        """As `decision`, without a transformation; `whole` if V was trained on too."""
        machine = self.shared.whole if whole else self.shared.first
        rows = np.arange(len(self.problem.y)) if whole else self.shared.train
        support = np.flatnonzero(machine.alpha)
        coef = (self.problem.y[rows] * machine.alpha)[support]
        sums = self._in_blocks(lambda K, _: K @ coef, points, rows[support])
        return 2.0 / machine.squared_norm * (sums + machine.intercept)

    def _in_blocks(self, value, points, columns):
        """``value(K, squares)`` of the distances to some patterns, a block of points at a time."""
        points, values = self.problem.X_test if points is None else points, []
        for start in range(0, len(points), _BLOCK):
            block = points[start : start + _BLOCK]
            squares = cdist(block, self.problem.X[columns], "sqeuclidean")
            K = gram(None, gamma=1.0 / self.width, squared_distances=squares)
            values.append(value(K, squares))
        return np.concatenate(values)


def outcome(part, name, result=None):
    """Errors on the test part of a method, or without a result of the untransformed machine."""
    decision = part.plain_decision() if result is None else part.decision(result)
    return {
        "method": name,
        **counts(decision, part.problem.y_test),
        "n_transformations": 0 if result is None else result.n_transforms,
    }


def conformal_row(part, name):
    """The record of one conformal method."""
    result = part.transformed(*CONFORMAL[name])
    first, tried = result.history[0], result.history[1:]
    return {
        **outcome(part, name, result),
        "n_tried": len(tried),
        "n_trained": 1 + len(tried) + (result.n_transforms == 0),
        "v_before": round(first["validation_error"], 6),
        "v_error": round(result.validation_error, 6),
        "degenerate": result.is_degenerate,
        "converged": bool(result.machine.converged),
    }


def plain_row(name, errors, *, v_error=None, n_trained=1, converged=True):
    """The record of a machine without a transformation."""
    return {
        "method": name,
        **errors,
        "n_transformations": 0,
        "n_tried": 0,
        "n_trained": n_trained,
        "v_before": v_error,
        "v_error": v_error,
        "degenerate": False,
        "converged": bool(converged),
    }


def all_rows(problem, names=ALL):
    """One row a method: the SVM with and without V, and what `names` has of the others."""
    part, y = Part(problem), problem.y_test
    v_error = round(float(part.transformed("williams", max_transforms=0).validation_error), 6)
    rows = []
    for name, machine in ((SVM, part.shared.whole), (WITHOUT_V, part.shared.first)):
        found = counts(part.plain_decision(whole=name == SVM), y)
        rows.append(plain_row(name, found, v_error=v_error, converged=machine.converged))
    rows += [conformal_row(part, name) for name in CONFORMAL if name in names]
    for name in (name for name in BASELINES if name in names):
        found = counts(BASELINES[name](problem).predict(problem.X_test), y)
        rows.append(plain_row(name, found))
    return rows


def some_rows(problem, names):
    """One row a method of `names`, of which the first is the SVM, in the columns that all have."""
    part = Part(problem)
    svm = {**outcome(part, SVM), "converged": bool(part.shared.whole.converged)}
    rows = [svm, *(conformal_row(part, name) for name in names[1:])]
    return [{name: row[name] for name in svm} for row in rows]
