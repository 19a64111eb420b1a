"""AdaBoost over radial-basis-function networks with real outputs.

The software that the paper compares with boosts the networks of G. Rätsch, T. Onoda and K.-R.
Müller, Soft margins for AdaBoost, Machine Learning 42 (2001), whose centres and widths are adapted
by gradient descent: :func:`adapted_network`, in a study of its own. In :func:`fixed_network` the
centres stay and all widths are one, tuned; only the linear layer is fitted. Both begin with the
same centres, samples drawn in proportion to their present weights. The size of a machine is the
number of kernels of all its networks.

A network says how sure it is, h(x) in [-1, 1], as in R. E. Schapire and Y. Singer, Improved
boosting algorithms using confidence-rated predictions, Machine Learning 37 (1999): with r the mean
of v_i y_i h(x_i), its factor is 1/2 log((1 + r) / (1 - r)). Networks that vote -1 or +1, as in
scikit-learn's AdaBoost, soon do no better than chance, which ends the boosting (notebook table_3).
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from companion._utils.blas import definite_solve

_RIDGE = 1e-5

#: Steps of the gradient descent of one network; no constant of it is tuned.
_STEPS = 10


class Network(NamedTuple):
    """f(x) = sum_j beta_j exp(-||x - c_j||^2 / (2 s_j^2)) + b, the bias last among the betas."""

    centres: np.ndarray
    log_widths: np.ndarray
    beta: np.ndarray

    def confidence(self, X):
        """How sure the network is of each row, in [-1, 1]."""
        kernels, _ = _kernels(X, self.centres, self.log_widths)
        return _confidence_of(kernels, self.beta)


def fit_layer(kernels, y, weight):
    """Coefficients of a network f(x) = sum_j beta_j k(c_j, x) + b, the bias last.

    Minimises ``sum_i v_i (y_i - f(x_i))^2 + ridge beta'beta`` with weights v of sum 1, from
    ``kernels``, a row a centre.
    """
    root = np.sqrt(weight)
    scaled = np.empty((len(kernels) + 1, len(root)))
    np.multiply(kernels, root, out=scaled[:-1])
    scaled[-1] = root
    normal = scaled @ scaled.T
    np.einsum("ii->i", normal)[:-1] += _RIDGE
    np.einsum("ii->i", normal)[:] += 1e-12
    return definite_solve(normal, scaled @ (root * y))[0]


def fixed_network(K, y, weight, rng, n_centres):
    """The centres and coefficients of a network that is not adapted, and how sure it is.

    `K` has the kernel of the one width among all samples.
    """
    centres = _drawn(weight, rng, n_centres)
    kernels = K[centres]
    beta = fit_layer(kernels, y, weight)
    return (centres, beta), _confidence_of(kernels, beta)


def adapted_network(X, y, weight, rng, n_centres):
    """A network whose centres and widths go down the gradient, and how sure it is of each row.

    A width begins as the distance to the nearest other centre. For each place of centres and
    widths the linear layer is the best one, so that the error has the gradient that it has with
    the layer kept.
    """
    centres = X[_drawn(weight, rng, n_centres)]
    distances = cdist(centres, centres)
    np.fill_diagonal(distances, np.inf)
    log_widths = np.log(np.maximum(distances.min(axis=1), 1e-3))

    def error(parameters):
        at, logs = _places(parameters, len(centres))
        kernels, squares = _kernels(X, at, logs)
        beta = fit_layer(kernels, y, weight)
        residual = y - beta[:-1] @ kernels - beta[-1]
        slopes = -2.0 * (weight * residual) * kernels * beta[:-1, np.newaxis]
        by_centre = slopes @ X - slopes.sum(axis=1)[:, np.newaxis] * at
        by_centre /= np.exp(2.0 * logs)[:, np.newaxis]
        by_width = np.einsum("ij,ij->i", slopes, squares)
        value = weight @ residual**2 + _RIDGE * beta[:-1] @ beta[:-1]
        return value, np.concatenate([by_centre.ravel(), by_width])

    start = np.concatenate([centres.ravel(), log_widths])
    options = {"maxiter": _STEPS}
    found = minimize(error, start, jac=True, method="L-BFGS-B", options=options)
    at, logs = _places(found.x, len(centres))
    kernels, _ = _kernels(X, at, logs)
    network = Network(at, logs, fit_layer(kernels, y, weight))
    return network, _confidence_of(kernels, network.beta)


def boost(learn, y, rows, n_networks):
    """Networks, each with its factor, boosted on some rows; and the output at all of them.

    ``learn(weight)`` has a network and how sure it is of each row.
    """
    weight = np.zeros(len(y))
    output = np.zeros(len(y))
    networks = []
    weight[rows] = 1.0 / len(rows)
    for _ in range(n_networks):
        network, confidence = learn(weight)
        r = weight @ (y * confidence)
        if not 0.0 < r < 1.0:  # no better than chance, or without any doubt
            break
        factor = np.arctanh(r)
        networks.append((factor, network))
        output += factor * confidence
        weight = weight * np.exp(-factor * y * confidence)
        weight /= weight.sum()
    return networks, output


def decision(networks, K):
    """Output of networks that are not adapted.

    From kernel values of the training samples (rows) and points (columns).
    """
    return sum(
        factor * _confidence_of(K[centres], beta)
        for factor, (centres, beta) in networks
    )


def _drawn(weight, rng, n_centres):
    """Samples in proportion to their weights, none twice."""
    size = min(n_centres, np.count_nonzero(weight))
    return rng.choice(len(weight), size, replace=False, p=weight)


def _places(parameters, n):
    """The centres and the logarithms of the widths of n kernels."""
    return parameters[:-n].reshape(n, -1), parameters[-n:]


def _kernels(X, centres, log_widths):
    """Kernels, a row a centre, and the squared distances in units of the widths."""
    squares = cdist(centres, X, "sqeuclidean") / np.exp(2.0 * log_widths)[:, np.newaxis]
    return np.exp(-0.5 * squares), squares


def _confidence_of(kernels, beta):
    return np.clip(beta[:-1] @ kernels + beta[-1], -1.0, 1.0)
