"""Figure functions: data and an ``Axes`` in, the ``Axes`` out, nothing computed.

Colours are told apart in grey as well (they differ in lightness), and every series has its own
marker or line style.
"""

from companion.plotting.common import (
    CRITERION_STYLES,
    MACHINE_STYLES,
    plot_differences,
    plot_distributions,
    style,
)
from companion.plotting.gacv import (
    plot_criterion,
    plot_decision_curves,
    plot_minima,
)
from companion.plotting.l1nsvm import (
    TOY_LEVELS,
    TOY_TICKS,
    plot_influence,
    plot_surface,
    plot_toy_machine,
)

__all__ = [
    "CRITERION_STYLES",
    "MACHINE_STYLES",
    "TOY_LEVELS",
    "TOY_TICKS",
    "plot_criterion",
    "plot_decision_curves",
    "plot_differences",
    "plot_distributions",
    "plot_influence",
    "plot_minima",
    "plot_surface",
    "plot_toy_machine",
    "style",
]
