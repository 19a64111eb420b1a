"""Points in sparse matrices: their form, their inner products, their variance."""

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.extmath import safe_sparse_dot

# Inner products of sparse rows take less time than those of dense ones below this share of values
# that are not zero.
SPARSE_BELOW = 1.0 / 30.0

# What has to be dense is converted up to this size.
DENSE_MEGABYTES = 1000.0

_BLOCK_MEGABYTES = 64.0


def canonical(X):
    """X as a float64 CSR matrix with sorted indices and no duplicates; the argument is kept."""
    X = X.tocsr().astype(np.float64, copy=False)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def pays(X):
    """Whether inner products of the rows of a sparse X are cheaper than those of dense rows."""
    return X.nnz < SPARSE_BELOW * X.shape[0] * X.shape[1]


def converted(X, what):
    """X as an array; refused above a size at which sparse data should stay sparse."""
    if not issparse(X):
        return X
    megabytes = 8e-6 * X.shape[0] * X.shape[1]
    if megabytes > DENSE_MEGABYTES:
        raise ValueError(
            f"{what} needs dense points. Got a sparse X of shape {X.shape}, which would take "
            f"{megabytes:.0f} MB as an array, more than the {DENSE_MEGABYTES:.0f} MB up to which "
            "it is converted. Use L1SVC or another machine that works on sparse points, or reduce "
            "the features, as by sklearn.decomposition.TruncatedSVD."
        )
    return np.ascontiguousarray(X.toarray())


def columns_of(Y):
    """The transpose of sparse points, by rows: what their inner products with others run over."""
    return csr_array(Y.T)


def inner_products(X, Y, out, columns=None):
    """X Y' into `out` where X or Y is sparse, a block of rows at a time.

    `columns` are those of a sparse Y, where they are at hand. Exactly symmetric for Y = X.
    """
    n_rows, n_columns = out.shape
    if columns is None:
        columns = columns_of(Y) if issparse(Y) else Y.T
    block = max(1, int(_BLOCK_MEGABYTES * 1e6 / (8 * max(n_columns, 1))))
    for start in range(0, n_rows, block):
        rows = slice(start, start + block)
        out[rows] = safe_sparse_dot(X[rows], columns, dense_output=True)
    return out


def distances_from_products(of_rows, of_columns, out):
    """Turn X Y' in `out` into squared distances, in place, by the squared norms of the rows."""
    for row, norm in zip(out, of_rows, strict=True):
        # Twice the product is taken from the sum of norms, so that the matrix is symmetric.
        row *= 2.0
        np.subtract(norm + of_columns, row, out=row)
        np.maximum(row, 0.0, out=row)


def variance(X, sample_weight=None):
    """Variance of all values of a sparse X, its rows weighted."""
    if sample_weight is None:
        sample_weight = np.ones(X.shape[0])
    weight = np.repeat(sample_weight, np.diff(X.indptr))
    total = sample_weight.sum() * X.shape[1]
    mean = weight @ X.data / total
    of_zeros = (total - weight.sum()) * mean**2
    return (weight @ (X.data - mean) ** 2 + of_zeros) / total
