"""Theorem 3.1, the equality (9), the cost form (4) and the descent of Section 4, in numbers.

At one x let A_j = sum_l p_l U_lj be the expected utility of the decision j. The expected loss is
sum_j A_j T(g_j), with T(u) = min(l(u), l(s)) and g_j = f_j - max_{l != j} f_l. If m has the largest
f and u >= 0 is its lead, then g_m = u and every other g_j <= -u, with equality for all where the
others tie. As T does not increase, the least value is that of

    A_m T(u) + (sum_j A_j - A_m) T(-u)    over m and u >= 0,

least for the m with the largest A_m. So the loss is consistent at (p, U) where a lead u > 0 has a
smaller value than f = 0.
"""

import numpy as np

from companion.metrics import paired_difference
from companion.papers.summaries import study_over
from companion.papers.wrsvm import examples, population
from companion.papers.wrsvm.examples import FLIP, PAPER, SPARSE_C, TOL, S
from companion.papers.wrsvm.utilities import percentages, with_setting
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
N_DRAWS = {"paper": (20_000,), "quick": (2_000,)}
N_SHAM = 50

#: Settings of the comparison of the two forms, (number, a) of (16).
SETTINGS = ((1, 0.4), (2, 0.4), (3, 0.4))
N_SAMPLES = {"paper": 50, "quick": 2}
_STEPS = 100


# -- Theorem 3.1 and (9) --------------------------------------------------------------------


def random_problems(rng, k, n):
    """Class probabilities, uniform over the simplex, and utilities, uniform on [0, 1]."""
    return rng.dirichlet(np.ones(k), size=n), rng.uniform(size=(n, k, k))


def margins(f):
    """g_j = f_j - max_{l != j} f_l of decisions of shape (..., k)."""
    ordered = np.sort(f, axis=-1)
    best = ordered[..., -1:]
    second = ordered[..., -2:-1]
    return f - np.where(f == best, second, best)


def truncated(loss, s, u):
    """min(l(u), l(s)) of the loss of this name; s = -inf truncates nothing."""
    value = LOSSES[loss][0]
    return np.minimum(
        value(u), np.where(np.isinf(s), np.inf, value(np.maximum(s, -1e2)))
    )


def advantage(loss, s, A, B):
    """Expected loss at f = 0 minus its infimum over leads u > 0: positive where consistent.

    A is the largest expected utility, B the sum of the others.
    """
    value, convex_minimum, _ = LOSSES[loss]

    def expected(u):
        return A * truncated(loss, s, u) + B * truncated(loss, s, -u)

    inner = np.minimum(convex_minimum(A, B), -s)
    leads = [
        np.where(inner > 0, inner, 1e-9),
        np.where(np.isinf(s), 1e-9, np.maximum(-s, 1.0)),
    ]
    least = np.minimum(*(expected(u) for u in leads))
    # exponential and logistic have no minimiser: the infimum is at an infinite lead
    endless = np.where(np.isinf(s), np.inf, B * value(np.maximum(s, -1e2)))
    return expected(0.0 * A) - np.minimum(least, endless)


def compute_theorem(unit):
    """Share of random (p, U) at which the truncated loss decides by utility."""
    p = unit.params
    rng = unit.rng()
    k = p["k"]
    n = p["draws"]
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
        "random_f_below": float(
            f"{max(0.0, (at_zero - np.maximum(gain, 0.0) - loss).max()):.3g}"
        ),
    }


def compute_equality(unit):
    """(9) for random costs, and what (4), not truncated, decides at them.

    With costs K_j the least of sum_j K_j [1 + g_j]_+ is 2 min K, at a lead of one of that class
    with all others further back: (4) is consistent as it stands.
    """
    k = unit.params["k"]
    n = unit.params["draws"]
    rng = unit.rng()
    p, cost = random_problems(rng, k, n)
    cost[:, np.arange(k), np.arange(k)] = 0.0
    utilities = np.array([utility_from_cost(matrix) for matrix in cost])
    K = np.einsum("nl,nlj->nj", p, cost)
    A = np.einsum("nl,nlj->nj", p, utilities)
    largest = cost.max(axis=(1, 2))
    f = rng.standard_normal((N_SHAM, n, k)) * rng.exponential(1.0, size=(N_SHAM, n, 1))
    value = np.einsum("nj,fnj->fn", K, np.maximum(1.0 + margins(f), 0.0))
    wrong = f.argmax(axis=2) != K.argmin(axis=1)
    excess = value - 2.0 * K.min(axis=1)
    middle = np.einsum(
        "nj,fnj->fn", K, np.maximum(1.0 + margins(0.5 * (f[1:] + f[:-1])), 0.0)
    )
    above_chord = middle > 0.5 * (value[1:] + value[:-1]) + 1e-9
    return {
        "largest_error": float(f"{np.abs(K + A - largest[:, None]).max():.3g}"),
        "n_same_decision": int((K.argmin(axis=1) == A.argmax(axis=1)).sum()),
        "n_cost_form_consistent": int((~((excess <= 1e-12) & wrong).any(axis=0)).sum()),
        "least_excess": float(f"{excess.min():.6g}"),
        "share_not_convex": round(float(above_chord.mean()), 6),
    }


def _add_theorem(out, frame):
    for (loss, k), own in frame.groupby(["loss", "k"]):
        share = dict(zip(own.s_is, own.n_consistent / own.draws, strict=True))
        decided = "share of (p, U) decided by utility"
        zero = "share of (p, U) with f = 0 best"
        shares = {
            f"{decided}, s in the interval": share["inside"],
            f"{decided}, s at its lower end": share["at the end"],
            f"{zero}, s 10 % below": 1 - share["10 % below"],
            f"{zero}, no truncation": 1 - share["no truncation"],
        }
        out.add_all(f"{loss}, k = {k}", shares)
    below = "a random f below the minimum over leads, largest excess"
    out.add("Theorem 3.1", below, frame.random_f_below.max())


def _add_equality(out, frame):
    draws = frame.draws.sum()
    above = frame.share_not_convex.mean()
    out.add(
        "(9)",
        "|expected cost + expected utility - max C|, largest",
        frame.largest_error.max(),
    )
    out.add(
        "(9)",
        "share of (p, C) with the same decision",
        frame.n_same_decision.sum() / draws,
    )
    out.add("(4)", "share of pairs whose middle lies above the chord", above)


# -- The cost form (4) and the algorithm of Section 4 ---------------------------------------


def robust_objective(w, b, X, y, weights, *, C, s, form="utility"):
    """(10), or with costs the truncated (4), written down once more; s = -inf for none."""
    g = margins(X @ w.T + b)
    g = g if form == "utility" else -g
    loss = np.minimum(np.maximum(1.0 - g, 0.0), 1.0 - s)
    return float(0.5 * (w**2).sum() + C * (weights[y] * loss).sum())


def betas(f, y, U, C, s):
    """beta_ijl = C U_{y_i j} for the runner-up l of j where g_ij < s, one l only."""
    n, k = f.shape
    others = np.where(np.eye(k, dtype=bool), -np.inf, f[:, None, :])
    runner_up = others.argmax(axis=2)
    beta = np.zeros((n, k, k))
    i, j = np.nonzero((margins(f) < s) & (U[y] > 0))
    beta[i, j, runner_up[i, j]] = C * U[y[i], j]
    return beta


def brackets(alpha, beta):
    """sum_{l != m} (alpha_iml - beta_iml) - sum_{j != m} (alpha_ijm - beta_ijm), shape (n, k)."""
    difference = alpha - beta
    return difference.sum(axis=2) - difference.sum(axis=1)


def compute_forms(unit):
    """Machines of both forms from one sample of Example 2, and the algorithm step by step."""
    p = unit.params
    U = examples.utility(p["config"], p["a"])
    cost = U.max() - U
    (X, y), tune = population.samples(p["sample"], FLIP)
    design = Design.linear(X)
    row = {}
    converged = True
    for name, matrix, form, s in (
        ("utility", U, "utility", S),
        ("cost", cost, "cost", S),
        ("cost_plain", cost, "cost", None),
    ):
        paths = dca_path(design, y, matrix, SPARSE_C, s, form=form, tol=TOL)
        start, found = paths
        converged &= bool(start.converged.all() and found.converged.all())
        best, row[f"{name}_utility"] = population.tuned_linear(found, *tune, U, FLIP)
        if form == "utility":
            _, row["utility_plain_utility"] = population.tuned_linear(
                start, *tune, U, FLIP
            )
        else:
            at = {"C": SPARSE_C[best], "s": -np.inf if s is None else s, "form": "cost"}
            machines = [(path.coef[best], path.intercept[best]) for path in paths]
            before, after = (robust_objective(*m, X, y, cost, **at) for m in machines)
            row[f"{name}_decrease"] = float(f"{1.0 - after / before:.6g}")
            row[f"{name}_steps"] = int(found.n_steps[best])
    return row | _by_hand(design, X, y, U) | {"converged": converged}


def _by_hand(design, X, y, U, C=1.0):
    """The box of Section 4 step by step, with (13) and (15) at its end."""
    machine = min_margin(design, y, U, C)
    beta = np.zeros((len(y), 3, 3))
    values = []
    for _ in range(_STEPS):
        values.append(robust_objective(machine.w, machine.intercept, X, y, U, C=C, s=S))
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


def _forms(own, ending):
    """Utilities of the cost form and the utility form, without truncation for "_plain"."""
    return [percentages(own, f"{form}{ending}_utility") for form in ("cost", "utility")]


def _add_forms(out, frame):
    converged = frame.converged.all()
    distance = "largest distance of the box done by hand from the solver, relative"
    out.add(
        "(10)",
        "largest rise of the objective in a step, relative",
        frame.largest_rise.max(),
    )
    out.add("(10)", distance, frame.above_solver.abs().max())
    out.add("(15)", "largest |sum of w_m|, relative", frame.sum_of_w.max())
    out.add("(15)", "largest |w_m - right side|", frame.error_of_15.max())
    out.add("(13)", "largest |sum of the bracket|, relative", frame.error_of_13.max())
    for U, own in with_setting(frame).groupby("U"):
        for words, ending in (("s = -1/2", ""), ("no truncation", "_plain")):
            column = f"cost form - utility form, {words} (points)"
            out.add_mean(U, column, paired_difference(*_forms(own, ending)), converged)


def _add_special_cases(out, frame):
    """The machines that (8) covers: its objective at what is found, and theirs written down."""
    (X, y), _ = population.samples(1, FLIP)
    column = "objective of (8) - that of its own problem, relative"
    for name, k, s in (
        ("binary psi-learning", 2, 0.0),
        ("psi-learning", 3, 0.0),
        ("RSVM", 3, S),
    ):
        points = X[y < k]
        labels = y[y < k]
        found = dca(Design.linear(points), labels, np.eye(k), 1.0, s)
        own = np.eye(k, dtype=bool)[labels]
        f = found.decision_function
        lead = f[own] - np.where(own, -np.inf, f).max(axis=1)
        value = 0.5 * (found.w**2).sum() + np.clip(1.0 - lead, 0.0, 1.0 - s).sum()
        out.add(name, column, round(abs(found.objective / value - 1.0), 12))
    weights = np.array([1.0, 2.0, 3.0])
    design = Design.linear(X)
    diagonal = dca(design, y, np.diag(weights), 1.0, S)
    weighted = dca(design, y, np.eye(3), 1.0, S, sample_weight=weights[y])
    excess = abs(diagonal.objective / weighted.objective - 1.0)
    out.add(
        "diagonal U", column, round(excess, 12)
    )  # the last bits are of the processor


_PROBLEMS = {"loss": tuple(LOSSES), "k": CLASSES, "s_is": PLACES, "draws": N_DRAWS}
THEORY_THEOREM = study_over(PAPER, "theory_theorem", compute_theorem, **_PROBLEMS)
THEORY_EQUALITY = study_over(
    PAPER, "theory_equality", compute_equality, k=CLASSES, draws=N_DRAWS
)
THEORY_FORMS = examples.study("theory_forms", compute_forms, N_SAMPLES, SETTINGS)
STUDIES = (THEORY_THEOREM, THEORY_EQUALITY, THEORY_FORMS)
VALUES = (
    (_add_theorem, "theory_theorem"),
    (_add_equality, "theory_equality"),
    (_add_special_cases, "theory_equality"),
    (_add_forms, "theory_forms"),
)
