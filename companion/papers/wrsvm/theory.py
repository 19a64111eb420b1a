"""Theorem 3.1, the equality (9), the cost form (4) and the descent of Section 4, in numbers.

At one x let A_j = sum_l p_l U_lj be the expected utility of the decision j. The expected loss is
sum_j A_j T(g_j), with T(u) = min(l(u), l(s)) and g_j = f_j - max_{l != j} f_l. If m has the largest
f and u >= 0 is its lead, then g_m = u and every other g_j <= -u, with equality for all where the
others tie. As T does not increase, the least value is that of

    A_m T(u) + (sum_j A_j - A_m) T(-u)    over m and u >= 0,

least for the m with the largest A_m. So the loss is consistent at (p, U) where a lead u > 0 has a
smaller value than f = 0.
"""

from __future__ import annotations

import numpy as np

from companion.papers.wrsvm import examples, population
from companion.papers.wrsvm.examples import C_VALUES, FLIP, PAPER, TOL, S
from companion.reproduction import Study, Unit
from companion.solvers import Design, dca, dca_path, min_margin, utility_from_cost

CLASSES = (3, 4)

#: l, the u > 0 where A l(u) + B l(-u) is least for A > B, and the paper's least s for k classes.
LOSSES = {
    "hinge": (
        lambda u: np.maximum(1.0 - u, 0.0),
        lambda A, B: np.ones_like(A),
        lambda k: -1.0 / (k - 1),
    ),
    "exponential": (
        lambda u: np.exp(-u),
        lambda A, B: 0.5 * np.log(A / B),
        lambda k: np.log(1.0 - 1.0 / k),
    ),
    "logistic": (
        lambda u: np.logaddexp(0.0, -u),
        lambda A, B: np.log(A / B),
        lambda k: -np.log(2.0 ** (k / (k - 1)) - 1.0),
    ),
}
#: Where s is, from the paper's least value; "inside" is drawn anew for every (p, U).
PLACES = ("inside", "at the end", "10 % below", "no truncation")
N_DRAWS = {"paper": 20_000, "quick": 2_000}
N_SHAM = 50

#: Settings of the comparison of the two forms, (number, a) of (16).
SETTINGS = ((1, 0.4), (2, 0.4), (3, 0.4))
N_SAMPLES = {"paper": 50, "quick": 2}
_SPARSE_C = C_VALUES[::2]
_STEPS = 100


def random_problems(rng, k, n):
    """Class probabilities, uniform over the simplex, and utilities, uniform on [0, 1].

    Parameters
    ----------
    rng : numpy.random.Generator
    k : int
        Number of classes.
    n : int

    Returns
    -------
    p : ndarray of shape (n, k)
    U : ndarray of shape (n, k, k)
    """
    return rng.dirichlet(np.ones(k), size=n), rng.uniform(size=(n, k, k))


def margins(f):
    """g_j = f_j - max_{l != j} f_l of decisions of shape (..., k).

    Parameters
    ----------
    f : ndarray of shape (..., k)

    Returns
    -------
    ndarray of shape (..., k)
    """
    ordered = np.sort(f, axis=-1)
    best, second = ordered[..., -1:], ordered[..., -2:-1]
    return f - np.where(f == best, second, best)


def truncated(loss, s, u):
    """min(l(u), l(s)); s = -inf truncates nothing.

    Parameters
    ----------
    loss : str
        A key of ``LOSSES``.
    s : float or ndarray
    u : ndarray

    Returns
    -------
    ndarray
    """
    value = LOSSES[loss][0]
    return np.minimum(value(u), np.where(np.isinf(s), np.inf, value(np.maximum(s, -1e2))))


def advantage(loss, s, A, B):
    """Expected loss at f = 0 minus its infimum over leads u > 0 of the class with utility A.

    Parameters
    ----------
    loss : {"hinge", "exponential", "logistic"}
    s : ndarray of shape (n,)
        Place of truncation, -inf for none.
    A, B : ndarray of shape (n,)
        Largest expected utility, and the sum of the others.

    Returns
    -------
    ndarray of shape (n,)
        Positive where the loss is consistent; without a bound from below, as f = 0 may be best.
    """
    value, convex_minimum, _ = LOSSES[loss]

    def expected(u):
        return A * truncated(loss, s, u) + B * truncated(loss, s, -u)

    inner = np.minimum(convex_minimum(A, B), -s)
    leads = [np.where(inner > 0, inner, 1e-9), np.where(np.isinf(s), 1e-9, np.maximum(-s, 1.0))]
    least = np.minimum(*(expected(u) for u in leads))
    # exponential and logistic have no minimiser: the infimum is at an infinite lead
    endless = np.where(np.isinf(s), np.inf, B * value(np.maximum(s, -1e2)))
    return expected(0.0 * A) - np.minimum(least, endless)


def theorem_units(profile):
    """One unit a loss, number of classes and place of s."""
    return [
        Unit(
            PAPER,
            "theory_theorem",
            {"loss": loss, "k": k, "s_is": place, "draws": N_DRAWS[profile]},
        )
        for loss in LOSSES
        for k in CLASSES
        for place in PLACES
    ]


def compute_theorem(unit):
    """Share of random (p, U) at which the truncated loss decides by utility."""
    p, rng = unit.params, unit.rng()
    k, n = p["k"], p["draws"]
    end = LOSSES[p["loss"]][2](k)
    s = {
        "inside": end * rng.uniform(size=n),
        "at the end": np.full(n, end),
        "10 % below": np.full(n, 1.1 * end),
        "no truncation": np.full(n, -np.inf),
    }[p["s_is"]]
    probability, U = random_problems(rng, k, n)
    A = np.einsum("nl,nlj->nj", probability, U)
    best = A.max(axis=1)
    gain = advantage(p["loss"], s, best, A.sum(axis=1) - best)
    at_zero = A.sum(axis=1) * truncated(p["loss"], s, np.zeros(n))
    # no f at random, of any order of the classes, may be below the least over leads
    f = rng.standard_normal((N_SHAM, n, k)) * rng.exponential(2.0, size=(N_SHAM, n, 1))
    loss = np.einsum("nj,fnj->fn", A, truncated(p["loss"], s[:, None], margins(f)))
    return {
        "s": round(float(end), 6),
        "n_consistent": int((gain > 1e-12).sum()),
        "least_advantage": float(f"{gain.min():.6g}"),
        "random_f_below": float(f"{max(0.0, (at_zero - np.maximum(gain, 0.0) - loss).max()):.3g}"),
    }


def equality_units(profile):
    """One unit a number of classes."""
    return [Unit(PAPER, "theory_equality", {"k": k, "draws": N_DRAWS[profile]}) for k in CLASSES]


def compute_equality(unit):
    """(9) for random costs, and what (4), not truncated, decides at them.

    With costs K_j the least of sum_j K_j [1 + g_j]_+ is 2 min K, at a lead of one of that class
    with all others further back: (4) is consistent as it stands.
    """
    k, n, rng = unit.params["k"], unit.params["draws"], unit.rng()
    p, cost = random_problems(rng, k, n)
    cost[:, np.arange(k), np.arange(k)] = 0.0
    utilities = np.array([utility_from_cost(matrix) for matrix in cost])
    K, A = np.einsum("nl,nlj->nj", p, cost), np.einsum("nl,nlj->nj", p, utilities)
    largest = cost.max(axis=(1, 2))
    f = rng.standard_normal((N_SHAM, n, k)) * rng.exponential(1.0, size=(N_SHAM, n, 1))
    value = np.einsum("nj,fnj->fn", K, np.maximum(1.0 + margins(f), 0.0))
    wrong = f.argmax(axis=2) != K.argmin(axis=1)
    excess = value - 2.0 * K.min(axis=1)
    middle = np.einsum("nj,fnj->fn", K, np.maximum(1.0 + margins(0.5 * (f[1:] + f[:-1])), 0.0))
    return {
        "largest_error": float(f"{np.abs(K + A - largest[:, None]).max():.3g}"),
        "n_same_decision": int((K.argmin(axis=1) == A.argmax(axis=1)).sum()),
        "n_cost_form_consistent": int((~((excess <= 1e-12) & wrong).any(axis=0)).sum()),
        "least_excess": float(f"{excess.min():.6g}"),
        "share_not_convex": round(
            float((middle > 0.5 * (value[1:] + value[:-1]) + 1e-9).mean()), 6
        ),
    }


def robust_objective(w, b, X, y, weights, C, s, form="utility"):
    """(10), or with costs the truncated (4), written down once more.

    Parameters
    ----------
    w : ndarray of shape (k, d)
    b : ndarray of shape (k,)
    X : ndarray of shape (n, d)
    y : ndarray of int of shape (n,)
    weights : ndarray of shape (k, k)
        Utilities or costs.
    C : float
    s : float
        -inf for none.
    form : {"utility", "cost"}

    Returns
    -------
    float
    """
    g = margins(X @ w.T + b)
    g = g if form == "utility" else -g
    loss = np.minimum(np.maximum(1.0 - g, 0.0), 1.0 - s)
    return float(0.5 * (w**2).sum() + C * (weights[y] * loss).sum())


def betas(f, y, U, C, s):
    """beta_ijl = C U_{y_i j} for the runner-up l of j where g_ij < s, one l only.

    Parameters
    ----------
    f : ndarray of shape (n, k)
    y : ndarray of int of shape (n,)
    U : ndarray of shape (k, k)
    C : float
    s : float

    Returns
    -------
    ndarray of shape (n, k, k)
    """
    n, k = f.shape
    others = np.where(np.eye(k, dtype=bool), -np.inf, f[:, None, :])
    runner_up = others.argmax(axis=2)
    beta = np.zeros((n, k, k))
    i, j = np.nonzero((margins(f) < s) & (U[y] > 0))
    beta[i, j, runner_up[i, j]] = C * U[y[i], j]
    return beta


def brackets(alpha, beta):
    """sum_{l != m} (alpha_iml - beta_iml) - sum_{j != m} (alpha_ijm - beta_ijm), shape (n, k).

    Parameters
    ----------
    alpha, beta : ndarray of shape (n, k, k)

    Returns
    -------
    ndarray of shape (n, k)
    """
    difference = alpha - beta
    return difference.sum(axis=2) - difference.sum(axis=1)


def form_units(profile):
    """One unit a setting and sample."""
    return [
        Unit(PAPER, "theory_forms", {"config": config, "a": a, "sample": number})
        for config, a in SETTINGS
        for number in range(1, N_SAMPLES[profile] + 1)
    ]


def compute_forms(unit):
    """Machines of both forms from one sample of Example 2, and the algorithm step by step."""
    p = unit.params
    U = examples.utility(p["config"], p["a"])
    cost = U.max() - U
    (X, y), (X_tune, y_tune) = population.samples(p["sample"], FLIP)
    design, cells = Design.linear(X), population.population("piecewise_linear")[0]
    row, converged = {}, True
    for name, matrix, form, s in (
        ("utility", U, "utility", S),
        ("cost", cost, "cost", S),
        ("cost_plain", cost, "cost", None),
    ):
        start, found = dca_path(design, y, matrix, _SPARSE_C, s, form=form, tol=TOL)
        machines = {name: found} if form == "cost" else {name: found, "utility_plain": start}
        for own, path in machines.items():
            best = population.best_of(path.coef, path.intercept, X_tune, y_tune, U)
            predicted = (cells @ path.coef[best].T + path.intercept[best]).argmax(axis=1)
            row[f"{own}_utility"] = round(
                population.expected_utility("piecewise_linear", FLIP, U, predicted), 8
            )
        converged &= bool(start.converged.all() and found.converged.all())
        if form == "cost":
            values = [
                robust_objective(
                    m.coef[best],
                    m.intercept[best],
                    X,
                    y,
                    cost,
                    _SPARSE_C[best],
                    -np.inf if s is None else s,
                    "cost",
                )
                for m in (start, found)
            ]
            row |= {
                f"{name}_decrease": float(f"{1.0 - values[1] / values[0]:.6g}"),
                f"{name}_steps": int(found.n_steps[best]),
            }
    return row | _by_hand(design, X, y, U) | {"converged": converged}


def _by_hand(design, X, y, U, C=1.0):
    """The box of Section 4 step by step, with (13) and (15) at its end."""
    machine = min_margin(design, y, U, C)
    beta, values = np.zeros((len(y), 3, 3)), []
    for _ in range(_STEPS):
        values.append(robust_objective(machine.w, machine.intercept, X, y, U, C, S))
        new = betas(machine.decision_function, y, U, C, S)
        if np.array_equal(new, beta):
            break
        beta = new
        machine = min_margin(design, y, U, C, beta=beta)
    found = dca(design, y, U, C, S)
    bracket = brackets(machine.alpha, beta)
    total = max(bracket.clip(min=0).sum(), 1e-12)
    return {
        "steps": len(values) - 1,
        "decrease": float(f"{1.0 - values[-1] / values[0]:.6g}"),
        "largest_rise": float(f"{max([0.0, *(np.diff(values) / values[0])]):.3g}"),
        "above_solver": float(f"{values[-1] / found.objective - 1.0:.3g}"),
        "sum_of_w": float(f"{np.abs((bracket.T @ X).sum(axis=0)).max() / total:.3g}"),
        "error_of_15": float(f"{np.abs(bracket.T @ X - machine.w).max():.3g}"),
        "error_of_13": float(f"{np.abs(bracket.sum(axis=0)).max() / total:.3g}"),
    }


THEORY_THEOREM = Study(PAPER, "theory_theorem", theorem_units, compute_theorem)
THEORY_EQUALITY = Study(PAPER, "theory_equality", equality_units, compute_equality)
THEORY_FORMS = Study(PAPER, "theory_forms", form_units, compute_forms)
