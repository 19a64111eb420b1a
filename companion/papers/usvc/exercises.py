"""The questions of the method's notebook, answered."""

import numpy as np

from companion.datasets import threshold_case
from companion.estimators import L1SVC, UnbiasedSVC
from companion.papers.exercises import shown


def threshold(machine):
    """Where a machine on the line begins to say +1: from 0, everywhere, to 1, nowhere."""
    line = np.linspace(0, 1, 2001)
    says = machine.decision_function(line[:, np.newaxis]) > 0
    return line[says.argmax()] if says.any() else 1.0


def thresholds(shares, n_samples=500, draw=1, C=10.0, s=2.0):
    """The threshold that each machine finds in case A, by name, for shares in the cluster."""
    machines = {
        "SVC": L1SVC(C=C, kernel="linear"),
        "USVC": UnbiasedSVC(C=C, s=s, kernel="linear"),
    }
    data = [threshold_case("A", n_samples, draw, share) for share in shares]
    return {
        name: np.array([threshold(machine.fit(*sample)) for sample in data])
        for name, machine in machines.items()
    }


def growing_cluster(**settings):
    """The thresholds as the cluster grows, folded up."""
    from IPython.display import Markdown

    shares = (0.0, 0.2, 0.3, 0.4)
    found = thresholds(shares, **settings)
    lines = []
    for share, *of_machines in zip(shares, *found.values(), strict=True):
        words = [f"{at:.3f}" if at else "all +1" for at in of_machines]
        lines.append(f"| {share:g} | {' | '.join(words)} |")
    return Markdown(
        "<details><summary>An answer</summary>\n\nThe thresholds, and whether a machine calls all "
        "patterns +1:\n\n| share in the cluster | SVC | unbiased machine |\n| --- | --- | --- |\n"
        + "\n".join(lines)
        + "\n\n</details>"
    )


def solution(number):
    """The solution of an exercise, 1 or 2, folded up."""
    return shown({1: where_they_turn, 2: from_two_starts}[number])


def where_they_turn():
    """The least share in the cluster at which each machine leaves .5 by more than .1."""
    shares = np.linspace(0, 0.35, 15)
    turns = {}
    for name, found in thresholds(shares).items():
        turned = shares[found < 0.4]
        turns[name] = turned.min() if len(turned) else np.inf
    assert turns["SVC"] < turns["USVC"]
    if np.isinf(turns["USVC"]):
        other = "does not up to .35"
    else:
        other = f"at {turns['USVC']:.3f}"
    return (
        f"The SVC turns at a share of {turns['SVC']:.3f}, the unbiased machine {other}."
    )


def from_two_starts():
    """How often the two starts end in different minima, over draws of case B."""
    n_apart = 0
    for draw in range(1, 31):
        data = threshold_case("B", 500, draw)
        ends = [
            threshold(UnbiasedSVC(C=10.0, s=4.0, kernel="linear", init=init).fit(*data))
            for init in ("least_squares", "svc")
        ]
        n_apart += abs(ends[0] - ends[1]) > 0.1
    assert 0 < n_apart < 30
    return f"In {n_apart} of 30 draws the two starts end in different minima."
