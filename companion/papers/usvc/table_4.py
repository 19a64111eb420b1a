"""Table 4: linear machines on biomedical data."""

import numpy as np

from companion.metrics import Mean, mean_and_standard_error, paired_difference
from companion.papers.summaries import Values, magnitude, present
from companion.papers.usvc import linear
from companion.papers.usvc.paired_errors import add_average, add_protocol, by_machine, over_sets
from companion.papers.usvc.splits import MEDICAL_SETS, split, split_study, wrong
from companion.solvers.wls import Design

_BOOTSTRAPS = 1000


def compute_split(unit):
    """As in Table 2, with the errors of each machine at the C that was chosen for the SVC."""
    rows, part = linear.compute_split(unit), split(unit.params["dataset"], unit.params["split"])
    (chosen,) = (row["C"] for row in rows if row["machine"] == "SVMlight")
    found, at = linear.paths(Design.linear(part.X), part.y), linear.C_VALUES.index(chosen)
    test = Design.linear(part.X_test).augmented
    for row in rows:
        row["test_wrong_at_svc_C"] = wrong(test @ found[row["machine"]][0][at], part.y_test)
    return rows


# The paper has 10 splits. More are run so that paired differences can be told from chance.
_N_SPLITS = {"paper": dict.fromkeys(MEDICAL_SETS, 100), "quick": dict.fromkeys(MEDICAL_SETS, 5)}
TABLE_4 = split_study("table_4", compute_split, **_N_SPLITS)
STUDIES = (TABLE_4,)


def values(records):
    """The printed numbers of Table 4 but ERM-SVC's, and the claims about small sets."""
    out, frame = Values(), records["table_4"]
    linear.add_errors(out, frame, MEDICAL_SETS)
    names = present(frame, MEDICAL_SETS)
    own = {name: by_machine(frame, name) for name in names}
    for name, machines in own.items():
        usvc, svc = machines["USVC"], machines["SVMlight"]
        at_its_C = 100.0 * usvc.test_wrong_at_svc_C / usvc.n_test
        column = "USVC - SVMlight, at the C of SVMlight (points)"
        out.add_mean(name, column, paired_difference(at_its_C, svc.error), usvc.converged.all())
    if names == list(MEDICAL_SETS):
        out.add_mean("all sets", "share of sets where USVC is equal or best - 0.5", _most(own))
        less = over_sets(frame, "USVC", "SVMlight", "train_wrong")
        out.add_mean("all sets", "training CE USVC - SVMlight (points)", less)
        add_average(out, frame)
    if "Dermat" in own:
        _add_separable(out, own["Dermat"])
    add_protocol(out, frame)
    return out.frame()


def _add_separable(out, machines):
    """What the text says of dermatology."""
    rows = machines["USVC"]
    apart = np.count_nonzero(~rows.separable)
    out.add("Dermat", "splits whose training part is not separable", apart)
    for machine, label in (("LS", "LS and SVC"), ("USVC", "USVC and SVC")):
        angle = mean_and_standard_error(rows[f"one_minus_cosine_{machine}"])
        out.add_mean("Dermat", f"1 - cosine of {label} directions", angle, rows.converged.all())
    error = [machines[name].error for name in linear.MACHINES]
    pairs = ((0, 1), (0, 2), (1, 2))
    largest = max(magnitude(paired_difference(error[i], error[j])) for i, j in pairs)
    out.add_mean("Dermat", "largest difference of two machines (points)", largest)


def _most(own):
    """The share of the sets on which no other machine errs less, with its bootstrap error.

    The splits of each set are drawn again with replacement.
    """
    rng, shares = np.random.default_rng(0), []
    errors = [
        np.array([machines[name].error for name in linear.MACHINES]) for machines in own.values()
    ]
    for _ in range(_BOOTSTRAPS):
        drawn = [e[:, rng.integers(e.shape[1], size=e.shape[1])] for e in errors]
        shares.append(np.mean([_is_equal_or_best(e) for e in drawn]))
    actual = np.mean([_is_equal_or_best(e) for e in errors])
    return Mean(float(actual - 0.5), float(np.std(shares, ddof=1)), np.nan)


def _is_equal_or_best(errors):
    means = dict(zip(linear.MACHINES, errors.mean(axis=1), strict=True))
    return means["USVC"] <= min(means.values()) + 1e-9
