"""One module a paper: what each of its tables and figures computes, as records.

To add a paper, write a module (or package) that offers ``ARTEFACTS``, a tuple of
:class:`~companion.papers.base.Artefact`, and name it in ``PAPERS`` below. The command, the record
store, the verdicts and the tests that look for uncovered notebooks find it from here. Notebooks
about all papers at once stand in :mod:`companion.papers.across`.
"""

from __future__ import annotations

from companion.papers.base import Artefact, Paper, Parameter, Study, Unit, seed_for

__all__ = [
    "PAPERS",
    "Artefact",
    "Paper",
    "Parameter",
    "Study",
    "Unit",
    "get_artefact",
    "list_across",
    "list_artefacts",
    "seed_for",
]

#: The papers, in the order in which they are reported.
PAPERS = {
    paper.key: paper
    for paper in (
        Paper(
            "l1nsvm",
            "Least 1-Norm SVMs: a New SVM Variant between Standard and LS-SVMs",
            "J. López and J. R. Dorronsoro, European Symposium on Artificial Neural Networks"
            " (ESANN), 2010",
            "companion.papers.l1nsvm",
        ),
        Paper(
            "gacv",
            "On the Relation Between the GACV and Joachims' ξα Method for Tuning Support Vector"
            " Machines, With Extensions to the Non-Standard Case",
            "G. Wahba, Y. Lin, Y. Lee and H. Zhang, Technical Report 1039, Department of"
            " Statistics, University of Wisconsin, Madison, 2001",
            "companion.papers.gacv",
        ),
        Paper(
            "usvc",
            "Advantages of Unbiased Support Vector Classifiers for Data Mining Applications",
            "A. Navia-Vázquez, F. Pérez-Cruz, A. Artés-Rodríguez and A. R. Figueiras-Vidal,"
            " Journal of VLSI Signal Processing 37, 2004",
            "companion.papers.usvc",
        ),
        Paper(
            "wrsvm",
            "Utility-Based Weighted Multicategory Robust Support Vector Machines",
            "Y. Liu, Y. Wu and Q. He, Statistics and its Interface 3, 2010",
            "companion.papers.wrsvm",
        ),
        Paper(
            "conformal",
            "SVM Imbalance Correction by Conformal Kernel Transformations",
            "Á. Barbero, Master's thesis, Universidad Autónoma de Madrid, 2008",
            "companion.papers.conformal",
        ),
    )
}


def list_artefacts(paper: str | None = None) -> list[Artefact]:
    """All tables and figures, or those of one paper, in print order.

    Parameters
    ----------
    paper : str, optional
        Key of a paper; all papers by default.

    Returns
    -------
    list of Artefact

    Raises
    ------
    KeyError
        If there is no such paper; the message lists those there are.
    """
    if paper is not None and paper not in PAPERS:
        raise KeyError(f"no paper {paper!r}; there are {', '.join(PAPERS)}")
    keys = list(PAPERS) if paper is None else [paper]
    return [artefact for key in keys for artefact in PAPERS[key].artefacts]


def list_across() -> list[Artefact]:
    """The notebooks about all papers at once, ``notebooks/<name>.ipynb``.

    Returns
    -------
    list of Artefact
    """
    from companion.papers.across import ARTEFACTS

    return list(ARTEFACTS)


def get_artefact(name: str) -> Artefact:
    """The artefact named ``"<paper>/<artefact>"``, or the notebook about all papers ``"<name>"``.

    Parameters
    ----------
    name : str
        What is typed after ``companion reproduce``.

    Returns
    -------
    Artefact

    Raises
    ------
    KeyError
        If there is no such artefact; the message lists those there are.
    """
    paper, slash, _ = name.partition("/")
    group = list_artefacts(paper) if slash or paper in PAPERS else list_across()
    artefacts = {artefact.id: artefact for artefact in group}
    if name not in artefacts:
        raise KeyError(f"no artefact {name!r}; there are {', '.join([*artefacts, *PAPERS])}")
    return artefacts[name]
