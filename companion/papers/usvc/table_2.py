"""Table 2: linear machines on the benchmark sets."""

from companion.papers.summaries import Values, present
from companion.papers.usvc.linear import add_errors, compute_split
from companion.papers.usvc.paired_errors import (
    add_at_the_same_C,
    add_average,
    add_protocol,
    by_machine,
    most_sets,
)
from companion.papers.usvc.splits import BENCHMARK_SETS, split_study

# The paper has 10 splits. More are run so that paired differences can be told from chance.
_N_SPLITS = {
    "paper": dict.fromkeys(BENCHMARK_SETS, 20),
    "quick": dict.fromkeys(BENCHMARK_SETS, 2),
}
TABLE_2 = split_study("table_2", compute_split, **_N_SPLITS)
STUDIES = (TABLE_2,)


def values(records):
    """The 36 printed numbers of Table 2 and the claims about linear machines."""
    out = Values()
    frame = records["table_2"]
    add_errors(out, frame, BENCHMARK_SETS)
    for name in present(frame, BENCHMARK_SETS):
        add_at_the_same_C(out, name, by_machine(frame, name))
    if present(frame, BENCHMARK_SETS) == list(BENCHMARK_SETS):
        for machine in ("SVMlight", "USVC"):
            column = f"sets on which LS errs more than {machine}, above half of them"
            out.add_mean("all sets", column, most_sets(frame, "LS", machine))
        add_average(out, frame)
    add_protocol(out, frame)
    return out.frame()
