"""Section 3.1 on cases A and B, and the threshold that keeps a constant false-alarm rate."""

import numpy as np

from companion.papers.usvc import benefit

STUDIES = (benefit.BENEFIT_SIZE, benefit.BENEFIT_WIDTH, benefit.BENEFIT_NOISE)
VALUES = (
    (benefit.add_gains_by_size, "benefit_size"),
    (benefit.add_gains_by_width, "benefit_width", "benefit_size"),
    (benefit.add_noise, "benefit_noise"),
)


def threshold_for(negatives, level):
    """Least threshold that at most a share ``level`` of new negatives exceeds in expectation.

    Of n exchangeable values and a new one, the new one is among the k largest with probability
    k / (n + 1); the threshold is the largest value but k - 1 with k = floor(level (n + 1)).
    """
    k = int(np.floor(level * (len(negatives) + 1)))
    return float(np.sort(negatives)[::-1][k - 1]) if k >= 1 else np.inf
