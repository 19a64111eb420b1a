"""How notebooks are checked: nbval compares outputs, and the numbers behind tables by value.

Images are skipped by nbval (the data behind them are compared). A table carries its numbers at full
precision beside its print; of those, nbval is told here that another order of summation is no
difference.
"""

import math
import os
import shutil
import tempfile
from functools import partial
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from companion._paths import cache_dir
from companion.reproduction.tables import VALUES_MIME

pytest_plugins = ["pytester"]

# Files that take a minute or more: with several workers the last to start is waited for.
LONGEST_FIRST = (
    "tests/test_project.py",
    "tests/solvers/test_compilation.py",
    "tests/test_adding_a_paper.py",
    "tests/test_report_browser.py",
    "tests/reproduction/test_report.py",
    "tests/reproduction/test_dask.py",
    "tests/papers/test_paper_records.py",
    "tests/reproduction/test_run.py",
    "tests/reproduction/test_codehash.py",
    "notebooks/conformal/checkers.ipynb",
    "tests/estimators/test_scikit_learn_contract.py",
)

# Tests read the committed records, not what this user's own runs have left in the cache; data that
# were downloaded before are still found.
_downloads = cache_dir() / "data"
_cache = Path(tempfile.mkdtemp(prefix="companion-tests-"))
if _downloads.is_dir():
    (_cache / "data").symlink_to(_downloads.resolve())
os.environ["COMPANION_CACHE"] = str(_cache)
os.environ["COMPANION_PROGRESS"] = "0"
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"


@pytest.fixture
def ax():
    """Axes that no window shows."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread(request):
    """Small problems are quicker on one thread; how runs set their own is tested elsewhere."""
    if "reproduction" in request.path.parts:
        yield
    else:
        import scipy.linalg  # noqa: F401  (a BLAS loaded later would not be limited)

        with threadpool_limits(1):
            yield


def difference_of_values(committed, again, where=""):
    """Where two JSON contents first differ, "" if they do not; numbers may differ by rounding."""
    if isinstance(committed, float) or isinstance(again, float):
        both = isinstance(committed, (int, float)) and isinstance(again, (int, float))
        same = both and math.isclose(committed, again, rel_tol=1e-9, abs_tol=1e-12)
        return "" if same else f"{where}: {committed!r} committed, {again!r} now"
    if isinstance(committed, dict) and isinstance(again, dict) and committed.keys() == again.keys():
        pairs = [(f"{where} / {name}", committed[name], again[name]) for name in committed]
    elif isinstance(committed, list) and isinstance(again, list) and len(committed) == len(again):
        pairs = [(f"{where} [{i}]", *pair) for i, pair in enumerate(zip(committed, again))]  # noqa: B905
    else:
        return "" if committed == again else f"{where}: {committed!r} committed, {again!r} now"
    return next(filter(None, (difference_of_values(*pair, place) for place, *pair in pairs)), "")


def tables(outputs):
    """The numbers behind the tables among a cell's outputs, in order."""
    return [o["data"][VALUES_MIME] for o in outputs if VALUES_MIME in o.get("data", {})]


def _compare_outputs(cell, compare, test, ref, skip_compare=None):
    if not compare(test, ref, skip_compare):
        return False
    difference = difference_of_values(tables(ref), tables(test), "tables")
    if difference:
        cell.comparison_traceback.append(f"The numbers behind a table differ at {difference}")
    return not difference


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += (VALUES_MIME,)


def pytest_collection_modifyitems(items):
    place = {name: at for at, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: place.get(item.nodeid.split("::")[0], len(place)))


def pytest_itemcollected(item):
    if hasattr(item, "compare_outputs"):
        item.compare_outputs = partial(_compare_outputs, item, item.compare_outputs)


def pytest_unconfigure(config):
    shutil.rmtree(_cache, ignore_errors=True)
