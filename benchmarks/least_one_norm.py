"""Least 1-Norm machine: LeastOneNormSVC against SVR(epsilon=0), piqp and Clarabel.

The machine is support vector regression of the labels with an insensitive zone of zero, so libsvm's
SVR solves the same dual, min 1/2 b'Kb - y'b, sum b = 0, |b_i| <= C; to an interior-point method it
is a dense quadratic program. Our tolerance and that of SVR is 1e-3; the interior-point methods get
the loosest tolerance of 1e-2, 1e-3, ... for which their objective is as accurate as ours (the
reference is our objective at tolerance 1e-9). All times include the Gram matrix, one thread, runs
alternate, least CPU time.
"""

import sys
import warnings

import clarabel
import numba
import numpy as np
import piqp
import scipy
import sklearn
from scipy import sparse
from sklearn.svm import SVR

from benchmarks import _common
from companion import LeastOneNormSVC
from companion.kernels import gram

COSTS = (1.0, 10.0, 100.0)
TOLERANCES = 10.0 ** -np.arange(2, 10)
LARGEST_FOR_INTERIOR_POINTS = 1000


def problems():
    """Yield (name, X, y)."""
    yield from _common.synthetic(sizes=(200, 1000, 2000))
    yield from _common.uci()


def by_piqp(X, y, C, gamma, tolerance):
    """beta by piqp's dense solver."""
    n = len(y)
    K = gram(X, gamma=gamma)
    solver = piqp.DenseSolver()
    for name in ("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"):
        setattr(solver.settings, name, tolerance)
    box = np.full(n, C)
    solver.setup(
        np.asfortranarray(K),
        -y,
        np.ones((1, n), order="F"),
        np.zeros(1),
        x_l=-box,
        x_u=box,
    )
    solver.solve()
    return solver.result.x


def by_clarabel(X, y, C, gamma, tolerance):
    """beta by Clarabel."""
    n = len(y)
    K = gram(X, gamma=gamma)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    constraints = sparse.vstack(
        [np.ones((1, n)), sparse.eye(n), -sparse.eye(n)], format="csc"
    )
    bounds = np.concatenate([[0.0], np.full(2 * n, C)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)]
    upper = sparse.csc_matrix(np.triu(K))
    solver = clarabel.DefaultSolver(upper, -y, constraints, bounds, cones, settings)
    return np.array(solver.solve().x)


def error(X, y, beta, C, gamma, reference):
    """Relative error of the objective of beta, moved into the feasible set first."""
    beta = np.clip(beta - beta.mean(), -C, C)
    objective, _ = _common.true_certificate(X, y, beta, C, gamma, box=(-C, C))
    return abs(objective - reference) / abs(reference)


def equally_accurate(solve, wanted, *arguments, reference):
    """The loosest tolerance whose solution is as accurate as wanted, and its error."""
    for tolerance in TOLERANCES:
        reached = error(
            *arguments[:2], solve(*arguments, tolerance), *arguments[2:], reference
        )
        if reached <= wanted:
            break
    return tolerance, reached


def compare(X, y, C, gamma, repeats):
    """Rows (solver, seconds, relative error of the objective) of all solvers."""
    ours = LeastOneNormSVC(C=C, gamma=gamma)
    exact = LeastOneNormSVC(C=C, gamma=gamma, tol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rounding may end the reference above 1e-9
        reference = exact.fit(X, y).objective_
    svr = SVR(C=C, gamma=gamma, epsilon=0.0, cache_size=2000)
    arguments = X, y, C, gamma
    runs = {"ours": lambda: ours.fit(X, y), "SVR": lambda: svr.fit(X, y)}
    errors = {}
    for name, run, machine in (("ours", runs["ours"], ours), ("SVR", runs["SVR"], svr)):
        run()
        errors[name] = error(
            X, y, _common.dual_vector(machine, len(y)), C, gamma, reference
        )
    wanted = max(errors["ours"], 1e-9)
    if len(y) <= LARGEST_FOR_INTERIOR_POINTS:
        for name, solve in (("piqp", by_piqp), ("Clarabel", by_clarabel)):
            tolerance, errors[name] = equally_accurate(
                solve, wanted, *arguments, reference=reference
            )
            runs[name] = lambda solve=solve, tolerance=tolerance: solve(
                *arguments, tolerance
            )
    times = _common.interleaved(
        list(runs.values()), repeats if len(y) <= 500 else 1, in_a_row=2
    )
    return {
        name: (seconds, errors[name]) for name, seconds in zip(runs, times, strict=True)
    }


def main(repeats=4):
    """Print one line a problem and C."""
    modules = np, scipy, numba, sklearn, piqp, clarabel
    print(_common.machine_and_versions(*modules))
    print("CPU ms of each, the ratio to ours, and the relative error of its objective")
    ratios = {}
    with _common.one_thread():
        _common.warm_up()
        for name, X, y in problems():
            y = np.where(y > 0, 1.0, -1.0)
            gamma = _common.scale_gamma(X)
            for C in COSTS:
                rows = compare(X, y, C, gamma, repeats)
                ours = rows["ours"][0]
                line = f"{name:>20} C = {C:3g}: "
                for solver, (seconds, missed) in rows.items():
                    line += f"{solver} {1e3 * seconds:.2f}"
                    if solver != "ours":
                        ratios.setdefault(solver, []).append(seconds / ours)
                        line += f" (x{seconds / ours:.1f})"
                    line += f" [{missed:.0e}]  "
                print(line, flush=True)
    for solver, wanted in (("SVR", 6), ("piqp", 5), ("Clarabel", 50)):
        print(f"{solver}: {_common.summary(ratios[solver], wanted)}")


if __name__ == "__main__":
    sys.exit(main())
