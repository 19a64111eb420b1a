"""Wahba, Lin, Lee and Zhang, "On the Relation Between the GACV and Joachims' xi-alpha Method".

``example`` holds the simulated example and what is known of it in closed form, ``selection`` the
criteria over a grid; every other module is a printed figure or a claim.
"""

from companion.papers.gacv.beyond import BEYOND, BEYOND_HINGE, beyond_values
from companion.papers.gacv.example import PAPER
from companion.papers.gacv.fig_1 import FIG_1, fig_1_values
from companion.papers.gacv.fig_2 import fig_2_values
from companion.papers.gacv.inefficiency import INEFFICIENCY, inefficiency_values
from companion.papers.gacv.minima import MINIMA
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter

TITLES = {
    "fig_1": "Figure 1: observations and decision curves, both cases",
    "inefficiency": "Section 6: inefficiencies of GACV, XA and BRXA",
    "fig_2": "Figure 2: GCKL, GACV, BRMISCLASS and BRXA over lambda and sigma",
    "beyond": "Section 6, last sentence: useful as internal tuning methods",
}
SAMPLE = Parameter("sample", int, 1, "the sample shown, 1 to 100", low=1, high=100)


def _artefact(name, studies, values, *parameters):
    return Artefact(PAPER, name, TITLES[name], studies, (*RUN_PARAMETERS, *parameters), values)


METHOD = (
    Parameter("n_samples", int, 200, "points drawn, a multiple of 5", low=20, high=1000),
    Parameter(
        "sigma",
        float,
        1.0,
        "width of the kernel exp(-|x - z|^2 / (2 sigma^2))",
        low=0.05,
        high=50.0,
    ),
    Parameter(
        "log10_lambda", float, -2.5, "the machine that is looked at closely", low=-6.0, high=0.0
    ),
    Parameter("draw", int, 1, "which draw of the points", low=1),
)

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: tuning a machine from one fit", parameters=METHOD),
    _artefact("fig_1", (FIG_1, INEFFICIENCY), fig_1_values, SAMPLE),
    _artefact("inefficiency", (INEFFICIENCY, MINIMA), inefficiency_values),
    _artefact("fig_2", (INEFFICIENCY, MINIMA), fig_2_values, SAMPLE),
    _artefact("beyond", (BEYOND, BEYOND_HINGE), beyond_values),
)
