"""Table 4: linear machines on biomedical data."""

import numpy as np

from companion.metrics import mean_and_standard_error
from companion.papers.summaries import Values, present
from companion.papers.usvc.linear import add_errors, compute_split
from companion.papers.usvc.paired_errors import add_protocol, by_machine
from companion.papers.usvc.splits import MEDICAL_SETS, split_study

# The paper has 10 splits. More are run so that paired differences can be told from chance.
_N_SPLITS = {"paper": dict.fromkeys(MEDICAL_SETS, 100), "quick": dict.fromkeys(MEDICAL_SETS, 5)}
TABLE_4 = split_study("table_4", compute_split, **_N_SPLITS)
STUDIES = (TABLE_4,)


def values(records):
    """The printed numbers of Table 4 but ERM-SVC's, and the claims about small sets."""
    out, frame = Values(), records["table_4"]
    add_errors(out, frame, MEDICAL_SETS)
    names = present(frame, MEDICAL_SETS)
    if names == list(MEDICAL_SETS):
        best = [_is_equal_or_best(by_machine(frame, name)) for name in names]
        out.add("all sets", "share of sets where USVC is equal or best", np.mean(best))
    if "Dermat" in names:
        rows = by_machine(frame, "Dermat")["USVC"]
        out.add("Dermat", "share of splits whose training part is separable", rows.separable.mean())
        for machine, label in (("LS", "LS and SVC"), ("USVC", "USVC and SVC")):
            angle = mean_and_standard_error(rows[f"one_minus_cosine_{machine}"])
            column = f"1 - cosine of {label} directions"
            out.add_mean("Dermat", column, angle, rows.converged.all())
    add_protocol(out, frame)
    return out.frame()


def _is_equal_or_best(machines):
    means = {name: rows.error.mean() for name, rows in machines.items()}
    return means["USVC"] <= min(means.values()) + 1e-9
