"""Figure functions: data and an ``Axes`` in, the ``Axes`` out, nothing computed.

Colours are told apart in grey as well (they differ in lightness), and every series has its own
marker or line style.
"""

from inspect import ismodule as _is_module

from companion.plotting.common import (
    CRITERION_STYLES,
    MACHINE_STYLES,
    plot_differences,
    plot_distributions,
    style,
    style_of,
)
from companion.plotting.described import describe
from companion.plotting.losses import plot_losses
from companion.plotting.sliding import sliders
from companion.plotting.verdicts import (
    VERDICT_STYLES,
    plot_everything,
    plot_published,
    plot_verdicts,
)

# What stands above, but for the modules themselves.
__all__ = [
    name for name, value in vars().items() if not (name[0] == "_" or _is_module(value))
]
