"""How the thesis scaled the inputs of its real sets: standardised, or in the box of the board."""

import numpy as np
import pandas as pd

from companion.papers.conformal import g_means
from companion.papers.conformal.methods import PRINTED, SVM
from companion.papers.conformal.problems import LARGE, PAPER, SETS
from companion.papers.conformal.real_sets import every_partition
from companion.papers.conformal.real_sets_studies import IN_BOX, STANDARDISED
from companion.papers.summaries import select
from companion.reproduction.published import load_published
from companion.reproduction.vectors import squared_distances_from_the_others

#: Methods that have fewer partitions than the others, and are judged by themselves.
COSTLY = "TSVT"


def scalings(records):
    """The cells that both scalings of the inputs have, by what the scalings are called."""
    folds, boxed, more = (records[name] for name in ("folds", "boxed", "partitions"))
    if not len(boxed) or not len(folds):
        return {}
    ours = {STANDARDISED: every_partition(folds, more)}
    ours[IN_BOX] = pd.concat([boxed, select(more, inputs=IN_BOX)])
    keys = ["dataset", "partition", "method"]
    ours = {
        name: t[t.error.notna() & t.method.isin(PRINTED)] for name, t in ours.items()
    }
    both = ours[STANDARDISED][keys].merge(ours[IN_BOX][keys])
    return {name: both.merge(table) for name, table in ours.items()}


def scaling_tests(records):
    """How far the print of all sets but Segment1 is from our partitions, by either scaling.

    The numbers of a partition hang together, so that the print is judged as one more partition:
    beside its squared distance from ours stands the largest of one of ours from the others, and the
    share of all that are as far as it is. Cells with an asterisk repeat the SVM's and are left out.
    """
    published = load_published(PAPER)
    starred = {
        (name, method) for name in SETS for method in g_means.printed_asterisks(name)
    }
    names = published.column.str.removesuffix(" ±")
    repeated = [cell in starred for cell in zip(names, published.row, strict=True)]
    is_cell = (published.artefact == "real_sets") & names.isin([*SETS])
    published = published[is_cell & ~np.array(repeated) & (names != LARGE)]
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
            row |= {"partitions": len(vectors) - 1}
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
