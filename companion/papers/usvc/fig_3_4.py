"""Figures 3 and 4: the objective over threshold and slope, its profile, and the paths over it.

A linear machine on the line is f(x) = w (x - Th), with Th = -b / w. The figures show the objective
over (Th, w), its least value over w for each Th (the profile), and the iterates from the
least-squares machine. They are of one trial; the study asks their questions of all trials.
"""

from dataclasses import dataclass

import numpy as np

from companion.losses import Hinge, Unbiased
from companion.papers.summaries import Values, select, share
from companion.papers.usvc import cases
from companion.solvers.wls import Design

LOSSES = {
    "SVC": Hinge(),
    "USVC s=2": Unbiased(2.0, cases.K),
    "USVC s=4": Unbiased(4.0, cases.K),
}

#: Thresholds and slopes of the profile in the study.
THRESHOLDS = np.linspace(0.0, 1.0, 101)
SLOPES = np.geomspace(0.3, 30.0, 90)
_STEP = SLOPES[1] / SLOPES[0]

#: A single printed draw is placed among so many.
DRAWS = {"paper": 100, "quick": 4}

#: Dampings at which the iteration of order 4 is run; stable above (s - 3) / (s - 1) = 1/3.
DAMPINGS = (0.0, cases.DAMPING, 0.3, 0.4, 0.5)


@dataclass(frozen=True, eq=False)
class Surface:
    """The objective (a row a slope) over thresholds and slopes."""

    thresholds: np.ndarray
    slopes: np.ndarray
    objective: np.ndarray

    @property
    def locus(self):
        """Slope of the least objective for each threshold, the dashed line of the figures."""
        return self.slopes[self.objective.argmin(axis=0)]

    @property
    def profile(self):
        """Least objective over the slope for each threshold."""
        return self.objective.min(axis=0)

    def minima(self):
        """Indices of the local minima inside the profile; the last of equal neighbours counts."""
        inside = self.profile[1:-1]
        return 1 + np.flatnonzero(
            (inside <= self.profile[:-2]) & (inside < self.profile[2:])
        )


def surface(X, y, loss, thresholds=THRESHOLDS, slopes=SLOPES):
    """The objective 1/2 w^2 + C sum_i theta(xi_i) over a grid."""
    objective = np.empty((len(slopes), len(thresholds)))
    signed = y * (X[:, 0] - thresholds[:, None])
    for j, w in enumerate(slopes):
        objective[j] = 0.5 * w * w + cases.C * loss.value(1.0 - w * signed).sum(axis=1)
    return Surface(thresholds, slopes, objective)


def iterate(X, y, loss, **options):
    """The plain iteration of the paper, with its history."""
    return cases.fit(
        Design.linear(X), y, loss=loss, accelerate=False, history=True, **options
    )


def machine(X, y, name, start="least_squares"):
    """The minimum that is reached from a start: threshold, slope, result."""
    result = cases.fit(Design.linear(X), y, loss=LOSSES[name], start=start)
    w = float(result.coef[0])
    b = result.intercept
    return -b / w, w, result


def compute_profiles(unit):
    """How well the profile of a loss stands for the error: a row a loss."""
    reading = unit.params["reading"]
    trial = unit.params["trial"]
    X, y = cases.sample(reading, "train", trial)
    return [_profile_row(reading, X, y, name) for name in ("SVC", "USVC s=2")]


def _profile_row(reading, X, y, name):
    error = cases.theoretical_error(reading, THRESHOLDS)
    shape = surface(X, y, LOSSES[name])
    threshold, slope, result = machine(X, y, name, cases.PRINTED_START)
    from_svc, _, other = machine(X, y, name, "svc")
    return {
        "loss": name,
        "profile_at": round(float(THRESHOLDS[shape.profile.argmin()]), 4),
        "correlation": round(float(np.corrcoef(shape.profile, error)[0, 1]), 6),
        "n_minima": len(shape.minima()),
        **_narrow_minimum(X, y, name, shape),
        "reached_at": round(threshold, 6),
        "reached_slope": round(slope, 5),
        "reached_from_svc": round(from_svc, 6),
        "converged": result.converged and other.converged,
    }


def _narrow_minimum(X, y, name, shape):
    """Threshold and slope of the lowest minimum of the profile below ``NARROW``, if any."""
    found = [j for j in shape.minima() if shape.thresholds[j] < cases.NARROW]
    if not found:
        return {"narrow_at": None, "narrow_slope": None}
    best = min(found, key=lambda j: shape.profile[j])
    at = shape.thresholds[[best]]
    slope = shape.locus[best]
    near = slope * np.linspace(1 / _STEP, _STEP, 41)
    slope = surface(X, y, LOSSES[name], at, near).locus[0]
    return {"narrow_at": round(float(at[0]), 4), "narrow_slope": round(float(slope), 3)}


def compute_convergence(unit):
    """The plain iteration at several orders and dampings, and whether the minimum is stable."""
    reading = unit.params["reading"]
    trial = unit.params["trial"]
    X, y = cases.sample(reading, "train", trial)
    design = Design.linear(X)
    svc = cases.fit(design, y)
    rows = []
    for s, dampings in (
        (2.0, (0.0, cases.DAMPING)),
        (3.0, (0.0, cases.DAMPING)),
        (4.0, DAMPINGS),
    ):
        loss = Unbiased(s, 0.0)
        minimum = cases.fit(design, y, loss=loss, start=svc)
        for damping in dampings:
            run = iterate(X, y, loss, start=svc, damping=damping, max_iter=500)
            objective = run.log["objective"]
            rise = np.max(np.diff(objective), initial=0.0) / objective[0]
            eigenvalue = iteration_eigenvalue(design, y, loss, minimum, damping)
            row = {
                "s": s,
                "damping": damping,
                "fit_ended": run.converged,
                "period_two": "period two" in run.stop_reason,
                "n_iter": run.n_iter,
                "largest_rise": round(float(rise), 9),
                "least_eigenvalue": round(eigenvalue, 5),
                "error": round(cases.linear_error(reading, *run.log["w"][-1]), 6),
                "converged": minimum.converged,
            }
            rows.append(row)
    return rows


def iteration_eigenvalue(design, y, loss, minimum, damping):
    """Eigenvalue of largest size of one damped iteration, linearised at a minimum.

    With M the matrix of (20) and H the Hessian of the objective, a small deviation is multiplied
    by d I + (1 - d) (I - M^-1 H).
    """
    rows = design.augmented
    slack = np.maximum(0.0, 1.0 - y * minimum.decision_function)
    ridge = np.diag([1.0] * design.m + [0.0])
    M = ridge + rows.T @ (rows * (cases.C * loss.weight(slack))[:, None])
    H = ridge + rows.T @ (rows * (cases.C * loss.second_derivative(slack))[:, None])
    found = np.linalg.eigvals(
        np.eye(len(M)) - (1.0 - damping) * np.linalg.solve(M, H)
    ).real
    return float(found[np.abs(found).argmax()])


FIG_3_4 = cases.study_of(
    "fig_3_4", compute_profiles, reading=cases.BOTH_READINGS, trial=DRAWS
)
FIG_3_4_CONVERGENCE = cases.study_of(
    "fig_3_4_convergence",
    compute_convergence,
    reading=cases.BOTH_READINGS,
    trial=cases.TRIALS,
)
STUDIES = (FIG_3_4, FIG_3_4_CONVERGENCE)
#: A row shows what one trial gave.
JUDGED_BY_ROW = True


def _add_theory(out):
    error = cases.theoretical_error("B", THRESHOLDS)
    place = THRESHOLDS[error.argmin()]
    out.add("Figure 4, theoretical CE", "global minimum at Th", place)


def _add_figure_3(out, frame, runs):
    """What the print says of case A, under both distributions."""
    for case, distribution, _, reading in cases.PRINTED_AND_READ:
        if case != "A":
            continue
        found = Values(out.converged)
        trials = select(frame, reading=distribution)
        _add_minima(found, trials)
        _add_biased(found, "Figure 3", trials)
        _add_convergence(
            found, "convergence, case A", select(runs, reading=distribution)
        )
        out.extend(found, reading)


def _add_figure_4(out, frame, runs):
    """What the print says of case B."""
    trials = select(frame, reading="B")
    _add_biased(out, "Figure 4", trials)
    _add_convergence(out, "convergence, case B", select(runs, reading="B"))
    usvc = _on_the_line(trials, "USVC s=2")
    row = "Figure 4, USVC s=2"
    out.add_draws(row, "global minimum of the surface at Th", usvc.profile_at)
    out.add_draws(row, "USVC converges to Th", usvc.reached_at)
    from_svc = usvc.reached_from_svc
    out.add_draws(row, "USVC converges to Th", from_svc, reading="b-start-svc")


VALUES = (
    (_add_theory,),
    (_add_figure_3, "fig_3_4", "fig_3_4_convergence"),
    (_add_figure_4, "fig_3_4", "fig_3_4_convergence"),
)


def _on_the_line(frame, loss):
    """By trial, with the threshold at the begin of the line where the machine calls all +1."""
    frame = select(frame, loss=loss).set_index("trial").sort_index()
    for column in ("reached_at", "reached_from_svc"):
        placed = frame[column].between(*cases.PLAUSIBLE)
        frame[column] = frame[column].where(placed, cases.PLAUSIBLE[0])
    return frame


def _add_minima(out, trials):
    svc, usvc = (_on_the_line(trials, loss) for loss in ("SVC", "USVC s=2"))
    row = "Figure 3, USVC s=2"
    out.add_draws("Figure 3, SVC", "minimum at Th", svc.reached_at)
    out.add_draws(row, "global minimum of the surface at Th", usvc.profile_at)
    out.add_draws(row, "local minimum at Th", usvc.narrow_at)
    out.add_draws(row, "local minimum at w", usvc.narrow_slope)
    most = svc.n_minima.max()
    out.add("Figure 3, SVC", "largest number of minima of the profile", most)
    several = share(usvc.n_minima > 1)
    several = several._replace(mean=several.mean - 0.5)
    out.add_mean(row, "share of trials with several minima - 0.5", several)


def _add_biased(out, figure, trials):
    """The distance of the SVC from the optimum, and what either profile leaves unexplained."""
    svc, usvc = (
        select(trials, loss=loss).set_index("trial").sort_index()
        for loss in ("SVC", "USVC s=2")
    )
    # no machine without a threshold
    away = svc.reached_at[svc.reached_at.between(*cases.PLAUSIBLE)] - 0.5
    n = len(away)
    ratio = away.mean() / away.std(ddof=1)
    se = np.sqrt((1 + ratio**2 / 2) / n) if n else np.nan
    out.add(f"{figure}, SVC", "(Th - 0.5) / spread of a trial", ratio, n=n, se=se)
    left, left_by_svc = (
        1 - rows.correlation * rows.correlation.abs() for rows in (usvc, svc)
    )
    column = "1 - r |r| of profile and CE: USVC s=2 - half of SVC"
    out.add_mean(figure, column, left - left_by_svc / 2)


def _add_convergence(out, row, runs):
    stuck = runs[~runs.fit_ended]
    damped = select(runs, damping=cases.DAMPING)
    numbers = {
        "trials that do not converge, s = 2, 3 or 4, d = 0.2": (
            select(stuck, damping=cases.DAMPING).trial.nunique()
        ),
        "trials that do not converge, s=4, d=0.5": (
            select(stuck, s=4, damping=0.5).trial.nunique()
        ),
    }
    for s in (2, 4):
        column = f"largest relative rise of (5) in an iteration, s={s}, d=0.2"
        numbers[column] = select(damped, s=s).largest_rise.max()
    out.add_all(row, numbers)
