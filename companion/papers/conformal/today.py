"""A rare class today: everything is chosen by cross-validation, on eleven sets and imbalances."""

from companion.papers.conformal import g_means
from companion.papers.conformal.beyond import MOVED, corrections
from companion.papers.conformal.practice import PRACTICE
from companion.papers.summaries import Values

STUDIES = (PRACTICE,)

#: Rows and columns about errors over sets and imbalances, and whose difference they are.
_BEST = "best transformation"
NESTED = {
    ("bias shift", f"g-means error: MDT-JGRAD - {MOVED}, nested"): ("MDT-JGRAD", MOVED),
    (_BEST, f"g-means error: {_BEST} - {MOVED}, nested"): (_BEST, MOVED),
}


def reproduced_values(records):
    """What chapters 3, 5 and 6 say of corrections, where all else is chosen, too."""
    out = Values()
    frame = records["practice"]
    if frame.empty:
        return out.frame()
    means = g_means.by_partition(frame)
    numbers = {
        place: means[one] - means[other] for place, (one, other) in NESTED.items()
    }
    numbers |= corrections(frame, f"{MOVED}, nested")
    kept = [rows for _, rows in frame.groupby(["dataset", "imbalance"])]
    column = "largest share of the training patterns, plain machine, nested"
    most = max(kept, key=lambda rows: rows.support.mean())
    numbers["support vectors", column] = most.groupby("partition").support.mean()
    g_means.add_means(out, numbers)
    return out.frame()
