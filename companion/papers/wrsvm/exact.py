"""The global minimum of (10) on tiny samples, by branch and bound over the truncated terms.

With T_s(u) = min([1 - u]_+, 1 - s) the objective is the least, over all sets S of terms (i, j), of

    1/2 sum_j |w_j|^2 + C sum_{(i,j) not in S} U_{y_i j} [1 - g_ij]_+ + C (1 - s) sum_S U_{y_i j},

convex for fixed S. The box:

1. A node has terms that are truncated, terms that are not, and open ones. The convex machine of the
   second kind, its duality gap subtracted, plus (1 - s) for the first kind, plus what the open
   terms of one sample cost at least together, bounds everything below the node.
2. The objective (10) of that machine is an upper bound.
3. The open term with the largest loss is decided both ways; the node of least bound is next, until
   no bound is below the best objective found.

The open terms of a sample have at most one positive g_ij, u, and then the others have at most -u:
with the weights A, the largest, and B, the sum of the others, they cost min_u A T(u) + B T(-u).
"""

from __future__ import annotations

import heapq
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.papers.wrsvm import examples
from companion.papers.wrsvm.examples import FLIP, PAPER, S
from companion.papers.wrsvm.theory import robust_objective
from companion.reproduction import Study, Unit, seed_for
from companion.solvers import Design, dca, min_margin

N_SAMPLES = 10
SETTINGS = ((1, 0.0), (2, 0.4), (3, 0.4), (2, 0.6))
C_VALUES = (1.0, 10.0)
N_DRAWS = {"paper": 30, "quick": 3}

#: Objectives closer than this, relatively, are the same.
TOLERANCE = 1e-5
_TOL, _MAX_NODES = 1e-6, 100_000


@dataclass(frozen=True)
class Optimum:
    """The least objective of (10).

    Attributes
    ----------
    objective : float
        That of the best machine found, which is the least up to ``TOLERANCE``.
    bound : float
        Proven lower bound of the least objective.
    n_nodes : int
        Convex problems solved.
    """

    objective: float
    bound: float
    n_nodes: int


def global_minimum(X, y, U, C, s, *, known=np.inf, max_nodes=_MAX_NODES):
    """The global minimum of (10).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Few samples: the work grows exponentially.
    y : ndarray of int of shape (n_samples,)
    U : ndarray of shape (k, k)
    C : float
    s : float
        In [-1, 0].
    known : float, optional
        Objective of some machine.
    max_nodes : int
        Budget; ``bound`` is then the largest that was proven.

    Returns
    -------
    Optimum
    """
    sample, label = np.nonzero(U[y] > 0)
    weight = C * U[y[sample], label]
    best, n_nodes, bound = known, 0, 0.0
    heap = [(0.0, 0, (), ())]
    while heap and n_nodes < max_nodes:
        bound, _, kept, cut = heapq.heappop(heap)
        if bound >= best * (1.0 - TOLERANCE):
            break
        n_nodes += 1
        is_open = np.ones(len(weight), dtype=bool)
        is_open[[*kept, *cut]] = False
        w, b, least = _convex_part(X, sample, label, weight, list(kept), len(U))
        node_bound = max(
            bound,
            least + (1.0 - s) * weight[list(cut)].sum() + _open_terms(sample, weight, is_open, s),
        )
        best = min(best, robust_objective(w, b, X, y, U, C, s))
        loss = weight * is_open * _losses(X @ w.T + b, sample, label)
        term = int(loss.argmax())
        if node_bound < best * (1.0 - TOLERANCE) and loss[term] > 1e-9 * C:
            heapq.heappush(heap, (node_bound, 2 * n_nodes, (*kept, term), cut))
            heapq.heappush(heap, (node_bound, 2 * n_nodes + 1, kept, (*cut, term)))
    open_bound = min([node[0] for node in heap], default=np.inf)
    if n_nodes >= max_nodes:
        return Optimum(best, min(open_bound, best), n_nodes)
    return Optimum(best, best * (1.0 - TOLERANCE), n_nodes)


def _convex_part(X, sample, label, weight, kept, k):
    """Machine of the terms that are not truncated, and a lower bound of its objective.

    The term (i, j) is a sample x_i of class j with the identity for utilities.
    """
    if not kept:
        return np.zeros((k, X.shape[1])), np.zeros(k), 0.0
    with warnings.catch_warnings():
        # a gap that stays larger than asked for is part of the bound
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = min_margin(
            Design.linear(X[sample[kept]]), label[kept], np.eye(k), 1.0, sample_weight=weight[kept]
        )
    return machine.w, machine.intercept, machine.objective - max(machine.duality_gap, 0.0)


def _losses(f, sample, label):
    others = f[sample]
    own = others[np.arange(len(label)), label]
    others[np.arange(len(label)), label] = -np.inf
    return np.maximum(1.0 - own + others.max(axis=1), 0.0)


def _open_terms(sample, weight, is_open, s):
    """Sum over samples of the least that their open terms cost together."""
    total = np.bincount(sample[is_open], weights=weight[is_open], minlength=sample.max() + 1)
    A = np.zeros_like(total)
    np.maximum.at(A, sample[is_open], weight[is_open])
    B = total - A
    # piecewise linear in the lead u: least at 0, -s or 1
    at_s = A * (1.0 + s) + B * (1.0 - s)
    return float(np.minimum(np.minimum(A + B, at_s), B * (1.0 - s)).sum())


def units(profile):
    """One unit a setting, C and sample."""
    return [
        Unit(PAPER, "beyond_exact", {"config": config, "a": a, "C": C, "sample": number})
        for config, a in SETTINGS
        for C in C_VALUES
        for number in range(1, N_DRAWS[profile] + 1)
    ]


def compute(unit):
    """The global minimum, and where the DC algorithm ends from two starts."""
    p = unit.params
    rng = np.random.default_rng(seed_for(PAPER, "exact", p["sample"]))
    X, y = examples.piecewise_linear(N_SAMPLES, rng, FLIP)
    U, design = examples.utility(p["config"], p["a"]), Design.linear(X)
    plain = min_margin(design, y, np.eye(3), p["C"], tol=_TOL)
    ends = {
        "own": dca(design, y, U, p["C"], S, tol=_TOL),
        "unweighted": dca(design, y, U, p["C"], S, start=plain, tol=_TOL),
    }
    reached = {name: end.objective for name, end in ends.items()}
    optimum = global_minimum(X, y, U, p["C"], S, known=min(reached.values()))
    return {
        "objective": round(optimum.objective, 8),
        "is_proven": bool(optimum.bound >= optimum.objective * (1.0 - 2 * TOLERANCE)),
        "n_nodes": optimum.n_nodes,
        **{
            f"{name}_excess": float(f"{value / optimum.objective - 1.0:.6g}")
            for name, value in reached.items()
        },
        "converged": all(end.converged for end in ends.values()),
    }


BEYOND_EXACT = Study(PAPER, "beyond_exact", units, compute)
