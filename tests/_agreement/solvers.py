"""Every solver of a machine, with one signature: a machine in, an answer out."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.svm import SVC, SVR

from _agreement.problems import MACHINES, MINIMUM_MARGIN
from _agreement.yardstick import Answer, brackets
from companion.solvers import (
    LSPath,
    dca_path,
    least_squares_path,
    ls,
    mdm,
    min_margin,
    smo,
    wls,
)

#: Violation of the optimality conditions that SMO ends at, in units of the labels.
_SMO_TOL = 1e-10
#: Relative duality gaps.
_MDM_TOL = 1e-12
_GAP_TOL = 1e-11
_PLAIN_TOL = 1e-7
#: libsvm keeps kernel values in single precision: closer is no better.
_LIBSVM_TOL = 1e-8
#: Stands for the infinite bound of squared slacks, which libsvm does not take.
_LIBSVM_INFINITY = 1e8
#: Gaps and feasibility of the general interior-point solver.
_GENERIC_TOL = 1e-12
#: Without damping the plain iteration does not settle on separable data.
_DAMPING = 0.5
_PLAIN_ITERATIONS = 1000


def _of_multipliers(beta, bias, converged=True):
    """An answer whose coefficients are its multipliers."""
    return Answer(beta, float(bias), beta, bool(converged))


def _of_result(machine, found):
    """An answer of what a solver of ours returns."""
    beta = machine.y * found.alpha
    return _of_multipliers(beta, found.intercept, found.converged)


def _smo(machine, **options):
    box = np.sort([machine.y * machine.low, machine.y * machine.high], axis=0)
    settings = {"ridge": machine.ridge, "tol": _SMO_TOL, "accelerate": False} | options
    found = smo(machine.problem.K, machine.y, *box, **settings)
    return _of_result(machine, found)


def _mdm(machine, **options):
    settings = {"ridge": machine.ridge, "tol": _MDM_TOL, "accelerate": False} | options
    found = mdm(machine.problem.K, machine.y, **settings)
    svm = found.to_svm()
    return _of_multipliers(machine.y * svm.alpha, svm.intercept, found.converged)


def _wls(machine, **options):
    """The hinge by the interior point, or by what the options say."""
    problem = machine.problem
    settings = {"sample_weight": problem.weight, "tol": _GAP_TOL} | options
    found = wls(problem.design, problem.y, problem.C, **settings)
    beta = problem.y * found.alpha
    return Answer(found.coef, found.intercept, beta, found.converged)


def _weighted_least_squares(machine):
    """The hinge by the paper's iteration."""
    settings = {"tol": _PLAIN_TOL, "max_iter": _PLAIN_ITERATIONS}
    return _wls(machine, accelerate=False, damping=_DAMPING, **settings)


def _min_margin(machine):
    problem = machine.problem
    settings = {"sample_weight": problem.weight, "tol": _GAP_TOL}
    if machine.name == MINIMUM_MARGIN:
        found = min_margin(
            problem.design, problem.y, problem.utility, problem.C, **settings
        )
        return Answer(found.coef, found.intercept, found.alpha, found.converged)
    # f = f_1 - f_0 = 2 f_1 has half of the norm of (w_0, w_1), so that C counts half.
    y = (problem.y > 0).astype(int)
    found = min_margin(problem.design, y, np.eye(2), 0.5 * problem.C, **settings)
    (coef,) = np.diff(found.coef, axis=0)
    (bias,) = np.diff(found.intercept)
    beta = 2.0 * (found.alpha[:, 1, 0] - found.alpha[:, 0, 1])
    return Answer(coef, bias, beta, found.converged)


def _path(machine):
    """The untruncated machine at the end of a path over C, each from the one before."""
    problem = machine.problem
    C_values = problem.C * 2.0 ** np.arange(-6, 1)
    path, _ = dca_path(
        problem.design, problem.y, problem.utility, C_values, None, tol=_GAP_TOL
    )
    return Answer(path.coef[-1], path.intercept[-1], None, bool(path.converged.all()))


def _libsvm(machine):
    problem = machine.problem
    settings = {"kernel": "precomputed", "tol": _LIBSVM_TOL}
    if machine.name == "Least 1-Norm":
        svm = SVR(C=problem.C, epsilon=0.0, **settings)
    else:
        svm = SVC(C=_LIBSVM_INFINITY if machine.is_squared else problem.C, **settings)
    K = problem.K + np.diag(machine.ridge)
    svm.fit(K, problem.y, sample_weight=problem.weight)
    beta = np.zeros(len(problem.y))
    beta[svm.support_] = svm.dual_coef_[0]
    return _of_multipliers(beta, svm.intercept_[0], svm.fit_status_ == 0)


def _generic(machine):
    """Clarabel: minimise 1/2 b'(K + D)b - y'b for b = y alpha in its box, sum b = 0."""
    if machine.name == MINIMUM_MARGIN:
        return _generic_of_many_classes(machine)
    n = len(machine.y)
    P = machine.problem.K + np.diag(machine.ridge)
    h = np.concatenate([machine.high, -machine.low])
    bounded = np.isfinite(h)
    G = sparse.vstack([sparse.identity(n), -sparse.identity(n)], format="csr")
    beta, bias, solved = _clarabel(
        P, -machine.y, np.ones((1, n)), G[bounded], h[bounded]
    )
    return _of_multipliers(beta, bias[0], solved)


def _generic_of_many_classes(machine):
    """The dual (13) to (15) of the minimum-margin machine, alpha of shape (n, k, k)."""
    n, k = machine.weight.shape
    weighed = machine.weight > 0.0
    place = np.nonzero(weighed[:, :, np.newaxis] & ~np.eye(k, dtype=bool))
    i, j, m = place
    n_multipliers = len(i)
    # What a multiplier adds to the bracket of a class: 1 to j, -1 to m.
    signs = np.eye(k)[:, j] - np.eye(k)[:, m]
    P = (signs.T @ signs) * machine.problem.K[np.ix_(i, i)]
    # Those of a sample and class stand side by side, and their sum has a limit.
    limits = machine.weight[weighed]
    sums = sparse.kron(sparse.identity(len(limits)), np.ones((1, k - 1)))
    G = sparse.vstack([sums, -sparse.identity(n_multipliers)])
    h = np.append(limits, np.zeros(n_multipliers))
    # The brackets of all classes together sum to zero anyhow.
    x, bias, solved = _clarabel(P, -np.ones(n_multipliers), signs[:-1], G, h)
    alpha = np.zeros((n, k, k))
    alpha[place] = x
    bias = np.append(bias, 0.0)
    return Answer(brackets(alpha).T, bias - bias.mean(), alpha, solved)


def _clarabel(P, q, equalities, G, h):
    """Minimise 1/2 x'Px + q'x with equalities x = 0 and G x <= h: x, their multipliers, success."""
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _GENERIC_TOL
    n_equal = len(equalities)
    conditions = sparse.vstack([sparse.csr_matrix(equalities), G]).tocsc()
    right = np.append(np.zeros(n_equal), h)
    cones = [clarabel.ZeroConeT(n_equal), clarabel.NonnegativeConeT(len(h))]
    P = sparse.csc_matrix(np.triu(P))
    found = clarabel.DefaultSolver(P, q, conditions, right, cones, settings).solve()
    solved = str(found.status) in ("Solved", "AlmostSolved")
    return np.array(found.x), np.array(found.z)[:n_equal], solved


def _linear_system(machine):
    """The bordered system of the LS machine by numpy's general solver."""
    K = machine.problem.K + np.diag(machine.ridge)
    system = np.pad(K, (0, 1), constant_values=1.0)
    system[-1, -1] = 0.0
    found = np.linalg.solve(system, np.append(machine.y, 0.0))
    return _of_multipliers(found[:-1], found[-1])


def _cholesky(machine):
    return _of_result(machine, ls(machine.problem.K, machine.y, machine.problem.C))


def _eigenvectors(machine):
    found = LSPath(machine.problem.K, machine.y).solve(machine.problem.C)
    return _of_result(machine, found)


def _normal_equations(machine):
    """The primal of the LS machine: one least-squares problem in the features."""
    problem = machine.problem
    (x,) = least_squares_path(problem.design, problem.y, [problem.C])
    beta = problem.cost * (problem.y - problem.design.augmented @ x)
    return Answer(problem.design.coefficients(x[:-1]), float(x[-1]), beta)


class _Solver(NamedTuple):
    machines: tuple[str, ...]
    run: Callable[..., Answer]


#: Shares no code with the others.
REFERENCE = "generic QP (Clarabel)"

#: Every solver: the machines that it trains, and the function that does.
SOLVERS = {
    "SMO, first order": _Solver(MACHINES, partial(_smo, selection="first_order")),
    "SMO, second order": _Solver(MACHINES, partial(_smo, selection="second_order")),
    "SMO, accelerated": _Solver(MACHINES, partial(_smo, accelerate=True)),
    "MDM": _Solver(("L2",), _mdm),
    "MDM, accelerated": _Solver(("L2",), partial(_mdm, accelerate=True)),
    "WLS, damped": _Solver(("L1",), _weighted_least_squares),
    "WLS, interior point": _Solver(("L1",), _wls),
    "structured interior point": _Solver(("L1", MINIMUM_MARGIN), _min_margin),
    "structured, path over C": _Solver((MINIMUM_MARGIN,), _path),
    "libsvm": _Solver(("L1", "L2", "Least 1-Norm"), _libsvm),
    REFERENCE: _Solver((*MACHINES, MINIMUM_MARGIN), _generic),
    "linear system": _Solver(("LS",), _linear_system),
    "Cholesky": _Solver(("LS",), _cholesky),
    "eigenvectors": _Solver(("LS",), _eigenvectors),
    "normal equations": _Solver(("LS",), _normal_equations),
}


def solvers_of(machine):
    """Names of the solvers that train a machine of this name."""
    return [name for name, solver in SOLVERS.items() if machine in solver.machines]
