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
        proposes="An LS-SVM pays the square of a point's distance to its margin; this one pays"
        " the distance itself, so that a point far out weighs less.",
        today="`sklearn.svm.SVC`, which is sparse besides; `LeastOneNormSVC` is support vector"
        " regression with ε = 0 on the labels.",
        claim='"may also be more robust than LS-SVMs with respect to outliers" (abstract)',
    ),
    Paper(
        "gacv",
        "On the Relation Between the GACV and Joachims' ξα Method for Tuning Support Vector"
        " Machines, With Extensions to the Non-Standard Case",
        "G. Wahba, Y. Lin, Y. Lee and H. Zhang, Technical Report 1039, Department of"
        " Statistics, University of Wisconsin, Madison, 2001",
        "companion.papers.gacv",
        proposes="The GACV and the ξα estimate read off the slacks and multipliers of a single"
        " fit how a machine would err on new data.",
        today="`sklearn.model_selection.GridSearchCV`, or exact"
        " `companion.tuning.leave_one_out`; the two criteria are for a first look over a wide"
        " grid.",
        claim='"we believe that these two estimates will prove to be extremely useful as'
        ' internal tuning methods" (Sec. 6, last sentence)',
    ),
    Paper(
        "usvc",
        "Advantages of Unbiased Support Vector Classifiers for Data Mining Applications",
        "A. Navia-Vázquez, F. Pérez-Cruz, A. Artés-Rodríguez and A. R. Figueiras-Vidal,"
        " Journal of VLSI Signal Processing 37, 2004",
        "companion.papers.usvc",
        proposes="The hinge charges a point the more the farther it is on the wrong side; this"
        " machine charges one error, and is trained by weighted least squares.",
        today="`sklearn.svm.SVC`, and `UnbiasedSVC` where a cluster in the wrong place must not"
        " move the threshold.",
        claim='"This way, the number of classification errors is truly minimized", Abstract',
    ),
    Paper(
        "wrsvm",
        "Utility-Based Weighted Multicategory Robust Support Vector Machines",
        "Y. Liu, Y. Wu and Q. He, Statistics and its Interface 3, 2010",
        "companion.papers.wrsvm",
        proposes="A matrix of utilities weighs the loss of a machine for several classes, and"
        " the loss is cut off, so that a wrong label cannot pull without limit.",
        today="`sklearn.linear_model.LogisticRegression` and the decision of largest expected"
        " utility; `WeightedRobustSVC` where labels are wrong.",
        claim='"using truncation can help to produce classifiers with higher utilities than'
        ' those without truncation in most cases" (5.1, Example 2)',
    ),
    Paper(
        "conformal",
        "SVM Imbalance Correction by Conformal Kernel Transformations",
        "Á. Barbero, Master's thesis, Universidad Autónoma de Madrid, 2008",
        "companion.papers.conformal",
        proposes="Where one class is rare, train a machine, multiply its kernel by"
        " $c(x)\\,c(x')$, which stretches space near the boundary, and train again.",
        today="`sklearn.svm.SVC(class_weight='balanced')`, with a width cross-validated by"
        " `companion.metrics.g_mean_scorer`.",
        claim='"conformal transformation methods seem to provide a way to improve bad initial'
        ' kernel selections" (6.3.2)',
    ),
    Paper("", "All papers", "", "companion.papers.across"),
)
