"""Wahba, Lin, Lee and Zhang, "On the Relation Between the GACV and Joachims' xi-alpha Method".

``example`` holds the simulated example and what is known of it in closed form, ``selection`` the
criteria over a grid, ``minima`` and ``approximation`` two studies of them; every other module is a
printed figure or a claim.
"""

from companion.papers.gacv import beyond, fig_1, fig_2, inefficiency
from companion.papers.gacv.example import PAPER
from companion.reproduction import Artefact
from companion.reproduction.values import artefacts

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: tuning a machine from one fit"),
    *artefacts(
        PAPER,
        (fig_1, "Figure 1: observations and decision curves, both cases"),
        (inefficiency, "Section 6: inefficiencies of GACV, XA and BRXA"),
        (fig_2, "Figure 2: GCKL, GACV, BRMISCLASS and BRXA over lambda and sigma"),
        (beyond, "Section 6, last sentence: useful as internal tuning methods"),
    ),
)
