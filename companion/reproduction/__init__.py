"""The engine: units, records, published values, verdicts, notebooks, the site and the command.

It knows no paper, solver, estimator or data set; papers register with it. What a paper needs to
describe its tables and figures can be imported from here; it is loaded on first use (PEP 562), so
that the command's help page does not wait for numpy.
"""

from importlib import import_module

_HOMES = dict.fromkeys(
    ("PROFILES", "Study", "Unit", "numbered", "seed_for", "study_over"), "units"
)
_HOMES |= dict.fromkeys(("Artefact", "Paper"), "artefacts")
_HOMES |= dict.fromkeys(("Values",), "values")

__all__ = ["VALUES_MIME", *_HOMES]

#: Under which an output of a notebook has the numbers behind it, at full precision.
VALUES_MIME = "application/vnd.companion.values+json"


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return globals()[name]
