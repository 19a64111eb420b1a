"""Which machine takes fewer iterations, and whether second-order selection helps: over the grid."""

import numpy as np

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.l1nsvm.machines import PRINTED_MACHINES, PRINTED_NAMES
from companion.papers.l1nsvm.table_2 import iterations_of, worst_second_order
from companion.papers.l1nsvm.table_2_studies import TABLE_2_ITERATIONS

STUDIES = (TABLE_2_ITERATIONS,)


def add_iterations(out, frame):
    """Which machine is faster over the grid, and where the second order does not help LS."""
    if set(frame.dataset) != set(PRINTED_NAMES):
        return
    faster = []
    remarkably = []
    for name in PRINTED_NAMES:
        ls, least = (
            iterations_of(frame, name, machine, "first") for machine in PRINTED_MACHINES
        )
        faster.append((ls < least).mean(axis=1).to_numpy())
        remarkably.append(
            [(ls <= least / 2).mean(axis=1), (least <= ls / 2).mean(axis=1)]
        )
    faster.sort(key=np.mean)
    ends = [shares if shares.mean() < 0.5 else 1 - shares for shares in faster]
    loser = mean_and_standard_error(min(ends, key=np.mean))
    apart = paired_difference(faster[-1], faster[0])
    grid = {
        "share of the grid where the machine that loses more often is faster, least": loser,
        "share of the grid where LS is faster, largest - least": apart,
        "largest second-order / first-order #It., LS": worst_second_order(frame, "LS"),
    }
    quite = np.mean(remarkably, axis=0).sum(axis=0)
    column = "share of the grid where one of them needs at least twice the other's #It."
    grid[column] = mean_and_standard_error(quite)
    for machine, shares in zip(
        PRINTED_MACHINES, np.mean(remarkably, axis=0), strict=True
    ):
        half = f"share of the grid where {machine} needs at most half"
        grid[half] = mean_and_standard_error(shares)
    out.add_means("all data sets", grid, frame.converged.all())


VALUES = ((add_iterations, "table_2_iterations"),)
