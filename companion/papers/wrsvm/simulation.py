"""Tables 1 and 2: both machines on Examples 2 and 3, tuned, over 100 samples.

The samples of a repetition serve all utility matrices and both machines, so that differences
between them are paired.
"""

import numpy as np
import pandas as pd

from companion.metrics import Mean, paired_difference
from companion.papers.summaries import select
from companion.papers.wrsvm import examples
from companion.papers.wrsvm.examples import FLIP, MACHINES, PAPER
from companion.reproduction.published import load_published
from companion.reproduction.verdicts import MATCHES

_A = (0.0, 0.2, 0.4, 0.6, 0.8)
#: The utility matrices of each table, (number, a).
CELLS = {
    "table_1": tuple(
        (config, a) for config in (1, 2, 3) for a in _A if config == 1 or a > 0
    ),
    "table_2": tuple((config, 0.4) for config in (1, 2, 3)),
}
EXAMPLES = {"table_1": "piecewise_linear", "table_2": "nonlinear"}
_DRAW = {"table_1": examples.piecewise_linear, "table_2": examples.nonlinear}
#: Sizes of training, tuning and test samples.
SIZES = {"table_1": (400, 400, 40_000), "table_2": (200, 200, 2_000)}
N_SAMPLES = {"paper": 100, "quick": 2}

#: The labels WSVM and WRSVM of the printed rows exchanged, in ``data/readings.yaml``.
EXCHANGED = "rows-exchanged"
_N_RESAMPLES = 2000


def samples(table, number):
    """Training, tuning and test sample of a repetition, labels flipped in all three."""
    rng = examples.rng_of(table, "sample", number)
    return tuple(_DRAW[table](n, rng, FLIP) for n in SIZES[table])


def machine_rows(table, *samples, paths=examples.paths):
    """The tuned machines for every utility matrix of a table, from the columns they see."""
    machines = examples.machine_rows(CELLS[table], *samples, paths=paths)
    return [{"config": config, "a": a} | row for (config, a), _, row, _ in machines]


def place(table, machine, config, a):
    """Row and column of a cell as they are printed."""
    if table == "table_1":
        return f"{machine} U{config},a", f"a = {a:g}"
    return machine, f"U{config},{a:g}"


def _share_higher(gains):
    """In how many of the cells the mean gain is positive, and its error by resampling samples.

    `gains` has shape (n_samples, n_cells): one sample serves all cells.
    """
    n = len(gains)
    chosen = np.random.default_rng(0).integers(n, size=(_N_RESAMPLES, n))
    shares = (gains[chosen].mean(axis=1) > 0).mean(axis=1)
    return Mean((gains.mean(axis=0) > 0).mean(), shares.std(ddof=1), n)


def add_protocol(out, frame, table):
    """The sizes and the label noise."""
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


def add_cells(out, frame, table, *, exchanged=False, reading=""):
    """The printed cells, each beside its own machine or, `exchanged`, beside the other."""
    machines = MACHINES[::-1] if exchanged else MACHINES
    for cell, rows in frame.groupby(["config", "a"]):
        for printed, machine in zip(MACHINES, machines, strict=True):
            utilities = percentages(rows, "test", machine=machine)
            out.add_cell(*place(table, printed, *cell), utilities, reading=reading)


def add_share(out, frame, reading=""):
    """In how many of the cells truncation gains."""
    gains = [
        percentages(rows, "test", machine="WRSVM")
        - percentages(rows, "test", machine="WSVM")
        for _, rows in frame.groupby(["config", "a"])
    ]
    share = _share_higher(np.column_stack(gains))
    column = "share of cells in which WRSVM is higher"
    out.add_mean("all cells", column, share, reading=reading)


# -- utilities on record ----------------------------------------------------------------------


def setting_name(config, a):
    """What a utility matrix is called: "U2,0.4", "U = I"."""
    return f"U{config},{a:g}" if a else "U = I"


def with_setting(frame):
    """Records by a and number of their utility matrix, with what it is called, ``U``."""
    frame = frame.sort_values(["a", "config"])
    return frame.assign(
        U=[setting_name(*key) for key in zip(frame.config, frame.a, strict=True)]
    )


def percentages(frame, column="utility", **where):
    """Percentages in the order of the samples, of the records with these values elsewhere."""
    return 100.0 * select(frame, **where).sort_values("sample")[column].to_numpy()


def gain(frame, machine, other, column="utility", **where):
    """Paired difference of two machines, in points of utility."""
    first, second = (
        percentages(frame, column, machine=name, **where) for name in (machine, other)
    )
    return paired_difference(first, second)


def gains_of_truncation(frame):
    """What the WRSVM gains over the WSVM on the same test samples, by utility matrix."""
    return {
        U: gain(cell, "WRSVM", "WSVM", "test")
        for U, cell in with_setting(frame).groupby("U", sort=False)
    }


# -- what the notebooks of both tables show ---------------------------------------------------


def printed_cells(table):
    """The printed means and spreads of a table: a row each."""
    printed = load_published(PAPER)
    return printed[
        (printed.artefact == table)
        & (printed.asks == "value")
        & printed.kind.isin(["stochastic", "spread"])
    ]


def printed_means(table):
    """The printed means: a row a utility matrix, a column a machine."""
    printed = printed_cells(table).set_index(["row", "column"]).value
    rows = {}
    for config, a in CELLS[table]:
        name = setting_name(config, a)
        rows[name] = {m: printed[place(table, m, config, a)] for m in MACHINES}
    return pd.DataFrame(rows).T


def is_matched(ledger):
    """Which numbers of a ledger match the print."""
    return ledger.verdict.eq(MATCHES)
