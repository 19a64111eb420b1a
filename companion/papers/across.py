"""Notebooks about all papers at once, ``notebooks/<name>.ipynb``: nothing printed belongs to them."""

from __future__ import annotations

from companion.papers.base import RUN_PARAMETERS, Artefact

__all__ = ["ARTEFACTS"]

_PROFILE = next(parameter for parameter in RUN_PARAMETERS if parameter.name == "profile")

ARTEFACTS: tuple[Artefact, ...] = (
    Artefact("", "overview", "All papers: what they claim, how much of it holds, their errata",
             parameters=(_PROFILE,)),
)  # fmt: skip
