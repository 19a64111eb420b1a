"""Notebooks about all papers, ``notebooks/<name>.ipynb``: nothing printed belongs to them."""

from companion.reproduction import Artefact

__all__ = ["ARTEFACTS"]

ARTEFACTS: tuple[Artefact, ...] = (
    Artefact(
        "", "tour", "A tour: seven machines and scikit-learn's SVC on one data set"
    ),
    Artefact(
        "",
        "overview",
        "All papers: what they claim, how much of it holds, their errata",
    ),
    Artefact(
        "",
        "agreement",
        "Do they agree? Seven machines beside libsvm, Clarabel and a closed form",
    ),
)
