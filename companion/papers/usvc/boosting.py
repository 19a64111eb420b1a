"""AdaBoost over radial-basis-function networks with real outputs.

The software that the paper compares with boosts networks whose centres and widths are adapted by
gradient descent. Here the centres of each network are samples drawn in proportion to their present
weights and all widths are one, tuned; only the linear layer is fitted, by weighted regularised
least squares. The size of a machine is the number of kernels of all its networks.

A network says how sure it is, h(x) in [-1, 1], as in R. E. Schapire and Y. Singer, Improved
boosting algorithms using confidence-rated predictions, Machine Learning 37 (1999): with r the mean
of v_i y_i h(x_i), its factor is 1/2 log((1 + r) / (1 - r)). Networks that vote -1 or +1, as in
scikit-learn's AdaBoost, soon do no better than chance, which ends the boosting (notebook table_3).
"""

import numpy as np

from companion._utils.blas import definite_solve

_RIDGE = 1e-5


def fit_network(kernels, y, weight):
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


def boost(K, y, rows, rng, *, n_networks, n_centres):
    """Networks, each with its factor, boosted on some rows; and the output at all of them."""
    weight = np.zeros(len(y))
    output = np.zeros(len(y))
    networks = []
    weight[rows] = 1.0 / len(rows)
    for _ in range(n_networks):
        # samples in proportion to their weights, none twice
        size = min(n_centres, np.count_nonzero(weight))
        centres = rng.choice(len(y), size, replace=False, p=weight)
        kernels = K[centres]
        beta = fit_network(kernels, y, weight)
        confidence = _confidence_of(kernels, beta)
        r = weight @ (y * confidence)
        if not 0.0 < r < 1.0:  # no better than chance, or without any doubt
            break
        factor = np.arctanh(r)
        networks.append((factor, centres, beta))
        output += factor * confidence
        weight *= np.exp(-factor * y * confidence)
        weight /= weight.sum()
    return networks, output


def decision(networks, K):
    """Output for kernel values of the training samples (rows) and points (columns)."""
    return sum(
        factor * _confidence_of(K[centres], beta) for factor, centres, beta in networks
    )


def _confidence_of(kernels, beta):
    return np.clip(beta[:-1] @ kernels + beta[-1], -1.0, 1.0)
