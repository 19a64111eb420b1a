"""Notebooks about all papers at once, ``notebooks/<name>.ipynb``: nothing printed belongs to them."""

from __future__ import annotations

from companion.papers.base import Artefact

__all__ = ["ARTEFACTS"]

ARTEFACTS: tuple[Artefact, ...] = ()
