"""How the notebooks are checked: nbval compares every output, here is what it leaves to others.

Images are skipped by nbval (the data behind them are compared), and the numbers that a table
carries at full precision are compared by value in ``tests/notebooks/test_values.py``.
"""

import os
import tempfile
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from companion._paths import cache_dir
from companion.reproduction.display import VALUES_MIME

# The files of an example, for `tests/test_adding_a_paper.py` to copy.
collect_ignore = ["tests/example_paper"]

# Tests read the committed records, not what this user's own runs have left in the cache; data that
# were downloaded before are still found.
_downloads = cache_dir() / "data"
_cache = Path(tempfile.mkdtemp(prefix="companion-tests-"))
if _downloads.is_dir():
    (_cache / "data").symlink_to(_downloads.resolve())
os.environ["COMPANION_CACHE"] = str(_cache)
os.environ["COMPANION_PROGRESS"] = "0"
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread(request):
    """Small problems are quicker on one thread; how runs set their own is tested elsewhere."""
    if "reproduction" in request.path.parts:
        yield
    else:
        import scipy.linalg  # noqa: F401  (a BLAS loaded later would not be limited)

        with threadpool_limits(1):
            yield


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += (VALUES_MIME,)


def pytest_unconfigure(config):
    import shutil

    shutil.rmtree(_cache, ignore_errors=True)
