"""L1SVC and L2SVC: the machines with inequality constraints."""

import numpy as np

from companion.estimators._docs import with_shared_documentation
from companion.estimators._dual import DualClassifier


@with_shared_documentation
class L1SVC(DualClassifier):
    """Standard support vector machine with the hinge loss.

    Parameters
    ----------
    %(C_or_inf)s
    %(kernel)s
    %(smo)s
    %(rest)s

    Attributes
    ----------
    %(attributes)s

    See Also
    --------
    L2SVC : The same constraints with squared slacks.
    LeastOneNormSVC : The same loss with equality constraints.
    sklearn.svm.SVC : The same machine solved by libsvm.

    Notes
    -----
    With slacks xi_i and feature map Phi the primal problem is [2]_::

        min_{W, b, xi}  1/2 ||W||^2 + sum_i C_i xi_i
        subject to      y_i (W . Phi(X_i) + b) >= 1 - xi_i,  xi_i >= 0,

    where C_i is `C` times the weights of sample and class. The dual is::

        min_alpha   1/2 sum_ij alpha_i alpha_j y_i y_j k(X_i, X_j) - sum_i alpha_i
        subject to  sum_i alpha_i y_i = 0,  0 <= alpha_i <= C_i,

    and W = sum_i alpha_i y_i Phi(X_i). It is (5) of [1]_ with the lower bound 0.

    References
    ----------
    %(references)s

    Examples
    --------
    >>> from companion import L1SVC
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> machine = L1SVC(C=10, kernel="linear").fit(X, ["left", "left", "right", "right"])
    >>> machine.predict([[0.4], [2.7]]).tolist()
    ['left', 'right']
    """

    _takes_indefinite = True

    def _box(self, C):
        return 0.0, C, 0.0


@with_shared_documentation
class L2SVC(DualClassifier):
    """Support vector machine with the squared hinge loss.

    Parameters
    ----------
    %(C_or_inf)s
    %(kernel)s
    %(smo)s
    %(rest)s

    Attributes
    ----------
    %(attributes)s

    See Also
    --------
    L1SVC : The same constraints with linear slacks.
    LSSVC : The same loss with equality constraints.

    Notes
    -----
    With slacks xi_i and feature map Phi the primal problem is that of (1) in [1]_ with
    inequalities::

        min_{W, b, xi}  1/2 ||W||^2 + 1/2 sum_i C_i xi_i^2
        subject to      y_i (W . Phi(X_i) + b) >= 1 - xi_i,

    where C_i is `C` times the weights of sample and class. The dual is (2) of [1]_ with
    the modified kernel K~_ij = k(X_i, X_j) + delta_ij / C_i and a bound at zero::

        min_alpha   1/2 sum_ij alpha_i alpha_j y_i y_j K~_ij - sum_i alpha_i
        subject to  sum_i alpha_i y_i = 0,  0 <= alpha_i,

    and alpha_i = C_i xi_i: the influence of a point is not bounded.

    References
    ----------
    %(references)s

    Examples
    --------
    >>> from companion import L2SVC
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> machine = L2SVC(C=10, kernel="linear").fit(X, ["left", "left", "right", "right"])
    >>> machine.predict([[0.4], [2.7]]).tolist()
    ['left', 'right']
    """

    def _box(self, C):
        return 0.0, np.inf, 1.0 / C
