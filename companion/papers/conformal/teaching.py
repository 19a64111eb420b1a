"""What the notebooks of the method and of chapters 2 to 5 draw, from machines trained here."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import ConvexHull

from companion.conformal.factors import kernel_metric, transformed_metric
from companion.datasets import checkers_board_grid
from companion.estimators import L2SVC
from companion.metrics import g_mean_error
from companion.papers.conformal import background, magnification
from companion.papers.conformal.drawing import NEGATIVE, POSITIVE, plot_two_classes
from companion.plotting import MACHINE_STYLES, style

_IDEAL = {"color": "#4d9221", "linestyle": "--"}
_FRONTIER = "#d95f02"


# -- method -----------------------------------------------------------------------------------


#: Places of the board's test grid, by side.
SIDE_OF_GRID = 80


def draw_board(ax, X, y, decision, title):
    """The examples, and in red where the decision values on the test grid are positive."""
    axis = checkers_board_grid(SIDE_OF_GRID, 4.0)[0][:SIDE_OF_GRID, 0]
    values = decision.reshape(SIDE_OF_GRID, SIDE_OF_GRID)
    ax.contourf(axis, axis, values, [0, np.inf], colors=["#c0392b"], alpha=0.25)
    few = {"markersize": 7, "markeredgewidth": 1.6, "color": "#c0392b"}
    ax.plot(*X[y < 0].T, "o", markersize=1.5, color="#1b4f9c", label="many")
    ax.plot(*X[y > 0].T, "+", **few, label="few")
    ax.axhline(0, color="black", linewidth=0.6)
    ax.axvline(0, color="black", linewidth=0.6)
    ax.set(title=title, aspect="equal", xlabel="$x_1$", xlim=(-2, 2), ylim=(-2, 2))


def draw_plain(X, y, decision, truth):
    """The board as the plain machine sees it."""
    ratio = np.sum(y < 0) / np.sum(y > 0)
    found = np.mean(decision[truth > 0] > 0)
    title = f"At {ratio:g} to 1 the machine finds\n{found:.0%} of the rare class"
    _draw_one(X, y, decision, title)


def draw_transformed(X, y, decision, truth):
    """The board after some transformations, with the error in the title."""
    error = g_mean_error(truth, np.sign(decision))
    _draw_one(X, y, decision, f"g-means error {error:.2f}")


def _draw_one(X, y, decision, title):
    with style():
        fig, ax = plt.subplots(figsize=(5.2, 4.4))
        draw_board(ax, X, y, decision, title)
        ax.set_ylabel("$x_2$")
        fig.legend(*ax.get_legend_handles_labels(), loc="outside center right")


def show_before_and_after(X, y, found, truth):
    """The board before and after the transformations, and between them c, the product of all."""
    shape = (SIDE_OF_GRID, SIDE_OF_GRID)
    axis = checkers_board_grid(SIDE_OF_GRID, 4.0)[0][:SIDE_OF_GRID, 0]
    with style():
        fig, axes = plt.subplots(1, 3, figsize=(10, 4), sharex=True, sharey=True)
        before, middle, after = axes
        for ax, (_, f), when in (
            (before, found[0], "before"),
            (after, found[-1], "after"),
        ):
            error = g_mean_error(truth, np.sign(f))
            draw_board(ax, X, y, f, f"{when}: error {error:.2f}")
        c = found[-1][0].reshape(shape)
        levels = np.linspace(0, 1, 11)
        shade = middle.contourf(axis, axis, c / c.max(), levels, cmap="Greys")
        bar = {"shrink": 0.6, "ticks": [0, 0.5, 1], "label": "$c(x)$ / largest"}
        fig.colorbar(shade, ax=middle, **bar)
        title = f"$c$ falls to {c.min() / c.max():.2f} of its largest"
        label = f"$x_1$ ({len(found) - 1} transformations)"
        middle.set(title=title, aspect="equal", xlabel=label)
        lines = after.get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=2)
    plt.show()


def show_errors_by_width(widths, errors, steps):
    """The g-means error over the width of the kernel: a row a width, a column a machine."""
    looks = {
        "plain": MACHINE_STYLES["SVM"],
        f"{steps} transformations": MACHINE_STYLES["AMA"],
        "balanced weights": MACHINE_STYLES["balanced weights"],
    }
    with style():
        _, ax = plt.subplots(figsize=(8, 3.8))
        plot_by_width(ax, widths, np.asarray(errors), looks)
    plt.show()


def plot_by_width(ax, widths, errors, looks):
    """Errors over the width of the kernel, a column a machine: plain, transformed, others."""
    for values, (name, look) in zip(np.transpose(errors), looks.items(), strict=True):
        ax.semilogx(widths, values, **look, label=name)
    changed = np.subtract(errors, errors[:, :1])[:, 1]
    low = changed.argmin()
    high = changed.argmax()
    ax.set(
        xlabel="$2\\sigma^2$",
        ylabel="g-means error",
        ylim=(0, 1.02),
        title=f"Transformations change the error by {changed[low]:+.2f} at "
        f"$2\\sigma^2$ = {widths[low]:g},\nand by {changed[high]:+.2f} at {widths[high]:g}",
    )
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")


# -- background -------------------------------------------------------------------------------


def show_hulls(problem=1, distance=0.5, C=10.0):
    """The hulls and their nearest points; the machine, its support hyperplanes and slacks."""
    X, y = background.plane_sample(problem, distance)
    machine = background.linear_machine(X, y, ridge=1 / C)
    support = np.flatnonzero(machine.alpha > 1e-6)
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(9, 4.9), sharex=True, sharey=True)
        left, right = axes
        plot_hulls(left, X, y, machine.nearest)
        plot_two_classes(right, X, y, support=support, size=4)
        plot_slacks(right, X, y, machine.margin_ends())
        _plot_decision(right, machine.decision, 3.0, 3.0)
        right.plot(*machine.nearest.T, "k.", markersize=9)
        apart = np.linalg.norm(np.diff(machine.nearest, axis=0))
        left.set(title=f"hulls: the nearest points are {apart:.2f} apart on the plane")
        title = f"{len(support)} of {len(y)} patterns are support vectors"
        right.set(title=title, ylabel="", xlabel=f"$x_1$ (C = {C:.9g})")
        right.axis(1.1 * np.abs(X).max() * np.array([-1, 1, -1, 1]))
        lines = right.get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=3)
    plt.show()


def plot_hulls(ax, X, y, nearest):
    """Figure 2.2.1: the convex hulls, their nearest points, and the line between them."""
    plot_two_classes(ax, X, y, title="hulls and nearest points")
    for label, color in ((1, POSITIVE), (-1, NEGATIVE)):
        points = X[y == label]
        ax.fill(*points[ConvexHull(points).vertices].T, color=color, alpha=0.12)
    ax.plot(*nearest.T, "k-o", markersize=5, linewidth=1.5, label="nearest points")


def plot_slacks(ax, X, y, ends):
    """Slack of every pattern, a line to where its margin begins."""
    for start, end, label in zip(X, ends, y, strict=True):
        color = POSITIVE if label > 0 else NEGATIVE
        ax.plot(*np.array([start, end]).T, color=color, linewidth=1.2, zorder=3)


def _plot_decision(ax, decision, width, height, low=None):
    """The frontier of a decision function and its support hyperplanes, dashed."""
    across = np.linspace(-width, width, 121)
    up = np.linspace(-height if low is None else low, height, 121)
    points = np.stack(np.meshgrid(across, up), axis=-1)
    values = decision(points.reshape(-1, 2)).reshape(121, 121)
    known = {"levels": [-1, 0, 1], "linestyles": ["--", "-", "--"], "linewidths": 1.3}
    ax.contour(across, up, values, colors="black", **known)


def show_metric(height=1.0):
    """Places at equal distance from a centre, before a bump of c stretches the metric and after."""
    line = np.linspace(-1.6, 1.6, 9)
    centres = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    bump = height * np.exp(-(centres**2).sum(axis=1))
    slope = -2 * bump[:, np.newaxis] * centres
    before = kernel_metric(centres, gamma=1 / background.WIDTH)
    metrics = {"before": before, "after": transformed_metric(1 + bump, slope, before)}
    turn = np.linspace(0, 2 * np.pi, 60)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    with style():
        _, panels = plt.subplots(1, 2, figsize=(9, 4.6), sharex=True, sharey=True)
        for ax, (when, of_places) in zip(panels, metrics.items(), strict=True):
            for centre, metric in zip(centres, of_places, strict=True):
                length = np.sqrt(np.einsum("ni,ij,nj->n", circle, metric, circle))
                ends = centre + 0.12 * circle / length[:, np.newaxis]
                ax.plot(*ends.T, "k", linewidth=1)
            least, most = np.linalg.eigvalsh(of_places).T
            ratio = np.sqrt(most / least).max()
            title = f"{when}: the longest axis is {ratio:.2f} times the shortest"
            ax.set(title=title, xlabel="$x_1$", aspect="equal")
    plt.show()


def show_noise(problem=1):
    """Figure 3.1.4: two rare patterns at the true border, with cheap slacks and with dear ones."""
    X, y = background.noise_sample(np.random.default_rng(problem))
    with style():
        fig, panels = plt.subplots(1, 2, figsize=(10, 3.4), sharex=True, sharey=True)
        for ax, factor in zip(panels, (1, 1000), strict=True):
            price = factor * background.NOISE_C
            machine = L2SVC(C=price, kernel="linear", tol=1e-6).fit(X, y)
            w = machine.dual_coef_[0] @ machine.support_vectors_
            at = -machine.intercept_[0] / w[0]
            title = f"C = {price:g}: the boundary crosses at $x_1$ = {at:.2f}"
            plot_two_classes(ax, X, y, support=[0, 1], title=title)
            _plot_decision(ax, machine.decision_function, 2.2, 1.1)
            ax.axvline(0.0, color="#4d9221", label="true border")
            ax.set(xlim=(-2.2, 2.2), ylim=(-1.1, 1.1))
        lines, names = ax.get_legend_handles_labels()
        names = [
            name.replace("support vectors", "ringed: at the border") for name in names
        ]
        fig.legend(lines, names, loc="outside lower center", ncols=4, fontsize="small")
    plt.show()


# -- magnification ----------------------------------------------------------------------------


#: The figures of the thesis that have a method, by its name.
_DRAWN = {
    "Wu-Amari": "Wu-Amari: Figure 4.3.1",
    "ACT": "ACT: Figure 4.3.2",
    "KBA": "KBA: Figure 4.4.1",
}


def show_magnification(run, scene=1, n_rare=12, C=10.0, width=1.0):
    """Where each method enlarges a scene, on one scale, and the profiles along x1."""
    X, y = magnification.scene_of(scene, n_rare)
    machine = L2SVC(C=C, gamma=1 / width).fit(X, y)
    decision = machine.decision_function(magnification.LATTICE)
    found = magnification.log_ratios(X, y, C, width)
    with style():
        fig, panels = plt.subplots(3, 2, figsize=(10, 7.6), sharex=True)
        for ax, (name, ratio) in zip(panels.flat, found.items(), strict=False):
            title = _DRAWN.get(name, name)
            levels = np.linspace(-2.125, 1.125, 14)
            shade = plot_ratio(ax, X, y, decision, ratio, levels=levels, title=title)
            ax.set(xlabel="", ylabel="")
        _plot_profiles(panels[2, 1], found)
        panels[2, 0].set_xlabel("$x_1$")
        label = r"$\log_{10}R$, less its median"
        fig.colorbar(shade, ax=panels[:2, 1], label=label, ticks=[-2, -1, 0, 1])
        fig.suptitle(_where_it_is_largest(run), fontsize="medium")
    plt.show()


def plot_ratio(ax, X, y, decision, ratio, *, levels, title):
    """A map of log10 R less its median, with the machine's frontier and the ideal one, dashed."""
    x1 = magnification.X1
    x2 = magnification.X2
    centred = ratio - np.median(ratio)
    shade = ax.contourf(x1, x2, centred, levels, cmap="Greys", extend="both")
    plot_two_classes(ax, X, y, size=3, title=title)
    shape = (len(x2), len(x1))
    ax.contour(x1, x2, decision.reshape(shape), [0.0], colors=_FRONTIER, linewidths=2)
    ax.axvline(0.0, linewidth=2, **_IDEAL)
    ax.set(xlim=(-2, 2), ylim=(-1, 1))
    return shade


def _plot_profiles(ax, found):
    """log10 R averaged over x2; the names stand in the order of the curves' right ends."""
    x1 = magnification.X1
    curves = {
        name: (ratio - np.median(ratio)).mean(axis=0) for name, ratio in found.items()
    }
    in_order = sorted(curves, key=lambda name: curves[name][-1])
    for name, height in zip(in_order, (0.1, 0.3, 0.5, 0.7, 0.9), strict=True):
        color = MACHINE_STYLES[name]["color"]
        ax.plot(x1, curves[name], color=color)
        ax.text(1.02, height, name, color=color, transform=ax.transAxes)
    ax.axvline(0.0, **_IDEAL)
    ax.set(xlabel="$x_1$", title="mean over $x_2$", xlim=(-2, 2))


def _where_it_is_largest(run):
    scenes = run.records["scenes"]
    places = scenes.groupby("method").largest_at.median()
    return (
        f"Medians of {scenes['scene'].nunique()} scenes: the frontier is at "
        f"{scenes.frontier.median():.2f}, the largest magnification\nof Wu-Amari at "
        f"{places['Wu-Amari']:.2f}, of ACT at {places['ACT']:.2f}"
    )


def show_displacement(scene=1):
    """Figure 5.3.1: a boundary and its support hyperplanes, and two ways to move it."""
    moved = magnification.displacement(scene)
    length = np.linalg.norm(moved.w)
    normal = moved.w / length**2
    along = np.array([-moved.w[1], moved.w[0]]) / length
    _, boundary, before = moved.lines["the machine"]
    with style():
        _, panels = plt.subplots(1, 3, figsize=(10, 3.2), sharex=True, sharey=True)
        for ax, (way, lines) in zip(panels, moved.lines.items(), strict=True):
            title = (
                f"{way}:\ncommon side moved by {abs(lines[2] - before) / length:.2f}"
            )
            if way == "the machine":
                title = f"{way}:\nboundary {abs(boundary) / length:.2f} off the ideal"
            plot_two_classes(ax, moved.X, moved.y, size=3, title=title)
            for t, look in zip(lines, ("--", "-", "--"), strict=True):
                ends = np.array([t * normal - 3 * along, t * normal + 3 * along])
                ax.plot(*ends.T, color="black", linestyle=look)
            ax.axvline(0.0, color="#4d9221", linewidth=2, linestyle=":")
            ax.set(xlim=(-2.5, 2.5), ylim=(-1.1, 1.1), ylabel="")
    plt.show()
