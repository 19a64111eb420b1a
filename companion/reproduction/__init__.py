"""The engine: units, records, published values, verdicts, notebooks, the site and the command.

It knows no paper, solver, estimator or data set; papers register with it. What a paper needs to
describe its tables and figures can be imported from here.
"""

from companion.reproduction.artefacts import RUN_PARAMETERS, Artefact, Paper, Parameter
from companion.reproduction.units import PROFILES, Study, Unit, seed_for

__all__ = [
    "PROFILES",
    "RUN_PARAMETERS",
    "Artefact",
    "Paper",
    "Parameter",
    "Study",
    "Unit",
    "seed_for",
]
