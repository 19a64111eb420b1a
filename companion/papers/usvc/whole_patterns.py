"""Which tests the means and spreads of Table 4 can come from, as errors are whole patterns.

A mean over N tests of m patterns is a multiple of 100 / (N m) per cent (Brown and Heathers, The
GRIM test, Social Psychological and Personality Science 8, 2017), and the squares of N whole numbers
of errors add up to a whole number, even where the errors do. The table's numbers are rounded or cut
off: 29 errors in 696 stand in it as 4.16 and as 4.17.
"""

import math
from itertools import product

#: All patterns of each set at UCI, with those that lack a value.
ALL_PATTERNS = {
    "Breast": 699,
    "Dermat": 366,
    "Haberman": 306,
    "Postoperative": 90,
    "Heart disease": 303,
    "Hepatitis": 155,
    "Liver disorder": 345,
}


def can_stand_for(printed, number):
    """Whether a number, rounded or cut off to the printed digits, is what is printed."""
    _, _, decimals = printed.partition(".")
    unit = 10.0 ** -len(decimals)
    value = float(printed)
    return value - unit / 2 - 1e-9 <= number < value + unit - 1e-9


def counts(printed, n_tests, m):
    """The numbers of errors, in all tests together, whose mean can be printed so."""
    n = n_tests * m
    near = float(printed) * n / 100
    tried = range(max(0, math.floor(near) - 2), min(n, math.ceil(near) + 3) + 1)
    return [k for k in tried if can_stand_for(printed, 100 * k / n)]


def spread_is_possible(mean, spread, n_tests, m):
    """Whether tests with the printed mean can have the printed standard deviation."""
    for errors, freedom in product(counts(mean, n_tests, m), (n_tests - 1, n_tests)):
        centre = errors**2 / n_tests
        near = freedom * (float(spread) * m / 100) ** 2 + centre
        reach = 2 + freedom * (m / 100) ** 2 * (2 * float(spread) + 1)
        for squares in range(math.floor(near - reach), math.ceil(near + reach) + 1):
            is_whole = squares >= max(centre, errors) and (squares - errors) % 2 == 0
            if is_whole:
                deviation = math.sqrt((squares - centre) / freedom)
                if can_stand_for(spread, 100 * deviation / m):
                    return True
    return False


def possible(cells, n_tests, share):
    """Of cells (set, mean, spread), how many means, and means with their spread, are possible.

    Every test is of the whole part of a share of all patterns.
    """
    means = 0
    both = 0
    for name, mean, spread in cells:
        m = int(share * ALL_PATTERNS[name] + 1e-9)
        means += bool(counts(mean, n_tests, m))
        both += spread_is_possible(mean, spread, n_tests, m)
    return means, both
