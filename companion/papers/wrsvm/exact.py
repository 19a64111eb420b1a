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

import heapq
import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.wrsvm import examples
from companion.papers.wrsvm.examples import FLIP, S
from companion.papers.wrsvm.theory import margins, robust_objective
from companion.papers.wrsvm.utilities import PERCENT, with_setting
from companion.solvers import Design, dca, min_margin

N_SAMPLES = 10
#: (number, a) of (16), here and for truncation on the samples of Table 1.
SETTINGS = ((1, 0.0), (2, 0.4), (3, 0.4), (2, 0.6))
C_VALUES = (1.0, 10.0)
N_DRAWS = {"paper": 30, "quick": 3}

#: Objectives closer than this, relatively, are the same.
TOLERANCE = 1e-5
_TOL = 1e-6
_MAX_NODES = 100_000
_EXCESS = {"own_excess": "WSVM start", "unweighted_excess": "unweighted start"}


@dataclass(frozen=True)
class Optimum:
    """The least objective of (10), that of the best machine found, and what was proven of it."""

    objective: float
    bound: float
    n_nodes: int


def global_minimum(X, y, U, C, s, *, known=np.inf, max_nodes=_MAX_NODES):
    """The global minimum of (10) for few samples: the work grows exponentially.

    `known` is the objective of some machine. With the budget spent, the bound is the largest that
    was proven.
    """
    sample, label = np.nonzero(U[y] > 0)
    weight = C * U[y[sample], label]

    @cache  # nodes that cut one term more have the same
    def convex_part(kept):
        own = list(kept)
        return _convex_part(X, sample[own], label[own], weight[own], len(U))

    best = known
    n_nodes = 0
    bound = 0.0
    heap = [(0.0, 0, (), ())]
    while heap and n_nodes < max_nodes:
        bound, _, kept, cut = heapq.heappop(heap)
        if bound >= best * (1.0 - TOLERANCE):
            break
        n_nodes += 1
        is_open = np.ones(len(weight), dtype=bool)
        is_open[[*kept, *cut]] = False
        w, b, least = convex_part(kept)
        least = least + (1.0 - s) * weight[list(cut)].sum()
        node_bound = max(bound, least + _open_terms(sample, weight, is_open, s))
        best = min(best, robust_objective(w, b, X, y, U, C=C, s=s))
        loss = weight * is_open * _losses(X @ w.T + b, sample, label)
        term = int(loss.argmax())
        if node_bound < best * (1.0 - TOLERANCE) and loss[term] > 1e-9 * C:
            heapq.heappush(heap, (node_bound, 2 * n_nodes, (*kept, term), cut))
            heapq.heappush(heap, (node_bound, 2 * n_nodes + 1, kept, (*cut, term)))
    if n_nodes >= max_nodes:
        return Optimum(best, min([best, *(node[0] for node in heap)]), n_nodes)
    return Optimum(best, best * (1.0 - TOLERANCE), n_nodes)


def _convex_part(X, sample, label, weight, k):
    """Machine of the terms that are not truncated, and a lower bound of its objective.

    The term (i, j) is a sample x_i of class j with the identity for utilities.
    """
    if not len(sample):
        return np.zeros((k, X.shape[1])), np.zeros(k), 0.0
    design = Design.linear(X[sample])
    # a gap that stays larger than asked for is part of the bound
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        machine = min_margin(design, label, np.eye(k), 1.0, sample_weight=weight)
    return (
        machine.w,
        machine.intercept,
        machine.objective - max(machine.duality_gap, 0.0),
    )


def _losses(f, sample, label):
    others = f[sample]
    own = others[np.arange(len(label)), label]
    others[np.arange(len(label)), label] = -np.inf
    return np.maximum(1.0 - own + others.max(axis=1), 0.0)


def _open_terms(sample, weight, is_open, s):
    """Sum over samples of the least that their open terms cost together."""
    total = np.bincount(
        sample[is_open], weights=weight[is_open], minlength=sample.max() + 1
    )
    A = np.zeros_like(total)
    np.maximum.at(A, sample[is_open], weight[is_open])
    B = total - A
    # piecewise linear in the lead u: least at 0, -s or 1
    at_s = A * (1.0 + s) + B * (1.0 - s)
    return float(np.minimum(np.minimum(A + B, at_s), B * (1.0 - s)).sum())


def compute(unit):
    """The global minimum, and where the DC algorithm ends from two starts."""
    p = unit.params
    X, y = examples.piecewise_linear(
        N_SAMPLES, examples.rng_of("exact", p["sample"]), FLIP
    )
    U = examples.utility(p["config"], p["a"])
    design = Design.linear(X)
    ends = {
        "own": dca(design, y, U, p["C"], S, tol=_TOL),
        "unweighted": dca(design, y, U, p["C"], S, start="unweighted", tol=_TOL),
    }
    reached = {name: end.objective for name, end in ends.items()}
    optimum = global_minimum(X, y, U, p["C"], S, known=min(reached.values()))
    excess = {
        f"{name}_excess": float(f"{value / optimum.objective - 1.0:.6g}")
        for name, value in reached.items()
    }
    start = min_margin(design, y, U, p["C"], tol=_TOL)
    return {
        "objective": round(optimum.objective, 8),
        "is_proven": bool(optimum.bound >= optimum.objective * (1.0 - 2 * TOLERANCE)),
        "n_nodes": optimum.n_nodes,
        "n_dc": 1 + ends["own"].n_steps,
        "start_truncated": round(_share_truncated(start.decision_function, y, U), 6),
        **excess,
        "converged": all(end.converged for end in ends.values()),
    }


def _share_truncated(f, y, U):
    """Share of the terms (i, j) of (10) that are truncated at decisions f."""
    terms = U[y] > 0
    return float((margins(f)[terms] < S).mean())


def add_values(out, frame):
    """How far above the minimum the DC algorithm ends from each start; values of C averaged."""
    for U, rows in with_setting(frame).groupby("U"):
        above = PERCENT * rows.groupby("sample")[list(_EXCESS)].mean()
        apart = paired_difference(*(above[name] for name in _EXCESS))
        column = "objective above the minimum: WSVM start - unweighted start (%)"
        out.add_mean(f"tiny samples, {U}", column, apart, frame.converged.all())
    out.add("tiny samples", "share of minima that are proven", frame.is_proven.mean())
    work = np.log10(frame.n_nodes / frame.n_dc).groupby(frame["sample"]).mean()
    column = "log10 of convex problems: branch and bound / DC"
    out.add_mean(
        "tiny samples", column, mean_and_standard_error(work), frame.converged.all()
    )


BEYOND_EXACT = examples.study("beyond_exact", compute, N_DRAWS, SETTINGS, C=C_VALUES)
