"""A rare class today: everything is chosen by cross-validation, on eleven sets and imbalances."""

from companion.papers.conformal import g_means
from companion.papers.conformal.beyond import MOVED, corrections
from companion.papers.conformal.practice import PRACTICE

STUDIES = (PRACTICE,)

#: Errors over sets and imbalances, a row a partition and a column a method.
NESTED = {
    ("bias shift", "g-means error: MDT-JGRAD - threshold by CV, nested"): (
        "`MDT-JGRAD` - `threshold by CV`"
    ),
    (
        "best transformation",
        "g-means error: best transformation - threshold by CV, nested",
    ): "`best transformation` - `threshold by CV`",
}


def _add_errors(out, frame):
    """What chapters 3, 5 and 6 say of corrections, where all else is chosen, too."""
    g_means.add_claims(out, g_means.by_partition(frame), NESTED)
    numbers = corrections(frame, f"{MOVED}, nested")
    support = frame.groupby(["dataset", "imbalance", "partition"]).support.mean()
    most = support.groupby(level=["dataset", "imbalance"]).mean().idxmax()
    column = "largest share of the training patterns, plain machine, nested"
    numbers["support vectors", column] = support[most]
    g_means.add_means(out, numbers)


VALUES = ((_add_errors, "practice"),)
