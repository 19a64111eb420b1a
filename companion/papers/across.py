"""Notebooks about all papers at once, ``notebooks/<name>.ipynb``: nothing printed belongs to them."""

from __future__ import annotations

from companion.papers.base import PROFILES, Artefact, Parameter

__all__ = ["ARTEFACTS"]

ARTEFACTS: tuple[Artefact, ...] = (
    Artefact(
        "", "agreement", "Solver agreement: the same problems from every paper, by one yardstick",
        parameters=(
            Parameter("profile", str, "paper", "sizes of the problems: quick or paper",
                      choices=PROFILES),
        ),
    ),
)
