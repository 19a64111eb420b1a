"""The exercises of the method's notebook, solved."""

import numpy as np
from sklearn.svm import SVR

from companion.estimators import LSSVC, LeastOneNormSVC
from companion.papers.exercises import shown
from companion.papers.l1nsvm.fig_1 import rotation
from companion.papers.l1nsvm.figures import outlier_problem

DISTANCE = 10.0
EPSILON = 0.1


def solution(number):
    """The solution of an exercise, 1 or 2, folded up."""
    return shown({1: box_of_the_tube, 2: farthest_apart}[number])


def box_of_the_tube():
    """The dual of SVR, written out from its solution, has the value of its primal."""
    X, y = outlier_problem(DISTANCE)
    tube = SVR(C=1.0, kernel="linear", epsilon=EPSILON, tol=1e-8).fit(X, y)
    beta = np.zeros(len(y))
    beta[tube.support_] = tube.dual_coef_[0]
    dual = 0.5 * beta @ (X @ X.T) @ beta - y @ beta + EPSILON * np.abs(beta).sum()
    w = tube.coef_[0]
    slack = np.maximum(np.abs(y - tube.predict(X)) - EPSILON, 0)
    primal = 0.5 * w @ w + slack.sum()
    assert np.abs(beta).max() <= 1 + 1e-9
    assert abs(primal + dual) < 1e-3 * primal
    return (
        "The box stays [-C, C], and epsilon times the sum of |beta_i| is added. At the optimum of"
        f" SVR the primal is {primal:.3f} and minus this dual {-dual:.3f}."
    )


def farthest_apart():
    """The two lines on a fine grid of distances."""
    distances = np.geomspace(5, 500, 41).round()
    found = {}
    for C in (1.0, 0.01):
        gaps = []
        for distance in distances:
            X, y = outlier_problem(distance)
            ls = LSSVC(C=C, kernel="linear").fit(X, y)
            least = LeastOneNormSVC(C=C, kernel="linear").fit(X, y)
            gaps.append(rotation(ls.coef_[0], least.coef_[0]))
        most = int(np.argmax(gaps))
        assert gaps[most] > gaps[0]
        found[C] = f"at distance {distances[most]:g}, by {gaps[most]:.0f} degrees"
    return f"With C = 1 the lines are farthest apart {found[1.0]}; with C = 0.01 {found[0.01]}."
