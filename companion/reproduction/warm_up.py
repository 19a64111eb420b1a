"""What every kernel would do first, done by import, once, where they are forked from."""

from contextlib import suppress
from io import BytesIO

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from companion._utils.compiled import njit
from companion._utils.slow_imports import pass_over_slow_imports
from companion.reproduction.declared import load_deviations, load_readings


def _draw():
    """Find the fonts and read a formula, as the first figure does."""
    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    ax.plot([0, 1], label=r"$x_1^2 \leq \lambda$")
    ax.set(title="Aa", xlabel="Aa")
    ax.legend()
    figure.savefig(BytesIO(), bbox_inches="tight", dpi=200)


@njit()
def _compiled():
    """What numba reads or compiles first, whatever it is, waits for its registries."""
    return 0


pass_over_slow_imports()
_draw()
_compiled()
with suppress(Exception):  # the kernel that reads them says what is wrong
    load_deviations()
    load_readings()
