"""The surroundings of all tests, and how notebooks are checked.

nbval compares outputs but for images, whose data stand in tables, and tables by their numbers.
"""

import os
import shutil
import tempfile
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import settings
from jupyter_client.provisioning import KernelProvisionerFactory
from threadpoolctl import threadpool_limits

from companion._utils.paths import cache_dir

pytest_plugins = ["pytester", "companion.reproduction.nbval_values"]

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
os.environ["COMPANION_PICTURES"] = "few"
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"

# A run tries the same examples wherever it runs; `--hypothesis-profile default` tries others.
settings.register_profile("repeatable", derandomize=True, database=None)
settings.load_profile("repeatable")

# The kernels of nbval are forked, as those of a run are, and need not import everything anew.
_kernels = KernelProvisionerFactory.instance()
_warm = ("warm", "companion.reproduction.warm:WarmProvisioner", _kernels.GROUP_NAME)
_kernels.provisioners["warm"] = EntryPoint(*_warm)
_kernels.default_provisioner_name = "warm"


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


def pytest_collection_modifyitems(items):
    place = {name: at for at, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: place.get(item.nodeid.split("::")[0], len(place)))


def pytest_unconfigure(config):
    shutil.rmtree(_cache, ignore_errors=True)
