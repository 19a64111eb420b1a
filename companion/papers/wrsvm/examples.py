"""The settings of Section 5: examples, utility matrices, grid, and how a machine is tuned.

Classes are 0, 1, 2 here, rows of the utility matrix, where the paper counts from 1.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.datasets import (
    quadratic_logits,
    quadratic_logits_probability,
    three_gaussians,
    three_gaussians_probability,
)
from companion.solvers import dca_path

PAPER = "wrsvm"


#: P(Y != Y~) of Examples 2 and 3.
FLIP = 0.15
#: -1 / (k - 1), the recommended place of truncation.
S = -0.5
#: The paper has lambda from "a grid" it does not give.
C_VALUES = 2.0 ** np.arange(-12, 11)
#: Relative duality gap; closer, rounding ends some fits of the largest C first.
TOL = 1e-5

MACHINES = ("WSVM", "WRSVM")
#: The matrices of (16) by number, and the places where a stands; rows are true classes.
PLACES = {1: ((0, 1),), 2: ((0, 1), (0, 2)), 3: ((1, 0), (2, 0))}

_PROBABILITIES = {
    "piecewise_linear": three_gaussians_probability,
    "nonlinear": quadratic_logits_probability,
}


def utility(config, a):
    """U_{config,a} of (16): the identity with a at some places off the diagonal.

    Parameters
    ----------
    config : {1, 2, 3}
    a : float
        At least 0 and less than 1.

    Returns
    -------
    ndarray of shape (3, 3)
        Rows true, columns predicted.
    """
    U = np.eye(3)
    for place in PLACES[config]:
        U[place] = a
    return U


def piecewise_linear(n, rng, flip=0.0):
    """X and classes 0, 1, 2 of Example 1, of Example 2 with ``flip``.

    Parameters
    ----------
    n : int
    rng : numpy.random.Generator
    flip : float, default=0.0

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of int of shape (n,)
    """
    X, y = three_gaussians(n, flip, rng)
    return X, y - 1


def nonlinear(n, rng, flip=0.0):
    """X and classes 0, 1, 2 of Example 3, which has ``flip`` 0.15.

    Parameters
    ----------
    n : int
    rng : numpy.random.Generator
    flip : float, default=0.0

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of int of shape (n,)
    """
    X, y = quadratic_logits(n, flip, rng)
    return X, y - 1


def class_probabilities(example, X, flip=0.0):
    """P(Y = j | x), shape (n, 3), of "piecewise_linear" or "nonlinear".

    Parameters
    ----------
    example : {"piecewise_linear", "nonlinear"}
    X : ndarray of shape (n, 2)
    flip : float, default=0.0

    Returns
    -------
    ndarray of shape (n, 3)
    """
    return _PROBABILITIES[example](X, flip)


def bayes(probabilities, U):
    """argmax_j sum_l p_l U_lj, the classes that maximise the expected utility.

    Parameters
    ----------
    probabilities : ndarray of shape (n, k)
    U : ndarray of shape (k, k)

    Returns
    -------
    ndarray of int of shape (n,)
    """
    return (probabilities @ U).argmax(axis=1)


def mean_utility(U, y, predicted):
    """Average of U_{y_i predicted_i}.

    Parameters
    ----------
    U : ndarray of shape (k, k)
    y, predicted : ndarray of int of shape (n,)

    Returns
    -------
    float
    """
    return float(U[y, predicted].mean())


@dataclass(frozen=True)
class Tuned:
    """A machine of the C that is best on the tuning sample.

    Attributes
    ----------
    name : {"WSVM", "WRSVM"}
    C : float
    coef : ndarray of shape (3, n_columns)
    intercept : ndarray of shape (3,)
    tuning : float
        Average utility on the tuning sample.
    n_steps : int
        DC steps at this C.
    converged : bool
    n_missed : int
        Fits of the grid that did not converge.
    """

    name: str
    C: float
    coef: np.ndarray
    intercept: np.ndarray
    tuning: float
    n_steps: int
    converged: bool
    n_missed: int

    def decisions(self, columns):
        """f_j at inputs, or at kernel values with the training inputs: shape (n, 3).

        Parameters
        ----------
        columns : ndarray of shape (n, n_columns)

        Returns
        -------
        ndarray of shape (n, 3)
        """
        return columns @ self.coef.T + self.intercept

    def predict(self, columns):
        """argmax_j f_j, the first of equal ones.

        Parameters
        ----------
        columns : ndarray of shape (n, n_columns)

        Returns
        -------
        ndarray of int of shape (n,)
        """
        return self.decisions(columns).argmax(axis=1)


def tuned_machines(design, y, columns, y_tune, U, *, s=S, C_values=C_VALUES):
    """The weighted SVM and the weighted robust SVM that starts at it, each with its best C.

    Parameters
    ----------
    design : Design
        Of the training sample.
    y, y_tune : ndarray of int
    columns : ndarray of shape (n_tune, n_columns)
        The tuning sample as the machine sees it: inputs, or kernel values.
    U : ndarray of shape (3, 3)
    s : float or None
        Place of truncation.
    C_values : sequence of float
        The least of equally good ones is taken.

    Returns
    -------
    tuple of Tuned
        In the order of :data:`MACHINES`.
    """
    return tuple(
        _best(name, path, y_tune, columns, U)
        for name, path in zip(MACHINES, _path(design, y, U, C_values, s), strict=True)
    )


def _path(design, y, U, C_values, s):
    with warnings.catch_warnings():
        # Counted instead, in the records.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return dca_path(design, y, U, C_values, s, tol=TOL)


def _best(name, path, y_tune, columns, U):
    decisions = np.einsum("np,ckp->cnk", columns, path.coef) + path.intercept[:, None, :]
    scores = [mean_utility(U, y_tune, values.argmax(axis=1)) for values in decisions]
    best = int(np.argmax(scores))
    return Tuned(
        name,
        float(path.C[best]),
        path.coef[best],
        path.intercept[best],
        scores[best],
        int(path.n_steps[best]),
        bool(path.converged[best]),
        int((~path.converged).sum()),
    )
