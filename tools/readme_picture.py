"""Draw docs/picture.png, the picture of the README, from the committed records.

.venv/bin/python tools/readme_picture.py
"""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt

from companion._paths import project_root
from companion.papers.l1nsvm import fig_1
from companion.plotting import plot_distributions, style
from companion.reproduction.regenerate import regenerate

records = regenerate("l1nsvm/fig_1").records["fig_1"]
X, _, _ = fig_1.toy_problem(draw=1)
_, y, switched = fig_1.toy_problem(draw=1, rule="one_per_class")
with style():
    fig, axes = plt.subplots(1, 3, figsize=(13, 3.5))
    for ax, machine in zip(axes, ("LS", "Least 1-Norm"), strict=False):
        w, b, _ = fig_1.train_linear(machine, X, y)
        fig_1.plot_toy_machine(ax, X, y, w, b, flipped=switched, title=f"{machine}, one draw")
    samples = {machine: records[f"one_per_class_{machine}"] for machine in fig_1.machines.MACHINES}
    plot_distributions(
        axes[2],
        samples,
        xlabel="rotation by two switched labels (degrees)",
        title=f"the same claim over {len(records):,} draws",
    )
    fig.savefig(project_root() / "docs" / "picture.png", dpi=110)
