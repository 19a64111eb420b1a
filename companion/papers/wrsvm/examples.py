"""The settings of Section 5: examples, utility matrices, grid, and how a machine is tuned.

Classes are 0, 1, 2 here, rows of the utility matrix, where the paper counts from 1.
"""

import warnings
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion import datasets
from companion.kernels import gram, squared_distances
from companion.reproduction import seed_for, study_over
from companion.solvers import Design, dca_path

PAPER = "wrsvm"

#: P(Y != Y~) of Examples 2 and 3.
FLIP = 0.15
#: -1 / (k - 1), the recommended place of truncation.
S = -0.5
#: The paper has lambda from "a grid" it does not give.
C_VALUES = 2.0 ** np.arange(-12, 11)
#: Every second one, where many machines are tuned.
SPARSE_C = C_VALUES[::2]
#: Relative duality gap, so small that which C is best does not hang on what the gap leaves open.
TOL = 1e-8

MACHINES = ("WSVM", "WRSVM")
#: The matrices of (16) by number, and the places where a stands; rows are true classes.
PLACES = {1: ((0, 1),), 2: ((0, 1), (0, 2)), 3: ((1, 0), (2, 0))}
#: Which of equally good C.
TIES = ("least", "largest")

_PROBABILITIES = {
    "piecewise_linear": datasets.three_gaussians_probability,
    "nonlinear": datasets.quadratic_logits_probability,
}


#: A study of the paper.
study = partial(study_over, PAPER)


def rng_of(*parts):
    """Random numbers that depend on what they are for alone."""
    return np.random.default_rng(seed_for(PAPER, *parts))


def utility(config, a):
    """U_{config,a} of (16): the identity with a at some places off the diagonal."""
    U = np.eye(3)
    for place in PLACES[config]:
        U[place] = a
    return U


def piecewise_linear(n, rng, flip=0.0):
    """X and classes of Example 1, of Example 2 with ``flip`` 0.15."""
    X, y = datasets.three_gaussians(n, flip, rng)
    return X, y - 1


def nonlinear(n, rng, flip=0.0):
    """X and classes of Example 3, which has ``flip`` 0.15."""
    X, y = datasets.quadratic_logits(n, flip, rng)
    return X, y - 1


def class_probabilities(example, X, flip=0.0):
    """P(Y = j | x), shape (n, 3), of "piecewise_linear" or "nonlinear"."""
    return _PROBABILITIES[example](X, flip)


def bayes(probabilities, U):
    """argmax_j sum_l p_l U_lj, the classes that maximise the expected utility."""
    return (probabilities @ U).argmax(axis=1)


def mean_utility(U, y, predicted):
    """Average of U_{y_i predicted_i}, rounded so that machines of equal utility are equal."""
    return round(float(U[y, predicted].mean()), 10)


def median_distance(X, y):
    """The width sigma of exp(-|x - x'|^2 / (2 sigma^2)): median distance between the classes."""
    distances = np.sqrt(squared_distances(X))
    return float(np.median(distances[y[:, None] != y[None, :]]))


def nearest_distance(X, y):
    """Another width: median distance of a point to the nearest one of another class."""
    distances = np.sqrt(squared_distances(X))
    others = np.where(y[:, None] != y[None, :], distances, np.inf)
    return float(np.median(others.min(axis=1)))


def seen_by_kernel(sigma, train, *others):
    """Samples for a Gaussian kernel: the design on the training inputs, and its values with them.

    Of each sample the classes stand beside.
    """
    gamma = 1.0 / (2.0 * sigma**2)
    X, y = train
    design = Design.kernel(gram(X, gamma=gamma))
    return (design, y), *((gram(Z, X, gamma=gamma), of_Z) for Z, of_Z in others)


@dataclass(frozen=True)
class Tuned:
    """A machine of the C that is best on the tuning sample, out of fits some of which missed."""

    C: float
    coef: np.ndarray
    intercept: np.ndarray
    n_steps: int
    converged: bool
    n_missed: int

    @property
    def log2_C(self):
        return np.log2(self.C)

    @property
    def certificate(self):
        """The columns of a record that say how the fits ended."""
        names = ("n_steps", "converged", "n_missed")
        return {name: getattr(self, name) for name in names}

    def predict(self, columns):
        """argmax_j f_j at inputs, or at kernel values with the training inputs."""
        return (columns @ self.coef.T + self.intercept).argmax(axis=1)


def paths(design, y, U, C_values=C_VALUES, start="weighted"):
    """By name, the convex machine of the start and the robust one that starts there, for each C."""
    # fits that do not converge are counted instead, in the records
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        found = dca_path(design, y, U, C_values, S, start=start, tol=TOL)
    return dict(zip(MACHINES, found, strict=True))


def tuned_machines(design, y, columns, y_tune, U, *, C_values=C_VALUES):
    """The weighted SVM and the robust one that starts at it, each with its best C, the least."""
    found = paths(design, y, U, C_values)
    return [tuned(path, columns, y_tune, U) for path in found.values()]


def tuned(path, columns, y_tune, U, *, tie=TIES[0]):
    """The machine of a path with the best C, the least or the largest of equals."""
    decisions = (
        np.einsum("np,ckp->cnk", columns, path.coef) + path.intercept[:, None, :]
    )
    scores = [mean_utility(U, y_tune, values.argmax(axis=1)) for values in decisions]
    equals = np.flatnonzero(np.array(scores) == max(scores))
    best = equals[0 if tie == TIES[0] else -1]
    return Tuned(
        path.C[best],
        path.coef[best],
        path.intercept[best],
        path.n_steps[best],
        path.converged[best],
        np.count_nonzero(~path.converged),
    )


def machine_rows(matrices, train, tune, test, *, paths=paths, ties=TIES[:1]):
    """The tuned machines for each utility matrix (number, a), from the columns that they see.

    Of each its matrix, its rule for ties, what is on record of it, and its decisions for the test
    sample.
    """
    for matrix in matrices:
        U = utility(*matrix)
        for (name, path), tie in product(paths(*train, U).items(), ties):
            machine = tuned(path, *tune, U, tie=tie)
            predicted = machine.predict(test[0])
            row = {
                "machine": name,
                "log2_C": machine.log2_C,
                "test": round(mean_utility(U, test[1], predicted), 8),
                **machine.certificate,
            }
            yield matrix, tie, row, predicted
