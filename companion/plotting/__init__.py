"""Figure functions: data and an ``Axes`` in, the ``Axes`` out, nothing computed.

Colours are told apart in grey as well (they differ in lightness), and every series has its own
marker or line style.
"""

from companion.plotting.agreement import plot_agreement
from companion.plotting.common import (
    CRITERION_STYLES,
    MACHINE_STYLES,
    player,
    plot_differences,
    plot_distributions,
    style,
)
from companion.plotting.verdicts import VERDICT_STYLES, plot_published, plot_verdicts

__all__ = [
    "CRITERION_STYLES",
    "MACHINE_STYLES",
    "VERDICT_STYLES",
    "player",
    "plot_agreement",
    "plot_differences",
    "plot_distributions",
    "plot_published",
    "plot_verdicts",
    "style",
]
