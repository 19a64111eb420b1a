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


class RBFNetwork(ClassifierMixin, BaseEstimator):
    """A network sign(sum_j beta_j k(c_j, x) + b) on a Gram matrix, fitted by weighted ridge.

    Minimises ``sum_i v_i (y_i - f(x_i))^2 + ridge beta'beta`` with weights v of sum 1, the centres
    being samples drawn without replacement with probability proportional to v; labels are -1 and
    +1. A sample without weight has no part in the fit: its output is a prediction.
    """

    def __init__(self, n_centres=40, ridge=1e-5, random_state=None):
        self.n_centres = n_centres
        self.ridge = ridge
        self.random_state = random_state

    def get_params(self, deep=True):
        """The parameters by name; boosting asks for them several times a network."""
        return {name: getattr(self, name) for name in ("n_centres", "ridge", "random_state")}

    def fit(self, K, y, sample_weight=None):
        """Draw the centres, numbers of samples, and fit the linear layer."""
        random = check_random_state(self.random_state)
        n = len(y)
        weight = np.full(n, 1.0 / n) if sample_weight is None else sample_weight
        weight = weight / weight.sum()
        self.classes_ = np.array([-1.0, 1.0])
        size = min(self.n_centres, np.count_nonzero(weight))
        self.centres_ = random.choice(n, size, replace=False, p=weight)
        H = np.vstack([K[self.centres_], np.ones(n)])
        scaled = H * np.sqrt(weight)
        normal = scaled @ scaled.T
        np.einsum("ii->i", normal)[:-1] += self.ridge
        np.einsum("ii->i", normal)[:] += 1e-12
        self.beta_ = solve(normal, H @ (weight * y), assume_a="pos")
        self._known = K, self.beta_ @ H  # what boosting asks for next
        return self

    def predict(self, K):
        """Class of the sign of the output, for kernel values of points and training samples."""
        known, output = self._known
        if K is not known:
            output = K[:, self.centres_] @ self.beta_[:-1] + self.beta_[-1]
        return np.where(output > 0, 1.0, -1.0)


def boosted_networks(n_networks, n_centres, seed):
    """AdaBoost over networks of one width."""
    network = RBFNetwork(n_centres=n_centres)
    return AdaBoostClassifier(network, n_estimators=n_networks, random_state=seed)
