"""One package a paper: what each of its tables and figures computes and draws.

To add a paper, write a module (or package) that offers ``ARTEFACTS``, a tuple of
:class:`~companion.reproduction.artefacts.Artefact`, and name it in ``PAPERS`` below, which the
engine finds as an entry point.
"""

from companion.reproduction.artefacts import Paper

__all__ = ["PAPERS"]

#: The papers, in the order in which they are reported; last, the notebooks about all of them.
PAPERS = (
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
    Paper("", "All papers", "", "companion.papers.across"),
)
