"""Modules whose source the records depend on, by what a study uses."""

#: Kernels and Gram matrices.
KERNELS = (
    "companion.kernels",
    "companion._gram",
    "companion._kernel_loops",
    "companion._kernel_rows",
    "companion._scratch",
)

#: The dual of the four machines, by pair updates and in closed form.
DUAL = (
    "companion.solvers.smo",
    "companion.solvers.ls",
    "companion.solvers.result",
    "companion.solvers._box_kernels",
    "companion.solvers._low_rank",
    "companion.solvers._newton",
    "companion.solvers._problem",
    "companion.solvers._smo_kernels",
    "companion.solvers._smo_quick",
    "companion.solvers._state",
    *KERNELS,
)

#: The estimators on the dual.
ESTIMATORS = (
    "companion.estimators._compat",
    "companion.estimators._compiled",
    "companion.estimators._dual",
    "companion.estimators._kernel_classifier",
    "companion.estimators._least_squares",
    "companion.estimators._least_squares_cv",
    "companion.estimators._single",
    "companion.estimators._standard",
    *DUAL,
)

#: All machines of a grid, their criteria and their leave-one-out errors.
SURFACES = (
    "companion.tuning.criteria",
    "companion.tuning.leave_one_out",
    "companion.tuning.surface",
    "companion.tuning._free_set",
    "companion.tuning._leave_one_out_kernels",
    "companion.tuning._path",
    "companion.tuning._training_set",
    *ESTIMATORS,
)

#: Iterated weighted least squares, for the hinge and the unbiased loss.
WLS = (
    "companion.losses",
    "companion._loss_loops",
    "companion.solvers.fscl",
    "companion.solvers.wls",
    "companion.solvers._design",
    "companion.solvers._interior",
    "companion.solvers._wls_iteration",
    "companion.solvers._wls_problem",
    *KERNELS,
)

#: The minimum-margin hinge and the DC algorithm on it.
MULTICATEGORY = (
    "companion._loss_loops",
    "companion.solvers.dca",
    "companion.solvers.min_margin",
    "companion.solvers._dca_kernels",
    "companion.solvers._design",
    "companion.solvers._min_margin_blocks",
    "companion.solvers._min_margin_interior",
    "companion.solvers._min_margin_kernels",
    "companion.solvers._min_margin_plane",
    "companion.solvers._min_margin_shrinking",
    "companion.solvers._min_margin_system",
    *KERNELS,
)

#: Nearest points of convex hulls, conformal transformations and the searches for their parameters.
CONFORMAL = (
    "companion.conformal",
    "companion.separability",
    "companion._conformal_loops",
    "companion.solvers.conformal",
    "companion.solvers.mdm",
    "companion.solvers.metamodels",
    "companion.solvers.transformations",
    "companion.solvers._candidate_kernels",
    "companion.solvers._conformal_problem",
    "companion.solvers._families",
    "companion.solvers._hull_newton",
    "companion.solvers._hulls",
    "companion.solvers._mdm_kernels",
    "companion.solvers._stages",
    *DUAL,
)

GENERATORS = ("companion.datasets.generators", "companion.datasets.threshold_cases")

#: Classification tables of UCI, one file a set.
UCI = ("companion.datasets.uci", "companion.datasets._coding", "companion.datasets.preprocessing")

#: The problems of the IDA benchmark and their splits.
IDA = ("companion.datasets.ida", "companion.datasets._coding", "companion.datasets.preprocessing")

#: Tuned machines by cross-validation.
SEARCHES = (
    "companion.tuning.grid",
    "companion.tuning.pvgs",
    "companion.tuning._evaluate",
    "companion.tuning._folds",
    "companion.tuning._path",
    *ESTIMATORS,
)

#: The board and the seven real sets of the conformal kernel thesis.
IMBALANCED = ("companion.datasets.checkers", "companion.datasets.imbalanced", *UCI)
