"""Data: generators, the IDA problems rebuilt from UCI files, and where those files come from.

Only `companion.papers` uses this package; solvers and estimators know nothing of data sets.
"""

from companion.datasets._errors import DataUnavailable, UnknownDataset
from companion.datasets._fetch import fetch_file, forget_failures
from companion.datasets._sources import Source, SourceFile, get_source, list_sources
from companion.datasets.generators import (
    FLIP_RULES,
    flip_labels,
    noisy_two_class,
    two_gaussians,
    unequal_gaussians,
)
from companion.datasets.ida import (
    Dataset,
    data_digest,
    ida_split,
    is_available,
    list_ida,
    load_ida,
    split_source,
    why_unavailable,
)
from companion.datasets.maintenance import CheckReport, FetchReport, check, fetch
from companion.datasets.preprocessing import distinct_patterns, standardize

__all__ = [
    "CheckReport",
    "DataUnavailable",
    "Dataset",
    "FLIP_RULES",
    "FetchReport",
    "Source",
    "SourceFile",
    "UnknownDataset",
    "check",
    "data_digest",
    "distinct_patterns",
    "fetch",
    "fetch_file",
    "flip_labels",
    "forget_failures",
    "get_source",
    "ida_split",
    "is_available",
    "list_ida",
    "list_sources",
    "load_ida",
    "noisy_two_class",
    "split_source",
    "standardize",
    "two_gaussians",
    "unequal_gaussians",
    "why_unavailable",
]
