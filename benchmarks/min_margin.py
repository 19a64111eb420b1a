"""Weighted minimum-margin hinge: one convex problem against piqp and Clarabel, and a path over C.

Linear with 400 points of three classes, 15 % of the labels switched, and with an RBF kernel and 800
points. All solve the same problem on the same features (for the kernel those of the pivoted
Cholesky factor, which both peers need to be quick at all) to a relative accuracy of 1e-8. The peers
get it in two sparse forms, with the decision values as variables of their own and without, and the
better one counts; setting the matrices up is not timed. One thread, least CPU time of alternating
runs. The last part is the path over 23 values of C of the convex and the truncated machine.
"""

import sys

import clarabel
import numba
import numpy as np
import piqp
import scipy
from scipy import sparse

from benchmarks import _common
from companion.kernels import gram
from companion.solvers import Design, dca_path, min_margin

UTILITY = np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
PATH = 2.0 ** np.arange(-12, 11)
ACCURACY = 1e-8


def sample(n, seed):
    """Three Gaussians around a circle, 15 % of the labels switched."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    angle = 2.0 * np.pi * y / 3
    X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.7 * rng.normal(size=(n, 2))
    switched = rng.random(n) < 0.15
    y[switched] = (y[switched] + rng.integers(1, 3, switched.sum())) % 3
    return X, y


def program(Z, y, C, lifted):
    """min 1/2 x'Px + c'x, A x = 0, G x <= h: x holds v, b, slacks and, if lifted, f.

    f = Q (v z + b) for an orthonormal basis Q of the vectors that sum to zero.
    """
    n, m = Z.shape
    Q = np.array([[1.0, 1.0], [-1.0, 1.0], [0.0, -2.0]]) / np.sqrt([2.0, 6.0])
    rows, columns = np.nonzero(UTILITY[y])
    weights = C * UTILITY[y][rows, columns]
    terms = np.arange(len(rows))
    plane = np.column_stack([Z, np.ones(n)])
    n_plane = 2 * (m + 1)
    n_terms = len(rows)
    n_lifted = 2 * n if lifted else 0
    quadratic = np.zeros(n_plane + n_terms + n_lifted)
    quadratic[: 2 * m] = 1.0
    linear = np.zeros_like(quadratic)
    linear[n_plane : n_plane + n_terms] = weights
    order = np.concatenate([np.arange(m), [2 * m], np.arange(m, 2 * m), [2 * m + 1]])
    both = sparse.kron(sparse.eye(2), plane).tocsc()[:, np.argsort(order)]
    blocks = []
    for shift in (1, 2):
        other = (columns + shift) % 3
        pick = [
            sparse.csr_matrix(
                (Q[columns, c] - Q[other, c], (terms, rows)), (n_terms, n)
            )
            for c in (0, 1)
        ]
        pick = sparse.hstack(pick)
        own = sparse.csr_matrix((n_terms, n_plane)) if lifted else pick @ both
        parts = [-own, -sparse.eye(n_terms)] + ([-pick] if lifted else [])
        blocks.append(sparse.hstack(parts))
    zero = sparse.csr_matrix((n_terms, n_plane))
    parts = [zero, -sparse.eye(n_terms)]
    parts += [sparse.csr_matrix((n_terms, n_lifted))] if lifted else []
    blocks.append(sparse.hstack(parts))
    G = sparse.vstack(blocks).tocsc()
    h = np.concatenate([-np.ones(2 * n_terms), np.zeros(n_terms)])
    A = sparse.csc_matrix((0, quadratic.size))
    if lifted:
        A = sparse.hstack(
            [both, sparse.csr_matrix((2 * n, n_terms)), -sparse.eye(2 * n)]
        ).tocsc()
    return sparse.diags(quadratic).tocsc(), linear, A, G, h


def by_piqp(P, c, A, G, h):
    """A function that solves the program with piqp's sparse solver and returns the value."""

    def solve():
        solver = piqp.SparseSolver()
        for name in (
            "eps_abs",
            "eps_rel",
            "eps_duality_gap_abs",
            "eps_duality_gap_rel",
        ):
            setattr(solver.settings, name, ACCURACY)
        equal = (A, np.zeros(A.shape[0])) if A.shape[0] else (None, None)
        solver.setup(P, c, *equal, G, np.full(len(h), -np.inf), h)
        solver.solve()
        return solver.result.info.primal_obj

    return solve


def by_clarabel(P, c, A, G, h):
    """A function that solves the program with Clarabel and returns the value."""
    conditions = sparse.vstack([A, G]).tocsc()
    right = np.concatenate([np.zeros(A.shape[0]), h])
    cones = [clarabel.ZeroConeT(A.shape[0]), clarabel.NonnegativeConeT(len(h))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = 0.0
    settings.tol_gap_rel = ACCURACY
    settings.tol_feas = ACCURACY
    upper = sparse.triu(P).tocsc()

    def solve():
        solver = clarabel.DefaultSolver(upper, c, conditions, right, cones, settings)
        return solver.solve().obj_val

    return solve


def main():
    """Print times, errors and ratios."""
    print(_common.machine_and_versions(np, scipy, numba, piqp))
    print(f"clarabel {clarabel.__version__}; CPU ms [relative error of the objective]")
    ratios = {}
    with _common.one_thread():
        for kind, n in (("linear", 400), ("rbf", 800)):
            X, y = sample(n, n)
            gamma = 0.5 / 2.0**2
            design = (
                Design.linear(X)
                if kind == "linear"
                else Design.kernel(gram(X, gamma=gamma))
            )
            for C in (0.1, 1.0, 10.0):
                reference = min_margin(design, y, UTILITY, C, tol=1e-10).objective

                def ours(design=design, y=y, C=C):
                    return min_margin(design, y, UTILITY, C, tol=ACCURACY).objective

                line = f"{kind} {n}, {design.m} columns, C = {C:g}:"
                Z = design.augmented[:, :-1]
                forms = [program(Z, y, C, lifted) for lifted in (False, True)]
                for name, peer in (("piqp", by_piqp), ("Clarabel", by_clarabel)):
                    solvers = [peer(*form) for form in forms]
                    rounds = 15 if kind == "linear" else 2
                    taken = _common.interleaved(
                        [ours, *solvers],
                        rounds,
                        least=0.0,
                        in_a_row=10 if kind == "linear" else 3,
                    )
                    best = int(np.argmin(taken[1:]))
                    error = abs(solvers[best]() / reference - 1.0)
                    ratio = taken[1 + best] / taken[0]
                    ratios.setdefault((name, kind), []).append(ratio)
                    line += f" {name} {1e3 * taken[1 + best]:.1f} [{error:.0e}] (x{ratio:.0f})"
                print(
                    f"{line} ours {1e3 * taken[0]:.2f} [{abs(ours() / reference - 1):.0e}]",
                    flush=True,
                )
        X, y = sample(400, 1)
        design = Design.linear(X)
        (seconds,) = _common.interleaved(
            [lambda: dca_path(design, y, UTILITY, PATH, -0.5)], 3
        )
        n_problems = (
            PATH.size + dca_path(design, y, UTILITY, PATH, -0.5)[1].n_steps.sum()
        )
        print(
            f"path of {PATH.size}, both machines: {1e3 * seconds:.0f} ms, "
            f"{1e3 * seconds / n_problems:.2f} a convex problem; 1300 such paths, those of "
            f"Table 1: {1300 * seconds:.0f} s"
        )
    for (name, kind), values in ratios.items():
        print(
            f"{name}, {kind}: {_common.summary(values, 6 if kind == 'linear' else 20)}"
        )


if __name__ == "__main__":
    sys.exit(main())
