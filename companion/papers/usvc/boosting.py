"""AdaBoost over radial-basis-function networks: scikit-learn's booster, and what it boosts.

The software that the paper compares with boosts networks whose centres and widths are adapted by
gradient descent. Here the centres of each network are samples drawn in proportion to their present
weights and all widths are one, tuned; only the linear layer is fitted, by weighted regularised
least squares. As there, the size of a machine is the number of kernels of all its networks.
"""

import numpy as np
from scipy.linalg import solve
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils import check_random_state

from companion.kernels import gram


class RBFNetwork(ClassifierMixin, BaseEstimator):
    """A network sign(sum_j beta_j exp(-gamma ||x - c_j||^2) + b) fitted by weighted ridge.

    Minimises ``sum_i v_i (y_i - f(x_i))^2 + ridge beta'beta`` with weights v of sum 1, the centres
    being samples drawn without replacement with probability proportional to v.
    """

    def __init__(self, n_centres=40, gamma=1.0, ridge=1e-5, random_state=None):
        self.n_centres = n_centres
        self.gamma = gamma
        self.ridge = ridge
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Draw the centres and fit the linear layer."""
        random = check_random_state(self.random_state)
        n = len(y)
        weight = np.full(n, 1.0 / n) if sample_weight is None else sample_weight
        weight = weight / weight.sum()
        self.classes_ = np.unique(y)
        size = min(self.n_centres, np.count_nonzero(weight))
        self.centres_ = X[random.choice(n, size, replace=False, p=weight)]
        H = self._layer(X)
        scaled = H * weight[:, None]
        normal = H.T @ scaled
        np.einsum("ii->i", normal)[:-1] += self.ridge
        np.einsum("ii->i", normal)[:] += 1e-12
        signs = np.where(y == self.classes_[-1], 1.0, -1.0)
        self.beta_ = solve(normal, scaled.T @ signs, assume_a="pos")
        self._known = X, H @ self.beta_  # boosting asks next for what it just fitted
        return self

    def predict(self, X):
        """Class of the sign of the output."""
        known, output = self._known
        output = output if X is known else self._layer(X) @ self.beta_
        return self.classes_[(output > 0).astype(int)]

    def _layer(self, X):
        return np.column_stack([gram(X, self.centres_, gamma=self.gamma), np.ones(len(X))])


def boosted_networks(gamma, n_networks, n_centres, seed):
    """AdaBoost over networks of one width."""
    network = RBFNetwork(n_centres=n_centres, gamma=gamma)
    return AdaBoostClassifier(network, n_estimators=n_networks, random_state=seed)
