"""Liu, Wu and He, "Utility-Based Weighted Multicategory Robust Support Vector Machines".

A module a table or figure; ``theory`` and ``beyond`` are about the claims in words. Both tables of
simulations share ``simulation``, both figures ``regions``, everything ``examples``.
"""

from companion.papers.summaries import artefacts
from companion.papers.wrsvm import (
    beyond,
    fig_1,
    fig_2,
    table_1,
    table_2,
    table_3,
    theory,
)
from companion.papers.wrsvm.examples import PAPER
from companion.papers.wrsvm.simulation import N_SAMPLES
from companion.reproduction import Artefact, Parameter


def _sample(numbers):
    last = numbers["paper"]
    return Parameter("sample", int, 1, f"which sample, 1 to {last}", low=1, high=last)


_C = Parameter("C", float, 1.0, "cost of the loss", low=1e-4, high=1e4)
_C_FIGURES = Parameter("C", float, 8.0, "cost of the loss", low=1e-4, high=1e4)
_A = Parameter("a", float, 0.4, "utility of calling class 1 another", low=0.0, high=1.0)
_FAVOURED = Parameter(
    "a", float, 0.4, "utility of the mistakes it favours", low=0.0, high=1.0
)
_LARGE = Parameter(
    "a", float, 0.8, "utility of the mistakes it favours", low=0.0, high=1.0
)
_SHIFTED = Parameter(
    "a", float, 0.6, "utility of calling class 1 another", low=0.0, high=1.0
)
_FAMILY = Parameter(
    "family", int, 2, "which matrix of (16): U1, U2 or U3", low=1, high=3
)
_S = Parameter(
    "truncation", float, -0.5, "margin below which the loss is constant", high=0.0
)
_FLIP = Parameter(
    "flip", float, 0.15, "share of labels replaced by another class", low=0, high=1
)
_WIDTH = Parameter(
    "width", float, 1.0, "of the kernel, in median distances", low=0.1, high=10.0
)
_LOSS = Parameter(
    "loss", str, "hinge", "hinge, exponential or logistic", tuple(theory.LOSSES)
)
_K = Parameter("k", int, 3, "number of classes in the theorem", low=3, high=8)
_SPLIT = Parameter("split", int, 1, "which random split, 1 to 100", low=1, high=100)
_KERNEL = Parameter("kernel", str, "linear", "linear or rbf", ("linear", "rbf"))
METHOD = (
    *(_C, _A, _S, _FLIP),
    Parameter("n_samples", int, 150, "points drawn", low=15, high=1000),
    Parameter("draw", int, 1, "which draw of the points", low=1),
)
_FIG_1 = (_FAMILY, _LARGE, _C_FIGURES, _sample(fig_1.N_SAMPLES))
_FIG_2 = (_LARGE, _C_FIGURES, _WIDTH, _sample(fig_2.N_SAMPLES))
_TABLE_1 = (_FAMILY, _FAVOURED, _FLIP, _sample(N_SAMPLES))
_TABLE_2 = (_FAMILY, _FLIP, _WIDTH, _sample(N_SAMPLES))
_THEORY = (_LOSS, _K, _A, _sample(theory.N_SAMPLES))
_BEYOND = (_SHIFTED, _FLIP, _S, _sample(beyond.N_SAMPLES))

ARTEFACTS = (
    Artefact(
        PAPER,
        "method",
        "The method: utilities, and a loss with a limit",
        parameters=METHOD,
    ),
    *artefacts(
        PAPER,
        (fig_1, "Figure 1: linear boundaries for three utility matrices", *_FIG_1),
        (fig_2, "Figure 2: kernel boundaries for three utility matrices", *_FIG_2),
        (table_1, "Table 1: utilities of WSVM and WRSVM in Example 2", *_TABLE_1),
        (table_2, "Table 2: utilities of WSVM and WRSVM in Example 3", *_TABLE_2),
        (
            table_3,
            "Table 3: predictions for handwritten digits",
            _SHIFTED,
            _KERNEL,
            _SPLIT,
        ),
        (theory, "Theorem 3.1, (9), the cost form (4) and the DC algorithm", *_THEORY),
        (
            beyond,
            "Why truncation helps, global minima, baselines, more classes",
            *_BEYOND,
        ),
    ),
)
