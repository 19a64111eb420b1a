"""Wahba, Lin, Lee and Zhang, "On the Relation Between the GACV and Joachims' xi-alpha Method".

``example`` holds the simulated example and what is known of it in closed form, ``selection`` the
criteria over a grid; every other module is a printed figure or a claim.
"""

from companion.papers.gacv import beyond, fig_1, fig_2, inefficiency
from companion.papers.gacv.example import PAPER
from companion.papers.summaries import artefacts
from companion.reproduction import Artefact, Parameter

SAMPLE = Parameter("sample", int, 1, "the sample shown, 1 to 100", low=1, high=100)

METHOD = (
    Parameter("n_samples", int, 200, "points drawn, a multiple of 5", low=20, high=1000),
    Parameter("sigma", float, 1.0, "width of the Gaussian kernel", low=0.05, high=50.0),
    Parameter("log10_lambda", float, -2.5, "the machine looked at closely", low=-6.0, high=0.0),
    Parameter("draw", int, 1, "which draw of the points", low=1),
)

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: tuning a machine from one fit", parameters=METHOD),
    *artefacts(
        PAPER,
        (fig_1, "Figure 1: observations and decision curves, both cases", SAMPLE),
        (inefficiency, "Section 6: inefficiencies of GACV, XA and BRXA"),
        (fig_2, "Figure 2: GCKL, GACV, BRMISCLASS and BRXA over lambda and sigma", SAMPLE),
        (beyond, "Section 6, last sentence: useful as internal tuning methods"),
    ),
)
