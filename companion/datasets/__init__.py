"""Data: generators, the IDA problems rebuilt from UCI files, and where those files come from.

Only `companion.papers` uses this package; solvers and estimators know nothing of data sets.
"""

from companion import errors
from companion.datasets import (
    _availability,
    _fetch,
    _sources,
    checkers,
    digits,
    file_reports,
    generators,
    ida,
    imbalanced,
    preprocessing,
    three_classes,
    threshold_cases,
    uci,
)
from companion.datasets._availability import *  # noqa: F403
from companion.datasets._fetch import *  # noqa: F403
from companion.datasets._sources import *  # noqa: F403
from companion.datasets.checkers import *  # noqa: F403
from companion.datasets.digits import *  # noqa: F403
from companion.datasets.file_reports import *  # noqa: F403
from companion.datasets.generators import *  # noqa: F403
from companion.datasets.ida import *  # noqa: F403
from companion.datasets.imbalanced import *  # noqa: F403
from companion.datasets.preprocessing import *  # noqa: F403
from companion.datasets.three_classes import *  # noqa: F403
from companion.datasets.threshold_cases import *  # noqa: F403
from companion.datasets.uci import *  # noqa: F403
from companion.errors import *  # noqa: F403

__all__ = [
    *errors.__all__,
    *_availability.__all__,
    *_fetch.__all__,
    *_sources.__all__,
    *checkers.__all__,
    *digits.__all__,
    *file_reports.__all__,
    *generators.__all__,
    *ida.__all__,
    *imbalanced.__all__,
    *preprocessing.__all__,
    *three_classes.__all__,
    *threshold_cases.__all__,
    *uci.__all__,
]
