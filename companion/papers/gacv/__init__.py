"""Wahba, Lin, Lee and Zhang, "On the Relation Between the GACV and Joachims' xi-alpha Method".

``example`` holds the simulated example and what is known of it in closed form, ``selection`` the
criteria over a grid; every other module is a printed figure or a claim.
"""

from companion.papers.gacv import beyond, fig_1, fig_2, inefficiency
from companion.papers.gacv.example import CASES, GRIDS, PAPER
from companion.papers.summaries import artefacts
from companion.reproduction import Artefact, Parameter

SAMPLE = Parameter("sample", int, 1, "the sample shown, 1 to 100", low=1, high=100)
SIZE = Parameter(
    "n_samples", int, 200, "points drawn, a multiple of 5", low=20, high=1000
)

SHARE_HELP = "pi+, how often the + class is met outside the sample"
MISS_HELP = "C-, the cost of a missed +; a false alarm, C+, costs 1"
COSTS = (
    Parameter("positive_share", float, 0.1, SHARE_HELP, low=0.01, high=0.99),
    Parameter("miss_cost", float, 2.0, MISS_HELP, low=0.01, high=100.0),
)
CASE = Parameter("case", str, "nonstandard", "standard or nonstandard", choices=CASES)
GRID = Parameter(
    "grid", str, "fine", "lambda and sigma: fine or coarse", choices=tuple(GRIDS)
)

SET_HELP = " or ".join((", ".join(beyond.KEYS[:-1]), beyond.KEYS[-1]))
SEARCH = (
    Parameter("dataset", str, "titanic", SET_HELP, choices=beyond.KEYS),
    Parameter("split", int, 1, "which of its splits, 1 to 100", low=1, high=100),
    Parameter(
        "log2_gamma", float, -5.0, "the kernel of the curves", low=-20.0, high=10.0
    ),
    Parameter(
        "least_log2_C", int, -3, "where the searched costs begin", low=-15, high=11
    ),
)

METHOD = (
    SIZE,
    Parameter("sigma", float, 1.0, "width of the Gaussian kernel", low=0.05, high=50.0),
    Parameter(
        "log10_lambda", float, -2.5, "the machine looked at closely", low=-6.0, high=0.0
    ),
    Parameter("draw", int, 1, "which draw of the points", low=1),
)

ARTEFACTS = (
    Artefact(
        PAPER, "method", "The method: tuning a machine from one fit", parameters=METHOD
    ),
    *artefacts(
        PAPER,
        (
            fig_1,
            "Figure 1: observations and decision curves, both cases",
            SAMPLE,
            SIZE,
            *COSTS,
        ),
        (
            inefficiency,
            "Section 6: inefficiencies of GACV, XA and BRXA",
            SAMPLE,
            SIZE,
            GRID,
        ),
        (
            fig_2,
            "Figure 2: GCKL, GACV, BRMISCLASS and BRXA over lambda and sigma",
            CASE,
            SAMPLE,
            SIZE,
        ),
        (
            beyond,
            "Section 6, last sentence: useful as internal tuning methods",
            *SEARCH,
        ),
    ),
)
