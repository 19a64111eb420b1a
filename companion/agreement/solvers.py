"""Every solver of a machine, with one signature: a task in, an answer out.

Tolerances are set where a solver ends by its own precision and not by ours; what it reaches is for
the yardstick to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from companion.agreement._losses import brackets
from companion.agreement._programs import dual_program, solve_program, to_classes
from companion.agreement.problems import MINIMUM_MARGIN, Problem
from companion.agreement.yardstick import Answer
from companion.solvers import (
    Design,
    LSPath,
    dca_path,
    least_squares_path,
    ls,
    mdm,
    min_margin,
    smo,
    wls,
)

__all__ = ["FAMILIES", "SOLVERS", "Task", "solvers_of", "weighted_least_squares"]

#: Violation of the optimality conditions that SMO ends at, in units of the labels.
_SMO_TOL = 1e-10
#: Relative duality gaps.
_MDM_TOL, _GAP_TOL, _PLAIN_TOL = 1e-12, 1e-11, 1e-7
#: libsvm keeps kernel values in single precision: closer is no better.
_LIBSVM_TOL = 1e-8
#: Stands for the infinite bound of squared slacks, which libsvm does not take.
_LIBSVM_INFINITY = 1e8
#: Without damping the plain iteration does not settle on separable data; see ``cases.damping``.
_DAMPING, _PLAIN_ITERATIONS = 0.5, 1000


@dataclass(frozen=True, eq=False)
class Task:
    """A problem and a machine, with what solvers start from, made before the clock runs.

    Attributes
    ----------
    problem : Problem
    machine : str
    """

    problem: Problem
    machine: str

    @cached_property
    def K(self):
        """Gram matrix of the sample."""
        return self.problem.gram()

    @cached_property
    def design(self):
        """Features, or columns of the Gram matrix."""
        if self.problem.is_linear:
            return Design.linear(self.problem.X)
        return Design.kernel(self.K)

    @cached_property
    def ridge(self):
        """1 / c_i for squared losses, else 0."""
        return 1.0 / self.problem.cost if self.machine in ("L2", "LS") else 0.0

    @cached_property
    def box(self):
        """Bounds of alpha."""
        cost = self.problem.cost
        return {
            "L1": (0.0, cost),
            "L2": (0.0, np.inf),
            "LS": (-np.inf, np.inf),
            "Least 1-Norm": (-cost, cost),
        }[self.machine]


def _smo(selection, accelerate):
    def solve(task):
        y = task.problem.y
        result = smo(
            task.K,
            y,
            *task.box,
            ridge=task.ridge,
            selection=selection,
            tol=_SMO_TOL,
            accelerate=accelerate,
        )
        beta = y * result.alpha
        return Answer(beta, result.intercept, beta, result.n_iter, result.converged)

    return solve


def _mdm(accelerate):
    def solve(task):
        y = task.problem.y
        result = mdm(task.K, y, ridge=task.ridge, accelerate=accelerate, tol=_MDM_TOL)
        machine = result.to_svm()
        beta = y * machine.alpha
        return Answer(beta, machine.intercept, beta, result.n_iter, result.converged)

    return solve


def weighted_least_squares(accelerate, damping=_DAMPING):
    """The hinge by the paper's iteration, or by the interior point behind ``accelerate``.

    Parameters
    ----------
    accelerate : bool
    damping : float, optional
        Of the paper's iteration.

    Returns
    -------
    callable
        From a task to an :class:`Answer`.
    """
    options = {"tol": _GAP_TOL}
    if not accelerate:
        options = {"tol": _PLAIN_TOL, "damping": damping, "max_iter": _PLAIN_ITERATIONS}

    def solve(task):
        problem = task.problem
        result = wls(
            task.design,
            problem.y,
            problem.C,
            sample_weight=problem.weight,
            accelerate=accelerate,
            **options,
        )
        return Answer(
            result.coef,
            result.intercept,
            problem.y * result.alpha,
            result.n_iter,
            result.converged,
            problem.is_linear,
        )

    return solve


def _min_margin(task):
    problem = task.problem
    if problem.utility is not None:
        result = min_margin(task.design, problem.y, problem.utility, problem.C, tol=_GAP_TOL)
        return Answer(
            result.coef,
            result.intercept,
            result.alpha,
            result.n_iter,
            result.converged,
            problem.is_linear,
        )
    # f = f_1 - f_0 = 2 f_1 has half of the norm of (w_0, w_1), so that C counts half.
    result = min_margin(
        task.design,
        (problem.y > 0).astype(int),
        np.eye(2),
        0.5 * problem.C,
        sample_weight=problem.weight,
        tol=_GAP_TOL,
    )
    beta = 2.0 * (result.alpha[:, 1, 0] - result.alpha[:, 0, 1])
    return Answer(
        result.coef[1] - result.coef[0],
        float(np.diff(result.intercept)[0]),
        beta,
        result.n_iter,
        result.converged,
        problem.is_linear,
    )


def _path(task):
    """The untruncated machine at the end of a path over C, each from the one before."""
    problem = task.problem
    C_values = problem.C * 2.0 ** np.arange(-6, 1)
    convex, _ = dca_path(task.design, problem.y, problem.utility, C_values, None, tol=_GAP_TOL)
    return Answer(
        convex.coef[-1],
        convex.intercept[-1],
        None,
        int(convex.n_iter.sum()),
        bool(convex.converged.all()),
        problem.is_linear,
    )


def _libsvm(task):
    from sklearn.svm import SVC, SVR

    problem, K, C = task.problem, task.K, task.problem.C
    settings = {"kernel": "precomputed", "tol": _LIBSVM_TOL}
    if task.machine == "Least 1-Norm":
        machine = SVR(C=C, epsilon=0.0, **settings)
    elif task.machine == "L2":
        machine, K = SVC(C=_LIBSVM_INFINITY, **settings), K + np.diag(task.ridge)
    else:
        machine = SVC(C=C, **settings)
    machine.fit(K, problem.y, sample_weight=problem.weight)
    beta = np.zeros(len(problem.y))
    beta[machine.support_] = machine.dual_coef_[0]
    return Answer(
        beta,
        float(machine.intercept_[0]),
        beta,
        int(np.sum(machine.n_iter_)),
        machine.fit_status_ == 0,
    )


def _generic(task):
    if task.machine == MINIMUM_MARGIN:
        alpha, bias, n_iter, solved = to_classes(task)
        return Answer(brackets(alpha).T, bias, alpha, n_iter, solved)
    beta, bias, n_iter, solved = solve_program(*dual_program(task))
    return Answer(beta, float(bias[0]), beta, n_iter, solved)


def _linear_system(task):
    """The bordered system of the LS machine by numpy's general solver."""
    y, n = task.problem.y, len(task.problem.y)
    system = np.ones((n + 1, n + 1))
    system[:n, :n], system[n, n] = task.K + np.diag(task.ridge), 0.0
    found = np.linalg.solve(system, np.append(y, 0.0))
    return Answer(found[:n], float(found[n]), found[:n], 0, True)


def _cholesky(task):
    return _closed(task, ls(task.K, task.problem.y, task.problem.C))


def _eigenvectors(task):
    return _closed(task, LSPath(task.K, task.problem.y).solve(task.problem.C))


def _closed(task, result):
    beta = task.problem.y * result.alpha
    return Answer(beta, result.intercept, beta, 0, result.converged)


def _normal_equations(task):
    """The primal of the LS machine: one least-squares problem in the features."""
    problem, design = task.problem, task.design
    x = least_squares_path(design, problem.y, [problem.C])[0]
    beta = problem.cost * (problem.y - design.augmented @ x)
    return Answer(design.coefficients(x[:-1]), float(x[-1]), beta, 0, True, problem.is_linear)


_ALL = ("L1", "L2", "LS", "Least 1-Norm")

#: Solver: the machines it trains, and the function that does.
SOLVERS = {
    "SMO, first order": (_ALL, _smo("first_order", False)),
    "SMO, second order": (_ALL, _smo("second_order", False)),
    "SMO, accelerated": (_ALL, _smo("second_order", True)),
    "MDM": (("L2",), _mdm(False)),
    "MDM, cycles": (("L2",), _mdm("cycles")),
    "MDM, accelerated": (("L2",), _mdm(True)),
    "WLS, damped": (("L1",), weighted_least_squares(False)),
    "WLS, interior point": (("L1",), weighted_least_squares(True)),
    "structured interior point": (("L1", MINIMUM_MARGIN), _min_margin),
    "structured, path over C": ((MINIMUM_MARGIN,), _path),
    "libsvm": (("L1", "L2", "Least 1-Norm"), _libsvm),
    "generic QP (Clarabel)": ((*_ALL, MINIMUM_MARGIN), _generic),
    "linear system": (("LS",), _linear_system),
    "Cholesky": (("LS",), _cholesky),
    "eigenvectors": (("LS",), _eigenvectors),
    "normal equations": (("LS",), _normal_equations),
}

#: Solvers that work alike, for colours.
FAMILIES = {
    "pair updates": (
        "SMO, first order",
        "SMO, second order",
        "SMO, accelerated",
        "MDM",
        "MDM, cycles",
        "MDM, accelerated",
    ),
    "weighted least squares": (
        "WLS, damped",
        "WLS, interior point",
        "structured interior point",
        "structured, path over C",
    ),
    "software of others": ("libsvm", "generic QP (Clarabel)"),
    "closed form": ("linear system", "Cholesky", "eigenvectors", "normal equations"),
}


def solvers_of(machine):
    """Names of the solvers that train a machine.

    Parameters
    ----------
    machine : str
        Its name, as in the problems.

    Returns
    -------
    list of str
        In the order of :data:`SOLVERS`.
    """
    return [name for name, (machines, _) in SOLVERS.items() if machine in machines]
