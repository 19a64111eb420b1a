"""The questions of the method's notebook, answered."""

import numpy as np

from companion.datasets import three_gaussians
from companion.estimators import WeightedRobustSVC
from companion.papers.exercises import shown
from companion.papers.wrsvm import examples, regions


def machine(a, truncation, C=1.0):
    """The linear machine for U2,a, truncated or not (None)."""
    U = examples.utility(2, a)
    return WeightedRobustSVC(C=C, utility=U, kernel="linear", truncation=truncation)


def share_of_class_1(decided):
    """In per cent of the square, from decisions 1, 2 or 3 on the lattice."""
    return 100 * np.mean(decided == 1)


def solution(number):
    """The solution of an exercise, 1 or 2, folded up."""
    return shown({1: when_class_1_goes, 2: whether_truncation_helps}[number])


def when_class_1_goes():
    """The share of class 1 without truncation, for three utilities."""
    data = three_gaussians(150, 0.15, 1)
    shares = {}
    for a in (0.0, 0.4, 0.8):
        decided = machine(a, None).fit(*data).predict(regions.lattice())
        shares[a] = share_of_class_1(decided)
    assert shares[0.0] > shares[0.4] > shares[0.8]
    assert shares[0.8] < 5
    found = ", ".join(f"{share:.0f} % with a = {a:g}" for a, share in shares.items())
    return f"From a = 1/2 on. Of the square, class 1 has {found}."


def whether_truncation_helps():
    """What truncation gains on clean labels, C = 1, in ten draws with wrong ones."""
    X, y = three_gaussians(20_000, 0.0, 0)
    gains = {}
    for a in (0.0, 0.4):
        U = examples.utility(2, a)
        worth = {s: [] for s in (None, -0.5)}
        for draw in range(1, 11):
            data = three_gaussians(150, 0.15, draw)
            for s, found in worth.items():
                decided = machine(a, s).fit(*data).predict(X)
                found.append(100 * U[y - 1, decided - 1].mean())
        gains[a] = np.subtract(worth[-0.5], worth[None])
    assert gains[0.0].mean() < 1 < gains[0.4].mean()
    found = " and ".join(
        f"{won.mean():+.1f} points (SE {won.std(ddof=1) / np.sqrt(10):.1f}) with a = {a:g}"
        for a, won in gains.items()
    )
    return f"Mean of 10 draws, C = 1, not tuned: {found}."
