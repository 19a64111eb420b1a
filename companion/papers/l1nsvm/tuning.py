"""The choice of C and sigma for Table 2, and what it is worth on the test rows.

``table_2_search``
    The paper's search: every point of the (C, sigma) grid by 10 times 10-fold cross-validation
    over the *whole* data set, test rows included. Beside it the same grid on the training parts of
    the first five splits alone.
``table_2_surface``
    The test error of every grid point on every split, so that any choice can be looked up: the
    paper's, the one that keeps the test rows out, and the best possible.
"""

from itertools import product

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold

from companion.datasets import data_digest, distinct_patterns, load_ida, split_source
from companion.kernels import gram
from companion.metrics import paired_difference
from companion.papers.l1nsvm.machines import PAPER, solve_along_C, width_to_gamma
from companion.papers.l1nsvm.protocol import (
    DATASETS,
    LOG10_C_RANGE,
    LOG10_SIGMA_RANGE,
    count_wrong,
    grid,
    predicted,
    row_a_machine,
    split_rows,
    split_units,
)
from companion.papers.summaries import select, with_error
from companion.reproduction import Study, Unit, seed_for
from companion.solvers.ls import ls_held_out

SEARCHED = ("LS", "Least 1-Norm", "L1")
#: Value of ``part`` for a search over the whole data set, as the paper does it.
ALL_ROWS = "all rows"
SIZES = {
    "paper": {"splits": 100, "C_step": 0.25, "sigma_step": 0.5, "repeats": 10, "folds": 10},
    "quick": {"splits": 10, "C_step": 0.5, "sigma_step": 1.0, "repeats": 1, "folds": 5},
}
TUNING_SPLITS = {"paper": 5, "quick": 0}


def search_units(profile):
    """One unit a data set, part of the data, machine and kernel width."""
    size, units = SIZES[profile], []
    splits = range(1, TUNING_SPLITS[profile] + 1)
    parts = [ALL_ROWS, *(f"training rows of split {split}" for split in splits)]
    widths = grid(LOG10_SIGMA_RANGE, size["sigma_step"])
    for name, part, machine, log10_sigma in product(DATASETS, parts, SEARCHED, widths):
        params = {
            "dataset": name,
            "part": part,
            "splits": "none" if part == ALL_ROWS else split_source(name),
            "machine": machine,
            "log10_sigma": log10_sigma,
            "C_step": size["C_step"],
            "folds": size["folds"],
            "repeats": size["repeats"] if part == ALL_ROWS else 1,
        }
        units.append(Unit(PAPER, "table_2_search", params, data=data_digest(name)))
    return units


def compute_search(unit):
    """Cross-validated errors of one machine and width for every C of the grid."""
    p = unit.params
    if p["part"] == ALL_ROWS:
        data = load_ida(p["dataset"])
        X, y = data.X, data.y
    else:
        X, y, _, _ = split_rows(p["dataset"], int(p["part"].rsplit(" ", 1)[1]), p["splits"])
    # The folds are the same for every machine and width: comparisons are paired.
    n_folds, n_repeats = p["folds"], p["repeats"]
    seed = seed_for(PAPER, "folds", p["dataset"], p["part"], n_folds, n_repeats)
    state = int(seed.generate_state(1)[0] % 2**31)
    folds = RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=n_repeats, random_state=state)
    splits = list(folds.split(X, y))
    log10_C = grid(LOG10_C_RANGE, p["C_step"])
    C_values, gamma = [10.0**c for c in log10_C], width_to_gamma(p["log10_sigma"])
    errors = cross_validated_errors(p["machine"], X, y, gamma, C_values=C_values, splits=splits)
    rows = []
    for c, wrong, violation, converged in zip(log10_C, *errors, strict=True):
        # n_wrong of a repeat sums over its folds, which follow one another.
        by_repeat = wrong.reshape(n_repeats, n_folds).sum(axis=1)
        row = {
            "log10_C": c,
            "n_rows": len(y),
            "n_wrong": int(by_repeat.sum()),
            "n_wrong_spread": float(round(by_repeat.std(ddof=1), 4)) if n_repeats > 1 else None,
            "kkt_violation": float(violation),
            "converged": bool(converged),
        }
        rows.append(row)
    return rows


def cross_validated_errors(machine, X, y, gamma, *, C_values, splits):
    """Misclassified held-out rows, shape (n_C, n_folds), and the certificates of every C.

    Identical rows with the same label share one multiplier bound: ``m`` copies are one point
    of weight ``m``, with the same optimum. Titanic's 2201 rows are 24 such points. LS, where that
    does not help, is solved in closed form.
    """
    X_distinct, y_distinct, _, inverse = distinct_patterns(X, y)
    n_wrong = np.zeros((len(C_values), len(splits)), dtype=int)
    violation = np.zeros(len(C_values))
    converged = np.ones(len(C_values), dtype=bool)
    if machine == "LS" and len(y_distinct) > len(y) / 2:
        K, tests = gram(X, gamma=gamma), [test for _, test in splits]
        for k, held_out in enumerate(ls_held_out(K, y, C_values, tests)):
            pairs = zip(held_out, tests, strict=True)
            n_wrong[k] = [count_wrong(values, y[test]) for values, test in pairs]
        return n_wrong, violation, converged
    K = gram(X_distinct, gamma=gamma)
    for f, (train, test) in enumerate(splits):
        weight = np.bincount(inverse[train], minlength=len(y_distinct)).astype(float)
        used = np.flatnonzero(weight)
        test_weight = np.bincount(inverse[test], minlength=len(y_distinct))
        tested = np.flatnonzero(test_weight)
        sub, cross = np.ascontiguousarray(K[np.ix_(used, used)]), K[np.ix_(tested, used)]
        y_used, y_tested = y_distinct[used], y_distinct[tested]
        results = solve_along_C(machine, sub, y_used, C_values, sample_weight=weight[used])
        for k, result in enumerate(results):
            values = cross @ (y_used * result.alpha) + result.intercept
            n_wrong[k, f] = test_weight[tested][predicted(values) != y_tested].sum()
            violation[k] = max(violation[k], result.kkt_violation)
            converged[k] &= result.converged
    return n_wrong, violation, converged


def surface_units(profile):
    """One unit a data set and split, each for the whole grid."""
    size = {key: SIZES[profile][key] for key in ("splits", "C_step", "sigma_step")}
    return split_units("table_2_surface", **size)


def compute_surface(unit):
    """Misclassified test rows of one split at every grid point, one row a machine."""
    p = unit.params
    X_train, y_train, X_test, y_test = split_rows(p["dataset"], p["split"], p["splits"])
    X_train, y_train, weight, _ = distinct_patterns(X_train, y_train)
    weight, log10_C = weight.astype(float), grid(LOG10_C_RANGE, p["C_step"])
    C_values = [10.0**c for c in log10_C]
    head = {"n_test": len(y_test), "kkt_violation": 0.0, "converged": True}
    rows = {machine: {"machine": machine, **head} for machine in SEARCHED}
    for log10_sigma in grid(LOG10_SIGMA_RANGE, p["sigma_step"]):
        gamma = width_to_gamma(log10_sigma)
        K, K_test = gram(X_train, gamma=gamma), gram(X_test, X_train, gamma=gamma)
        for machine, row in rows.items():
            results = solve_along_C(machine, K, y_train, C_values, sample_weight=weight)
            for c, result in zip(log10_C, results, strict=True):
                values = K_test @ (y_train * result.alpha) + result.intercept
                row[surface_column(c, log10_sigma)] = count_wrong(values, y_test)
                row["kkt_violation"] = max(row["kkt_violation"], result.kkt_violation)
                row["converged"] &= result.converged
    return list(rows.values())


def surface_column(log10_C, log10_sigma):
    """Name of the column that holds the errors at one grid point."""
    return f"wrong_C{log10_C:g}_s{log10_sigma:g}"


TABLE_2_SEARCH = Study(PAPER, "table_2_search", search_units, compute_search)
TABLE_2_SURFACE = Study(PAPER, "table_2_surface", surface_units, compute_surface)


# -- what is chosen, and its error ----------------------------------------------------------


def search_surface(search, dataset, machine, part=ALL_ROWS):
    """Cross-validated error in per cent, a row for each log10 C, a column for each log10 sigma."""
    rows = select(search, dataset=dataset, machine=machine, part=part)
    error = 100.0 * rows.n_wrong / (rows.n_rows * rows.repeats)
    return rows.assign(error=error).pivot(index="log10_C", columns="log10_sigma", values="error")


def chosen_setting(search, dataset, machine, part=ALL_ROWS):
    """(log10 C, log10 sigma) of the lowest cross-validated error; ties go to the smaller C.

    None where the search has no records.
    """
    table = search if search.empty else search_surface(search, dataset, machine, part)
    if table.empty:
        return None
    row, column = np.unravel_index(np.argmin(table.to_numpy()), table.shape)
    return float(table.index[row]), float(table.columns[column])


def tuned_on_training_rows(search, dataset, machine):
    """Median of the settings chosen on the training rows of the first splits, on the grid.

    This keeps the test rows out of the choice, as the repository's own protocol does. None where
    no training rows were searched.
    """
    parts = sorted(set(select(search, dataset=dataset).part) - {ALL_ROWS})
    chosen = [chosen_setting(search, dataset, machine, part) for part in parts]
    return tuple(np.median(chosen, axis=0).tolist()) if chosen else None


def errors_at(surface, dataset, machine, setting):
    """Test error in per cent of every split at a (log10 C, log10 sigma), None without records."""
    if surface.empty or setting is None:
        return None
    rows = select(surface, dataset=dataset, machine=machine).sort_values("split")
    return (100.0 * rows[surface_column(*setting)] / rows.n_test).to_numpy()


def tuning_table(search, surface):
    """Test error with settings chosen over all rows, on training rows, and the best of the grid.

    The difference is positive where keeping the test rows out costs something; the best of the
    grid no one could have chosen.
    """

    def row(name, machine):
        own = name, machine
        leaky = errors_at(surface, *own, chosen_setting(search, *own))
        clean = errors_at(surface, *own, tuned_on_training_rows(search, *own))
        cells = {"all rows": np.nan if leaky is None else leaky.mean()}
        if clean is not None and leaky is not None:
            cells["training rows"] = clean.mean()
            cells |= with_error("difference", paired_difference(clean, leaky))
        rows = select(surface, dataset=name, machine=machine)
        errors = rows.filter(like="wrong_").mean() / rows.n_test.iloc[0]
        return {**cells, "best of the grid": 100.0 * errors.min()}

    return row_a_machine(surface, SEARCHED, row)


def tuning_marks(search, dataset, machine, matched):
    """Points to mark on a search surface: chosen over all rows, on training rows, matched."""
    marks = {
        "chosen over all rows": (chosen_setting(search, dataset, machine), "o"),
        "chosen on training rows": (tuned_on_training_rows(search, dataset, machine), "s"),
        "matches the printed iterations": (matched, "*"),
    }
    return [(name, *at, marker) for name, (at, marker) in marks.items() if at is not None]


def plot_surface(ax, table, *, label, marks=(), title="", ratio=False):
    """A table by log10 C and log10 sigma as colours, with marks (name, log10 C, log10 sigma, marker).

    Of a ratio the colours lie on both sides of 1, on a logarithmic scale, with a line at 1.
    """
    axes, values = (table.columns, table.index), table.to_numpy()
    if ratio:
        logarithm = np.log2(values)
        reach = np.ceil(10 * np.abs(logarithm).max()) / 10
        levels = np.linspace(-reach, reach, 21)
        drawn = ax.contourf(*axes, logarithm, cmap="PuOr_r", levels=levels)
        ax.contour(*axes, values, levels=[1.0], colors="black")
        bar = ax.figure.colorbar(drawn, ax=ax, label=label, ticks=[-reach, 0, reach])
        bar.ax.set_yticklabels([f"{2**-reach:.2g}", "1", f"{2**reach:.3g}"])
    else:
        drawn = ax.contourf(*axes, values, levels=12, cmap="viridis")
        ax.figure.colorbar(drawn, ax=ax, label=label)
    look = {"color": "white", "markeredgecolor": "black", "markersize": 10, "clip_on": False}
    for name, log10_C, log10_sigma, marker in marks:
        ax.plot(log10_sigma, log10_C, marker, label=name, zorder=3, **look)
    ax.set(xlabel=r"$\log_{10} \sigma$", ylabel=r"$\log_{10} C$", title=title)
    return ax
