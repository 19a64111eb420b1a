"""Which machine takes fewer iterations, and whether second-order selection helps: over the grid."""

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error
from companion.papers.l1nsvm.machines import PRINTED_MACHINES, PRINTED_NAMES
from companion.papers.l1nsvm.table_2_studies import TABLE_2_ITERATIONS
from companion.papers.summaries import difference_of, mean_over, present, select

STUDIES = (TABLE_2_ITERATIONS,)


def iterations_of(frame, dataset, machine, order):
    """Iterations of an order, first or second, a row a split, a column a (log10 C, log10 sigma)."""
    rows = select(frame, dataset=dataset, machine=machine)
    counts = rows.set_index(["split", "log10_sigma"]).filter(like=f"{order}_C")
    by_C = counts.rename(columns=lambda name: float(name.partition("_C")[2]))
    return by_C.astype(float).unstack().sort_index(axis=1)


def second_over_first(frame, dataset, machine):
    """Ratios of iterations, as `iterations_of`."""
    first = iterations_of(frame, dataset, machine, "first")
    return iterations_of(frame, dataset, machine, "second") / first


def worst_second_order(frame, machine):
    """The ratio where the second order helps least: picked on odd splits, measured on even ones."""
    names = frame.dataset.unique()
    ratios = [second_over_first(frame, name, machine) for name in names]
    worst = max(ratios, key=lambda ratio: ratio[::2].mean().max())
    return mean_and_standard_error(worst[1::2][worst[::2].mean().idxmax()])


def first_order(frame, dataset):
    """Iterations of LS and of Least 1-Norm, as `iterations_of`."""
    return [
        iterations_of(frame, dataset, machine, "first") for machine in PRINTED_MACHINES
    ]


def least_over_ls(frame, dataset):
    """Mean iterations of Least 1-Norm over those of LS, a row a log10 C, a column a log10 sigma."""
    ls, least = (counts.mean().unstack() for counts in first_order(frame, dataset))
    return least / ls


def where_ls_is_faster(frame, dataset):
    """In how much of the grid LS needs fewer iterations, as `share_of_grid`."""
    ls, least = first_order(frame, dataset)
    return share_of_grid(ls < least)


def add_iterations(out, frame):
    """Which machine is faster over the grid, and where the second order does not help LS."""
    if set(frame.dataset) != set(PRINTED_NAMES):
        return
    both = [first_order(frame, name) for name in PRINTED_NAMES]
    faster = sorted(where_ls_is_faster(frame, name) for name in PRINTED_NAMES)
    ends = [found._replace(mean=min(found.mean, 1 - found.mean)) for found in faster]
    halves = [(ls <= least / 2, least <= ls / 2) for ls, least in both]
    either = mean_over(share_of_grid(ls | least) for ls, least in halves)
    by_ls, by_least = (
        mean_over(map(share_of_grid, of)) for of in zip(*halves, strict=True)
    )
    grid = {
        "share of the grid where the machine that loses more often is faster, least": min(
            ends
        ),
        "share of the grid where LS is faster, largest - least": difference_of(
            faster[-1], faster[0]
        ),
        "largest second-order / first-order #It., LS": worst_second_order(frame, "LS"),
        "share of the grid where one of them needs at least twice the other's #It.": either,
        "share of the grid where LS needs at most half": by_ls,
        "share of the grid where Least 1-Norm needs at most half": by_least,
    }
    out.add_means("all data sets", grid)


def share_of_grid(is_so):
    """In how much of the grid something is so: mean over the splits of a data set."""
    return mean_and_standard_error(is_so.mean(axis=1))


VALUES = ((add_iterations, "table_2_iterations"),)


def what_came_out(run):
    """The opening of the notebook, computed from its run."""
    counts = run.records["table_2_iterations"]
    shares = {
        PRINTED_NAMES[name]: where_ls_is_faster(counts, name)
        for name in present(counts, PRINTED_NAMES)
    }
    if not shares:
        return "No data set is at hand, so that nothing was counted."
    text = ", ".join(
        f"{share.mean:.0%} on {name} ({share.n} splits)"
        for name, share in shares.items()
    )
    return (
        "Neither machine is the faster one everywhere. LS needs fewer iterations than Least 1-Norm"
        f" at these shares of the settings $(C, \\sigma)$, means over splits: {text}."
    )


def influence_table(counts):
    """By data set how often LS is faster, and what ten times C and sigma do to the ratio."""
    rows = []
    for name in present(counts, PRINTED_NAMES):
        ratio = np.log10(least_over_ls(counts, name))
        row = {
            "data set": PRINTED_NAMES[name],
            "LS needs fewer": where_ls_is_faster(counts, name).mean,
        }
        for words, means in (("10 C", ratio.mean(axis=1)), ("10 sigma", ratio.mean())):
            row[words] = 10 ** np.polyfit(means.index, means, 1)[0]
        rows.append(row)
    return pd.DataFrame(rows)
