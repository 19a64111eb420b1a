"""The state of one MDM run: multipliers of two convex hulls, products with the kernel, masks."""

from __future__ import annotations

import numpy as np

from companion.solvers import _mdm_kernels as kernels
from companion.solvers._problem import checked_matrix, checked_vector
from companion.solvers._smo_loops import add_products


class Hulls:
    """Checked inputs, multipliers, products q = (K + D) (y alpha), and masks."""

    def __init__(self, K, y, ridge, alpha0, check_finite):
        self.y = y = np.ascontiguousarray(y, dtype=np.float64)
        if y.ndim != 1 or not (np.abs(y) == 1.0).all():
            raise ValueError(
                f"The 'y' of mdm must be a vector of labels -1 and +1. Got shape {y.shape} and the "
                f"values {np.unique(y)[:5]}."
            )
        self.n = n = y.size
        K = np.asarray(K)
        if K.shape != (n, n):
            raise ValueError(
                f"The 'K' of mdm must be a square matrix with one row a label, here ({n}, {n}). "
                f"Got shape {K.shape} instead."
            )
        counts = np.count_nonzero(y > 0.0), np.count_nonzero(y < 0.0)
        if 0 in counts:
            raise ValueError(
                f"mdm needs samples of both classes, as each has a convex hull. Got {counts[0]} "
                f"labels +1 and {counts[1]} labels -1."
            )
        # A symmetric matrix in Fortran order is its own transpose.
        self.K = np.ascontiguousarray(K.T if K.flags.f_contiguous else K, dtype=np.float64)
        self.ridge = _ridge(ridge, n)
        self.diagonal = self.K.diagonal() + self.ridge
        self.slot = np.arange(n)
        self.positive = y > 0.0
        self.counts = np.zeros(2, dtype=np.int64)
        self.level = np.zeros(2)
        self.side, self.support = np.empty((2, n))
        self.alpha = np.zeros(n) if alpha0 is None else _start(alpha0, n)
        self.normalise(self.alpha)
        with np.errstate(over="ignore", invalid="ignore"):
            self.products = self._products(self.alpha)
        # With all multipliers positive the products are not finite if an entry of K is not.
        if check_finite and not (self.alpha.all() and np.isfinite(self.products).all()):
            checked_matrix(self.K, True)
        if not np.isfinite(self.products).all():
            raise ValueError(
                "The 'K' of mdm must be finite, and so must sums of its rows. Got NaN or infinity "
                "in K (y alpha0); look at the scale of the kernel."
            )
        self.scale = max(self.diagonal.max(), np.finfo(float).tiny)
        self._refresh_masks()

    def normalise(self, alpha):
        """Scale both classes to the sum 1, in place; one without weight becomes its centre."""
        for members in (self.positive, ~self.positive):
            total = alpha[members].sum()
            alpha[members] = alpha[members] / total if total > 0.0 else 1.0 / members.sum()

    def run_pairs(self, second_order, window, share, budget):
        """Iterate until the end or a budget; return the status."""
        return kernels.run_pairs(
            self.K,
            self.diagonal,
            self.ridge,
            self.y,
            self.alpha,
            self.products,
            self.side,
            self.support,
            self.scale,
            second_order,
            window,
            share,
            budget,
            self.counts,
            self.level,
        )

    def refresh(self):
        """Take out what rounding has done to the sums of multipliers and to the products."""
        self.normalise(self.alpha)
        self.products = self._products(self.alpha)
        self._refresh_masks()

    def move_towards(self, alpha):
        """Go to the least |w| between here and feasible multipliers; False if that is here."""
        change = alpha - self.alpha
        products = self._products(change)
        moved = self.y * change
        slope, curvature = moved @ self.products, moved @ products
        if not slope < 0.0:
            return False
        step = min(-slope / curvature, 1.0) if curvature > 0.0 else 1.0
        self.alpha = alpha if step == 1.0 else self.alpha + step * change
        self.products += step * products
        self._refresh_masks()
        return True

    def gap(self):
        """1/2 |w|^2 minus its lower bound m^2 / (2 |w|^2), m the sum of the least heights."""
        squared_norm, margin = self.level
        if not (squared_norm > 0.0 and margin > 0.0):
            return 0.5 * squared_norm
        return 0.5 * (squared_norm - margin) * (1.0 + margin / squared_norm)

    def is_at_end(self, tol):
        return self.is_touching() or self.gap() <= tol * 0.5 * self.squared_norm

    def is_touching(self):
        """Whether |w|^2 is nothing but rounding."""
        return not self.squared_norm > kernels.TOUCHING_AT * self.scale

    @property
    def squared_norm(self):
        return self.level[0]

    @property
    def n_iter(self):
        return int(self.counts[0])

    def violation(self):
        _, least, largest = kernels.extremes(self.y, self.alpha, self.products)
        return max((largest - least).max(), 0.0)

    def _products(self, alpha):
        beta = self.y * alpha
        used = np.flatnonzero(beta)
        if used.size > self.n // 2:
            return self.K @ beta + self.ridge * beta
        products = self.ridge * beta
        add_products(self.K, self.slot, used, beta[used], products)
        return products

    def _refresh_masks(self):
        kernels.set_masks(self.y, self.alpha, self.side, self.support)
        squared_norm, least, _ = kernels.extremes(self.y, self.alpha, self.products)
        self.level[:] = squared_norm, least.sum()


def _start(alpha0, n):
    alpha = checked_vector(alpha0, n, "alpha0")
    if not np.isfinite(alpha).all():
        raise ValueError("The 'alpha0' of mdm must be finite. Got NaN or infinity.")
    alpha = np.maximum(alpha, 0.0)
    # Sums of the largest numbers must not overflow.
    return alpha / max(alpha.max(), np.finfo(float).tiny)


def _ridge(ridge, n):
    ridge = checked_vector(0.0 if ridge is None else ridge, n, "ridge")
    if not ((ridge >= 0.0) & (ridge < np.inf)).all():
        raise ValueError("The 'ridge' of mdm must be finite and at least 0 for every sample.")
    return ridge
