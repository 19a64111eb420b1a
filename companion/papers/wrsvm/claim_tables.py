"""What the notebooks ``theory`` and ``beyond`` show beside the sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.wrsvm import beyond, exact, simulation, theory
from companion.papers.wrsvm.claims import PERCENT, gain, gain_by_flips, setting_name, utilities
from companion.papers.wrsvm.examples import FLIP, MACHINES

__all__ = [
    "cell_table",
    "exact_table",
    "five_table",
    "flip_table",
    "form_table",
    "kernel_table",
    "lead_curves",
    "printed_cells",
    "table_3_by_utility",
    "theorem_table",
    "truncation_gains",
    "truncation_table",
]

LABELS = {"flipped labels": FLIP, "clean labels": 0.0}


def lead_curves(u, A, places):
    """Expected hinge over the lead u of the class with utility A of a total of one.

    Parameters
    ----------
    u : ndarray of shape (n,)
    A : float
    places : mapping of str to float
        Places of truncation s by what they are called, -inf for none.

    Returns
    -------
    dict of str to ndarray of shape (n,)
    """
    return {
        name: A * theory.truncated("hinge", s, u) + (1.0 - A) * theory.truncated("hinge", s, -u)
        for name, s in places.items()
    }


def theorem_table(frame):
    """Shares of random (p, U) that are decided by utility: a row a loss and number of classes.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``theory_theorem``.

    Returns
    -------
    DataFrame
        Shares in per cent for each place of s, and the least s of the theorem.
    """
    rows = []
    for loss in theory.LOSSES:
        for k in theory.CLASSES:
            own = frame[(frame.loss == loss) & (frame.k == k)].set_index("s_is")
            rows.append(
                {"loss": loss, "k": k, "least s": own.s["inside"]}
                | {
                    place: PERCENT * own.n_consistent[place] / own.draws[place]
                    for place in theory.PLACES
                }
            )
    return pd.DataFrame(rows)


def form_table(frame):
    """Utilities of both forms in per cent, with differences: a row a setting and truncation.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``theory_forms``.

    Returns
    -------
    DataFrame
    """
    rows = []
    for config, a in theory.SETTINGS:
        for words, ending in (("none", "_plain"), ("s = -1/2", "")):
            first, second = (
                utilities(frame, config, a, column=f"{form}{ending}_utility")
                for form in ("cost", "utility")
            )
            difference = paired_difference(first, second)
            part = frame[(frame.config == config) & (frame.a == a)]
            rows.append(
                {
                    "U": setting_name(config, a),
                    "truncation": words,
                    "utility form": second.mean(),
                    "cost form": first.mean(),
                    "difference": difference.mean,
                    "SE": difference.standard_error,
                    "n": difference.n,
                    "DC steps": part[f"cost{ending}_steps"].mean(),
                    "objective falls by (%)": PERCENT * part[f"cost{ending}_decrease"].mean(),
                }
            )
    return pd.DataFrame(rows)


def truncation_table(frame):
    """Mean expected utility in per cent for every s: a row a setting and kind of labels.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_truncation``.

    Returns
    -------
    DataFrame
        Beside the means the paired gain of s = -1/2 over no truncation.
    """
    names = [*beyond.TRUNCATIONS, "s = -1/2, unweighted start"]
    rows = []
    for config, a in beyond.SETTINGS:
        for words, flip in LABELS.items():
            difference = gain(frame, config, a, "s = -1/2", "none", flip)
            rows.append(
                {"U": setting_name(config, a), "labels": words.split()[0]}
                | {
                    name: utilities(frame, config, a, flip, name).mean()
                    if flip or "start" not in name
                    else np.nan
                    for name in names
                }
                | {
                    "-1/2 - none": difference.mean,
                    "SE": difference.standard_error,
                    "n": difference.n,
                }
            )
    return pd.DataFrame(rows)


def truncation_gains(frame):
    """Names and series for :func:`companion.plotting.plot_differences`: gains over none.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_truncation``.

    Returns
    -------
    names : list of str
        A setting and place of truncation each.
    series : dict of str to (ndarray, ndarray)
        Means and standard errors by kind of labels.
    """
    names, series = [], {words: ([], []) for words in LABELS}
    for config, a in beyond.SETTINGS:
        for machine, s in beyond.TRUNCATIONS.items():
            if s is not None:
                names.append(f"{setting_name(config, a)}, {machine}")
                for words, flip in LABELS.items():
                    difference = gain(frame, config, a, machine, "none", flip)
                    series[words][0].append(difference.mean)
                    series[words][1].append(difference.standard_error)
    return names, {
        words: tuple(np.array(part) for part in parts) for words, parts in series.items()
    }


def flip_table(frame):
    """Gain by truncation with flipped labels minus that with clean ones: a row a setting.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_truncation``.

    Returns
    -------
    DataFrame
    """
    rows = []
    for config, a in beyond.SETTINGS:
        difference = gain_by_flips(frame, config, a)
        rows.append(
            {
                "U": setting_name(config, a),
                "flipped - clean": difference.mean,
                "SE": difference.standard_error,
                "n": difference.n,
            }
        )
    return pd.DataFrame(rows)


def printed_cells(published):
    """Printed WSVM and WRSVM of every cell of Table 1, in per cent.

    Parameters
    ----------
    published : DataFrame
        From :func:`companion.reproduction.published.load_published`.

    Returns
    -------
    dict of (int, float) to (float, float)
    """
    value = published[published.artefact == "table_1"].set_index(["row", "column"]).value
    return {
        (config, a): tuple(value[f"{machine} U{config},a", f"a = {a:g}"] for machine in MACHINES)
        for config, a in simulation.CELLS["table_1"]
    }


def cell_table(levels, baselines, printed=None):
    """Bayes utility, baselines and print in the cells of Table 1, in per cent.

    Parameters
    ----------
    levels, baselines : DataFrame
        Records of the studies ``beyond_levels`` and ``beyond_baselines``.
    printed : mapping of (int, float) to (float, float), optional
        Printed WSVM and WRSVM of a cell.

    Returns
    -------
    DataFrame
    """
    best = levels[(levels.example == "piecewise_linear") & (levels.flip == FLIP)]
    best = best.set_index(["config", "a"])
    rows = []
    for config, a in simulation.CELLS["table_1"]:
        row = {
            "U": setting_name(config, a),
            "Bayes": PERCENT * best.bayes[config, a],
            "Bayes rule of U = I": PERCENT * best.likeliest[config, a],
            "best constant": PERCENT * best.constant[config, a],
        }
        for machine in ("logistic regression", "SVC"):
            mean = mean_and_standard_error(utilities(baselines, config, a, FLIP, machine))
            row |= {machine: mean.mean, f"SE of {machine}": mean.standard_error, "n": mean.n}
        if printed:
            row |= dict(zip(("printed WSVM", "printed WRSVM"), printed[config, a], strict=True))
        rows.append(row)
    return pd.DataFrame(rows)


def kernel_table(frame, levels):
    """Machines and baselines on Example 3 in per cent: a row a setting and machine.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_kernel``.
    levels : DataFrame
        Records of the study ``beyond_levels``.

    Returns
    -------
    DataFrame
    """
    best = levels[(levels.example == "nonlinear") & (levels.flip == FLIP)].set_index("config")
    rows = []
    for config, a in simulation.CELLS["table_2"]:
        for machine in dict.fromkeys(frame.machine):
            mean = mean_and_standard_error(utilities(frame, config, a, machine=machine))
            difference = gain(frame, config, a, "WRSVM", machine)
            rows.append(
                {
                    "U": setting_name(config, a),
                    "Bayes": PERCENT * best.bayes[config],
                    "machine": machine,
                    "utility": mean.mean,
                    "WRSVM minus it": difference.mean,
                    "SE": difference.standard_error,
                    "n": mean.n,
                }
            )
    return pd.DataFrame(rows)


def exact_table(frame):
    """How often DC ends at the global minimum, and how far above it: a row a setting and C.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_exact``.

    Returns
    -------
    DataFrame
    """
    rows = []
    for config, a in exact.SETTINGS:
        for C in exact.C_VALUES:
            own = frame[(frame.config == config) & (frame.a == a) & (frame.C == C)]
            row = {
                "U": setting_name(config, a),
                "C": C,
                "n": len(own),
                "convex problems": own.n_nodes.mean(),
            }
            for column, name in (
                ("own_excess", "WSVM start"),
                ("unweighted_excess", "unweighted start"),
            ):
                row |= {
                    f"{name}: global (%)": PERCENT * (own[column] <= 2 * exact.TOLERANCE).mean(),
                    f"{name}: above (%)": PERCENT * own[column].mean(),
                }
            rows.append(row)
    return pd.DataFrame(rows)


def table_3_by_utility(frame):
    """What the printed blocks of Table 3 are worth, in per cent.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_table_3``.

    Returns
    -------
    DataFrame
        A row a block.
    """
    return pd.DataFrame(
        {
            "U": [setting_name(2, a) for a in frame.a],
            "printed block": PERCENT * frame.weighted,
            "printed block of U2,0": PERCENT * frame.unweighted,
            "difference": PERCENT * (frame.weighted - frame.unweighted),
        }
    )


def five_table(frame):
    """Mean test cost of the machines of five classes.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_five``.

    Returns
    -------
    DataFrame
        A row a machine.
    """
    rows = []
    for machine, own in frame.groupby("machine", sort=False):
        mean = mean_and_standard_error(own.cost)
        rows.append(
            {
                "machine": machine,
                "cost": mean.mean,
                "SE": mean.standard_error,
                "log2 C": own.log2_C.mean(),
                "n": mean.n,
            }
        )
    return pd.DataFrame(rows)
