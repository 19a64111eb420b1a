"""Section 3.1 on cases A and B, and the threshold that keeps a constant false-alarm rate."""

import numpy as np
from scipy.stats import betabinom

from companion.papers.summaries import range_text
from companion.papers.usvc import benefit, cases

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


# -- what the notebook says -----------------------------------------------------------------


def gains_by(records, column):
    """The gain in points, mean and standard error, by case and place of the column."""
    rows = cases.by_case(records)
    gain = rows.assign(gain=benefit.gains(rows)).groupby(["case", column]).gain
    return gain.agg(gain="mean", SE="sem")


def what_came_out(run):
    """What the unbiased machine gains on the SVC in cases A and B, in sentences."""
    by_n = gains_by(run.records["benefit_size"], "n").gain
    by_width = gains_by(run.records["benefit_width"], "sigma").gain
    linear = []
    bent = []
    for case in cases.TABLE_READINGS:
        gain = by_n[case]
        linear.append(
            f"{gain.iloc[0]:+.1f} points on {gain.index[0]} patterns of case {case} and"
            f" {gain.iloc[-1]:+.1f} on {gain.index[-1]}"
        )
        bent.append(f"{range_text(by_width[case], '+.1f')} points in case {case}")
    return (
        f"The linear unbiased machine gains on the SVC {', '.join(linear)} (means over draws; where"
        f" the number is above 0 it errs less). With an RBF kernel on 40 prototypes it gains"
        f" {' and '.join(bent)}, by the width."
    )


def about_the_promise(n_false, n_new, n_seen, level):
    """What a promised false-alarm rate says of one sample, in sentences."""
    k = int(level * (n_seen + 1))
    if not k:
        return f"With {n_seen} negative patterns no false alarm can be allowed at this level."
    law = betabinom(n_new, k, n_seen + 1 - k)  # of the false alarms, over both samples
    return (
        f"The level of {level:g} is promised for the mean over samples, which is at most"
        f" {k}/{n_seen + 1} = {k / (n_seen + 1):.3f}. One sample of {n_new} new negatives, with a"
        f" threshold from {n_seen} others, scatters about it with a standard deviation of"
        f" {law.std() / n_new:.3f}: {n_false / n_new:.3f} or more has a chance of"
        f" {law.sf(n_false - 1):.2f}."
    )
