"""Table 6.3.1 and Figures 3.1.1 to 3.1.3, 6.3.1 and 6.3.2: the checkers board."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion import datasets
from companion.papers.conformal import methods, problems
from companion.papers.conformal.baselines import BASELINES, pvgs
from companion.papers.conformal.drawing import RIGHT, WRONG
from companion.papers.conformal.g_means import (
    add_claims,
    by_method,
    chance,
    counted,
    error_table,
    printed_values,
)
from companion.papers.conformal.methods import CONFORMAL, PRINTED, SVM, Part
from companion.papers.conformal.problems import (
    GRID,
    N_NEGATIVE,
    N_POSITIVE,
    PAPER,
    SIDE,
)
from companion.papers.summaries import counts, select, share, study_over
from companion.reproduction import seed_for
from companion.solvers.metamodels import GENERATIONS

#: Columns of the records of :func:`compute_draws`.
_COLUMNS = [
    "method",
    "missed",
    "false_alarms",
    "n_positive",
    "n_negative",
    "n_transformations",
    "converged",
]


def compute_board(unit):
    """A draw of the board: a row a method, the grid search of the thesis among them."""
    problem = problems.board(unit.params["draw"])
    machine, n_trained = pvgs(problem)
    found = counts(machine.decision_function(problem.X_test), problem.y_test)
    row = methods.plain_row("PVGS", found, n_trained=n_trained)
    return [*methods.all_rows(problem, (*methods.ALL, *methods.GIVES_UP)), row]


def compute_draws(unit):
    """The methods of the thesis's table on a draw of the board, a row a method, in few columns."""
    rows = methods.all_rows(problems.board(unit.params["draw"]), PRINTED)
    return pd.DataFrame(rows)[_COLUMNS].to_dict("records")


#: All methods on the first draws, those of the table on the others.
BOARD = study_over(PAPER, "board", compute_board, draw={"paper": 15, "quick": 1})
DRAWS = study_over(
    PAPER, "draws", compute_draws, draw={"paper": range(16, 101), "quick": ()}
)
STUDIES = (BOARD, DRAWS)

PROTOCOL = {
    "patterns of the positive class": N_POSITIVE,
    "patterns of the negative class": N_NEGATIVE,
    "test patterns of each class": GRID**2 / 2,
    "negative patterns to a positive one": N_NEGATIVE / N_POSITIVE,
    "2 sigma^2": problems.WIDTH,
    "C": problems.C,
    "generations of CMA-ES": GENERATIONS,
}


#: Of the errors, a row a draw and a column a method. That of WIL is another reading.
ERRORS = {("PVGS", "g-means error: PVGS - TSVT-JMETA"): "PVGS - `TSVT-JMETA`"}
for _name in PRINTED[1:]:
    ERRORS[_name, "g-means error: method - PVGS"] = f"`{_name}` - PVGS"
COSTS = {
    ("PVGS", "log10 of machines trained: PVGS / TSVT-JMETA"): "PVGS - `TSVT-JMETA`"
}


def _add_protocol(out):
    out.add_all("protocol", PROTOCOL)


def _add_table(out, frame):
    """Table 6.3.1 and its asterisks as distributions over draws."""
    printed = frame[frame.method.isin(PRINTED)]
    errors = error_table(printed)
    for method, draws in printed.sort_values("draw").groupby("method"):
        converged = draws.converged.all()
        n = draws.n_positive + draws.n_negative
        wrong = (draws.missed + draws.false_alarms) / n
        out.add_draws(method, "misclassification rate", wrong, converged)
        out.add_draws(method, "g-means error", errors[method], converged)
        if method == SVM:
            called = (draws.missed + draws.n_negative - draws.false_alarms) / n
            column = "share of the test grid that the SVM calls negative"
            out.add_mean("Figure 6.3.1", column, chance(called))
        else:
            none = draws.n_transformations == 0
            out.add_draws(method, "no transformation", none, converged)
            gain = chance(errors[SVM] - errors[method])
            out.add_mean(method, "g-means error: SVM - method", gain, converged)


def _add_searches(out, frame):
    """What the text says of other methods and of the costs."""
    add_claims(out, error_table(frame), ERRORS)
    add_claims(out, np.log10(by_method(frame, "n_trained")), COSTS)
    searched = select(frame, method="PVGS")
    missed = searched.missed / searched.n_positive
    alarms = searched.false_alarms / searched.n_negative
    numbers = {
        "error on the positive class - on the negative class": missed - alarms,
        "share of the positive class missed": missed,
    }
    for column, values in numbers.items():
        out.add_mean("Figure 3.1.3", column, chance(values))
    few = share(select(frame, method="TSVT-JMETA").n_tried < 3)
    out.add_mean("TSVT-JMETA", "share of draws with fewer than 3 tried", few)


def _add_as_read(out):
    """With the printed sign of (5.3.22) MDT-JGRAD stays where it starts here, which is WIL."""
    as_read = {"row": "MDT-JGRAD", "reading": "mdt-printed-sign"}
    out.rows += [row | as_read for row in out.rows if row["row"] == "WIL"]


VALUES = (
    (_add_protocol,),
    (_add_table, "board + draws"),
    (_add_searches, "board"),
    (_add_as_read,),
)
#: A row shows one draw of the board.
JUDGED_BY_ROW = True


# -- figures ----------------------------------------------------------------------------------


def grid_axis():
    """Coordinates of the test grid, the same for both variables."""
    return SIDE * ((np.arange(GRID) + 0.5) / GRID - 0.5)


def decisions(draw, names):
    """Decision values on the test grid of a draw, by method: SVM, PVGS, or names of the tables."""
    problem = problems.board(draw)
    part = Part(problem)
    values = {}
    for name in names:
        if name == SVM or name in CONFORMAL:
            values[name] = part.decision_of(name)
        else:
            machine = pvgs(problem)[0] if name == "PVGS" else BASELINES[name](problem)
            values[name] = machine.decision_function(problem.X_test)
    return values


def plot_right_and_wrong(ax, axis, decision, truth, *, title=""):
    """Figures 3.1.3, 6.3.1 and 6.3.2: where a machine is right (blue) and wrong (red)."""
    from matplotlib.colors import ListedColormap

    shape = (len(axis), len(axis))
    wrong = ((decision > 0) != (truth > 0)).reshape(shape)
    cmap = ListedColormap([RIGHT, WRONG])
    ax.pcolormesh(
        axis, axis, wrong, cmap=cmap, vmin=0, vmax=1, shading="nearest", rasterized=True
    )
    if decision.min() < 0 < decision.max():
        ax.contour(
            axis, axis, decision.reshape(shape), [0.0], colors="black", linewidths=1.2
        )
    for line in (ax.axhline, ax.axvline):
        line(0.0, color="white", linewidth=0.8, linestyle="--")
    ax.set(title=title, xlabel="$x_1$", ylabel="$x_2$", aspect="equal")


# -- the notebook -----------------------------------------------------------------------------


def every_draw(run):
    """The records of the methods of the table on all draws, one row a draw and method."""
    records = pd.concat([run.records["board"], run.records["draws"]])
    return records[records.method.isin(PRINTED)]


def what_came_out(run):
    """What the plain machine leaves to be done on the board, and what does it."""
    table = error_table(every_draw(run))
    board = error_table(run.records["board"])
    first = board.mean()
    n_first = len(board)
    mended = [
        name for name in PRINTED[1:] if table[name].mean() < table[SVM].mean() / 2
    ]
    mean = table.mean()
    return (
        f"Over {counted(len(table), 'draw')} of the board the plain machine has a g-means error of "
        f"{mean[SVM]:.2f} (printed: {printed_values('checkers', 'g-means error')[SVM]:.2f}), and "
        f"{len(mended)} of the nine transformations halve it on average: "
        + ", ".join(f"{name} {mean[name]:.2f}" for name in mended)
        + ". With the kernel as it is balanced weights err by "
        f"{first['balanced weights']:.2f} and a threshold chosen by cross-validation by "
        f"{first['threshold by CV']:.2f} (means over {counted(n_first, 'draw')})."
    )


def train_and_test(draw, n_positive, n_negative):
    """A draw of the board, and the grid on which it is tested: X, y, X_test, y_test."""
    rng = np.random.default_rng(seed_for(PAPER, "board", draw))
    train = datasets.checkers_board(n_positive, n_negative, SIDE, rng)
    return (*train, *datasets.checkers_board_grid(GRID, SIDE))


def draws_table(draws):
    """The errors of each method over the draws beside the printed one."""
    table = error_table(draws)
    printed = pd.Series(printed_values("checkers", "g-means error"))
    columns = {
        "least": table.min(),
        "mean": table.mean(),
        "largest": table.max(),
        "printed": printed,
        "draws below the print": (table.round(2) < printed).sum(),
    }
    return pd.DataFrame(columns).loc[list(PRINTED)].rename_axis("method").reset_index()


def moves_table(board):
    """In how many draws the searches by the error on V transform, by how CMA-ES ends."""
    moved = board[board.n_transformations > 0]
    names = [name for name in board.method.unique() if "VMETA" in name]
    counts_of = {name: (moved.method == name).sum() for name in names}
    return pd.DataFrame(
        {
            "method": names,
            "transforms in": counts_of.values(),
            "of": board.draw.nunique(),
        }
    )


def shares_kept(draws):
    """In which share of the draws a method transforms, and whether the printed draw does."""
    moved = by_method(draws, "n_transformations") > 0
    kept = moved[list(PRINTED[1:])].mean()
    printed = 1 - pd.Series(printed_values("checkers", "no transformation"))
    return kept, printed[kept.index]
