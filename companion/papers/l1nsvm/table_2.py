"""Table 2 as it is printed and the claims of Section 4, from the records of its studies."""

from itertools import product

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.l1nsvm import table_2_studies
from companion.papers.l1nsvm.identical_points import (
    TABLE_2_IDENTICAL,
    add_identical_claims,
)
from companion.papers.l1nsvm.machines import EPSILON, PRINTED_MACHINES, PRINTED_NAMES
from companion.papers.l1nsvm.table_2_studies import ALL_ROWS, SEARCHED, surface_column
from companion.papers.summaries import (
    DRAWN,
    difference_of,
    magnitude,
    present,
    select,
    with_error,
)

STUDIES = (*table_2_studies.STUDIES, TABLE_2_IDENTICAL)
#: The data set on which the paper finds Least 1-Norm sparse.
SPARSE = "titanic"
#: Settings and stop as printed, and read as those of the printed iterations. The reading was chosen
#: by a low error, too: what is said of errors is not judged by it.
READING = "l1nsvm-matched-settings"
READINGS = {
    "": {"settings": "chosen", "tol": EPSILON},
    READING: {"settings": "matched", "tol": 2 * EPSILON},
}


def printed_runs(
    frame, machine, selection="first_order", tol=2 * EPSILON, settings="matched"
):
    """The rows of a machine in the order of the splits, with % errors.

    By default at the settings that match the printed iterations, and stopped where these come out.
    """
    runs = select(frame, machine=machine, selection=selection, settings=settings)
    runs = runs[np.isclose(runs.tol, tol)].sort_values("split")
    return runs.assign(error=100.0 * runs.n_wrong / runs.n_test)


def both_orders(rows, machine):
    """Iterations of one machine with first- and with second-order selection."""
    orders = ("first_order", "second_order")
    runs = (printed_runs(rows, machine, order) for order in orders)
    return [found.n_iter.to_numpy(dtype=float) for found in runs]


def _add_cells(out, frame):
    """The 48 printed numbers, and what is said of each data set."""
    for name in present(frame, PRINTED_NAMES):
        rows = select(frame, dataset=name)
        printed = PRINTED_NAMES[name]
        chosen, matched = (
            {
                machine: printed_runs(rows, machine, **run)
                for machine in PRINTED_MACHINES
            }
            for run in READINGS.values()
        )
        for machine in PRINTED_MACHINES:
            found = matched[machine]
            out.add_cell(printed, f"{machine} % err.", chosen[machine].error)
            out.add_cell(printed, f"{machine} #SV", chosen[machine].n_sv)
            out.add_cell(printed, f"{machine} #SV", found.n_sv, reading=READING)
            out.add_cell(printed, f"{machine} #It.", found.n_iter)
        similar = magnitude(_ls_less_least(chosen, "error"))
        out.add_mean(printed, "|LS - Least 1-Norm| % err.", similar)
        fewer = _ls_less_least(matched, "n_iter")
        out.add_mean(printed, "LS - Least 1-Norm #It.", fewer)


def _ls_less_least(runs, quantity):
    """The difference of the printed machines, whose runs are given."""
    return paired_difference(*(found[quantity] for found in runs.values()))


def _add_tuned_difference(out, search, surface):
    """The L1-SVM against Least 1-Norm, each at the setting that cross-validation chooses."""
    for name in present(surface, PRINTED_NAMES):
        l1, least = (
            errors_at(surface, name, machine, chosen_setting(search, name, machine))
            for machine in ("L1", "Least 1-Norm")
        )
        difference = magnitude(paired_difference(l1, least))
        out.add_mean(PRINTED_NAMES[name], "|L1-SVM - Least 1-Norm| % err.", difference)


def _add_sparsity(out, frame):
    """What is said of sparsity in Section 4, and of sparsity and speed in Section 5.

    Each where it holds least.
    """
    if set(frame.dataset) != set(PRINTED_NAMES):
        return
    frames = {name: select(frame, dataset=name) for name in PRINTED_NAMES}
    others = [name for name in frames if name != SPARSE]
    for reading, run in READINGS.items():
        ls, least, l1 = (
            {name: _share(rows, machine, **run) for name, rows in frames.items()}
            for machine in SEARCHED
        )
        dense = [*ls.values(), *(least[name] for name in others)]
        apart = [magnitude(paired_difference(ls[name], least[name])) for name in others]
        above = [paired_difference(l1[name], least[name]) for name in others]
        claims = {
            "least share of SVs, all but Least 1-Norm on Titanic": min(
                map(mean_and_standard_error, dense)
            ),
            "largest |LS - Least 1-Norm| share of SVs, but Titanic": max(apart),
            "share of SVs, Least 1-Norm - L1, Titanic": paired_difference(
                least[SPARSE], l1[SPARSE]
            ),
            "largest share of SVs, L1 - Least 1-Norm, but Titanic": max(above),
            "largest share of SVs, L1": max(map(mean_and_standard_error, l1.values())),
        }
        out.add_means("all data sets", claims, reading=reading)
    orders = [both_orders(rows, "Least 1-Norm") for rows in frames.values()]
    ratios = [mean_and_standard_error(second / first) for first, second in orders]
    column = "largest second-order / first-order #It., Least 1-Norm"
    out.add_mean("all data sets", column, max(ratios))


def _share(rows, machine, **run):
    """Share of support vectors by split."""
    found = printed_runs(rows, machine, **run)
    return found.n_sv / found.n_train


def _add_protocol(out, frame, search):
    """Sizes and settings."""
    splits = frame.groupby("dataset").split.nunique()
    whole = select(search, part=ALL_ROWS)
    protocol = {
        "splits": splits.min(),
        "data sets": len(splits),
        "epsilon": select(frame, settings="chosen").tol.min(),
        "genuine splits": np.count_nonzero(frame.splits != DRAWN),
        "log10 C from": whole.log10_C.min(),
        "log10 C to": whole.log10_C.max(),
        "log10 sigma from": whole.log10_sigma.min(),
        "log10 sigma to": whole.log10_sigma.max(),
        "CV repeats": whole.repeats.max(),
        "CV folds": whole.folds.max(),
    }
    out.add_all("protocol", protocol)


#: How much more the machines err on our splits than on those of the benchmark.
OWN_SPLITS = "% err. on drawn splits - on genuine splits"


def by_splits(frame, genuine):
    """By data set the errors on drawn and on genuine splits, means over the machines and splits."""
    chosen = select(frame, settings="chosen")
    return {
        name: [_errors_of(select(rows, dataset=name)) for rows in (chosen, genuine)]
        for name in present(genuine, PRINTED_NAMES)
    }


def _errors_of(rows):
    """The mean error in per cent over the splits, of all machines together."""
    errors = 100.0 * rows.n_wrong / rows.n_test
    return mean_and_standard_error(errors.groupby(rows.split).mean())


def _add_genuine(out, frame, genuine):
    for name, errors in by_splits(frame, genuine).items():
        out.add_mean(PRINTED_NAMES[name], OWN_SPLITS, difference_of(*errors))


VALUES = (
    (_add_cells, "table_2"),
    (_add_genuine, "table_2", "table_2_genuine"),
    (_add_tuned_difference, "table_2_search", "table_2_surface"),
    (_add_sparsity, "table_2"),
    (add_identical_claims, "table_2_identical"),
    (_add_protocol, "table_2", "table_2_search"),
)


# -- what is chosen, and its error ------------------------------------------------------------


def search_surface(search, dataset, machine, part=ALL_ROWS):
    """Cross-validated error in per cent, a row for each log10 C, a column for each log10 sigma."""
    rows = select(search, dataset=dataset, machine=machine, part=part)
    error = 100.0 * rows.n_wrong / (rows.n_rows * rows.repeats)
    return rows.assign(error=error).pivot(
        index="log10_C", columns="log10_sigma", values="error"
    )


def chosen_setting(search, dataset, machine, part=ALL_ROWS):
    """(log10 C, log10 sigma) of least error, ties to the smaller C; None without records."""
    table = search if search.empty else search_surface(search, dataset, machine, part)
    # by C first
    return None if table.empty else tuple(map(float, table.stack().idxmin()))


def errors_at(surface, dataset, machine, setting):
    """Test error in per cent of every split at a (log10 C, log10 sigma), None without records."""
    if surface.empty or setting is None:
        return None
    rows = select(surface, dataset=dataset, machine=machine).sort_values("split")
    return (100.0 * rows[surface_column(*setting)] / rows.n_test).to_numpy()


# -- what the notebook shows ------------------------------------------------------------------


def what_came_out(run):
    """The opening of the notebook, computed from its run."""
    if set(run.records["table_2"].dataset) != set(PRINTED_NAMES):
        return "Not all four data sets are at hand, so that the table is not complete."
    rows = run.ledger[run.ledger["row"].isin(PRINTED_NAMES.values())]
    errors = rows.query("asks == 'value' and column.str.endswith('% err.')")
    above = errors["reproduced"] - errors["published"]
    off = above.abs().max()
    splits = _of_own_splits(run, rows.loc[above.idxmax(), "row"])
    seen = errors["would_see"]
    matters = errors["matters"].max()
    apart = rows.query("column == '|LS - Least 1-Norm| % err.'")["reproduced"].max()
    ours = run.ledger.set_index("column")["reproduced"]
    dense = ours["least share of SVs, all but Least 1-Norm on Titanic"]
    sparse = ours["largest share of SVs, L1"]
    return (
        "The mean test errors of LS and Least 1-Norm are at most"
        f" {apart:.2f} points apart on any of the four sets, and at most {off:.2f} points from"
        " the printed ones. The print is too coarse for more: it has the two at most"
        f" {matters:.1f} apart, and of its means {seen.min():.1f} to {seen.max():.1f} points would"
        f" have been seen.{splits} Neither is sparse, but for Least 1-Norm on Titanic: otherwise at"
        f" least {dense:.0%} of the training points are support vectors, where the L1-SVM has at"
        f" most {sparse:.0%} (means over the splits)."
    )


def _of_own_splits(run, name):
    """What the benchmark's own splits say of the set where our errors lie highest, if it is had."""
    found = genuine_table(run).set_index("data set")
    if name not in found.index:
        return ""
    apart = found.loc[name]
    n = run.records["table_2_genuine"].split.nunique()
    return (
        f" On {name}, where ours are farthest above it, the machines err {apart.difference:+.1f}"
        f" points more on our splits than on {n} of the benchmark's own (standard error"
        f" {apart.SE:.1f})."
    )


def setting_of_training_rows(search, dataset, machine):
    """Median of the settings chosen on the training rows of the first splits, if there are any."""
    parts = select(search, dataset=dataset).part.unique()
    chosen = [
        chosen_setting(search, dataset, machine, part)
        for part in parts
        if part != ALL_ROWS
    ]
    return tuple(np.median(chosen, axis=0)) if chosen else None


def stopping_table(run):
    """Printed iterations beside those of both stops, at the settings that match."""
    records = run.records["table_2"]
    printed = run.ledger.set_index(["row", "column"])["published"]
    stops = {"stop at 2 epsilon": 2 * EPSILON, "stop at epsilon": EPSILON}
    rows = []
    for name, machine in product(present(records, PRINTED_NAMES), PRINTED_MACHINES):
        of_set = select(records, dataset=name)
        row = {
            "data set": PRINTED_NAMES[name],
            "machine": machine,
            "printed": printed[PRINTED_NAMES[name], f"{machine} #It."],
        }
        for words, tol in stops.items():
            row[words] = printed_runs(of_set, machine, tol=tol).n_iter.mean()
        rows.append(row)
    return pd.DataFrame(rows)


def leak_table(run):
    """Test errors at settings chosen over all rows and on training rows: a row a machine."""
    search = run.records["table_2_search"]
    surface = run.records["table_2_surface"]
    rows = []
    for name, machine in product(present(surface, PRINTED_NAMES), SEARCHED):
        place = (name, machine)
        leaky = errors_at(surface, *place, chosen_setting(search, *place))
        row = {"data set": PRINTED_NAMES[name], "machine": machine}
        row["splits"] = len(leaky)
        row["all rows"] = leaky.mean()
        clean = errors_at(surface, *place, setting_of_training_rows(search, *place))
        if clean is not None:
            row["training rows"] = clean.mean()
            row |= with_error("difference", paired_difference(clean, leaky))
        rows.append(row)
    return pd.DataFrame(rows)


def genuine_table(run):
    """Errors of all machines on drawn splits and on those of the benchmark: a row a data set."""
    rows = []
    found = by_splits(run.records["table_2"], run.records["table_2_genuine"])
    for name, errors in found.items():
        drawn, genuine = errors
        apart = difference_of(drawn, genuine)
        means = (drawn.mean, genuine.mean, apart.mean, apart.standard_error)
        rows.append((PRINTED_NAMES[name], *means))
    columns = ["data set", "drawn", "genuine", "difference", "SE"]
    return pd.DataFrame(rows, columns=columns)


def sparsity_table(identical):
    """Mean share of support vectors on Titanic, by who has found the machine of which problem."""
    ways = {
        "SMO from zero": "smo",
        "multipliers shared evenly": "even",
        "an interior point method": "interior",
        "SMO, inputs moved apart a little": "jitter",
        "SMO, one tag for identical points": "one_tag",
    }
    shares = [
        (identical[f"{key}_n_sv"] / identical.n_train).mean() for key in ways.values()
    ]
    return pd.DataFrame({"found by": list(ways), "share of support vectors": shares})
