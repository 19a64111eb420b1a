"""Wahba, Lin, Lee and Zhang, "On the Relation Between the GACV and Joachims' xi-alpha Method".

``example`` holds the simulated example and what is known of it in closed form, ``selection`` the
criteria over a grid, ``inefficiency``, ``fig_1`` and ``beyond`` what is computed, ``values`` how
records become the printed numbers and the claims, ``tables`` what the notebooks show beside them.
"""

from companion.papers.gacv import beyond, fig_1, inefficiency, values
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter

_SAMPLE = Parameter("sample", int, 1, "the sample shown, 1 to 100", low=1, high=100)

ARTEFACTS = (
    Artefact(
        "gacv",
        "fig_1",
        "Figure 1: observations and decision curves, both cases",
        (fig_1.FIG_1, inefficiency.INEFFICIENCY),
        (*RUN_PARAMETERS, _SAMPLE),
        values.fig_1_values,
    ),
    Artefact(
        "gacv",
        "inefficiency",
        "Section 6: inefficiencies of GACV, XA and BRXA",
        (inefficiency.INEFFICIENCY,),
        RUN_PARAMETERS,
        values.inefficiency_values,
    ),
    Artefact(
        "gacv",
        "fig_2",
        "Figure 2: GCKL, GACV, BRMISCLASS and BRXA over lambda and sigma",
        (inefficiency.INEFFICIENCY,),
        (*RUN_PARAMETERS, _SAMPLE),
        values.fig_2_values,
    ),
    Artefact(
        "gacv",
        "beyond",
        "Section 6, last sentence: useful as internal tuning methods",
        (beyond.BEYOND,),
        RUN_PARAMETERS,
        values.beyond_values,
    ),
)
