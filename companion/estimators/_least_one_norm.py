"""LeastOneNormSVC: equality constraints and the 1-norm of the slacks."""

from companion.estimators._docs import with_shared_documentation
from companion.estimators._dual import DualClassifier


@with_shared_documentation
class LeastOneNormSVC(DualClassifier):
    """Least 1-Norm support vector machine: equality constraints, absolute loss.

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
    LSSVC : Equality constraints with squared slacks.
    L1SVC : Inequality constraints with linear slacks.
    sklearn.svm.SVR : With ``epsilon=0`` and targets -1 and +1, the same problem.

    Notes
    -----
    With slacks xi_i of either sign and feature map Phi the primal problem is (3) of
    [1]_, which is the linear programming form (4)::

        min_{W, b, xi}  1/2 ||W||^2 + sum_i C_i |xi_i|
        subject to      y_i (W . Phi(X_i) + b) = 1 - xi_i,

    where C_i is `C` times the weights of sample and class. The dual is (5) of [1]_::

        min_alpha   1/2 sum_ij alpha_i alpha_j y_i y_j k(X_i, X_j) - sum_i alpha_i
        subject to  sum_i alpha_i y_i = 0,  -C_i <= alpha_i <= C_i,

    with W = sum_i alpha_i y_i Phi(X_i). At the optimum, (6) of [1]_,
    y_i (W . Phi(X_i) + b) is 1 where alpha_i is inside its bounds, at most 1 where
    alpha_i = C_i and at least 1 where alpha_i = -C_i. So the multiplier of a point is
    bounded, as in L1SVC, and with it the influence of the point if the kernel is
    bounded; but the machine is rarely sparse, like LSSVC.

    References
    ----------
    %(references)s

    Examples
    --------
    >>> from companion import LeastOneNormSVC
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> machine = LeastOneNormSVC(C=10, kernel="linear").fit(X, [0, 0, 1, 1])
    >>> machine.predict([[0.4], [2.7]]).tolist()
    [0, 1]
    """

    _takes_indefinite = True

    def _box(self, C):
        return -C, C, 0.0
