"""The methods of Table 6.0.1, those it leaves out and today's baselines, on one training part.

They share its Gram matrix and squared distances, the machine without a transformation, and the
share V that decides when to stop.
"""

import warnings
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches

from companion.kernels import gram, squared_distances
from companion.papers.conformal.baselines import BASELINES
from companion.papers.conformal.problems import WIDTH, C
from companion.papers.summaries import counts
from companion.solvers.conformal import ConformalProblem, conformal_transformations

SVM = "SVM"
WITHOUT_V = "SVM without V"

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

#: CMA-ES that stays on a plateau, as its plain steps have it, and one that gives up there: the
#: method of the thesis and its escape.
NO_ESCAPE = {"MDT-VMETA, no escape": ("MDT-VMETA", None)}
GIVES_UP = {f"{name}, gives up": (name, "stop") for name in ("MDT-VMETA", "TSVT-VMETA")}

#: Rows of the thesis's tables, with those that its text speaks of as well, and all of ours.
PRINTED = (SVM, *list(CONFORMAL)[:9])
JUDGED = (*PRINTED, WITHOUT_V, "balanced weights", "threshold by CV")
ALL = (SVM, WITHOUT_V, *CONFORMAL, *NO_ESCAPE, *BASELINES)

_BLOCK = 500


class Part:
    """What all methods of a training part share; `width` is 2 sigma^2 of its kernel.

    Without `validate` no V is set apart, and transformations are forced.
    """

    def __init__(self, problem, *, width=WIDTH, C=C, validate=True):
        self.problem = problem
        self.width = width
        squares = squared_distances(problem.X)
        self.shared = ConformalProblem(
            gram(None, gamma=1.0 / width, squared_distances=squares),
            problem.y,
            problem.validate if validate else None,
            C=C,
            distances=squares,
            sigma=np.sqrt(width / 2),
            n_features=problem.X.shape[1],
        )

    def transformed(self, transform, search="separability_gradient", **options):
        """The result of a method, seeded by the training part; `search` if it has parameters."""
        with warnings.catch_warnings():
            # said in the records, as `converged`
            warnings.simplefilter("ignore", ConvergenceWarning)
            return conformal_transformations(
                self.shared, transform, search=search, seed=self.problem.seed, **options
            )

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

    @cached_property
    def untransformed(self):
        """Decision values on the test part without a transformation, of most methods the result."""
        return self.plain_decision()

    def decision_of(self, name):
        """Decision values on the test part of a conformal method or the SVM."""
        if name == SVM:
            return self.untransformed
        return self.decision(self.transformed(*CONFORMAL[name]))

    def _in_blocks(self, value, points, columns):
        """``value(K, squares)`` of the distances to some patterns, a block of points at a time."""
        points = self.problem.X_test if points is None else points
        values = []
        for block in gen_batches(len(points), _BLOCK):
            # a row a pattern: results take the patterns that they need
            squares = cdist(self.problem.X[columns], points[block], "sqeuclidean")
            K = gram(None, gamma=1.0 / self.width, squared_distances=squares)
            values.append(value(K.T, squares.T))
        return np.concatenate(values)


def outcome(part, name, result=None):
    """Errors on the test part of a method, or without a result of the untransformed machine."""
    number = result.n_transforms if result else 0
    decision = part.decision(result) if number else part.untransformed
    return {
        "method": name,
        **counts(decision, part.problem.y_test),
        "n_transformations": number,
    }


def conformal_row(part, name):
    """The record of one conformal method."""
    plain_name, escape = (NO_ESCAPE | GIVES_UP).get(name, (name, "early"))
    result = part.transformed(*CONFORMAL[plain_name], escape=escape)
    n_tried = len(result.history) - 1
    return {
        **outcome(part, name, result),
        "n_tried": n_tried,
        "n_trained": 1 + n_tried + (result.n_transforms == 0),
        "converged": result.machine.converged,
    }


#: What is recorded of a machine without a transformation, if no more is known.
_UNTRANSFORMED = {
    "n_transformations": 0,
    "n_tried": 0,
    "n_trained": 1,
    "converged": True,
}


def mark_row(part, name):
    """Whether a method keeps its first transformation: if in no fold, it has an asterisk."""
    found = part.transformed(*CONFORMAL[name], max_transforms=1)
    return {
        "method": name,
        "n_transformations": found.n_transforms,
        "converged": found.machine.converged,
    }


def plain_row(name, errors, **known):
    """The record of a machine without a transformation."""
    return {"method": name, **errors, **_UNTRANSFORMED, **known}


def all_rows(problem, names=ALL, marked=()):
    """One row a method of `names`, of the SVM with and without V, conformal ones and baselines.

    Of those `marked` it is known alone whether they transform.
    """
    part = Part(problem)
    y = problem.y_test
    rows = []
    for name in names:
        if name in BASELINES:
            found = counts(BASELINES[name](problem).predict(problem.X_test), y)
            rows.append(plain_row(name, found))
        elif name in (SVM, WITHOUT_V):
            is_whole = name == SVM
            machine = part.shared.whole if is_whole else part.shared.first
            found = counts(part.plain_decision(is_whole), y)
            rows.append(plain_row(name, found, converged=machine.converged))
        else:
            rows.append(conformal_row(part, name))
    return rows + [mark_row(part, name) for name in marked]
