"""Navia-Vázquez et al., "Advantages of Unbiased Support Vector Classifiers for Data Mining".

``cases`` has the settings of cases A and B, ``splits`` the real data, ``linear`` the machines of
Tables 2 and 4, ``paired_errors`` what Tables 2 to 4 compare, ``benefit`` a part of ``beyond``.
"""

from companion.papers.summaries import artefacts
from companion.papers.usvc import (
    beyond,
    fig_1,
    fig_3_4,
    table_1,
    table_2,
    table_3,
    table_4,
)
from companion.papers.usvc.cases import PAPER
from companion.papers.usvc.splits import BENCHMARK_SETS, MEDICAL_SETS
from companion.reproduction import Artefact, Parameter

_S = Parameter("s", float, 2.0, "order of the unbiased cost", low=1.0, high=10.0)
_CASE = Parameter(
    "case", str, "A", "the case that is drawn and learnt, A or B", choices=("A", "B")
)
_K = Parameter("k", float, 0.0, "the small constant of (6)", low=0.0, high=1.0)
_WEIGHT = "share of class +1 in the cluster, .286 in the paper's case B"
_CLUSTER = Parameter("cluster_weight", float, 0.25, _WEIGHT, low=0.0, high=1.0)
_C = Parameter("C", float, 10.0, "cost of a slack", low=1e-3, high=1e4)
_TRIAL = Parameter("trial", int, 1, "the trial shown, 1 to 100", low=1, high=100)
_TYPICAL = Parameter("trial", int, 5, "the trial shown, 1 to 100", low=1, high=100)
_NAMES = tuple(BENCHMARK_SETS)
_SET = Parameter(
    "dataset", str, "Ringnorm", "the data set of the split shown", choices=_NAMES
)
_SHOWN = Parameter("split", int, 1, "the split shown, 1 to 20", low=1, high=20)

METHOD = (
    _C,
    _S,
    Parameter(
        "cluster_weight",
        float,
        0.25,
        "share of class +1 in the cluster",
        low=0.0,
        high=1.0,
    ),
    Parameter("n_samples", int, 500, "patterns drawn", low=20, high=5000),
    Parameter("draw", int, 1, "which draw of them", low=1),
)

_SPLIT = "data set of the fit in plain sight"

_TABLE_3 = (
    Parameter("dataset", str, "Ringnorm", _SPLIT, choices=tuple(BENCHMARK_SETS)),
    Parameter("split_number", int, 1, "which of its splits", low=1, high=100),
    Parameter(
        "n_prototypes", int, 22, "kernels of the unbiased machine", low=1, high=170
    ),
    Parameter(
        "sigma", float, 2.0, "their width, inputs standardised", low=0.1, high=100.0
    ),
    Parameter("C", float, 1.0, "cost of a slack", low=1e-3, high=1e5),
    _S,
)

_TABLE_4 = (
    Parameter("dataset", str, "Heart disease", _SPLIT, choices=tuple(MEDICAL_SETS)),
    Parameter("split_number", int, 1, "which of its splits", low=1, high=100),
    _S,
)

_BEYOND = (
    Parameter("case", str, "B", "problem on the line, A or B", choices=("A", "B")),
    Parameter("n_samples", int, 500, "patterns drawn", low=20, high=5000),
    Parameter("draw", int, 1, "which draw of them", low=1, high=100),
    Parameter("C", float, 10.0, "cost of a slack", low=1e-3, high=1e4),
    _S,
    Parameter("miss_cost", float, 2.0, "cost of a missed +1", low=0.1, high=100.0),
    Parameter("level", float, 0.1, "false-alarm rate asked for", low=0.01, high=0.5),
)

ARTEFACTS = (
    Artefact(
        PAPER, "method", "The method: a cost that counts errors", parameters=METHOD
    ),
    *artefacts(
        PAPER,
        (
            fig_1,
            "Figures 1 and 2: the losses, and cases A and B",
            _S,
            _K,
            _CASE,
            _CLUSTER,
        ),
        (
            table_1,
            "Table 1: a linear classifier on cases A and B",
            _CASE,
            _S,
            _C,
            _TRIAL,
        ),
        (
            fig_3_4,
            "Figures 3 and 4: error surfaces, profiles and convergence",
            _CASE,
            _S,
            _C,
            _TYPICAL,
        ),
        (table_2, "Table 2: linear machines on real data", _SET, _SHOWN, _S),
        (table_3, "Table 3: RBF machines and their sizes", *_TABLE_3),
        (table_4, "Table 4: linear machines on biomedical data", *_TABLE_4),
        (
            beyond,
            "Sections 3.1 and 5: when it pays, unequal costs, false alarms",
            *_BEYOND,
        ),
    ),
)
