"""The data of the experiments: draws of the checkers board, and folds of the seven real sets."""

from dataclasses import dataclass, replace
from functools import lru_cache, wraps

import numpy as np
from sklearn.model_selection import train_test_split

from companion import datasets
from companion.papers.experiment import Split, folds_of, split_rows
from companion.reproduction import numbered, seed_for, study_over

PAPER = "conformal"

#: 2 sigma^2 and C of section 6.1.
WIDTH = 50.0
C = 10.0

#: Share of a training part that is set apart as V, as often as there are classes in it.
VALIDATION = 0.25
N_FOLDS = 7

#: Bounds of the columns of the board, and of the real sets under another reading.
BOX = (-2.0, 2.0)

#: Names of Tables 6.3.2 and 6.3.3 and of our registry.
SETS = {
    "Glass7": "glass7",
    "Segment1": "segment1",
    "Hepatitis": "hepatitis",
    "Sonar": "sonar",
    "Heart disease": "heart",
    "Ionosphere": "ionosphere",
    "Breast cancer": "wdbc",
}
BOARD_NAME = "Checkers board"

#: The large set, left out of many partitions, and the others.
LARGE = "Segment1"
NOT_LARGE = tuple(name for name in SETS if name != LARGE)

#: The smallest sets, which are those of the quick profile.
SMALL = ("Glass7", "Hepatitis")

#: Draws of the board: patterns of each class, side, and cells of the test grid by side.
N_POSITIVE = 20
N_NEGATIVE = 2000
SIDE = 4.0
GRID = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(Split):
    """A split, the rows of its training part outside V and in V, and a seed for the methods."""

    learn: np.ndarray
    validate: np.ndarray
    seed: int


def _number(*parts):
    return int(seed_for(PAPER, *parts).generate_state(1)[0])


def problem_of(part, *identity):
    """A split as :class:`Problem`; V and the seed depend on what identifies it."""
    seed = _number("validation", *identity)
    learn, validate = train_test_split(
        np.arange(len(part.y)), test_size=VALIDATION, stratify=part.y, random_state=seed
    )
    rows = {"learn": np.sort(learn), "validate": np.sort(validate)}
    return Problem(part.X, part.y, part.X_test, part.y_test, **rows, seed=seed)


def board_split(draw, n_positive=N_POSITIVE, n_negative=N_NEGATIVE):
    """A draw of the checkers board, and the grid on which it is tested."""
    rng = np.random.default_rng(seed_for(PAPER, "board", draw))
    X, y = datasets.checkers_board(n_positive, n_negative, SIDE, rng)
    X_test, y_test = datasets.checkers_board_grid(GRID, SIDE)
    return Split(X, y.astype(float), X_test, y_test.astype(float))


def board(draw):
    """A draw of the checkers board with its test grid, as :class:`Problem`."""
    return problem_of(board_split(draw), "board", draw)


@lru_cache(maxsize=4)
def load(name):
    """Inputs and labels of a set by the name in our tables, unscaled, NaN where missing."""
    if name in SETS:
        data = datasets.load_imbalanced(SETS[name])
    else:
        data = datasets.load_ida(name.lower())
    return data.X, data.y.astype(float)


def largest_difference(found, wanted):
    """Largest difference of two arrays, by the largest entry of the one that is wanted."""
    return np.abs(found - wanted).max() / np.abs(wanted).max()


def strip(rng, n, low, high):
    """Patterns that are uniform for x1 from `low` to `high` and x2 from -1 to 1."""
    x1 = rng.uniform(low, high, n)
    x2 = rng.uniform(-1.0, 1.0, n)
    return np.column_stack([x1, x2])


@lru_cache(maxsize=2)
def folds(name, partition):
    """The seven folds of a partition of a real set, each a standardised :class:`Problem`."""
    X, y = load(name)
    cut = folds_of(X, y, N_FOLDS, _number("folds", name, partition))
    return [
        problem_of(split_rows(X, y, *rows).standardised(), name, partition, fold)
        for fold, rows in enumerate(cut)
    ]


def in_box(problem, low, high):
    """The problem with each column of its training part from `low` to `high`."""
    least = problem.X.min(axis=0)
    most = problem.X.max(axis=0)
    unit = (high - low) / np.where(most > least, most - least, 1.0)
    return replace(
        problem,
        X=low + (problem.X - least) * unit,
        X_test=low + (problem.X_test - least) * unit,
    )


def parts_of(unit):
    """The training parts of a unit, a fold each; a draw of the board counts as one."""
    name = unit.params["dataset"]
    number = unit.params["partition"]
    return [board(number)] if name == BOARD_NAME else folds(name, number)


def part_by_part(rows):
    """Decorate ``rows(problem)``: the records of all training parts of a unit, with their folds."""

    @wraps(rows)
    def compute(unit):
        return [
            {"fold": fold} | row
            for fold, problem in enumerate(parts_of(unit))
            for row in rows(problem)
        ]

    return compute


# -- units of work --------------------------------------------------------------------------


def digest(params):
    """Digest of the table behind the set of a unit; "" for the board."""
    name = params["dataset"]
    if name == BOARD_NAME:
        return ""
    source = datasets.imbalanced_source(SETS[name]) if name in SETS else name.lower()
    return datasets.data_digest(source)


def study_of_sets(
    name, compute, n_partitions, *, of_large=None, after=(), quick=SMALL, digits=6
):
    """A study with a unit for each data set, then for those `after`, and partition of it.

    The large set has its own number of partitions, and comes first: else one process would work
    at it while others have no more. A quick run has one partition of the `quick` sets.
    """
    counts = dict.fromkeys((LARGE, *SETS, *after), n_partitions)
    if of_large is not None:
        counts[LARGE] = of_large
    profiles = {"paper": counts, "quick": dict.fromkeys((*quick, *after), 1)}
    settings = numbered("dataset", "partition", profiles)
    return study_over(PAPER, name, compute, settings, digest, digits=digits)
