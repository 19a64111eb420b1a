"""Fisher's separability J of two classes in feature space, in the kernel's terms.

    J = tr(S_B) / tr(S_W) = q'Bq / q'Wq,   B = K_intra - K / N,   W = diag(K) - K_intra,

where K_intra keeps the blocks of K within the classes, divided by the sizes of the classes, and
q_i = c(x_i) is a conformal transformation of the kernel, all ones where there is none.

Barbero, SVM imbalance correction by conformal kernel transformations, 2008, section 4.6 (Theorem 6;
(4.6.14) is printed with a plus sign) and 5.2.1. Xiong, Swamy and Ahmad, Optimizing the kernel in
the empirical feature space, IEEE Transactions on Neural Networks 16 (2005).
"""

import math

import numpy as np
from scipy.linalg import eigh, qr, svd

from companion._utils.checks import check_square, checked_signs

__all__ = ["Combinations", "Separability"]

# Share of the mean diagonal that is added to the within-class matrix before it is inverted: W is
# singular where points of a class coincide in feature space.
_RIDGE = 1e-10

# Functions of a basis count as independent above this share of the largest singular value.
_INDEPENDENT = 1e-8

# The gradient is of the size of 1 / q: of a smaller q it is beyond all numbers.
_VANISHED = 1e-290


class Separability:
    """J of all conformal transformations of one Gram matrix.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Gram matrix, symmetric.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1, both there.

    Raises
    ------
    ValueError
        If the shapes do not match, a label is neither -1 nor +1, or a class is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.conformal.separability import Separability
    >>> x = np.array([0.0, 1.0, 4.0, 5.0])
    >>> criterion = Separability(np.outer(x, x), np.array([1, 1, -1, -1]))
    >>> criterion.value(np.ones(4))
    16.0
    """

    def __init__(self, K, y):
        K = np.asarray(K, dtype=np.float64)
        y = checked_signs(y, "Separability", both=True)
        check_square(K, y.size, "Separability")
        order = np.argsort(-y, kind="stable")
        is_sorted = np.array_equal(order, np.arange(y.size))
        K = K if is_sorted else K[np.ix_(order, order)]
        p = int(np.count_nonzero(y > 0))
        self.n = y.size
        self.n_positive = p
        self.n_negative = y.size - p
        self._order = None if is_sorted else order
        self._diagonal = K.diagonal().copy()
        self._positive = K[:p, :p]
        self._negative = K[p:, p:]
        self._cross = K[:p, p:]

    def value(self, q):
        """J of one transformation q of shape (n_samples,)."""
        return float(self.values(np.asarray(q, dtype=np.float64)[np.newaxis])[0])

    def values(self, Q):
        """J of many transformations, one a row, by one product with each block of the Gram matrix.

        J >= 0; infinite where every class is a single point in feature space, 0 where both are the
        same point, and 0 where q vanishes or is not finite.
        """
        Q, usable = self._scaled(Q)
        head = Q[:, : self.n_positive]
        tail = Q[:, self.n_positive :]
        within_p = np.einsum("mi,mi->m", head @ self._positive, head)
        within_n = np.einsum("mi,mi->m", tail @ self._negative, tail)
        cross = np.einsum("mi,mi->m", head @ self._cross, tail)
        spread = Q**2 @ self._diagonal
        between = within_p / self.n_positive + within_n / self.n_negative
        total = (within_p + within_n + 2.0 * cross) / self.n
        sums = np.stack([between - total, spread - between, spread], axis=1).tolist()
        return np.where(usable, [_ratio(*each, self.n) for each in sums], 0.0)

    def value_and_gradient(self, q):
        """J and its gradient with respect to q, 2 (Bq - J Wq) / q'Wq, (5.2.4) of the thesis.

        The gradient is zero where J is infinite or q vanishes, or nearly.
        """
        q = np.asarray(q, dtype=np.float64)
        top = np.abs(q).max()
        if not 0.0 < top < np.inf:
            return 0.0, np.zeros(self.n)
        q = q / top
        spread = float(self._sort(q) ** 2 @ self._diagonal)
        return _ratio_and_gradient(q, *self.products(q), top, spread, self.n)

    def products(self, q):
        """B q and W q."""
        q = self._sort(q)
        p = self.n_positive
        head = q[:p]
        tail = q[p:]
        blocks = (self._positive, head), (self._negative, tail)
        within = np.concatenate([K @ part for K, part in blocks])
        total = within + np.concatenate([self._cross @ tail, head @ self._cross])
        within[:p] /= self.n_positive
        within[p:] /= self.n_negative
        return self._unsort(within - total / self.n), self._unsort(
            self._diagonal * q - within
        )

    def matrices(self):
        """The matrices B and W of (4.6.14) and (4.6.15)."""
        p = self.n_positive
        within = np.zeros((self.n, self.n))
        within[:p, :p] = self._positive / p
        within[p:, p:] = self._negative / self.n_negative
        total = np.block(
            [[self._positive, self._cross], [self._cross.T, self._negative]]
        )
        B = within - total / self.n
        W = np.diag(self._diagonal) - within
        return self._unsort(self._unsort(B).T).T, self._unsort(self._unsort(W).T).T

    def forms(self, functions):
        """F'BF and F'WF for the columns F of `functions`, whose rows are sorted by class."""
        p = self.n_positive
        head = functions[:p]
        tail = functions[p:]
        spread = functions.T @ (self._diagonal[:, np.newaxis] * functions)
        # In place, as these may be large too.
        total = head.T @ (self._positive @ head)
        within = total / self.n_positive
        negative = tail.T @ (self._negative @ tail)
        total += negative
        negative /= self.n_negative
        within += negative
        cross = head.T @ (self._cross @ tail)
        total += cross
        total += cross.T
        total /= self.n
        spread -= within
        within -= total
        return within, spread

    def combinations(self, basis):
        """J of the combinations of some functions, the columns of `basis`, as `Combinations`."""
        return Combinations(self, basis)

    def maximiser(self, basis):
        """The combination of functions of largest J, the leading eigenvector of B and W, (4.6.19).

        Parameters
        ----------
        basis : ndarray of shape (n_samples, n_functions)

        Returns
        -------
        coefficients : ndarray of shape (n_functions,)
            q = basis @ coefficients, scaled to mean square 1, with the sign of a positive sum.
        value : float
            J there. W gets a ridge of 1e-10 times its mean diagonal, as it is singular where points
            coincide, so this is a lower bound of the supremum.
        """
        # Orthonormal functions, or nearly equal ones would drown J in rounding.
        U, singular, Vt = svd(basis, full_matrices=False)
        r = int(np.count_nonzero(singular > _INDEPENDENT * singular[0]))
        U = U[:, :r]
        back = Vt[:r].T / singular[:r]
        B, W = self.forms(self._sort(U.T).T)
        m = len(W)
        # A tiny constant keeps W positive definite where every point of a class is the same.
        W = 0.5 * (W + W.T) + (
            _RIDGE * np.trace(W) / m + np.finfo(float).tiny
        ) * np.eye(m)
        leading = eigh(0.5 * (B + B.T), W, subset_by_index=[m - 1, m - 1])[1][:, 0]
        q = U @ leading
        scale = np.sqrt(np.mean(q**2)) * (1.0 if q.sum() >= 0.0 else -1.0)
        return back @ leading / scale, self.value(q)

    def _scaled(self, Q):
        """Rows with largest entry one, which leaves J as it is, and which rows can be used."""
        Q = np.atleast_2d(np.asarray(Q, dtype=np.float64))
        top = np.abs(Q).max(axis=1)
        usable = (top > 0.0) & np.isfinite(top)
        scaled = np.where(usable[:, np.newaxis], Q, 1.0)
        return self._sort(scaled / np.where(usable, top, 1.0)[:, np.newaxis]), usable

    def _sort(self, Q):
        return Q if self._order is None else Q[..., self._order]

    def _unsort(self, q):
        if self._order is None:
            return q
        out = np.empty_like(q)
        out[self._order] = q
        return out


class Combinations:
    """J of q = basis @ coefficients, as a ratio of two quadratic forms of the coefficients.

    The forms are kept in orthonormal functions: in those of the basis, of which some may nearly be
    combinations of others, rounding would count twice.
    """

    def __init__(self, separability, basis):
        J = separability
        self.n = J.n
        functions, self._to_functions = qr(
            J._sort(np.asarray(basis).T).T, mode="economic"
        )
        self._forms = np.vstack(J.forms(functions))
        self._top = J._diagonal.max()

    def value_and_gradient(self, coefficients):
        """J and its gradient with respect to the coefficients."""
        with np.errstate(over="ignore", invalid="ignore"):
            z = self._to_functions @ np.asarray(coefficients, dtype=np.float64)
        top = np.abs(z).max()
        if not 0.0 < top < np.inf:
            return 0.0, np.zeros(len(coefficients))
        z /= top
        products = self._forms @ z
        Bz = products[: z.size]
        Wz = products[z.size :]
        spread = float(self._top * (z @ z))
        J, gradient = _ratio_and_gradient(z, Bz, Wz, top, spread, self.n)
        return J, gradient @ self._to_functions


def _ratio_and_gradient(z, Bz, Wz, top, spread, n):  # noqa: PLR0917
    """J of z and its gradient with respect to top z; zero where it has none."""
    within = float(z @ Wz)
    J = _ratio(float(z @ Bz), within, spread, n)
    if not np.isfinite(J) or within <= 0.0 or top < _VANISHED:
        return J, np.zeros(z.size)
    return J, 2.0 / (within * top) * (Bz - J * Wz)


def _ratio(between, within, spread, n):
    """Between over within, both at least 0; what rounding leaves of a zero counts as zero."""
    rounding = 1e-14 * abs(spread) * math.sqrt(n)
    if not between > rounding:
        return 0.0
    return between / within if within > rounding else math.inf
