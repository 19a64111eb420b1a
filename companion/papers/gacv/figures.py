"""What the notebooks draw, from records or from machines that are trained here."""

import matplotlib.pyplot as plt
import numpy as np

from companion.datasets import unequal_gaussians
from companion.estimators import L1SVC
from companion.kernels import gram
from companion.papers.gacv import beyond, example, inefficiency
from companion.papers.gacv.inefficiency import runs, times_lambda
from companion.papers.gacv.selection import NAMES, choose
from companion.papers.summaries import means_and_errors, select
from companion.plotting import (
    CRITERION_STYLES,
    plot_differences,
    plot_distributions,
    plot_losses,
    style,
    style_of,
)
from companion.tuning import (
    gacv,
    gacv_values,
    gckl,
    gckl_values,
    leave_one_out_errors,
    machine_surface,
    misclass,
    misclass_values,
    squared_spans,
    xi_alpha,
    xi_alpha_values,
)


def _one_legend(fig, ax, ncols):
    look = {"loc": "outside lower center", "ncols": ncols, "frameon": False}
    fig.legend(*ax.get_legend_handles_labels(), fontsize="small", **look)


def _below(ax, ncols):
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=ncols)


def draw_points(ax, X, y):
    """The points of two classes."""
    for label, mark, color in ((1, "+", "#444444"), (-1, "o", "#aaaaaa")):
        look = {"color": color, "markersize": 5, "fillstyle": "none"}
        ax.plot(*X[y == label].T, mark, label=f"class {label:+d}", **look)


#: The part of the plane in which curves are drawn.
_AXES = (np.linspace(-4, 6.5, 120), np.linspace(-3.5, 5.5, 100))


def draw_curve(ax, machine, *, label, color, linestyle="-"):
    """Where the decision of a machine turns."""
    plane = np.stack(np.meshgrid(*_AXES), axis=-1).reshape(-1, 2)
    values = machine.decision_function(plane).reshape(len(_AXES[1]), -1)
    look = {"colors": color, "linestyles": [linestyle], "linewidths": 1.8}
    ax.contour(*_AXES, values, levels=[0.0], **look)
    ax.plot([], [], color=color, linestyle=linestyle, label=label)


def draw_true_curve(ax, costs):
    """The curve of the Bayes rule with these costs, and the limits of the plane."""
    boundary = true_curve(_AXES[0], costs)
    ax.plot(_AXES[0], boundary, color="black", linewidth=2, label="true curve")
    x1, x2 = _AXES
    ax.set(xlabel="$x_1$", ylabel="$x_2$", xlim=x1[[0, -1]], ylim=x2[[0, -1]])


def true_curve(x1, costs):
    """x2 of the Bayes rule at x1, below which it says +; costs by label as in Section 5."""
    t = 3 + np.log(0.4 / 0.6) + np.log(2) / 2 + np.log(costs[1] / costs[-1])
    return t / 2 - x1 / 2 - x1**2 / 8


# -- the method -------------------------------------------------------------------------------


def hinge_read_by_gacv(margin=0.6, theta=0.9):
    """All losses, the hinge bold, and on it what GACV and XA read off one point."""
    losses, _, _ = plot_losses(bold="L1")
    after = margin - theta
    arrow = {"arrowstyle": "-|>", "linewidth": 2.5, "color": "black"}
    losses.plot(margin, 1 - margin, "o", color="black", zorder=4)
    losses.annotate("", (after, 1 - after), (margin, 1 - margin), arrowprops=arrow)
    lines = [
        "left out, its margin falls",
        r"by $\theta_i$: GACV reads the loss",
        r"there, XA asks if it is $\leq0$",
    ]
    losses.text(-0.05, 2.35, "\n".join(lines))
    plt.show()


def points_of(draw=1, n_samples=200):
    """Points, labels and true probabilities of a draw of the report's two Gaussians."""
    X, y = unequal_gaussians(n_samples, rng=draw)
    return X, y, example.sample_probability(X)


def machine_of(X, y, log10_lambda, sigma):
    """The machine of (1), trained."""
    C = 1 / (2 * len(y) * 10.0**log10_lambda)
    return L1SVC(C=C, gamma=1 / (2 * sigma**2), tol=1e-6).fit(X, y)


def three_machines(draw=1, n_samples=200, sigma=1.0):
    """One sample and three machines, from a large lambda to a small one."""
    X, y, p = points_of(draw, n_samples)
    errors = {}
    with style():
        _, ax = plt.subplots(figsize=(5.6, 5.4))
        draw_points(ax, X, y)
        draw_true_curve(ax, example.COSTS["standard"])
        for power, line in ((-1, ":"), (-2.5, "-"), (-5, "--")):
            machine = machine_of(X, y, power, sigma)
            errors[power] = misclass(machine, X, p)
            label = rf"$\lambda=10^{{{power:g}}}$ ({errors[power]:.1%})"
            draw_curve(ax, machine, label=label, color="#1b4f9c", linestyle=line)
        best = min(errors, key=errors.get)
        title = (
            rf"$\lambda=10^{{{best:g}}}$ errs least on new labels: {errors[best]:.1%}"
        )
        ax.set_title(title)
        _below(ax, ncols=2)
    plt.show()


def criteria_over_lambda(draw=1, n_samples=200, sigma=1.0):
    """The criteria over lambda; a ring where each is least."""
    X, y, p = points_of(draw, n_samples)
    powers = np.linspace(-5, -0.5, 19)
    machines = [machine_of(X, y, power, sigma) for power in powers]
    hinge = {
        "GCKL": [gckl(machine, X, p) for machine in machines],
        "GACV": [gacv(machine, X, y) for machine in machines],
    }
    errors = {
        "MISCLASS": [misclass(machine, X, p) for machine in machines],
        "XA": [xi_alpha(machine, X, y) for machine in machines],
    }
    with style():
        _, axes = plt.subplots(1, 2, figsize=(8, 3.9), sharex=True)
        for ax, curves in zip(axes, (hinge, errors), strict=True):
            least = []
            for name, values in curves.items():
                look = style_of(name)
                k = np.argmin(values)
                least.append(rf"{name} at $10^{{{powers[k]:g}}}$")
                ax.plot(powers, values, label=name, markersize=4, **look)
                ring = {"markersize": 13, "fillstyle": "none", "color": look["color"]}
                ax.plot(powers[k], values[k], "o", **ring)
            ax.set_title(f"Least: {', '.join(least)}")
            ax.set_xlabel(rf"$\log_{{10}}\lambda$ ($\sigma$ = {sigma:g})")
            ax.legend(fontsize="small")
        axes[0].set(ylabel="hinge loss", ylim=(0, 2))
        axes[1].set(ylabel="error rate", ylim=(0, None))
    plt.show()


def theta_and_fall(X, y, machine):
    """What a margin is taken to fall by, over its true fall: theta_i, and by the span."""
    K = gram(X, gamma=machine.gamma)
    held = machine.support_
    alpha = np.zeros(len(y))
    alpha[held] = np.abs(machine.dual_coef_[0])
    lost = leave_one_out_errors(K, y, alpha, machine.C, decisions=True).decision
    fall = (y * (machine.decision_function(X) - lost))[held]
    span = (alpha * squared_spans(K, alpha, machine.C))[held]
    # K_ii is 1
    panels = ((r"$\theta_i$", alpha[held], "XA"), (r"$\alpha_iS_i^2$", span, "GACV"))
    with style():
        _, axes = plt.subplots(1, 2, figsize=(8.4, 3.8), sharex=True)
        for ax, (words, taken, name) in zip(axes, panels, strict=True):
            look = style_of(name)
            ax.plot(fall, taken, look["marker"], color=look["color"], alpha=0.6)
            ax.axline((0, 0), slope=1, color="black", linewidth=0.8)
            ratio = np.median(taken / np.maximum(fall, 1e-9))
            ax.set(
                xlabel="true fall of the margin",
                title=f"{words} is {ratio:.1f} times the true fall (median)",
            )
        axes[0].set_ylabel("what it is taken for")
    plt.show()


def machine_at(log10_lambda=-2.5, sigma=1.0, draw=1, n_samples=200):
    """One machine on the sample, its criteria above it, and the true curve in black."""
    X, y, p = points_of(draw, n_samples)
    machine = machine_of(X, y, log10_lambda, sigma)
    found = {
        "GACV": gacv(machine, X, y),
        "XA": xi_alpha(machine, X, y),
        "MISCLASS": misclass(machine, X, p),
    }
    with style():
        _, ax = plt.subplots(figsize=(5.6, 5))
        draw_points(ax, X, y)
        draw_true_curve(ax, example.COSTS["standard"])
        color = CRITERION_STYLES["GACV"]["color"]
        draw_curve(ax, machine, label="the machine", color=color)
        text = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
        ax.set_title(text)
        _below(ax, ncols=4)


# -- Figure 1 ---------------------------------------------------------------------------------


def costs_of(positive_share=0.1, miss_cost=2.0):
    """L(-1) and L(1) in both cases; the sample has four + to six -."""
    nonstandard = {-1: (1 - positive_share) / 0.6, 1: miss_cost * positive_share / 0.4}
    return {"standard": {-1: 1.0, 1: 1.0}, "nonstandard": nonstandard}


def grid_searched(n_samples, grid="fine"):
    """C and gamma of a named grid."""
    lam, sigma = example.grid_of(grid)
    return 1 / (2 * n_samples * lam), 1 / (2 * sigma**2)


def surfaces_of(sample, n_samples, costs):
    """The four criteria over the fine grid, (n_sigma, n_lambda), by name."""
    X, y, p = example.sample(sample, n_samples)
    C, gamma = grid_searched(n_samples)
    cells = machine_surface(X, y, C, gamma, class_weight=costs, tol=1e-4)
    pair = (costs[-1], costs[1])
    return {
        "GCKL": gckl_values(cells.decision, p, pair),
        "GACV": gacv_values(cells.margin, cells.influence, cells.factors),
        "MISCLASS": misclass_values(cells.decision, p, pair),
        "XA": xi_alpha_values(cells.margin, cells.influence, cells.factors),
    }


def tuned(sample, n_samples, costs):
    """By criterion the machine where it is least on the grid."""
    X, y, _ = example.sample(sample, n_samples)
    C, gamma = grid_searched(n_samples)
    machines = {}
    for name, values in surfaces_of(sample, n_samples, costs).items():
        k, j = choose(values).cell
        settings = {"C": C[j], "gamma": gamma[k], "class_weight": costs}
        machines[name] = L1SVC(**settings, tol=1e-4).fit(X, y)
    return machines


def tuned_curves(sample=1, n_samples=200, positive_share=0.1, miss_cost=2.0):
    """Figure 1: the sample, the true curve and those of three tuned machines, in both cases."""
    X, y, _ = example.sample(sample, n_samples)
    points, weight, _ = example.population()
    names = {"GACV": "GACV", "XA": "XA (BRXA)", "MISCLASS": "MISCLASS (BRMISCLASS)"}
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(9, 4.6), sharex=True, sharey=True)
        cases = costs_of(positive_share, miss_cost)
        for ax, (case, costs) in zip(axes, cases.items(), strict=True):
            machines = tuned(sample, n_samples, costs)
            draw_points(ax, X, y)
            draw_true_curve(ax, costs)
            for name, label in names.items():
                look = style_of(name)
                shape = {"color": look["color"], "linestyle": look["linestyle"]}
                draw_curve(ax, machines[name], label=label, **shape)
            one, two = (
                machines[name].decision_function(points) > 0 for name in ("GACV", "XA")
            )
            ax.set_title(
                f"{case} case, sample {sample}: GACV and {NAMES[case]['xa']}\n"
                f"disagree on {(one != two) @ weight:.1%} of the population"
            )
        _one_legend(fig, ax, ncols=6)
    plt.show()


# -- inefficiency -----------------------------------------------------------------------------

#: Printed values that stand in the figure, by the name of a criterion.
_PRINTED = {
    "standard": {"GACV": "GACV", "XA": "XA, largest of the tied minima"},
    "nonstandard": {"GACV": "GACV", "BRXA": "BRXA"},
}


def printed_among_ours(run):
    """The share of samples up to each inefficiency, with the printed ones."""
    records = run.records["inefficiency"]
    shown = ("gacv", "xa", "cv_10", "loo", "gckl")
    with style():
        _fig, axes = plt.subplots(1, 2, figsize=(9.5, 4), sharex=True, sharey=True)
        for ax, (case, columns) in zip(axes, _PRINTED.items(), strict=True):
            samples = {
                NAMES[case][name]: runs(records, case, name).inefficiency
                for name in shown
            }
            known = run.rows(case).set_index("column").published
            printed = {name: known[column] for name, column in columns.items()}
            look = {"xlabel": "inefficiency", "digits": 3, "start": 0.98}
            plot_distributions(ax, samples, printed=printed, **look)
            lost = [
                f"{name} loses {np.mean(samples[name]) - 1:.1%}" for name in columns
            ]
            ax.set(ylabel="share of samples", xlim=(0.98, 1.6))
            title = f"{case} case, mean of {len(samples['GACV'])} samples:"
            ax.set_title(f"{title}\n{', '.join(lost)}")
    plt.show()


def against_folds(records):
    """Inefficiency less that of 10-fold CV, and value less MISCLASS: a dot a criterion and case."""
    tables = {
        case: inefficiency.criteria_table(records, case) for case in example.CASES
    }
    fills = {"standard": "black", "nonstandard": "white"}
    columns = (inefficiency.DEARER, inefficiency.PESSIMISM)
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(9, 4.5), sharey=True)
        for ax, column in zip(axes, columns, strict=True):
            of_gacv = []
            for shift, (case, table) in zip((-0.13, 0.13), tables.items(), strict=True):
                look = {"fmt": "o", "color": "black", "capsize": 2}
                look |= {"markerfacecolor": fills[case], "label": f"{case} case"}
                error = 2 * table[f"SE {column}"]
                place = np.arange(len(table)) + shift
                ax.errorbar(table[column], place, xerr=error, **look)
                of_gacv.append(f"{table[column][0]:+.3f} ({case})")
            ax.axvline(0, color="black", linewidth=0.8)
            ax.grid(axis="y", color="#eeeeee")
            ax.set(xlabel=column, title=f"GACV: {', '.join(of_gacv)}")
        names = tables["standard"]["criterion"]
        names = names.str.replace("XA_J, rho", r"$\mathrm{XA}_J$, $\rho$")
        axes[0].set_yticks(range(len(names)), names)
        axes[0].invert_yaxis()
        _one_legend(fig, axes[0], ncols=2)
    plt.show()


# -- Figure 2 ---------------------------------------------------------------------------------

# levels over the least: dense near the minimum, where the question is
_LEVELS = 1 + np.array([0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0])
_GRID_AXES = {"xlabel": r"$\log_{10} \lambda$", "ylabel": r"$\log_{10} \sigma^2$"}


def _names_shown(case):
    """What the four surfaces are called in a case."""
    names = NAMES[case]
    target = names["misclass"].split()[0]
    return {"GCKL": "GCKL", "GACV": "GACV", "MISCLASS": target, "XA": names["xa"]}


def four_surfaces(case="nonstandard", sample=1, n_samples=200):
    """Figure 2: two targets and their estimates over lambda and sigma, over their least."""
    surfaces = surfaces_of(sample, n_samples, example.COSTS[case])
    names = _names_shown(case)
    lam, sigma = example.grid_of("fine")
    x = np.log10(lam)
    z = 2 * np.log10(sigma)
    cells = {name: choose(values).cell for name, values in surfaces.items()}
    with style():
        fig, axes = plt.subplots(2, 2, figsize=(8.5, 7), sharex=True, sharey=True)
        for ax, (name, values) in zip(axes.flat, surfaces.items(), strict=True):
            ratio = values / values.min()
            look = {"levels": _LEVELS, "cmap": "viridis_r", "extend": "max"}
            drawn = ax.contourf(x, z, ratio, **look)
            ax.contour(x, z, ratio, levels=_LEVELS[1:], colors="white", linewidths=0.4)
            for other, (k, j) in cells.items():
                mark = {**style_of(other), "markeredgecolor": "white", "markersize": 9}
                mark |= {"linestyle": "", "label": names[other]}
                ax.plot(x[j], z[k], **mark)
            ax.set(title=f"{names[name]}, least {values.min():.4f}", **_GRID_AXES)
            ax.label_outer()
        apart = x[cells["GACV"][1]] - x[cells["GCKL"][1]]
        fig.suptitle(
            f"{case.capitalize()} case, sample {sample}: GACV chooses\n"
            f"{10**apart:.2g} times the λ of GCKL, its target"
        )
        fig.colorbar(drawn, ax=axes, label="times the least of the panel", shrink=0.8)
        _one_legend(fig, ax, ncols=4)
    plt.show()


def minima_over_samples(records):
    """Where criteria are least: a small mark a sample, and the mean with two standard errors."""
    with style():
        _, axes = plt.subplots(1, 2, figsize=(9, 4.4), sharex=True, sharey=True)
        for ax, case in zip(axes, ("nonstandard", "standard"), strict=True):
            for key in ("gacv", "xa", "gckl", "misclass"):
                rows = runs(records, case, key)
                points = rows[["log10_lambda", "log10_sigma2"]]
                name = NAMES[case][key].removesuffix(" (oracle)")
                look = {**style_of(name), "linestyle": ""}
                ax.plot(*points.to_numpy().T, alpha=0.25, markersize=4, **look)
                look |= {"capsize": 3, "markersize": 9, "markeredgecolor": "black"}
                dx, dy = 2 * points.sem()
                ax.errorbar(
                    *points.mean(), xerr=dx, yerr=dy, label=name, zorder=3, **look
                )
            times = times_lambda(records, case, "gacv", "gckl")
            title = f"{case} case: GACV's λ is {times:.2g} times GCKL's"
            ax.set(title=title, xlim=(-6.2, 0.2), ylim=(-1.4, 2.6), **_GRID_AXES)
            ax.label_outer()
            ax.legend(loc="lower left", fontsize="small")
    plt.show()


# -- approximation ----------------------------------------------------------------------------


def falls_over_grid(cells):
    """The median fall of a margin over what it is taken for, by cell, standard case."""
    standard = select(cells, case="standard", n=example.SAMPLE_SIZE)
    panels = {
        "fall_over_theta": (r"true fall / $\theta_i$", "right"),
        "fall_over_span": (r"true fall / $\alpha_iS_i^2$", "right_span"),
    }
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.6), sharey=True)
        for ax, (column, (words, right)) in zip(axes, panels.items(), strict=True):
            table = standard.pivot_table(column, "log2_sigma", "log10_lambda")
            fall = table.clip(1 / 16, 16)
            look = {"vmin": -4, "vmax": 4, "cmap": "RdBu"}
            drawn = ax.pcolormesh(fall.columns, fall.index, np.log2(fall), **look)
            share = standard[right].mean()
            title = f"{words}: right within\na factor of two for {share:.0%}"
            ax.set(title=title, xlabel=r"$\log_{10}\lambda$")
        axes[0].set_ylabel(r"$\log_2\sigma$")
        fig.colorbar(drawn, ax=axes, label=r"$\log_2$ of the median; white is right")
    plt.show()


# -- beyond -----------------------------------------------------------------------------------


def losses_to_folds(frame, searches):
    """Test error less that of 5-fold cross-validation, a line a data set, a mark a search."""
    lost = {beyond.SEARCHES[name]: beyond.to_folds(frame, name) for name in searches}
    names = [beyond.SETS[name] for name in lost["GACV"]]
    series = {
        words: means_and_errors(list(found.values())) for words, found in lost.items()
    }
    means = {words: values.mean() for words, (values, _) in series.items()}
    with style():
        _, ax = plt.subplots(figsize=(8, 2.4 + 0.3 * len(names)))
        label = "% test error minus that of 5-fold CV"
        plot_differences(ax, names, series, xlabel=label)
        ax.set_title(
            f"In the mean of {len(names)} sets GACV errs {means['GACV']:.1f} points more than"
            f"\n5-fold CV, and by the span {means['GACV by the span']:+.1f}"
        )
        place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12)}
        ax.legend(**place, ncols=3, fontsize="small")
    plt.show()
