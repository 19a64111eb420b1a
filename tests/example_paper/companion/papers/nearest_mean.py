"""A. Example, "How Near Is the Nearest Mean?": two round Gaussians in ten dimensions."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from companion.metrics import paired_difference
from companion.papers.summaries import Values
from companion.reproduction import RUN_PARAMETERS, Artefact, Study

PAPER = "nearest_mean"
DISTANCES = (1.0, 2.0, 3.0)
N_FEATURES, N_TRAIN = 10, 20
SAMPLES = {"quick": 8, "paper": 50}


def bayes_error(distance):
    """Error in per cent of the best rule for means this far apart, (1) of the paper."""
    return 100 * NormalDist().cdf(-distance / 2)


def units(profile):
    """One unit a sample and distance."""
    return [
        TABLE_1.unit(distance=distance, sample=sample)
        for distance in DISTANCES
        for sample in range(1, SAMPLES[profile] + 1)
    ]


def compute(unit):
    """Error in per cent of the nearest mean on one training sample, in closed form."""
    mean = np.zeros(N_FEATURES)
    mean[0] = unit.params["distance"] / 2
    y = np.repeat([1.0, -1.0], N_TRAIN // 2)
    X = y[:, None] * mean + unit.rng().standard_normal((N_TRAIN, N_FEATURES))
    centres = X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)
    w, middle = centres[0] - centres[1], (centres[0] + centres[1]) / 2
    lead = [label * w @ (label * mean - middle) / np.linalg.norm(w) for label in (1, -1)]
    return {"error": 50 * sum(NormalDist().cdf(-x) for x in lead)}


TABLE_1 = Study(PAPER, "table_1", units, compute)


def table_1_values(records):
    """Table 1 and the claim about it, from the records of the study."""
    out, frame = Values(), records["table_1"]
    for distance in DISTANCES:
        out.add(f"d = {distance:g}", "best rule", bayes_error(distance))
    if frame.empty:
        return out.frame()
    errors = {distance: part["error"].to_numpy() for distance, part in frame.groupby("distance")}
    out.add("protocol", "samples", len(errors[1.0]))
    for distance in DISTANCES:
        out.add_cell(f"d = {distance:g}", "nearest mean", errors[distance])
    excess = {distance: errors[distance] - bayes_error(distance) for distance in (1.0, 3.0)}
    out.add_mean(
        "claim", "excess error: d = 1 - d = 3", paired_difference(excess[1.0], excess[3.0])
    )
    return out.frame()


ARTEFACTS = (
    Artefact(
        PAPER,
        "table_1",
        "Table 1: error of the nearest mean",
        (TABLE_1,),
        RUN_PARAMETERS,
        table_1_values,
    ),
)
