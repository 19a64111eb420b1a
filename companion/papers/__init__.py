"""One package a paper: what each of its tables and figures computes and draws.

To add a paper, write a module (or package) that offers ``ARTEFACTS``, a tuple of
:class:`~companion.reproduction.artefacts.Artefact`, and describe it in ``papers.toml`` beside this
file. The engine finds ``PAPERS`` as an entry point.
"""

import tomllib
from pathlib import Path

from companion.reproduction.artefacts import Paper

__all__ = ["PAPERS"]

_DESCRIPTIONS = tomllib.loads(
    Path(__file__).with_name("papers.toml").read_text(encoding="utf-8")
)

#: The papers, in the order in which they are reported; last, the notebooks about all of them.
PAPERS = (
    *(
        Paper(module=f"companion.papers.{description['key']}", **description)
        for description in _DESCRIPTIONS["paper"]
    ),
    Paper("", "All papers", "", "companion.papers.across"),
)
