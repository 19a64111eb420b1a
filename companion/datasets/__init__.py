"""Data: generators, the tables of ``data/uci`` and the IDA problems rebuilt from them.

Only `companion.papers` uses this package; solvers and estimators know nothing of data sets.
"""

from inspect import ismodule as _is_module

from companion._utils.errors import DamagedData, DataUnavailable, UnknownDataset
from companion.datasets.checkers import (
    checkers_board,
    checkers_board_grid,
    checkers_board_label,
)
from companion.datasets.digests import data_digest
from companion.datasets.digits import load_pen_digits
from companion.datasets.generators import (
    FLIP_RULES,
    flip_labels,
    ringnorm,
    two_gaussians,
    twonorm,
    unequal_gaussians,
    waveform,
)
from companion.datasets.ida import (
    GENUINE,
    GENUINE_POOLS,
    Dataset,
    genuine_pool,
    genuine_split,
    ida_split,
    list_ida,
    load_ida,
)
from companion.datasets.imbalanced import (
    hepatitis_indicators,
    imbalanced_source,
    list_imbalanced,
    load_imbalanced,
)
from companion.datasets.outside import OUTSIDE, OutsideFile, fetch_file, find_copy
from companion.datasets.preprocessing import distinct_patterns, standardize
from companion.datasets.three_classes import (
    quadratic_logits,
    quadratic_logits_probability,
    three_gaussians,
    three_gaussians_probability,
)
from companion.datasets.threshold_cases import (
    ThresholdCase,
    get_threshold_case,
    threshold_case,
    threshold_case_densities,
    threshold_case_error,
)
from companion.datasets.uci import UCIProblem, list_uci, load_uci

# What stands above, but for the modules themselves.
__all__ = [
    name for name, value in vars().items() if not (name[0] == "_" or _is_module(value))
]
