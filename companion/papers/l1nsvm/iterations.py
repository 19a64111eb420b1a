"""Which machine takes fewer iterations, and whether second-order selection helps: over the grid."""

import numpy as np

from companion.papers.l1nsvm.machines import PRINTED_MACHINES, PRINTED_NAMES
from companion.papers.l1nsvm.table_2 import iterations_of, worst_second_order
from companion.papers.l1nsvm.table_2_studies import TABLE_2_ITERATIONS

STUDIES = (TABLE_2_ITERATIONS,)


def add_iterations(out, frame):
    """Which machine is faster over the grid, and where the second order does not help LS."""
    if set(frame.dataset) != set(PRINTED_NAMES):
        return
    both = [
        [iterations_of(frame, name, machine, "first") for machine in PRINTED_MACHINES]
        for name in PRINTED_NAMES
    ]
    faster = [(ls < least).mean(axis=1).to_numpy() for ls, least in both]
    faster.sort(key=np.mean)
    ends = [shares if shares.mean() < 0.5 else 1 - shares for shares in faster]
    half_of_least = np.mean([(ls <= least / 2).mean(axis=1) for ls, least in both], 0)
    half_of_ls = np.mean([(least <= ls / 2).mean(axis=1) for ls, least in both], 0)
    grid = {
        "share of the grid where the machine that loses more often is faster, least": min(
            ends, key=np.mean
        ),
        "share of the grid where LS is faster, largest - least": faster[-1] - faster[0],
        "largest second-order / first-order #It., LS": worst_second_order(frame, "LS"),
        "share of the grid where one of them needs at least twice the other's #It.": (
            half_of_least + half_of_ls
        ),
        "share of the grid where LS needs at most half": half_of_least,
        "share of the grid where Least 1-Norm needs at most half": half_of_ls,
    }
    out.add_means("all data sets", grid)


VALUES = ((add_iterations, "table_2_iterations"),)
