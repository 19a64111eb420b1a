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
from companion.papers.conformal.problems import PAPER, C
from companion.plotting import MACHINE_STYLES, style
from companion.reproduction import seed_for
from companion.solvers.smo import smo

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


def show_lines(run, problem=1, orders=10):
    """Where a perceptron stops, by the order of the patterns, and the line of the machine."""
    statements = run.records["statements"]
    X, y = background.plane_sample(problem, background.FAR)
    machine = background.linear_machine(X, y)
    thin = {"color": "#d95f02", "linewidth": 0.8}
    with style():
        fig, ax = plt.subplots(figsize=(5.5, 4.6))
        for order in range(orders):
            w, b = background.perceptron(X, y, order)
            ax.axline(-b * w / (w @ w), slope=-w[0] / w[1], **thin)
        w = machine.w
        start = -machine.b * w / (w @ w)
        ax.axline(start, slope=-w[0] / w[1], color="black", label="machine")
        ax.plot([], [], **thin, label="perceptron")
        title = (
            f"Over {len(statements)} samples the machine errs on "
            f"{statements.machine.mean():.2f} %\nof new points, a perceptron on "
            f"{statements.perceptron.mean():.2f} %"
        )
        plot_two_classes(ax, X, y, title=title)
        ax.set(xlim=(-3.2, 3.2), ylim=(-3.2, 3.2))
        lines = ax.get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=4)
    plt.show()


def duality(number, distance=0.5):
    """t, F(W) and Theta(alpha) on feasible lines through the optimum, which is at t = 0."""
    X, y = background.plane_sample(number, distance)
    found = smo(X @ X.T, y, 0.0, np.inf, ridge=1.0 / C, tol=1e-10)
    rng = np.random.default_rng(seed_for(PAPER, "duality", number))
    t = np.linspace(-1, 1, 41)
    support = found.alpha > 0
    step = rng.standard_normal(len(y)) * support
    step -= y * support * (step @ y) / support.sum()
    # alpha >= 0 for |t| <= 1
    step *= np.min(found.alpha[support] / np.abs(step[support]))
    alpha = found.alpha + np.outer(t, step)
    w = (y * alpha) @ X
    quadratic = np.sum(w**2, axis=1) + np.sum(alpha**2, axis=1) / C
    theta = alpha.sum(axis=1) - 0.5 * quadratic
    centre = np.append((y * found.alpha) @ X, found.intercept)
    lines = centre + np.outer(t, rng.normal(0.0, 0.3, 3))
    w = lines[:, :2]
    margins = y * (w @ X.T + lines[:, 2:])
    slack = np.maximum(0.0, 1.0 - margins)
    quadratic = np.sum(w**2, axis=1) + C * np.sum(slack**2, axis=1)
    return t, 0.5 * quadratic, theta


def show_duality(problem=1):
    """Figure 2.1.3: the primal falls to where the dual rises."""
    t, F, theta = duality(problem)
    drop = F.min() - theta.min()
    with style():
        _, ax = plt.subplots(figsize=(6, 3.2))
        ax.plot(t, F, color="#1b4f9c")
        ax.plot(t, theta, color="#d95f02")
        ax.set(xlabel="along the line", ylabel="value")
        ax.set_ylim(F.min() - 1.1 * drop, F.min() + 1.1 * drop)
        ax.set_title(
            f"The primal is at least {F.min():.2f}, the dual at most {theta.max():.2f}"
        )
        words = {"color": "#1b4f9c", "ha": "center"}
        ax.text(0.0, F.min() + 0.9 * drop, "primal $F$", **words)
        words["color"] = "#d95f02"
        ax.text(0.0, F.min() - 0.5 * drop, r"dual $\Theta$", **words)
    plt.show()


def _conformal_map(z):
    """The map of Figure 3.3.2's picture; its derivative vanishes nowhere on the grid."""
    return np.exp(0.45 * z) + 0.05 * z**2


def show_maps():
    """Figures 3.3.1 and 3.3.2: an arc and its chord; a grid and its image under a conformal map."""
    turn = np.linspace(0.3, 1.6, 200)
    arc = np.column_stack([np.cos(turn), np.sin(turn)])
    length = turn[-1] - turn[0]
    chord = np.linalg.norm(arc[-1] - arc[0])
    with style():
        _, (left, grid, image) = plt.subplots(1, 3, figsize=(10, 3.6))
        left.add_patch(plt.Circle((0, 0), 1, fill=False, color="#777777"))
        left.plot(*arc.T, color="#1b4f9c", linewidth=3)
        left.plot(*arc[[0, -1]].T, color="#d95f02", linestyle="--")
        left.text(0.75, 0.85, f"arc {length:.2f}", color="#1b4f9c")
        left.text(0.45, 0.5, f"chord {chord:.2f}", color="#d95f02", ha="right")
        left.set(title=f"The chord is {chord / length:.0%} of the arc", aspect="equal")
        left.set(xlim=(-1.1, 1.5), ylim=(-1.1, 1.1), xticks=[], yticks=[])
        _plot_grid(grid, np.asarray)
        grid.set_title("Figure 3.3.2: a grid ...")
        _plot_grid(image, _conformal_map)
        image.set_title(
            f"... and its image:\nangles turn by {_largest_turn():.1f} degrees"
        )
    plt.show()


def _plot_grid(ax, to):
    """Two families of lines in the plane, as a map takes them, red and blue."""
    along = np.linspace(-1.5, 1.5, 200)
    for at in np.linspace(-1.5, 1.5, 13):
        for z, color in ((along + 1j * at, POSITIVE), (at + 1j * along, NEGATIVE)):
            ax.plot(to(z).real, to(z).imag, color=color, linewidth=0.9)
    ax.set(aspect="equal", xticks=[], yticks=[])


def _largest_turn():
    """By how many degrees the map of Figure 3.3.2 turns the right angles of the grid at most."""
    line = np.linspace(-1.5, 1.5, 13)
    z = np.add.outer(line, 1j * line)
    by_step = [
        _conformal_map(z + step) - _conformal_map(z - step) for step in (1e-5, 1e-5j)
    ]
    angles = np.degrees(np.angle(by_step[1] / by_step[0]))
    return np.abs(angles - 90).max()


def _parabola_sample():
    """Figure 2.1.5: points of a line, the positive ones between, and their images (x, x^2)."""
    x = np.array([-2.4, -2.0, -1.6, -0.8, -0.4, 0.1, 0.5, 0.9, 1.7, 2.1, 2.5])
    y = np.where(np.abs(x) < 1.2, 1.0, -1.0)
    return x, y, np.column_stack([x, x**2])


def show_kernel_trick():
    """Figure 2.1.5: classes on a line that no threshold tells apart, and their images (x, x^2)."""
    x, label, image = _parabola_sample()
    cuts = np.append(x, 9) - 0.01
    says = np.sign(np.subtract.outer(x, cuts))
    wrong = (says != label[:, np.newaxis]).sum(axis=0)
    by_threshold = np.minimum(wrong, len(x) - wrong).min()
    machine = L2SVC(C=1e6, kernel="linear", tol=1e-8).fit(image, label)
    by_line = np.sum(machine.predict(image) != label)
    with style():
        fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.7), sharex=True)
        title = f"on the line the best threshold errs on {by_threshold} of {len(x)}"
        plot_two_classes(left, np.column_stack([x, 0 * x]), label, title=title)
        left.set(yticks=[], ylabel="", ylim=(-1, 1), aspect="auto")
        title = f"on the parabola $(x, x^2)$ a line errs on {by_line}"
        plot_two_classes(right, image, label, title=title)
        across = np.linspace(-3, 3, 121)
        right.plot(across, across**2, color="#777777", linewidth=0.8)
        _plot_decision(right, machine.decision_function, 3.0, 7.0, -0.5)
        right.set(aspect="auto", ylabel="$x^2$", xlabel="$x$", ylim=(-0.5, 7))
        lines = left.get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=2)
    plt.show()


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
