"""The tour: one problem with a rare class, costs and wrong labels, and all machines on it."""

from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

import numpy as np
import pandas as pd
from scipy.stats import multivariate_normal
from sklearn.svm import SVC

from companion.estimators import (
    L1SVC,
    L2SVC,
    LSSVC,
    ConformalSVC,
    LeastOneNormSVC,
    UnbiasedSVC,
    WeightedRobustSVC,
)
from companion.metrics import paired_difference
from companion.reproduction.parameters import parameters_for

COMMON = multivariate_normal([0.0, 0.0], 1.0)
RARE = multivariate_normal([2.2, 1.2], 0.5)
FAR = multivariate_normal([-4.0, -1.0], 0.15)

#: Places of the plane where decisions are drawn.
AXES = (np.linspace(-5.5, 5.5, 160), np.linspace(-4, 4.5, 120))
PLANE = np.stack(np.meshgrid(*AXES), axis=-1).reshape(-1, 2)

#: Machines that the sliders draw.
FOUR = ("SVC", "LS", "USVC", "WRSVM")


@dataclass(frozen=True)
class Ward:
    """A rare disease: what a missed case costs, how many cases there are, and how machines are set.

    `n_outliers` healthy people far from all others were entered as ill.
    """

    cost_of_miss: float = 5.0
    n_outliers: int = 6
    n_rare: int = 20
    n_common: int = 180
    C: float = 1.0
    gamma: float = 0.05

    def sample(self, seed):
        """Points and labels, 1 for the rare class; the last points are the wrong labels far out."""
        rng = np.random.default_rng(seed)
        sizes = [self.n_common, self.n_rare, self.n_outliers]
        drawn = [
            density.rvs(n, random_state=rng).reshape(n, 2)
            for density, n in zip((COMMON, RARE, FAR), sizes, strict=True)
        ]
        return np.vstack(drawn), np.repeat([-1, 1, 1], sizes)

    @cached_property
    def test(self):
        """A clean sample, large enough to tell."""
        return Ward(n_outliers=0, n_rare=2_000, n_common=18_000).sample(0)

    def cost(self, machine):
        """What the decisions of a machine cost a case, and the share of rare cases it finds."""
        X, y = self.test
        decided = machine.predict(X)
        cost = np.mean((y != decided) * np.where(y > 0, self.cost_of_miss, 1.0))
        return cost, np.mean(decided[y > 0] > 0)

    def best_decision(self, points):
        """Positive where calling a point rare is cheaper, if the densities were known."""
        return 0.1 * self.cost_of_miss * RARE.pdf(points) - 0.9 * COMMON.pdf(points)

    @cached_property
    def best(self):
        """The least possible cost a case, and the share of rare cases that it finds."""
        X, y = self.test
        decided = np.sign(self.best_decision(X))
        cost = np.mean((y != decided) * np.where(y > 0, self.cost_of_miss, 1.0))
        return cost, np.mean(decided[y > 0] > 0)

    def machines(self, **kernel):
        """All seven and scikit-learn's, told what a miss costs."""
        weights = {-1: 1.0, 1: self.cost_of_miss}
        known = {"C": self.C, "class_weight": weights, **kernel}
        utility = np.diag([1.0, self.cost_of_miss])  # of a right decision, by class
        return {
            "SVC": SVC(**known),
            "L1": L1SVC(**known),
            "L2": L2SVC(**known),
            "LS": LSSVC(**known),
            "Least 1-Norm": LeastOneNormSVC(**known),
            "USVC": UnbiasedSVC(**known),
            "WRSVM": WeightedRobustSVC(C=self.C, utility=utility, **kernel),
            "Amari": ConformalSVC(C=self.C, random_state=0, **kernel),
        }

    def study(self, n_draws):
        """Costs and seconds of a fit: a row a kernel, data set and machine."""
        kernels = {
            "line": {"kernel": "linear"},
            "Gaussian kernel": {"gamma": self.gamma},
        }
        rows = []
        for name, kernel in kernels.items():
            for draw in range(1, n_draws + 1):
                X, y = self.sample(draw)
                for machine, estimator in self.machines(**kernel).items():
                    start = perf_counter()
                    estimator.fit(X, y)
                    seconds = perf_counter() - start
                    cost, _ = self.cost(estimator)
                    rows.append([name, draw, machine, cost, seconds])
        columns = ["kernel", "draw", "machine", "cost", "seconds"]
        return pd.DataFrame(rows, columns=columns)


def ward(n_draws, **settings):
    """The problem of these parameters, which are checked."""
    parameters_for("tour", n_draws=n_draws, **settings)
    return Ward(**settings)


def costs_of(study, kernel):
    """Costs with a kernel: a row a data set, a column a machine in their order."""
    rows = study[study.kernel == kernel]
    return rows.pivot(index="draw", columns="machine", values="cost")[
        rows.machine.unique()
    ]


def what_came_out(study, ward):
    """What the machines pay with a line and with a Gaussian kernel."""
    line = costs_of(study, "line").mean()
    bent = costs_of(study, "Gaussian kernel").mean()
    told = bent.drop("Amari")  # the conformal machine takes no costs
    saved = paired_difference(
        costs_of(study, "line")["SVC"], costs_of(study, "line")["USVC"]
    )
    return (
        f"With a straight line the least squares machine pays {line['LS']:.3f} a case, the SVC "
        f"{line['SVC']:.3f} and the unbiased machine {line['USVC']:.3f}, which is a difference to "
        f"the SVC of {saved.mean:.3f} (SE {saved.standard_error:.3f}); {ward.best[0]:.3f} is the "
        f"least possible (means over {study.draw.nunique()} data sets). "
        f"With a Gaussian kernel the {len(told)} machines that are told the costs pay "
        f"{told.min():.3f} to {told.max():.3f}."
    )


def cost_table(study):
    """Mean cost of each machine with a line and with a Gaussian kernel."""
    kernels = list(study.kernel.unique())
    means = study.pivot_table("cost", "machine", "kernel", sort=False)[kernels]
    return means.reset_index().rename_axis(columns=None)


def turned_and_found(ward):
    """How far the wrong labels turn a line, and the rare cases it finds by the cost of a miss.

    Folded up, as the answer to what the sliders show.
    """
    from IPython.display import Markdown

    settings = {
        "clean": replace(ward, n_outliers=0),
        "wrong": ward,
        "cheap": replace(ward, cost_of_miss=1.0),
    }
    lines = []
    n_wrong = ward.n_outliers
    for name in FOUR:
        fits = {
            key: of.machines(kernel="linear")[name].fit(*of.sample(1))
            for key, of in settings.items()
        }
        turn = _angle(*(_slope(fits[key]) for key in ("clean", "wrong")))
        turned = f"turns {turn:.0f}°; " if n_wrong else ""
        found = [ward.cost(fits[key])[1] for key in ("cheap", "wrong")]
        lines.append(
            f"* {name}: {turned}finds {found[0]:.0%} and {found[1]:.0%} of the rare cases."
        )
    cost = f"{ward.cost_of_miss:g}"
    asked = f"How many of the rare cases a line finds where a miss costs 1 and {cost}:"
    if n_wrong:
        asked = (
            f"How far {n_wrong} wrong labels turn a line where a miss costs {cost}, and how many "
            f"of the rare cases it then finds where a miss costs 1 and {cost}:"
        )
    return Markdown(
        f"<details><summary>An answer</summary>\n\n{asked}\n\n"
        + "\n".join(lines)
        + "\n\n</details>"
    )


def _slope(machine):
    """The gradient of a linear decision, from three points."""
    start, across, up = machine.decision_function([[0, 0], [1, 0], [0, 1]])
    return np.array([across - start, up - start])


def _angle(one, other):
    """Degrees between two directions."""
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


# -- figures ----------------------------------------------------------------------------------


def draw_points(ax, ward, size=12):
    """The first data set: small dots, crosses of the rare class, the best boundary dotted."""
    X, y = ward.sample(1)
    dots = {"color": "#aaaaaa", "markersize": size / 3, "linestyle": ""}
    ax.plot(*X[y < 0].T, ".", **dots, label=f"{np.sum(y < 0)} common")
    crosses = {"color": "#333333", "markersize": size / 1.6, "linestyle": ""}
    ax.plot(*X[y > 0].T, "+", **crosses, label=f"{np.sum(y > 0)} called rare")
    draw_line(ax, ward.best_decision, colors="black", linewidths=1, linestyles=":")
    ax.set(xticks=[], yticks=[], aspect="equal")


def draw_line(ax, decision, **look):
    """Where a decision is zero."""
    values = decision(PLANE).reshape(len(AXES[1]), -1)
    ax.contour(*AXES, values, levels=[0], **look)


def show_problem(ward):
    """The first data set, and what the best rule costs on it."""
    import matplotlib.pyplot as plt

    from companion.plotting import style

    cost, found = ward.best
    with style():
        _, ax = plt.subplots(figsize=(6.4, 4.4))
        draw_points(ax, ward)
        if ward.n_outliers:
            words = f"{ward.n_outliers} wrong labels"
            ax.annotate(words, FAR.mean, (-4.9, 1.3), arrowprops={"arrowstyle": "->"})
        ax.text(3.1, -1.6, "the best boundary", ha="center", fontsize="small")
        ax.set_title(
            f"The best rule costs {cost:.3f} a case and finds {found:.0%}\nof the rare cases"
        )
        ax.legend(loc="lower right", fontsize="small")
    plt.show()


def show_side_by_side(ward, **kernel):
    """A panel a machine on the first data set, with what it costs and finds."""
    import matplotlib.pyplot as plt

    from companion.plotting import MACHINE_STYLES, style

    X, y = ward.sample(1)
    costs = {}
    with style():
        fig, axes = plt.subplots(4, 2, figsize=(6.4, 11), sharex=True, sharey=True)
        machines = ward.machines(**kernel)
        for ax, (name, machine) in zip(axes.flat, machines.items(), strict=True):
            costs[name], found = ward.cost(machine.fit(X, y))
            draw_points(ax, ward)
            color = MACHINE_STYLES[name]["color"]
            draw_line(ax, machine.decision_function, colors=color, linewidths=2)
            words = f"costs {costs[name]:.3f}, finds {found:.0%}"
            ax.set_title(f"{type(machine).__name__}\n{words}")
        least = min(costs, key=costs.get)
        most = max(costs, key=costs.get)
        fig.suptitle(
            f"Least cost {costs[least]:.3f} ({least}),\nmost {costs[most]:.3f} ({most})",
            fontsize="medium",
        )
    plt.show()


def show_means(ward, study):
    """Mean costs over the data sets with two standard errors, and the time of a fit."""
    import matplotlib.pyplot as plt

    from companion.plotting import MACHINE_STYLES, style

    with style():
        _, axes = plt.subplots(2, 1, figsize=(7, 7.2), sharex=True)
        kernels = study.groupby("kernel", sort=False)
        for ax, (kernel, rows) in zip(axes, kernels, strict=True):
            costs = costs_of(study, kernel)
            seconds = rows.groupby("machine").seconds.median()
            for place, name in enumerate(costs):
                look = MACHINE_STYLES[name] | {"linestyle": "", "capsize": 3}
                error = 2 * costs[name].sem()
                ax.errorbar(costs[name].mean(), place, xerr=error, **look)
                words = f"{1000 * seconds[name]:.0f} ms"
                across = ax.get_yaxis_transform()
                ax.text(1.02, place, words, va="center", transform=across)
            ax.axvline(ward.best[0], color="black", linestyle=":")
            ax.set_yticks(range(len(costs.columns)), costs.columns)
            ax.invert_yaxis()
            ratio = costs["LS"].mean() / costs["USVC"].mean()
            ax.set_title(f"{kernel}: LS costs {ratio:.1f} times as much as USVC")
        axes[1].set_xlabel("mean cost a case (dotted: the least possible)")
        axes[1].set_xlim(0, None)
    plt.show()


def draw_lines(ward):
    """The lines of four machines on the first data set, and what each pays."""
    import matplotlib.pyplot as plt

    from companion.plotting import MACHINE_STYLES, style

    X, y = ward.sample(1)
    costs = {}
    with style():
        fig, ax = plt.subplots(figsize=(5.6, 5))
        draw_points(ax, ward)
        machines = ward.machines(kernel="linear")
        for name in FOUR:
            machine = machines[name].fit(X, y)
            costs[name], _ = ward.cost(machine)
            color = MACHINE_STYLES[name]["color"]
            draw_line(ax, machine.decision_function, colors=color, linewidths=2)
            words = f"{name} pays {costs[name]:.2f}"
            ax.plot([], [], color=color, linewidth=2, label=words)
        dearest = max(costs, key=costs.get)
        least = min(costs.values())
        ax.set_title(
            f"{least:.2f} is the least, {costs[dearest]:.2f} the most ({dearest})"
        )
        fig.legend(loc="outside lower center", ncols=2, frameon=False)
