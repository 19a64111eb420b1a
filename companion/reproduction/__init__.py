"""The engine: units, records, published values, verdicts, notebooks, the site and the command.

It knows no paper, solver, estimator or data set; papers register with it. What a paper needs to
describe its tables and figures can be imported from here; it is loaded on first use (PEP 562), so
that the command's help page does not wait for numpy.
"""

from importlib import import_module

_HOMES = {
    "PROFILES": "companion.reproduction.units",
    "RUN_PARAMETERS": "companion.reproduction.artefacts",
    "Artefact": "companion.reproduction.artefacts",
    "Paper": "companion.reproduction.artefacts",
    "Parameter": "companion.reproduction.artefacts",
    "Study": "companion.reproduction.units",
    "Unit": "companion.reproduction.units",
    "seed_for": "companion.reproduction.units",
}

__all__ = [*_HOMES]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
