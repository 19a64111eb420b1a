"""Figure functions: data and an ``Axes`` in, the ``Axes`` out, nothing computed.

Colours are told apart in grey as well (they differ in lightness), and every series has its own
marker or line style.
"""

from companion.plotting.agreement import (
    FAMILY_STYLES,
    plot_agreement,
    plot_large_costs,
    plot_solver_times,
)
from companion.plotting.common import (
    CRITERION_STYLES,
    MACHINE_STYLES,
    plot_differences,
    plot_distributions,
    style,
)
from companion.plotting.conformal import (
    plot_against,
    plot_hulls,
    plot_lines,
    plot_magnification,
    plot_mapped_grid,
    plot_paths,
    plot_placed,
    plot_right_and_wrong,
    plot_slacks,
    plot_tiles,
    plot_two_classes,
)
from companion.plotting.gacv import plot_criterion, plot_decision_curves, plot_minima
from companion.plotting.l1nsvm import (
    TOY_LEVELS,
    TOY_TICKS,
    plot_influence,
    plot_surface,
    plot_toy_machine,
)
from companion.plotting.usvc import (
    plot_densities,
    plot_error_against_size,
    plot_error_surface,
    plot_false_alarms,
    plot_gain,
    plot_intervals,
    plot_iterates,
    plot_losses,
    plot_profile,
    plot_threshold_error,
)
from companion.plotting.verdicts import VERDICT_STYLES, plot_verdicts

__all__ = [
    "CRITERION_STYLES",
    "FAMILY_STYLES",
    "MACHINE_STYLES",
    "TOY_LEVELS",
    "TOY_TICKS",
    "VERDICT_STYLES",
    "plot_against",
    "plot_agreement",
    "plot_criterion",
    "plot_decision_curves",
    "plot_densities",
    "plot_differences",
    "plot_distributions",
    "plot_error_against_size",
    "plot_error_surface",
    "plot_false_alarms",
    "plot_gain",
    "plot_hulls",
    "plot_influence",
    "plot_intervals",
    "plot_iterates",
    "plot_large_costs",
    "plot_lines",
    "plot_losses",
    "plot_magnification",
    "plot_mapped_grid",
    "plot_minima",
    "plot_paths",
    "plot_placed",
    "plot_profile",
    "plot_right_and_wrong",
    "plot_slacks",
    "plot_solver_times",
    "plot_surface",
    "plot_threshold_error",
    "plot_tiles",
    "plot_toy_machine",
    "plot_two_classes",
    "plot_verdicts",
    "style",
]
