"""Table 2: errors, support vectors and iterations of LS and Least 1-Norm SVMs.

The study is the printed experiment: for each data set and each of 100 splits, train by SMO and
test, with all four machines, both selections, and both readings of the stopping rule. What the
claims of Section 4 need besides stands in ``tuning``, ``iterations`` and ``identical_points``.
"""

import numpy as np

from companion.kernels import gram
from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.l1nsvm.identical_points import add_identical_claims
from companion.papers.l1nsvm.iterations import worst_second_order
from companion.papers.l1nsvm.machines import (
    EPSILON,
    MACHINES,
    PAPER,
    PRINTED_MACHINES,
    PRINTED_NAMES,
    SETTINGS,
    solve_as_printed,
    width_to_gamma,
)
from companion.papers.l1nsvm.protocol import count_wrong, row_a_machine, split_rows, split_units
from companion.papers.l1nsvm.tuning import ALL_ROWS, chosen_setting, errors_at
from companion.papers.summaries import (
    Values,
    here_and_on_new_samples,
    magnitude,
    present,
    select,
    with_error,
)
from companion.reproduction import Study

SPLITS = {"paper": 100, "quick": 10}


def table_units(profile):
    """One unit a data set and split."""
    return split_units("table_2", SPLITS[profile])


def compute_split(unit):
    """Train on one split and test: machines x selections x readings of the stopping rule."""
    name = unit.params["dataset"]
    X_train, y_train, X_test, y_test = split_rows(name, unit.params["split"], unit.params["splits"])
    rows, grams = [], {}
    for machine in MACHINES:
        log10_C, log10_sigma = SETTINGS[name][machine]
        C, gamma = 10.0**log10_C, width_to_gamma(log10_sigma)
        if gamma not in grams:
            grams[gamma] = gram(X_train, gamma=gamma), gram(X_test, X_train, gamma=gamma)
        K, K_test = grams[gamma]
        # The printed iteration counts come out with max - min <= 2 epsilon, which is every
        # condition of (6) or (7) holding to epsilon, and not with epsilon as (10) and (11) say;
        # the two machines of the table are run with both.
        runs = [("first_order", 2), ("second_order", 2)]
        if machine in PRINTED_MACHINES:
            runs.append(("first_order", 1))
        for selection, threshold in runs:
            tol = threshold * EPSILON
            result = solve_as_printed(machine, K, y_train, C, tol=tol, selection=selection)
            values = K_test @ (y_train * result.alpha) + result.intercept
            row = {
                "machine": machine,
                "selection": selection,
                "tol": tol,
                "log10_C": log10_C,
                "log10_sigma": log10_sigma,
                "n_wrong": count_wrong(values, y_test),
                "n_train": len(y_train),
                "n_test": len(y_test),
                "n_sv": int(np.count_nonzero(result.alpha)),
                "n_iter": result.n_iter,
                "max_alpha_over_C": float(np.abs(result.alpha).max() / C),
                "duality_gap": result.duality_gap,
                "kkt_violation": result.kkt_violation,
                "converged": result.converged,
            }
            rows.append(row)
    return rows


TABLE_2 = Study(PAPER, "table_2", table_units, compute_split)


def printed_runs(frame, machine, selection="first_order", tol=2 * EPSILON):
    """The rows of a machine in the order of the splits, by default as printed, with % errors."""
    runs = select(frame, machine=machine, selection=selection)
    runs = runs[np.isclose(runs.tol, tol)].sort_values("split")
    return runs.assign(error=100.0 * runs.n_wrong / runs.n_test)


def both_orders(rows, machine):
    """Iterations of one machine with first- and with second-order selection."""
    runs = (printed_runs(rows, machine, f"{order}_order") for order in ("first", "second"))
    return [own.n_iter.to_numpy(dtype=float) for own in runs]


def table_2_values(records):
    """The 48 printed numbers of Table 2, the protocol around them, and Section 4's claims."""
    out, frame = Values(), records["table_2"]
    search, surface = records["table_2_search"], records["table_2_surface"]
    for name in present(frame, PRINTED_NAMES):
        rows, printed = select(frame, dataset=name), PRINTED_NAMES[name]
        _add_runs(out, printed, rows)
        for column, difference in _error_differences(name, rows, search, surface).items():
            out.add_mean(printed, column, magnitude(difference))
    iterations, identical = records["table_2_iterations"], records["table_2_identical"]
    if not iterations.empty and set(iterations.dataset) == set(PRINTED_NAMES):
        column = "largest second-order / first-order #It., LS"
        worst = worst_second_order(iterations, "LS")
        out.add_mean("all data sets", column, worst, iterations.converged.all())
    if not identical.empty:
        add_identical_claims(out, identical)
    if not frame.empty:
        splits = frame.groupby("dataset").split.nunique()
        genuine = select(frame, splits="ida").groupby("dataset").split.nunique()
        out.add_all("protocol", {"splits": splits.min(), "data sets": len(splits)})
        out.add_all("protocol", {"genuine splits": genuine.min() if len(genuine) else 0})
        out.add("protocol", "epsilon", frame.tol.min())
    whole = search if search.empty else select(search, part=ALL_ROWS)
    if not whole.empty:
        for axis in ("C", "sigma"):
            values = whole[f"log10_{axis}"]
            ends = {f"log10 {axis} from": values.min(), f"log10 {axis} to": values.max()}
            out.add_all("protocol", ends)
        folds = {"CV repeats": whole.repeats.max(), "CV folds": whole.folds.max()}
        out.add_all("protocol", folds)
    return out.frame()


def _add_runs(out, printed, rows):
    runs = {machine: printed_runs(rows, machine) for machine in PRINTED_MACHINES}
    for machine, own in runs.items():
        converged = own.converged.all()
        for column, key in (("% err.", "error"), ("#SV", "n_sv"), ("#It.", "n_iter")):
            out.add_cell(printed, f"{machine} {column}", own[key], converged)
        share = mean_and_standard_error(own.n_sv / own.n_train)
        out.add_mean(printed, f"{machine} share of SVs", share, converged)
    ls, least = runs.values()
    first, second = both_orders(rows, "Least 1-Norm")
    ratio = mean_and_standard_error(second / first)
    iterations = {
        "LS - Least 1-Norm #It.": paired_difference(ls.n_iter, least.n_iter),
        "second-order / first-order #It., Least 1-Norm": ratio,
    }
    out.add_means(printed, iterations, ls.converged.all() and least.converged.all())


def _error_differences(name, rows, search, surface):
    pairs = {"LS": [printed_runs(rows, machine).error for machine in PRINTED_MACHINES]}
    tuned = [
        errors_at(surface, name, machine, chosen_setting(search, name, machine))
        for machine in ("L1", "Least 1-Norm")
    ]
    if all(errors is not None for errors in tuned):
        pairs["L1-SVM"] = tuned
    found = {}
    for machine, pair in pairs.items():
        found |= here_and_on_new_samples(f"|{machine} - Least 1-Norm| % err.", *pair, rows)
    return found


def stopping_table(frame, published):
    """Mean iterations with both readings of the stopping rule beside the printed ones."""
    printed = published.set_index(["row", "column"])["published"]

    def row(name, machine):
        rows = select(frame, dataset=name)
        return {
            "printed": printed[PRINTED_NAMES[name], f"{machine} #It."],
            "stop at 2 epsilon": printed_runs(rows, machine).n_iter.mean(),
            "stop at epsilon": printed_runs(rows, machine, tol=EPSILON).n_iter.mean(),
        }

    return row_a_machine(frame, PRINTED_MACHINES, row)


def second_order_table(frame):
    """Mean iterations of all machines with each selection, and the mean of their ratio."""

    def row(name, machine):
        first, second = both_orders(select(frame, dataset=name), machine)
        ratio = with_error("second / first", mean_and_standard_error(second / first))
        return {"first order": first.mean(), "second order": second.mean(), **ratio}

    return row_a_machine(frame, MACHINES, row)
