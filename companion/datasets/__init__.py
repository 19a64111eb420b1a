"""Data: generators, the IDA problems rebuilt from UCI files, and where those files come from.

Only `companion.papers` uses this package; solvers and estimators know nothing of data sets.
"""

from companion.datasets._at_hand import data_digest, is_available, why_unavailable
from companion.datasets._fetch import fetch_file, forget_failures
from companion.datasets._sources import Source, SourceFile, get_source, list_sources
from companion.datasets.checkers import checkers_board, checkers_board_grid, checkers_board_label
from companion.datasets.digits import load_pen_digits
from companion.datasets.generators import (
    FLIP_RULES,
    flip_labels,
    noisy_two_class,
    ringnorm,
    two_gaussians,
    twonorm,
    unequal_gaussians,
    waveform,
)
from companion.datasets.ida import Dataset, ida_split, list_ida, load_ida, split_source
from companion.datasets.imbalanced import (
    hepatitis_indicators,
    imbalanced_source,
    list_imbalanced,
    load_imbalanced,
)
from companion.datasets.maintenance import CheckReport, FetchReport, check, fetch
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
from companion.errors import DataUnavailable, UnknownDataset

__all__ = [
    "CheckReport",
    "DataUnavailable",
    "Dataset",
    "FLIP_RULES",
    "FetchReport",
    "Source",
    "SourceFile",
    "ThresholdCase",
    "UCIProblem",
    "UnknownDataset",
    "check",
    "checkers_board",
    "checkers_board_grid",
    "checkers_board_label",
    "data_digest",
    "distinct_patterns",
    "fetch",
    "fetch_file",
    "flip_labels",
    "forget_failures",
    "get_source",
    "get_threshold_case",
    "hepatitis_indicators",
    "ida_split",
    "imbalanced_source",
    "is_available",
    "list_ida",
    "list_imbalanced",
    "list_sources",
    "list_uci",
    "load_ida",
    "load_imbalanced",
    "load_pen_digits",
    "load_uci",
    "noisy_two_class",
    "quadratic_logits",
    "quadratic_logits_probability",
    "ringnorm",
    "split_source",
    "standardize",
    "three_gaussians",
    "three_gaussians_probability",
    "threshold_case",
    "threshold_case_densities",
    "threshold_case_error",
    "two_gaussians",
    "twonorm",
    "waveform",
    "unequal_gaussians",
    "why_unavailable",
]
