"""The nearest points of two convex hulls, found by the dual of the L2 machine and rescaled.

The multipliers of one class sum to 2 / ||w||^2 in the dual of the machine and to one here (2.2.7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.solvers.smo import smo

__all__ = ["MDMResult", "mdm"]


@dataclass(frozen=True)
class MDMResult:
    """Nearest points w+ and w- of two convex hulls; w = w+ - w-, in the kernel plus ridge."""

    alpha: np.ndarray
    intercept: float
    squared_norm: float
    decision_function: np.ndarray
    products: np.ndarray
    m_plus: float
    m_minus: float
    objective: float
    duality_gap: float
    kkt_violation: float
    n_iter: int
    stop_reason: str
    converged: bool


def mdm(K, y, *, ridge=0.0, alpha0=None, tol=1e-3, max_iter=None):
    """Nearest points of the hulls of the two classes in the feature space of K + ridge I."""
    start, positive = {}, y > 0
    if alpha0 is not None:
        products = K @ (y * alpha0)
        squared = float((y * alpha0) @ products + ridge * alpha0 @ alpha0)
        scale = 2.0 / squared
        start = {"alpha0": scale * alpha0, "products0": scale * products}
    found = smo(K, y, 0.0, np.inf, ridge=ridge, tol=tol, max_iter=max_iter, **start)
    alpha = found.alpha / np.where(
        positive, found.alpha[positive].sum(), found.alpha[~positive].sum()
    )
    beta = y * alpha
    products = K @ beta + ridge * beta
    m_plus, m_minus = float(products[positive] @ alpha[positive]), 0.0
    m_minus = float(products[~positive] @ alpha[~positive])
    squared = m_plus - m_minus
    intercept = -0.5 * (m_plus + m_minus)
    return MDMResult(
        alpha=alpha,
        intercept=intercept,
        squared_norm=squared,
        decision_function=products - ridge * beta + intercept,
        products=products,
        m_plus=m_plus,
        m_minus=m_minus,
        objective=0.5 * squared,
        duality_gap=found.duality_gap,
        kkt_violation=found.kkt_violation,
        n_iter=found.n_iter,
        stop_reason=found.stop_reason,
        converged=found.converged,
    )
