"""How the thesis scaled the inputs of its real sets: standardised, or in the box of the board."""

import numpy as np
import pandas as pd

from companion.papers.conformal.methods import SVM
from companion.papers.conformal.problems import LARGE, PAPER, SETS
from companion.papers.conformal.real_sets import every_partition
from companion.reproduction.published import load_published
from companion.reproduction.vectors import squared_distances_from_the_others

#: Methods that have fewer partitions than the others, and are judged by themselves.
COSTLY = "TSVT"


def scalings(records):
    """The cells that both scalings of the inputs have, by what the scalings are called."""
    folds, boxed = records["folds"], records["boxed"]
    if not len(boxed) or not len(folds):
        return {}
    standardised = every_partition(folds)
    standardised = standardised[standardised.error.notna()]
    keys = ["dataset", "partition", "method"]
    both = boxed[keys].merge(standardised[keys])
    return {"standardised": both.merge(standardised), "in the box": both.merge(boxed)}


def scaling_tests(records):
    """How far the print of all sets but Segment1 is from our partitions, by either scaling.

    The numbers of a partition hang together, so that the print is judged as one more partition:
    beside its squared distance from ours stands the largest of one of ours from the others, and the
    share of all that are as far as it is. Numbers that repeat another are left out.
    """
    published = load_published(PAPER)
    published = published[
        (published.artefact == "real_sets")
        & (published.kind == "stochastic")
        & (published.repeats == "")
        & ~published.column.str.startswith(LARGE)
    ]
    is_error = published.column.isin(SETS)
    errors = _one_vector(published[is_error])
    spreads = _one_vector(published[~is_error])
    svm = errors.xs(SVM, axis=1, level="method", drop_level=False)
    changes, costly_changes = _without_and_with_costly(_changes(errors))
    spreads, costly_spreads = _without_and_with_costly(spreads)
    rows = []
    for name, table in scalings(records).items():
        ours = table.pivot(index="partition", columns=["dataset", "method"])
        our_changes = _changes(ours.error)
        for what, printed, partitions in (
            ("errors of the SVM", svm, ours.error),
            ("methods - SVM", changes, our_changes),
            (f"{COSTLY} - SVM", costly_changes, our_changes),
            ("spreads", spreads, ours.spread),
            (f"spreads of {COSTLY}", costly_spreads, ours.spread),
        ):
            vectors = pd.concat([printed, partitions], join="inner").dropna()
            far = squared_distances_from_the_others(vectors)
            row = {"inputs": name, "what": what, "n": vectors.shape[1]}
            row |= {"distance": far[0], "largest of ours": far[1:].max()}
            rows.append(row | {"as far": np.mean(far >= far[0])})
    return pd.DataFrame(rows)


def _one_vector(published):
    """Printed numbers in one row, with a column a data set and method."""
    named = published.assign(
        dataset=published.column.str.removesuffix(" ±"), method=published.row
    )
    return named.set_index(["dataset", "method"])[["value"]].T


def _changes(errors):
    """Errors of the methods minus those of the plain machine."""
    plain = errors.xs(SVM, axis=1, level="method")
    return errors.drop(columns=SVM, level="method").sub(plain, axis=1, level="dataset")


def _without_and_with_costly(vector):
    """The columns of the methods that all partitions have, and those of the costly ones."""
    is_costly = vector.columns.get_level_values("method").str.startswith(COSTLY)
    return vector.loc[:, ~is_costly], vector.loc[:, is_costly]
