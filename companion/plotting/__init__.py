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
from companion.plotting.verdicts import VERDICT_STYLES, plot_verdicts

__all__ = [
    "CRITERION_STYLES",
    "FAMILY_STYLES",
    "MACHINE_STYLES",
    "VERDICT_STYLES",
    "plot_against",
    "plot_agreement",
    "plot_differences",
    "plot_distributions",
    "plot_hulls",
    "plot_large_costs",
    "plot_lines",
    "plot_magnification",
    "plot_mapped_grid",
    "plot_paths",
    "plot_placed",
    "plot_right_and_wrong",
    "plot_slacks",
    "plot_solver_times",
    "plot_tiles",
    "plot_two_classes",
    "plot_verdicts",
    "style",
]
