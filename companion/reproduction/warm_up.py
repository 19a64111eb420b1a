"""What every kernel would do first, done by import, once, where they are forked from."""

from contextlib import suppress
from importlib import import_module

from companion._utils.compiled import njit
from companion._utils.slow_imports import pass_over_slow_imports
from companion.reproduction.declared import load_deviations

#: Not matplotlib's inline backend, which looks for the shell when it is imported.
_IMPORTED = (
    "companion.plotting",
    "companion.reproduction.display",
    "companion.reproduction.regenerate",
    "companion.reproduction.run",
    "companion.reproduction.verdicts",
    "ipykernel.kernelapp",
    "ipywidgets",
    "matplotlib.pyplot",
    "papermill",
)


@njit()
def _compiled():
    """What numba reads or compiles first, whatever it is, waits for its registries."""
    return 0


pass_over_slow_imports("debugpy")  # nobody debugs these kernels
for _name in _IMPORTED:
    with suppress(ImportError):  # ipywidgets, or what a kernel will name itself
        import_module(_name)
_compiled()
with suppress(Exception):  # the kernel that reads them says what is wrong
    load_deviations()
