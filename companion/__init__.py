"""A reproducible companion to five papers on support vector machines.

The public names below are imported on first use (PEP 562), so that ``import companion``
costs a few milliseconds and a script pays only for what it touches.
"""

import os
import sys
from importlib import import_module

__version__ = "0.3.0"

_MACHINES = "ConformalSVC", "L1SVC", "L2SVC", "LSSVC", "LeastOneNormSVC", "UnbiasedSVC"
_HOMES = dict.fromkeys((*_MACHINES, "WeightedRobustSVC"), "companion.estimators")
_HOMES |= dict.fromkeys(("GACVSearch", "KernelGridSearchCV"), "companion.tuning")

_ROOMS = (
    "datasets",
    "estimators",
    "kernels",
    "losses",
    "metrics",
    "plotting",
    "solvers",
    "tuning",
)

__all__ = [*_HOMES, "__version__"]

# numba refuses to compile where it can keep nothing, neither beside the sources nor at home.
_places = (os.path.dirname(__file__), os.path.expanduser("~"))
_no_writable_cache = not any(os.access(place, os.W_OK | os.X_OK) for place in _places)
if _no_writable_cache and "NUMBA_CACHE_DIR" not in os.environ:
    import atexit
    import shutil
    import tempfile

    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="companion-loops-")
    atexit.register(shutil.rmtree, os.environ["NUMBA_CACHE_DIR"], ignore_errors=True)
    if "numba" in sys.modules:
        sys.modules["numba"].config.reload_config()


def __getattr__(name):
    if name in _ROOMS:
        return import_module(f"companion.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        raise ImportError(f"{name} needs compiled loops: unset NUMBA_DISABLE_JIT")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__, *_ROOMS})
