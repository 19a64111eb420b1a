"""Section 3.1 as curves: the gain of the unbiased machine over the SVC, and what it grows with.

The paper argues that the gain grows with the number of training samples and falls with the
complexity of the machine, such as a narrower kernel. Here it is the difference of the two errors in
closed form, on the same sample: for the linear machine over n, and for RBF machines on prototypes
over the width of the kernel, each with its own C, chosen on a validation sample.
"""

from __future__ import annotations

import numpy as np

from companion.kernels import gamma_from_width, gram
from companion.losses import Unbiased
from companion.papers.usvc.machines import (
    PAPER,
    C,
    fit,
    line,
    linear_error,
    rule_error,
    sample,
    trial_units,
)
from companion.reproduction import Study, seed_for
from companion.solvers.fscl import fscl
from companion.solvers.wls import Design, wls_path

SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000)
WIDTHS = (0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
C_VALUES = tuple(10.0**k for k in range(-1, 6))
N_PROTOTYPES = 40
_EDGES = np.linspace(-0.4, 1.6, 4001)


def compute_size(unit):
    """Errors of the linear SVC and of the unbiased machine that starts from it."""
    p = unit.params
    X, y = sample(p["reading"], "train", p["draw"], p["n"])
    design = line(X)
    svc = fit(design, y, C)
    unbiased = fit(design, y, C, loss=Unbiased(2.0), start=svc)
    return {
        "svc_error": round(linear_error(p["reading"], svc.coef[0], svc.intercept), 6),
        "usvc_error": round(linear_error(p["reading"], unbiased.coef[0], unbiased.intercept), 6),
        "share_of_large_slacks": round(float(np.mean(y * svc.decision_function < -1.0)), 6),
        "converged": svc.converged and unbiased.converged,
    }


def compute_width(unit):
    """Errors of both RBF machines of one width, each at the C that validates best."""
    p = unit.params
    reading = p["reading"]
    X, y = sample(reading, "train", p["draw"])
    X_valid, y_valid = sample(reading, "validation", p["draw"])
    gamma = gamma_from_width(p["sigma"], "2sigma2")
    rng = np.random.default_rng(seed_for(PAPER, "benefit prototypes", reading, p["draw"]))
    prototypes = fscl(X, N_PROTOTYPES, rng=rng)
    design = Design.kernel(gram(X, prototypes, gamma=gamma), gram(prototypes, gamma=gamma))
    K_valid = gram(X_valid, prototypes, gamma=gamma)
    centres = 0.5 * (_EDGES[1:] + _EDGES[:-1])
    K_line = gram(centres[:, np.newaxis], prototypes, gamma=gamma)
    svc = wls_path(design, y, C_VALUES)
    unbiased = wls_path(design, y, C_VALUES, loss=Unbiased(2.0), start=svc)
    row = {}
    for name, machines in (("svc", svc), ("usvc", unbiased)):
        wrong = [np.mean((K_valid @ m.coef + m.intercept) * y_valid <= 0) for m in machines]
        best = int(np.argmin(wrong))
        chosen = machines[best]
        decision = K_line @ chosen.coef + chosen.intercept
        row |= {
            f"{name}_C": C_VALUES[best],
            f"{name}_error": round(rule_error(reading, decision, _EDGES), 6),
        }
        if name == "svc":
            row["share_of_large_slacks"] = float(np.mean(y * chosen.decision_function < -1.0))
    row["converged"] = all(m.converged for m in (*svc, *unbiased))
    return row


BENEFIT_SIZE = Study(
    PAPER, "benefit_size", trial_units("benefit_size", number="draw", n=SIZES), compute_size
)
BENEFIT_WIDTH = Study(
    PAPER, "benefit_width", trial_units("benefit_width", number="draw", sigma=WIDTHS), compute_width
)
