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
from companion.plotting.gacv import plot_criterion, plot_decision_curves, plot_minima
from companion.plotting.l1nsvm import (
    TOY_LEVELS,
    TOY_TICKS,
    plot_influence,
    plot_surface,
    plot_toy_machine,
)
from companion.plotting.regions import plot_boundaries, plot_regions
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
from companion.plotting.wrsvm import plot_lead_losses

__all__ = [
    "CRITERION_STYLES",
    "FAMILY_STYLES",
    "MACHINE_STYLES",
    "TOY_LEVELS",
    "TOY_TICKS",
    "VERDICT_STYLES",
    "plot_agreement",
    "plot_boundaries",
    "plot_criterion",
    "plot_decision_curves",
    "plot_densities",
    "plot_differences",
    "plot_distributions",
    "plot_error_against_size",
    "plot_error_surface",
    "plot_false_alarms",
    "plot_gain",
    "plot_influence",
    "plot_intervals",
    "plot_iterates",
    "plot_large_costs",
    "plot_lead_losses",
    "plot_losses",
    "plot_minima",
    "plot_profile",
    "plot_regions",
    "plot_solver_times",
    "plot_surface",
    "plot_threshold_error",
    "plot_toy_machine",
    "plot_verdicts",
    "style",
]
