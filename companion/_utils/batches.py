"""Parts of a range, one after the other."""


def batches(n, size):
    """Slices of at most `size` numbers that make up range(n).

    As scikit-learn's ``gen_batches``, whose checks of its arguments cost more than many a slice is
    used for.
    """
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
