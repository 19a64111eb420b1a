"""Liu, Wu and He, "Utility-Based Weighted Multicategory Robust Support Vector Machines".

A module a table or figure; ``theory`` and ``beyond`` are about the claims in words. Both tables of
simulations share ``simulation``, both figures ``regions``, everything ``examples``.
"""

from functools import partial

from companion.papers.summaries import values_from
from companion.papers.wrsvm import beyond, fig_1, fig_2, table_1, table_2, table_3, theory
from companion.papers.wrsvm.examples import PAPER
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter


def _artefact(module, title, *parameters):
    name, parameters = module.__name__.rpartition(".")[2], (*RUN_PARAMETERS, *parameters)
    values = partial(values_from, module.VALUES)
    return Artefact(PAPER, name, title, module.STUDIES, parameters, values)


def _sample(figure):
    last = figure.N_SAMPLES["paper"]
    return Parameter("sample", int, 1, f"the sample drawn, 1 to {last}", low=1, high=last)


METHOD = (
    Parameter("C", float, 1.0, "cost of the loss", low=1e-4, high=1e4),
    Parameter("a", float, 0.4, "utility of calling class 1 another", low=0.0, high=1.0),
    Parameter("truncation", float, -0.5, "margin below which the loss is constant", high=0.0),
    Parameter("flip", float, 0.15, "share of labels replaced by another class", low=0.0, high=1.0),
    Parameter("n_samples", int, 150, "points drawn", low=15, high=1000),
    Parameter("draw", int, 1, "which draw of the points", low=1),
)

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: utilities, and a loss with a limit", parameters=METHOD),
    _artefact(fig_1, "Figure 1: linear boundaries for three utility matrices", _sample(fig_1)),
    _artefact(fig_2, "Figure 2: kernel boundaries for three utility matrices", _sample(fig_2)),
    _artefact(table_1, "Table 1: utilities of WSVM and WRSVM in Example 2"),
    _artefact(table_2, "Table 2: utilities of WSVM and WRSVM in Example 3"),
    _artefact(table_3, "Table 3: predictions for handwritten digits"),
    _artefact(theory, "Theorem 3.1, (9), the cost form (4) and the DC algorithm"),
    _artefact(beyond, "Why truncation helps, global minima, baselines, more classes"),
)
