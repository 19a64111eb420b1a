"""All machines of a grid over (C, gamma): the surface on which the criteria are minimised."""

from dataclasses import dataclass

import numpy as np

from companion._utils.memory import require_memory
from companion._utils.threads import one_thread
from companion.estimators import L1SVC
from companion.estimators._kernel_classifier import class_factors
from companion.tuning._path import path_distances, path_gram, solve_costs

__all__ = ["MachineSurface", "machine_surface"]


@dataclass(frozen=True)
class MachineSurface:
    """Solutions of the L1-SVM for every gamma and C, with their certificates.

    Attributes
    ----------
    C, gamma : ndarray of shape (n_C,) and (n_gamma,)
        As given.
    alpha, decision : ndarray of shape (n_gamma, n_C, n)
        Dual variables, 0 <= alpha_i <= C L(y_i), and decision values of the training samples.
    intercept : ndarray of shape (n_gamma, n_C)
        Mean score of the free variables; the middle of the optimal interval where none is free.
    kkt_violation, duality_gap, n_iter, converged : ndarray of shape (n_gamma, n_C)
        As in :class:`companion.solvers.result.Result`.
    signs, factors : ndarray of shape (n,)
        Labels -1.0 and +1.0 (the larger label is +1), and L(y_i), the class weights.
    diagonal : ndarray of shape (n_gamma, n)
        K_ii.
    """

    C: np.ndarray
    gamma: np.ndarray
    alpha: np.ndarray
    intercept: np.ndarray
    decision: np.ndarray
    kkt_violation: np.ndarray
    duality_gap: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray
    signs: np.ndarray
    diagonal: np.ndarray
    factors: np.ndarray

    @property
    def margin(self):
        """y_i f(x_i), of the shape of `decision`."""
        return self.signs * self.decision

    @property
    def influence(self):
        """theta_i = alpha_i K_ii, of the shape of `alpha`."""
        return self.alpha * self.diagonal[:, np.newaxis, :]


def machine_surface(X, y, C, gamma, *, class_weight=None, tol=1e-3, kernel="rbf"):
    """Solve the L1-SVM in every cell of a grid, each cell from the one of next smaller C.

    Squared distances are computed once, a Gram matrix once for every gamma.

    Parameters
    ----------
    X, y : array-like of shape (n, n_features) and (n,)
        Training points, and labels of two classes.
    C : array-like of shape (n_C,)
        Positive costs in any order. C = 1 / (2 n lambda) for the lambda of the GACV report.
    gamma : array-like of shape (n_gamma,)
        Coefficients of the kernel, >= 0; 1 / (2 sigma^2) for the widths of the report.
    class_weight : dict, "balanced" or None, default=None
        L(y), factors on C.
    tol : float, default=1e-3
        Tolerance on the maximal KKT violation of every cell; a cell that does not reach it is a
        `ConvergenceWarning`.
    kernel : {"rbf", "poly"}, default="rbf"
        Kernel with a coefficient gamma, as in :func:`companion.kernels.gram`.

    Returns
    -------
    MachineSurface

    Raises
    ------
    ValueError
        If a value of the grid is out of range, there are not two classes, or X, y, `class_weight`
        or `tol` are invalid, or memory would not hold the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.tuning import gacv_values, machine_surface
    >>> X, y = np.array([[0.0], [1.0], [1.5], [3.0]]), np.array([0, 0, 1, 1])
    >>> surface = machine_surface(X, y, C=[0.1, 1.0, 10.0], gamma=[0.5, 1.0])
    >>> gacv_values(surface.margin, surface.influence).shape
    (2, 3)
    """
    C = _grid_axis(C, "C")
    gamma = _grid_axis(gamma, "gamma", zero=True)
    if kernel not in ("rbf", "poly"):
        raise ValueError(
            f"The 'kernel' parameter of machine_surface must be 'rbf' or 'poly'. Got {kernel!r}."
        )
    machine = L1SVC(kernel=kernel, class_weight=class_weight, tol=tol)
    machine._validate_params()
    X, y, signs = machine._checked(X, y)
    factors = class_factors(class_weight, y, machine.classes_, name="machine_surface")
    # Distances and a Gram matrix; of every machine its multipliers and decision values.
    n_numbers = 2 * len(y) * (len(y) + 2 * C.size * gamma.size)
    require_memory(
        f"machine_surface for {len(y):,} samples and {C.size * gamma.size:,} machines",
        n_numbers * 8e-6,
        "Use fewer samples, or a part of the grid at a time.",
    )
    distances = path_distances([machine], X)
    solutions = []
    diagonal = np.empty((len(gamma), len(y)))
    K = np.empty((len(y), len(y)))
    with one_thread():
        for g, value in enumerate(gamma):
            path_gram(machine, X, value, distances, out=K)
            diagonal[g] = K.diagonal()
            solutions.append(solve_costs(machine, K, signs, factors, C))
    return MachineSurface(
        C=C,
        gamma=gamma,
        signs=signs,
        diagonal=diagonal,
        factors=np.ones(len(y)) if factors is None else factors,
        **{name: np.array([row[name] for row in solutions]) for name in solutions[0]},
    )


def _grid_axis(values, name, zero=False):
    axis = np.asarray(values)
    numeric = axis.dtype.kind in "iuf"
    if (
        axis.ndim != 1
        or axis.size < 1
        or not numeric
        or not (np.isfinite(axis).all() and (axis >= 0 if zero else axis > 0).all())
    ):
        rule = "finite numbers >= 0" if zero else "positive finite numbers"
        raise ValueError(
            f"The '{name}' of machine_surface must be a list of {rule}. Got {values!r}."
        )
    return axis.astype(np.float64)
