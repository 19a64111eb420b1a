"""Table 6.3.1 and Figures 3.1.1 to 3.1.3, 6.3.1 and 6.3.2: the checkers board."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import paired_difference
from companion.papers.conformal import methods, problems
from companion.papers.conformal.baselines import pvgs
from companion.papers.conformal.g_means import (
    add_claims,
    by_method,
    chance,
    counted,
    error_table,
    printed_asterisks,
    printed_values,
)
from companion.papers.conformal.methods import PRINTED, SVM
from companion.papers.conformal.problems import (
    BOARD_NAME,
    GRID,
    N_NEGATIVE,
    N_POSITIVE,
    PAPER,
)
from companion.papers.summaries import counts, mean_text, select, share
from companion.reproduction import study_over
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
for _name in ("ACT", "MDT-JGRAD", "MDT-JMETA", "TSVT-JGRAD"):
    ERRORS[_name, "g-means error: method - PVGS"] = f"`{_name}` - PVGS"
#: Those with a noticeable improvement in print.
IMPROVED = ("AMA", "ACT", "MDT-JMETA", "TSVT-JGRAD", "TSVT-JMETA")
COSTS = {
    ("PVGS", "log10 of machines trained: PVGS / TSVT-JMETA"): "PVGS - `TSVT-JMETA`"
}


def _add_protocol(out):
    out.add_all("protocol", PROTOCOL)


def _add_table(out, frame):
    """Table 6.3.1 and its asterisks as distributions over draws."""
    printed = frame[frame.method.isin(PRINTED)]
    errors = error_table(printed)
    starred = printed_asterisks(BOARD_NAME)
    by_draw = printed.sort_values("draw")
    for method, draws in by_draw.groupby("method"):
        # by the caption a cell with an asterisk is the SVM's, in print and in ours
        shown = SVM if method in starred else method
        rows = select(by_draw, method=shown)
        converged = draws.converged.all()
        wrong = _share_wrong(rows)
        out.add_draws(method, "misclassification rate", wrong, converged)
        out.add_draws(method, "g-means error", errors[shown], converged)
        if method == SVM:
            called = draws.missed + draws.n_negative - draws.false_alarms
            called = called / (draws.n_positive + draws.n_negative)
            column = "share of the test grid that the SVM calls negative"
            out.add_mean("Figure 6.3.1", column, chance(called))
        else:
            none = draws.n_transformations == 0
            out.add_draws(method, "no transformation", none, converged)
        if method in IMPROVED:
            gain = chance(errors[SVM] - errors[method])
            out.add_mean(method, "g-means error: SVM - method", gain, converged)


def _share_wrong(rows):
    return (rows.missed + rows.false_alarms) / (rows.n_positive + rows.n_negative)


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
    place = ("WIL", "no transformation")
    out.rows += [
        row | as_read for row in out.rows if (row["row"], row["column"]) == place
    ]


VALUES = (
    (_add_protocol,),
    (_add_table, "board + draws"),
    (_add_searches, "board"),
    (_add_as_read,),
)
#: A row shows one draw of the board.
JUDGED_BY_ROW = True


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
    mended = [
        name for name in PRINTED[1:] if table[name].mean() < table[SVM].mean() / 2
    ]
    more = ", ".join(
        f"{name} {mean_text(paired_difference(board[name], board['balanced weights']))}"
        for name in mended
    )
    mean = table.mean()
    return (
        f"Over {counted(len(table), 'draw')} of the board the plain machine has a g-means error of "
        f"{mean[SVM]:.2f} (printed: {printed_values('checkers', 'g-means error')[SVM]:.2f}), and "
        f"{len(mended)} of the nine transformations halve it on average: "
        + ", ".join(f"{name} {mean[name]:.2f}" for name in mended)
        + f". On the first {counted(len(board), 'draw')}, with the kernel as it is, balanced "
        f"weights err by {first['balanced weights']:.2f} and a threshold chosen by "
        f"cross-validation by {first['threshold by CV']:.2f}; there the transformations err by so "
        f"much more than balanced weights: {more}."
    )


def draws_table(draws):
    """The errors of each method over the draws beside the printed one, and how often it acts.

    "transforms" is the share of the draws in which it does, with a star where the print has one.
    """
    table = error_table(draws)
    printed = pd.Series(printed_values("checkers", "g-means error"))
    moved = by_method(draws, "n_transformations") > 0
    transforms = moved.mean().map("{:.0%}".format)
    transforms[printed_asterisks(BOARD_NAME)] += " *"
    columns = {
        "least": table.min(),
        "mean": table.mean(),
        "largest": table.max(),
        "printed": printed,
        "draws below the print": (table.round(2) < printed).sum(),
        "transforms": transforms,
    }
    return pd.DataFrame(columns).loc[list(PRINTED)].rename_axis("method").reset_index()


def moves_table(board):
    """In how many draws the searches by the error on V transform, by how CMA-ES ends."""
    names = [name for name in board.method.unique() if "VMETA" in name]
    moved = (by_method(board, "n_transformations") > 0)[names]
    table = {"transforms in": moved.sum(), "of": len(moved)}
    return pd.DataFrame(table).rename_axis("method").reset_index()
