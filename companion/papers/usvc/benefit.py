"""Section 3.1 as curves: the gain of the unbiased machine over the SVC, and what it grows with.

The paper argues that the gain grows with the number of training samples and falls with the
complexity of the machine, such as a narrower kernel. Here it is the difference of the two errors in
closed form, on the same sample: for the linear machine over n, and for RBF machines on prototypes
over the width of the kernel, each with its own C, chosen on a validation sample.
"""

import numpy as np

from companion.kernels import gamma_from_width, gram
from companion.losses import Unbiased
from companion.papers.summaries import select
from companion.papers.usvc import cases
from companion.papers.usvc.fig_1 import minima
from companion.papers.usvc.paired_errors import least_supported
from companion.reproduction import seed_for
from companion.solvers.fscl import fscl
from companion.solvers.wls import Design, wls, wls_path

SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000)
WIDTHS = (0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
C_VALUES = tuple(10.0**k for k in range(-1, 6))
N_PROTOTYPES = 40
#: Inputs of noise, numbers of patterns, and the deviation of a noise: about that of the input.
N_NOISE = 20
NOISY_SIZES = (20, 50, 100)
NOISE_WIDTH = 0.3
N_NEW = 4000
_EDGES = np.linspace(-0.4, 1.6, 4001)


def compute_size(unit):
    """Errors of the linear SVC and of the unbiased machine that starts from it."""
    p = unit.params
    X, y = cases.sample(p["reading"], "train", p["draw"], p["n"])
    design = Design.linear(X)
    svc = cases.fit(design, y)
    unbiased = cases.fit(design, y, loss=Unbiased(2.0), start=svc)
    return {
        "svc_error": round(
            cases.linear_error(p["reading"], svc.coef[0], svc.intercept), 6
        ),
        "usvc_error": round(
            cases.linear_error(p["reading"], unbiased.coef[0], unbiased.intercept), 6
        ),
        "share_of_large_slacks": round(
            float(np.mean(y * svc.decision_function < -1.0)), 6
        ),
        "mean_slack": round(_mean_slack(svc, y), 6),
        "converged": svc.converged and unbiased.converged,
    }


def compute_noise(unit):
    """Errors of both linear machines where inputs that say nothing stand beside the one that does.

    Each has its C by the errors on as many validation patterns. The inputs added are normal, as
    wide as the other; the error is counted on many new patterns.
    """
    p = unit.params
    parts = ("train", p["n"]), ("validation", p["n"]), ("test", N_NEW)
    samples = [_with_noise(p, part, n) for part, n in parts]
    (X, y), (X_valid, y_valid), (X_new, y_new) = samples
    design = Design.linear(X)
    svc = wls_path(design, y, C_VALUES)
    unbiased = wls_path(design, y, C_VALUES, loss=Unbiased(2.0), start=svc)
    row = {}
    for name, machines in (("svc", svc), ("usvc", unbiased)):
        valid = [
            np.mean((X_valid @ m.w + m.intercept) * y_valid <= 0) for m in machines
        ]
        chosen = machines[int(np.argmin(valid))]
        same_C = machines[C_VALUES.index(cases.C)]
        for what, machine in (("error", chosen), ("error_at_10", same_C)):
            is_wrong = (X_new @ machine.w + machine.intercept) * y_new <= 0
            row[f"{name}_{what}"] = round(float(np.mean(is_wrong)), 6)
    row["converged"] = all(m.converged for m in (*svc, *unbiased))
    return row


def _with_noise(params, part, n):
    """Patterns of a part with normal inputs added that are independent of the label."""
    reading = params["reading"]
    X, y = cases.sample(reading, part, params["draw"], n)
    seed = seed_for(cases.PAPER, "noise", reading, part, params["draw"], n)
    noise = np.random.default_rng(seed).normal(size=(n, params["n_noise"]))
    return np.hstack([X, NOISE_WIDTH * noise]), y


def _mean_slack(machine, y):
    return float(np.maximum(0.0, 1.0 - y * machine.decision_function).mean())


def compute_width(unit):
    """Errors of both RBF machines of one width, each at the C that validates best.

    The mean slack is that of the SVC of the C of the linear machine.
    """
    p = unit.params
    reading = p["reading"]
    X, y = cases.sample(reading, "train", p["draw"])
    X_valid, y_valid = cases.sample(reading, "validation", p["draw"])
    gamma = gamma_from_width(p["sigma"], "2sigma2")
    rng = np.random.default_rng(
        seed_for(cases.PAPER, "benefit prototypes", reading, p["draw"])
    )
    prototypes = fscl(X, N_PROTOTYPES, rng=rng)
    design = Design.kernel(
        gram(X, prototypes, gamma=gamma), gram(prototypes, gamma=gamma)
    )
    K_valid = gram(X_valid, prototypes, gamma=gamma)
    centres = 0.5 * (_EDGES[1:] + _EDGES[:-1])
    K_line = gram(centres[:, np.newaxis], prototypes, gamma=gamma)
    svc = wls_path(design, y, C_VALUES)
    unbiased = wls_path(design, y, C_VALUES, loss=Unbiased(2.0), start=svc)
    row = {}
    for name, machines in (("svc", svc), ("usvc", unbiased)):
        wrong = [
            np.mean((K_valid @ m.coef + m.intercept) * y_valid <= 0) for m in machines
        ]
        best = int(np.argmin(wrong))
        chosen = machines[best]
        decision = K_line @ chosen.coef + chosen.intercept
        row[f"{name}_C"] = C_VALUES[best]
        row[f"{name}_error"] = round(cases.rule_error(reading, decision, _EDGES), 6)
        if name == "svc":
            row["share_of_large_slacks"] = float(
                np.mean(y * chosen.decision_function < -1.0)
            )
            row["mean_slack"] = round(
                _mean_slack(machines[C_VALUES.index(cases.C)], y), 6
            )
    # exp(-d^2 / (2 sigma^2)) is x x' / sigma^2 but for constants where sigma is large
    scaled = wls(design, y, cases.C * max(1.0, p["sigma"] ** 2))
    row["mean_slack_scaled"] = round(_mean_slack(scaled, y), 6)
    row["converged"] = all(m.converged for m in (*svc, *unbiased, scaled))
    return row


_SIZE_DRAWS = {"paper": 100, "quick": 4}
_WIDTH_DRAWS = {"paper": 30, "quick": 4}
_READ = {"reading": cases.TABLE_READINGS.values()}
BENEFIT_SIZE = cases.study_of(
    "benefit_size", compute_size, **_READ, n=SIZES, draw=_SIZE_DRAWS
)
BENEFIT_WIDTH = cases.study_of(
    "benefit_width", compute_width, **_READ, sigma=WIDTHS, draw=_WIDTH_DRAWS
)
BENEFIT_NOISE = cases.study_of(
    "benefit_noise",
    compute_noise,
    **_READ,
    n_noise=(N_NOISE,),
    n=NOISY_SIZES,
    draw=_SIZE_DRAWS,
)


def gains(rows):
    """Error of the SVC minus that of the USVC in points, draw by draw."""
    return 100.0 * (rows.svc_error - rows.usvc_error).to_numpy()


#: With few samples, where the machine has many inputs.
NOISE = {
    "gain at n = 20 with 20 inputs of noise (points)": (
        "100.0 * (svc_error - usvc_error)"
    ),
    "gain at n = 20 with 20 inputs of noise, C = 10 (points)": (
        "100.0 * (svc_error_at_10 - usvc_error_at_10)"
    ),
}


def add_noise(out, frame):
    """Whether the hinge is preferred with few samples where the machine has many inputs."""
    few = cases.by_case(select(frame, n=NOISY_SIZES[0]))
    for case, rows in few.groupby("case"):
        out.add_claims(f"Section 3.1, case {case}", rows, NOISE)


def add_gains_by_size(out, sizes):
    """What the gain grows with, and whether the error goes to its least."""
    for case, rows in cases.by_case(sizes).groupby("case"):
        gain = _by_draw(rows.assign(gain=gains(rows)), "gain", "n")
        least = minima(cases.TABLE_READINGS[case])[0][2]
        excess = 100 * _by_draw(rows, "usvc_error", "n") - least
        claims = {
            "gain at n = 5000 - gain at n = 20 (points)": gain[5000] - gain[20],
            "gain at n = 20 (points)": gain[20],
            "excess of USVC over CE_min at n = 5000 - half of that at n = 1000 (points)": (
                excess[5000] - excess[1000] / 2
            ),
        }
        out.add_means(f"Section 3.1, case {case}", claims)


def add_gains_by_width(out, widths, sizes):
    """What the gain and the slacks of RBF machines grow with."""
    linear = cases.by_case(select(sizes, n=cases.N_PATTERNS))
    for case, rows in cases.by_case(widths).groupby("case"):
        row = f"Section 3.1, case {case}"
        gain = _by_draw(rows.assign(gain=gains(rows)), "gain", "sigma")
        steps = _by_draw(rows, "mean_slack", "sigma").diff(axis=1).dropna(axis=1)
        claims = {
            "gain at sigma = 8 - gain at sigma = 0.06 (points)": (
                gain[WIDTHS[-1]] - gain[WIDTHS[0]]
            ),
            "least step of the mean slack from a width to the next, C = 10": (
                least_supported(steps)
            ),
        }
        out.add_means(row, claims)
        slack = select(linear, case=case).set_index("draw").mean_slack
        column = "mean slack: linear - RBF, least over the widths, C = 10"
        for quantity, reading in (
            ("mean_slack", ""),
            ("mean_slack_scaled", "C-sigma2"),
        ):
            less = _by_draw(rows, quantity, "sigma").rsub(slack, axis=0).dropna()
            out.add_mean(row, column, least_supported(less), reading=reading)


def _by_draw(rows, column, along):
    """A row a draw that has all, a column a size or width."""
    return rows.pivot(index="draw", columns=along, values=column).dropna()
