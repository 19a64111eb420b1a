"""What the page on the agreement of solvers says and draws, from the answers of the solvers."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from companion.papers.across.agreement import (
    REFERENCE,
    agreement_matrix,
    compare,
    left_out,
    machine_of,
)
from companion.plotting import plot_agreement, style

#: From here on an objective is not the least, and decision values are not those of the reference.
OBJECTIVE = 1e-6
DECISION = 1e-5

#: Kinds of solvers, and what their names contain.
KINDS = {
    "pair updates and nearest points": "SMO|MDM",
    "closed forms": "linear|Chol|eigen|normal",
    "interior points": "interior|path over C",
    "libsvm": "libsvm",
}


def what_came_out(frame):
    """How many answers have the least objective, and how many the decision values."""
    pairs = frame[["problem", "machine"]].drop_duplicates()
    return (
        f"{frame.solver.nunique()} solvers gave {len(frame)} answers to {len(pairs)} pairs of a "
        f"problem and a machine: {(frame.error <= OBJECTIVE).sum()} have the least objective to a "
        f"millionth, and {(frame['shape'] <= DECISION).sum()} have the decision values of "
        "Clarabel to a hundred-thousandth, apart from the bias."
    )


def show_differences(frame):
    """How far decision values are from those of the reference: solvers against problems."""
    same = (frame.difference <= DECISION).sum()
    shifted = (frame["shape"] <= DECISION).sum()
    title = (
        f"{same} of {len(frame)} answers are the same function to 1e-5, and\n"
        f"{shifted} where the bias may be shifted"
    )
    label = "largest difference of decision values"
    _show_matrix(frame, "difference", title, label=label)


def show_errors(frame):
    """How far objectives lie above the best bound: solvers against problems."""
    sound = (frame.error <= OBJECTIVE).sum()
    title = f"{sound} of {len(frame)} answers have the least objective to a millionth"
    label = "error of the objective, relative"
    _show_matrix(frame, "error", title, label=label, least=1e-16, most=1e-2)


def _show_matrix(frame, value, title, **scale):
    with style():
        fig, ax = plt.subplots(figsize=(10, 6.2))
        plot_agreement(ax, agreement_matrix(frame, value), **scale)
        fig.suptitle(title)
    plt.show()


def missed_table(frame):
    """The answers that miss one of three checks."""
    checks = {
        "objective within 1e-6": frame.error <= OBJECTIVE,
        "decision values within 1e-5": frame["shape"] <= DECISION,
        "says converged": frame.converged,
    }
    words = pd.DataFrame(checks).replace({True: "yes", False: "no"})
    missed = (words == "no").any(axis=1)
    return frame[["solver", "problem", "machine"]].join(words)[missed]


def answers_of(frame, problem, machine):
    """The answers to a problem, by solver."""
    rows = frame[(frame.problem == problem.name) & (frame.machine == machine)]
    return rows.set_index("solver")["answer"]


def show_biases(frame, problem):
    """The objective over the bias, and the biases that the solvers return."""
    answers = answers_of(frame, problem, "L1")
    machine = machine_of(problem, "L1")
    b = np.linspace(-0.7, 1.2, 191)
    P = np.array(
        [machine.judge(replace(answers[REFERENCE], intercept=at)).primal for at in b]
    )
    flat = b[P.min() * (1 + 1e-6) >= P]
    found = [answer.intercept for answer in answers]
    with style():
        _, (top, bottom) = plt.subplots(2, figsize=(8, 4.6), sharex=True)
        top.plot(b, P, color="#1b4f9c")
        top.set_ylabel("objective P")
        top.set_title(
            f"Every bias from {flat.min():.2f} to {flat.max():.2f} has the least objective"
        )
        bottom.plot(found, answers.index, "o", color="#1b4f9c")
        bottom.set_xlabel("b")
        bottom.set_title(
            f"The solvers return biases from {min(found):.2f} to {max(found):.2f}"
        )
        bottom.invert_yaxis()
    plt.show()


def show_multipliers(frame, problem):
    """Multipliers of identical points by two solvers: one by one, and their sums."""
    answers = answers_of(frame, problem, "L1")
    pair = answers["SMO, first order"].multipliers
    general = answers[REFERENCE].multipliers
    place = np.unique(problem.X, axis=0, return_inverse=True)[1].ravel()
    sums = [np.bincount(place, weights) for weights in (general, pair)]
    apart = np.abs(general - pair).max()
    of_sums = np.abs(np.subtract(*sums)).max()
    with style():
        _, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
        left.plot(general, pair, "o", color="#1b4f9c", alpha=0.5)
        left.set_title(f"passenger by passenger: up to {apart:.2g} apart")
        left.set_ylabel("SMO, first order")
        right.plot(*sums, "o", color="#1b4f9c")
        right.set_title(f"summed over identical ones: {of_sums:.0e} apart")
        for ax in (left, right):
            ax.axline((0, 0), slope=1, color="black", linewidth=0.8)
            ax.set_xlabel(REFERENCE)
            ax.locator_params(axis="x", nbins=5)
    plt.show()


def show_precision(problem, runs, costs):
    """The error of the objective and the difference of decision values over C."""
    rows = pd.concat(
        [compare(replace(problem, C=C), "L1", runs).assign(C=C) for C in costs]
    )
    labels = {
        "error": "error of the objective, relative",
        "shape": "difference of decision values",
    }
    colors = ["#1b4f9c", "#d95f02", "#4d9221", "#777777"]
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(9, 3.8))
        for ax, (value, label) in zip(axes, labels.items(), strict=True):
            table = rows.pivot(index="C", columns="solver", values=value)
            looks = zip(table, colors, ("o-", "s--", "^-.", "D:"), strict=True)
            for name, color, look in looks:
                shown = table[name].where(table[name] > 0)
                ax.loglog(shown, look, color=color, label=name)
            of_libsvm = table["libsvm"]
            digits = np.log10(of_libsvm.iloc[-1] / of_libsvm.iloc[0])
            side = "loses" if digits > 0 else "gains"
            ax.set(xlabel="C", ylabel=label)
            ax.set_title(
                f"libsvm {side} {abs(digits):.1f} digits from C = {costs[0]:g} to "
                f"{costs[-1]:,.0f}"
            )
        lines = axes[0].get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=4)
    plt.show()


def show_left_out(problem):
    """Decision values of samples that are left out, by formula beside training again."""
    with style():
        _, axes = plt.subplots(1, 2, figsize=(9, 4))
        for ax, machine in zip(axes, ("LS", "L1"), strict=True):
            table = left_out(problem, machine)
            again = table.pop("trained again")
            looks = (("o", "#1b4f9c"), ("x", "#d95f02"))
            for name, (mark, color) in zip(table, looks, strict=False):
                ax.plot(again, table[name], mark, color=color, label=name)
            largest = table.sub(again, axis=0).abs().max().max()
            ax.axline((0, 0), slope=1, color="black", linewidth=0.8)
            ax.set_xlabel("trained again")
            ax.set_title(f"{machine}: largest difference {largest:.0e}")
            ax.legend(fontsize="small")
    plt.show()


def problems_table(frame, problems):
    """The problems with their sizes, and the least objective of each machine."""
    keys = ["paper", "problem", "machine"]
    by = frame.groupby(keys, sort=False)
    table = pd.DataFrame({"solvers": by.size(), "objective": by.objective.min()})
    table = table.reset_index()
    table.insert(2, "samples", [len(problems[name].y) for name in table.problem])
    return table


def decimals_table(frame):
    """To how many decimals, 8 at most, decision values are those of the reference, by kind.

    Of solvers that run to their end, apart from the bias.
    """
    done = frame[frame.converged & (frame.error <= OBJECTIVE)]
    done = done[done.solver != "WLS, damped"]
    rows = []
    for kind, names in KINDS.items():
        apart = done.loc[done.solver.str.contains(names), "shape"].max()
        rows.append({"solvers": kind, "decimals": min(8, int(-np.log10(apart)))})
    return pd.DataFrame(rows)
