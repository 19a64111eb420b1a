"""The surroundings of all tests, and how notebooks are checked.

nbval compares outputs but for images, whose data stand in tables, and tables by their numbers.
"""

import os
import shutil
import signal
import tempfile
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import settings
from jupyter_client.provisioning import KernelProvisionerFactory
from threadpoolctl import threadpool_limits

from companion._utils.paths import cache_dir
from companion._utils.slow_imports import pass_over_slow_imports

pass_over_slow_imports()

pytest_plugins = ["pytester", "companion.reproduction.nbval_values"]

# The same few problems wherever it runs; `--hypothesis-profile many` draws thousands of others.
_each_time = {"derandomize": True, "database": None}
settings.register_profile("few", max_examples=20, deadline=None, **_each_time)
settings.register_profile("many", max_examples=500, deadline=None)
settings.load_profile("few")

# Files that take long: with several workers the last to start is waited for. The site is built by
# the first that needs it, and the wheel; the next would wait for it, so they come later.
LONGEST_FIRST = (
    "tests/test_site.py",
    "tests/papers/test_paper_records.py",
    "tests/test_adding_a_paper.py",
    "tests/test_new.py",
    "tests/reproduction/test_run.py",
    "tests/test_site_browser.py",
    "tests/reproduction/test_dask.py",
    "tests/test_wheel.py",
    "tests/test_project.py",
    "tests/estimators/test_scikit_learn_contract.py",
    "tests/solvers/test_compilation.py",
    "tests/test_agreement.py",
    "tests/tuning/test_grid.py",
)

# Tests read the committed records, not what this user's own runs have left in the cache; data that
# were downloaded before are still found. Workers have the cache of the process that starts them.
_is_worker = "PYTEST_XDIST_WORKER" in os.environ
if not _is_worker:
    _downloads = cache_dir() / "data"
    _cache = Path(tempfile.mkdtemp(prefix="companion-tests-"))
    if _downloads.is_dir():
        (_cache / "data").symlink_to(_downloads.resolve())
    os.environ["COMPANION_CACHE"] = str(_cache)
os.environ["COMPANION_PROGRESS"] = "0"
os.environ["COMPANION_PICTURES"] = "few"
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"

# What a shell starts in the background ignores Ctrl-C, and so would all that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

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
    if not _is_worker:
        shutil.rmtree(_cache, ignore_errors=True)
