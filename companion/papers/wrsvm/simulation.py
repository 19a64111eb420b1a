"""Tables 1 and 2: both machines on Examples 2 and 3, tuned, over 100 samples.

The samples of a repetition serve all utility matrices and both machines, so that differences
between them are paired.
"""

import numpy as np

from companion.papers.summaries import as_table, row_a_group, with_error
from companion.papers.wrsvm import examples
from companion.papers.wrsvm.examples import FLIP, MACHINES
from companion.papers.wrsvm.utilities import gain, percentages

_A = (0.0, 0.2, 0.4, 0.6, 0.8)
#: The utility matrices of each table, (number, a).
CELLS = {
    "table_1": tuple((config, a) for config in (1, 2, 3) for a in _A if config == 1 or a > 0),
    "table_2": tuple((config, 0.4) for config in (1, 2, 3)),
}
EXAMPLES = {"table_1": "piecewise_linear", "table_2": "nonlinear"}
_DRAW = {"table_1": examples.piecewise_linear, "table_2": examples.nonlinear}
#: Sizes of training, tuning and test samples.
SIZES = {"table_1": (400, 400, 40_000), "table_2": (200, 200, 2_000)}
N_SAMPLES = {"paper": 100, "quick": 5}

_READINGS = {"as printed": "", "rows interchanged": ", rows interchanged"}


def samples(table, number):
    """Training, tuning and test sample of a repetition, labels flipped in all three."""
    rng = examples.rng_of(table, "sample", number)
    return tuple(_DRAW[table](n, rng, FLIP) for n in SIZES[table])


def machine_rows(table, train, tune, test):
    """Both tuned machines for every utility matrix of a table, from the columns they see."""
    for config, a in CELLS[table]:
        U = examples.utility(config, a)
        for machine in examples.tuned_machines(*train, *tune, U):
            predicted = machine.predict(test[0])
            yield {
                "config": config,
                "a": a,
                "machine": machine.name,
                "log2_C": round(float(np.log2(machine.C)), 6),
                "tuning": round(machine.tuning, 8),
                "test": round(examples.mean_utility(U, test[1], predicted), 8),
                "share_1": round(float((predicted == 0).mean()), 6),
                "n_steps": machine.n_steps,
                "converged": machine.converged,
                "n_missed": machine.n_missed,
            }


def place(table, machine, config, a):
    """Row and column of a cell as they are printed."""
    if table == "table_1":
        return f"{machine} U{config},a", f"a = {a:g}"
    return machine, f"U{config},{a:g}"


def add_values(out, frame, table):
    """The cells under both readings, truncation in each, sizes and label noise."""
    converged, gains = frame.converged.all(), []
    n_train, _, n_test = SIZES[table]
    far = np.array([[1e5, 0.0]])  # where one class is sure but for the label noise
    at = examples.class_probabilities(EXAMPLES[table], far, FLIP)[0]
    protocol = {
        "n": n_train,
        "n_test / n": n_test / n_train,
        "repetitions": frame["sample"].nunique(),
        "P(j, j)": at.max(),
        "P(j, y) otherwise": at.min(),
    }
    out.add_all("protocol", protocol)
    for (config, a), own in frame.groupby(["config", "a"]):
        for machine, other in (MACHINES, MACHINES[::-1]):
            row, column = place(table, machine, config, a)
            out.add_cell(row, column, percentages(own, "test", machine=machine), converged)
            exchanged = percentages(own, "test", machine=other)
            spread, n = exchanged.std(ddof=1), len(exchanged)
            row += _READINGS["rows interchanged"]
            out.add(row, column, exchanged.mean(), spread=spread, n=n, converged=converged)
        gains.append(gain(own, "WRSVM", "WSVM", "test"))
        out.add_mean(f"U{config},{a:g}", "WRSVM - WSVM", gains[-1], converged)
    higher = np.mean([found.mean > 0 for found in gains])
    out.add("all cells", "share of cells in which WRSVM is higher", higher)


def paired_table(frame):
    """Both machines on the same samples, with utilities times 100: a row a utility matrix."""

    def row(own):
        plain, robust = (own[own.machine == name].sort_values("sample") for name in MACHINES)
        difference = gain(own, "WRSVM", "WSVM", "test")
        return {
            "WSVM": 100 * plain.test.mean(),
            "WRSVM": 100 * robust.test.mean(),
            **with_error("WRSVM - WSVM", difference),
            "better on": int((robust.test.to_numpy() > plain.test.to_numpy()).sum()),
            "of": difference.n,
            "log2 C, WSVM": plain.log2_C.median(),
            "log2 C, WRSVM": robust.log2_C.median(),
            "DC steps": robust.n_steps.median(),
        }

    names = [f"U{config},{a:g}" for config, a in zip(frame.config, frame.a, strict=True)]
    return row_a_group(frame.assign(utility=names), "utility", row)


@as_table
def reading_table(ledger, table):
    """How well the printed means fit the regenerated ones, a row a reading of the print."""
    cells = [place(table, machine, *cell) for cell in CELLS[table] for machine in MACHINES]
    ledger = ledger.set_index(["row", "column"])
    for reading, ending in _READINGS.items():
        own = ledger.loc[[(row + ending, column) for row, column in cells]]
        z = own.z.astype(float).fillna(0.0)
        yield {
            "reading": reading,
            "means": len(own),
            "within 3 SE": int((z.abs() <= 3).sum()),
            "mean distance": (own.reproduced - own.published.astype(float)).abs().mean(),
            "root mean square z": np.sqrt((z**2).mean()),
        }
