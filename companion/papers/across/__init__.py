"""Notebooks about all papers, ``notebooks/<name>.ipynb``: nothing printed belongs to them."""

from companion.reproduction import PROFILES, RUN_PARAMETERS, Artefact, Parameter

__all__ = ["ARTEFACTS"]

_PROFILE = next(
    parameter for parameter in RUN_PARAMETERS if parameter.name == "profile"
)
_SIZES = Parameter(
    "profile", str, "paper", "sizes of the problems: quick or paper", choices=PROFILES
)

ARTEFACTS: tuple[Artefact, ...] = (
    Artefact(
        "",
        "overview",
        "All papers: what they claim, how much of it holds, their errata",
        parameters=(_PROFILE,),
    ),
    Artefact(
        "",
        "agreement",
        "Solver agreement: the same problems from every paper, by one yardstick",
        parameters=(_SIZES,),
    ),
)
