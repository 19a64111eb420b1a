"""Draw docs/picture.png, the picture of the README, from the committed records.

.venv/bin/python tools/readme_picture.py
"""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
from sklearn.inspection import DecisionBoundaryDisplay

from companion import LSSVC, LeastOneNormSVC
from companion._utils.paths import project_root
from companion.papers.l1nsvm import fig_1
from companion.plotting import MACHINE_STYLES, plot_distributions, style
from companion.reproduction.regenerate import regenerate

records = regenerate("l1nsvm/fig_1").records["fig_1"]
X, y, switched = fig_1.toy_problem(1, "one_per_class")
with style():
    fig, axes = plt.subplots(1, 3, figsize=(13, 3.5))
    for ax, name, machine in zip(
        axes, ("LS", "Least 1-Norm"), (LSSVC, LeastOneNormSVC), strict=False
    ):
        lines = {
            "levels": [-1, 0, 1],
            "linestyles": ["--", "-", "--"],
            "plot_method": "contour",
        }
        DecisionBoundaryDisplay.from_estimator(
            machine(C=fig_1.C, kernel="linear").fit(X, y),
            X,
            **lines,
            colors=MACHINE_STYLES[name]["color"],
            response_method="decision_function",
            eps=2.0,
            ax=ax,
        )
        for label, mark, face in ((1, "o", "#555555"), (-1, "s", "white")):
            look = {"color": "#555555", "markerfacecolor": face, "markersize": 5}
            ax.plot(
                *X[y == label].T, mark, label=f"class {label:+d}", linestyle="", **look
            )
        ring = {
            "markersize": 14,
            "fillstyle": "none",
            "color": "black",
            "linestyle": "",
        }
        ax.plot(*X[switched].T, "o", label="label switched", **ring)
        ax.set(title=f"{name}, one draw", xlim=(-4, 11), xlabel="x", ylabel="y")
    axes[0].legend(loc="lower right", fontsize="small", labelspacing=0.8)
    samples = {
        machine: records[f"one_per_class_{machine}"]
        for machine in fig_1.machines.MACHINES
    }
    plot_distributions(
        axes[2],
        samples,
        xlabel="rotation by two switched labels (degrees)",
        title=f"the same claim over {len(records):,} draws",
    )
    fig.savefig(project_root() / "docs" / "picture.png", dpi=110)
