"""Figure 1: how outliers turn the hyperplane, and how far the influence of a point reaches.

The figure shows one draw. ``fig_1`` repeats it for 1,000 draws, all four machines and three
readings of "switching the class labels of two points"; ``fig_1_leverage`` moves one mislabelled
point away from the data and watches its multiplier and the machine.
"""

from __future__ import annotations

import numpy as np

from companion.datasets import flip_labels, two_gaussians
from companion.kernels import gram
from companion.papers.l1nsvm.machines import MACHINES, solve, width_to_gamma
from companion.reproduction import Study, Unit, seed_for

PAPER = "l1nsvm"
N_PER_CLASS = 20
MEANS = ((0.0, 0.0), (5.0, 2.0))
C = 1.0
#: Tighter than the paper's 10^-3: angles are compared, not iterations.
TOL = 1e-6

#: The rules by which labels are switched, and what a reader calls them.
RULES = {
    "one_per_class": "one flip a class",
    "two_at_random": "two flips at random",
    "two_deepest": "the two deepest flipped",
}
DRAWS = {"paper": 1000, "quick": 100}

LEVERAGE_DRAWS = {"paper": 200, "quick": 20}
DISTANCES = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
#: log10 of the RBF width of the leverage study: about the squared distance of the class means.
LEVERAGE_LOG10_SIGMA = 1.5


def toy_problem(draw, rule=None):
    """The toy problem of Section 4.

    Parameters
    ----------
    draw : int
        Number of the draw, from 1; the same number gives the same points for every rule.
    rule : {"one_per_class", "two_at_random", "two_deepest"}, optional
        Which two labels are switched; none by default.

    Returns
    -------
    X : ndarray of shape (40, 2)
    y : ndarray of shape (40,)
        Labels, +1 around (0, 0) and -1 around (5, 2).
    flipped : ndarray of shape (0,) or (2,)
        Rows whose label was switched.
    """
    X, y = two_gaussians(N_PER_CLASS, means=MEANS, rng=_rng("points", draw))
    if rule is None:
        return X, y, np.empty(0, dtype=int)
    return X, *flip_labels(X, y, rule, rng=_rng(rule, draw))


def train_linear(machine, X, y, C=C):
    """Normal vector ``w``, bias ``b`` and the solver's result, for the plain inner product.

    Parameters
    ----------
    machine : str
        A name of :data:`companion.papers.l1nsvm.machines.MACHINES`.
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Labels -1 and +1.
    C : float, optional

    Returns
    -------
    w : ndarray of shape (2,)
    b : float
    result : Result
    """
    result = solve(machine, gram(X, kernel="linear"), y, C, tol=TOL)
    return X.T @ (y * result.alpha), result.intercept, result


def rotation(w, v):
    """Angle between two normals, in degrees from 0 to 180.

    Parameters
    ----------
    w, v : ndarray of shape (2,)

    Returns
    -------
    float
    """
    cosine = w @ v / (np.linalg.norm(w) * np.linalg.norm(v))
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def is_separable(X, y):
    """Whether some hyperplane has all of each class strictly on its own side.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Labels -1 and +1.

    Returns
    -------
    bool
    """
    from scipy.optimize import linprog

    rows = y[:, None] * np.hstack([X, np.ones((len(y), 1))])
    feasible = linprog(
        np.zeros(X.shape[1] + 1),
        A_ub=-rows,
        b_ub=-np.ones(len(y)),
        bounds=(None, None),
        method="highs",
    )
    return feasible.status == 0


# -- 1,000 draws of the figure --------------------------------------------------------------


def figure_units(profile):
    """One unit a draw."""
    return [Unit(PAPER, "fig_1", {"draw": draw}) for draw in range(1, DRAWS[profile] + 1)]


def compute_draw(unit):
    """Angles between the machines with and without the switched labels, for one draw."""
    draw = unit.params["draw"]
    X, y, _ = toy_problem(draw)
    clean = {machine: train_linear(machine, X, y) for machine in MACHINES}
    row = {
        "clean_separable": is_separable(X, y),
        "clean_LS_to_Least_1-Norm": _angle(clean["LS"][0], clean["Least 1-Norm"][0]),
        "mean_x_positive": _short(X[y == 1, 0].mean()),
        "mean_y_positive": _short(X[y == 1, 1].mean()),
        "mean_x_negative": _short(X[y == -1, 0].mean()),
        "mean_y_negative": _short(X[y == -1, 1].mean()),
    }
    results = [result for _, _, result in clean.values()]
    for machine, (w, b, _) in clean.items():
        row[f"beyond_{machine}"] = float(np.mean(y * (X @ w + b) > 1 + 10 * TOL))
    for rule in RULES:
        _, flipped_y, _ = toy_problem(draw, rule)
        row[f"{rule}_separable"] = is_separable(X, flipped_y)
        for machine in MACHINES:
            w, _, result = train_linear(machine, X, flipped_y)
            row[f"{rule}_{machine}"] = _angle(w, clean[machine][0])
            row[f"{rule}_max_alpha_{machine}"] = _short(np.abs(result.alpha).max() / C)
            results.append(result)
    row["kkt_violation"] = max(result.kkt_violation for result in results)
    row["converged"] = all(result.converged for result in results)
    return row


# -- one outlier, moved away ----------------------------------------------------------------


def leverage_units(profile):
    """One unit a draw, each for every distance."""
    return [
        Unit(PAPER, "fig_1_leverage", {"draw": draw})
        for draw in range(1, LEVERAGE_DRAWS[profile] + 1)
    ]


def compute_leverage(unit):
    """A point labelled +1 leaves the centre of the negative class in a random direction."""
    draw = unit.params["draw"]
    X, y, _ = toy_problem(draw)
    direction = _rng("direction", draw).normal(size=2)
    direction /= np.linalg.norm(direction)
    gamma = width_to_gamma(LEVERAGE_LOG10_SIGMA)
    plain = {}
    for machine in MACHINES:
        rbf = solve(machine, gram(X, gamma=gamma), y, C, tol=TOL)
        plain[machine] = train_linear(machine, X, y)[0], rbf.decision_function
    rows = []
    for distance in DISTANCES:
        X_more = np.vstack([X, np.asarray(MEANS[1]) + distance * direction])
        y_more = np.append(y, 1)
        K_rbf = gram(X_more, gamma=gamma)
        row = {"distance": distance, "kkt_violation": 0.0, "converged": True}
        for machine in MACHINES:
            w, _, linear = train_linear(machine, X_more, y_more)
            rbf = solve(machine, K_rbf, y_more, C, tol=TOL)
            change = rbf.decision_function[:-1] - plain[machine][1]
            row[f"rotation_{machine}"] = _angle(w, plain[machine][0])
            row[f"alpha_{machine}"] = _short(abs(linear.alpha[-1]) / C)
            row[f"rbf_change_{machine}"] = _short(np.abs(change).mean())
            row[f"rbf_alpha_{machine}"] = _short(abs(rbf.alpha[-1]) / C)
            row["kkt_violation"] = max(
                row["kkt_violation"], linear.kkt_violation, rbf.kkt_violation
            )
            row["converged"] &= linear.converged and rbf.converged
        rows.append(row)
    return rows


# -- helpers --------------------------------------------------------------------------------


def _rng(purpose, draw):
    return np.random.default_rng(seed_for(PAPER, "fig_1", purpose, draw))


def _short(value):
    """Six decimals: the solver's tolerance carries no more, and the records stay small."""
    return round(float(value), 6)


def _angle(w, v):
    return _short(rotation(w, v))


FIG_1 = Study(PAPER, "fig_1", figure_units, compute_draw)
FIG_1_LEVERAGE = Study(PAPER, "fig_1_leverage", leverage_units, compute_leverage)
