"""The questions of the method's notebook, answered."""

import numpy as np

from companion import datasets
from companion.estimators import L2SVC, ConformalSVC
from companion.kernels import gram
from companion.metrics import g_mean_error
from companion.papers.exercises import shown
from companion.solvers.transformations import Amari

C = 10.0
WIDTH = 50.0


def errors_by_tau(errors):
    """What the sliders show, folded up: errors after each number of transformations, by tau."""
    from IPython.display import Markdown

    lines = []
    for tau, after in errors.items():
        best = int(np.argmin(after))
        lines.append(
            f"* $\\tau={tau:g}$: the error is {after[0]:.2f} without a transformation, least "
            f"({after[best]:.2f}) after {best}, and {after[-1]:.2f} after {len(after) - 1}."
        )
    text = "\n".join(lines)
    return Markdown(f"<details><summary>An answer</summary>\n\n{text}\n\n</details>")


def solution(number):
    """The solution of an exercise, 1 or 2, folded up."""
    return shown({1: constant_factor, 2: weights_alone}[number])


def constant_factor():
    """The kernel times 4, and the cost times 4."""
    X, y = datasets.checkers_board(20, 500, 4.0, 1)
    K = gram(X, gamma=1 / WIDTH)
    larger_kernel = L2SVC(C=C, kernel="precomputed", tol=1e-8).fit(4 * K, y)
    larger_cost = L2SVC(C=4 * C, kernel="precomputed", tol=1e-8).fit(K, y)
    one = larger_kernel.decision_function(4 * K)
    other = larger_cost.decision_function(K)
    assert np.allclose(one, other, atol=1e-4)
    return (
        "The kernel times 4 and the cost times 4 give the same decisions, to "
        f"{np.abs(one - other).max():.0e}: c = 2 is C times 4."
    )


def weights_alone():
    """The errors of the plain machine, of five transformations and of balanced weights."""
    X, y = datasets.checkers_board(20, 500, 4.0, 1)
    X_test, y_test = datasets.checkers_board_grid(80, 4.0)
    settings = {"C": C, "gamma": 1 / WIDTH}
    machines = {
        "plain": L2SVC(**settings),
        "five transformations": ConformalSVC(
            **settings,
            transform=Amari(tau=3.5),
            max_transforms=5,
            validation_fraction=None,
        ),
        "balanced weights": L2SVC(**settings, class_weight="balanced"),
    }
    errors = {
        name: g_mean_error(y_test, machine.fit(X, y).predict(X_test))
        for name, machine in machines.items()
    }
    assert errors["balanced weights"] < errors["plain"]
    return ", ".join(f"{name} {error:.2f}" for name, error in errors.items()) + "."
