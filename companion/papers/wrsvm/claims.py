"""From the records of ``theory``, ``beyond`` and ``exact`` to the sentences they bear on."""

from __future__ import annotations

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.summaries import Values, share
from companion.papers.wrsvm import beyond, exact, theory
from companion.papers.wrsvm.examples import FLIP

PERCENT = 100.0


def setting_name(config, a):
    """What a utility matrix is called: "U2,.4", "U = I".

    Parameters
    ----------
    config : {1, 2, 3}
    a : float

    Returns
    -------
    str
    """
    return f"U{config},{a:g}".replace("0.", ".") if a else "U = I"


def utilities(frame, config, a, flip=FLIP, machine=None, column="utility"):
    """Percentages of one setting in the order of the samples, of one machine if there are more.

    Parameters
    ----------
    frame : DataFrame
    config : {1, 2, 3}
    a : float
    flip : float, optional
        Probability of a flipped label.
    machine : str, optional
    column : str, default="utility"

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    rows = frame[(frame.config == config) & (frame.a == a)]
    if "flip" in rows:
        rows = rows[rows.flip == flip]
    if machine is not None:
        rows = rows[rows.machine == machine]
    return PERCENT * rows.sort_values("sample")[column].to_numpy()


def gain(frame, config, a, machine, other, flip=FLIP):
    """Paired difference of two machines, in points of utility.

    Parameters
    ----------
    frame : DataFrame
    config : {1, 2, 3}
    a : float
    machine, other : str
    flip : float, optional
        Probability of a flipped label.

    Returns
    -------
    companion.metrics.Mean
    """
    return paired_difference(
        utilities(frame, config, a, flip, machine), utilities(frame, config, a, flip, other)
    )


# -- theory ---------------------------------------------------------------------------------


def theory_values(records):
    """Theorem 3.1, (9), (4), (13) to (15) and the descent."""
    out = Values()
    if not records["theory_theorem"].empty:
        _theorem(out, records["theory_theorem"])
    if not records["theory_equality"].empty:
        _equality(out, records["theory_equality"])
    if not records["theory_forms"].empty:
        _forms(out, records["theory_forms"])
    return out.frame()


def _theorem(out, frame):
    for loss in theory.LOSSES:
        for k in theory.CLASSES:
            rows = frame[(frame.loss == loss) & (frame.k == k)].set_index("s_is")
            name = f"{loss}, k = {k}"
            for place, words in (
                ("inside", "s in the interval"),
                ("at the end", "s at its lower end"),
            ):
                share = rows.n_consistent[place] / rows.draws[place]
                out.add(name, f"share of (p, U) decided by utility, {words}", share)
            for place, words in (
                ("10 % below", "s 10 % below"),
                ("no truncation", "no truncation"),
            ):
                share = 1 - rows.n_consistent[place] / rows.draws[place]
                out.add(name, f"share of (p, U) with f = 0 best, {words}", share)
    out.add(
        "Theorem 3.1",
        "a random f below the minimum over leads, largest excess",
        frame.random_f_below.max(),
    )


def _equality(out, frame):
    draws = frame.draws.sum()
    out.add("(9)", "|expected cost + expected utility - max C|, largest", frame.largest_error.max())
    out.add("(9)", "share of (p, C) with the same decision", frame.n_same_decision.sum() / draws)
    out.add(
        "(4)", "share of pairs whose middle lies above the chord", frame.share_not_convex.mean()
    )
    out.add(
        "(4)",
        "share of (p, C) decided by cost, no truncation",
        frame.n_cost_form_consistent.sum() / draws,
    )


def _forms(out, frame):
    converged = frame.converged.all()
    out.add_mean(
        "(4)",
        "fall of the objective by DC (%)",
        mean_and_standard_error(PERCENT * frame.cost_plain_decrease),
        converged,
    )
    out.add("(10)", "largest rise of the objective in a step, relative", frame.largest_rise.max())
    out.add(
        "(10)",
        "largest distance of the box done by hand from the solver, relative",
        frame.above_solver.abs().max(),
    )
    out.add("(15)", "largest |sum of w_m|, relative", frame.sum_of_w.max())
    out.add("(15)", "largest |w_m - right side|", frame.error_of_15.max())
    out.add("(13)", "largest |sum of the bracket|, relative", frame.error_of_13.max())
    for config, a in theory.SETTINGS:
        for cost, utility, words in (
            ("cost", "utility", "cost form - utility form, s = -1/2 (points)"),
            ("cost_plain", "utility_plain", "cost form - utility form, no truncation (points)"),
        ):
            out.add_mean(
                setting_name(config, a),
                words,
                paired_difference(
                    *(
                        utilities(frame, config, a, column=f"{name}_utility")
                        for name in (cost, utility)
                    )
                ),
                converged,
            )


# -- beyond ---------------------------------------------------------------------------------


def beyond_values(records):
    """Why truncation helps, global optimality, baselines, Table 3 by utility, five classes."""
    out = Values()
    frame = records["beyond_truncation"]
    if not frame.empty:
        _truncation(out, frame)
        if not records["beyond_baselines"].empty:
            _baselines(out, frame, records["beyond_baselines"])
    for name, add in (
        ("beyond_kernel", _kernel),
        ("beyond_exact", _exact),
        ("beyond_table_3", _table_3),
        ("beyond_five", _five),
    ):
        if not records[name].empty:
            add(out, records[name])
    return out.frame()


def _truncation(out, frame):
    converged = frame.converged.all()
    for config, a in beyond.SETTINGS:
        name = setting_name(config, a)
        for flip, words in ((FLIP, "flipped labels"), (0.0, "clean labels")):
            out.add_mean(
                name,
                f"s = -1/2 - none, {words} (points)",
                gain(frame, config, a, "s = -1/2", "none", flip),
                converged,
            )
            for other in ("s = 0", "s = -1"):
                out.add_mean(
                    name,
                    f"s = -1/2 - {other}, {words} (points)",
                    gain(frame, config, a, "s = -1/2", other, flip),
                    converged,
                )
        out.add_mean(
            name,
            "gain by truncation: flipped - clean (points)",
            gain_by_flips(frame, config, a),
            converged,
        )
        out.add_mean(
            name,
            "own start - unweighted start (points)",
            gain(frame, config, a, "s = -1/2", "s = -1/2, unweighted start"),
            converged,
        )


def gain_by_flips(frame, config, a, machine="s = -1/2"):
    """Gain over no truncation with flipped labels minus that with clean ones, same points.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_truncation``.
    config : {1, 2, 3}
    a : float
    machine : str, default="s = -1/2"

    Returns
    -------
    companion.metrics.Mean
    """
    gains = [
        utilities(frame, config, a, flip, machine) - utilities(frame, config, a, flip, "none")
        for flip in (FLIP, 0.0)
    ]
    return paired_difference(*gains)


def _baselines(out, frame, baselines):
    for config, a in beyond.SETTINGS:
        own = utilities(frame, config, a, FLIP, "s = -1/2")
        for machine in ("logistic regression", "SVC"):
            other = utilities(baselines, config, a, FLIP, machine)
            n = min(len(own), len(other))
            out.add_mean(
                setting_name(config, a),
                f"WRSVM - {machine} (points)",
                paired_difference(own[:n], other[:n]),
            )


def _kernel(out, frame):
    converged = frame.converged.all()
    for config in (1, 2, 3):
        for machine in ("logistic regression on squares", "SVC", "WSVM"):
            out.add_mean(
                f"Example 3, {setting_name(config, 0.4)}",
                f"WRSVM - {machine} (points)",
                gain(frame, config, 0.4, "WRSVM", machine),
                converged,
            )


def _exact(out, frame):
    converged = frame.converged.all()
    out.add("tiny samples", "share of samples with a proven minimum", frame.is_proven.mean())
    for config, a in exact.SETTINGS:
        rows = frame[(frame.config == config) & (frame.a == a)]
        name = f"tiny samples, {setting_name(config, a)}"
        out.add_mean(
            name,
            "share where DC from the WSVM finds the global minimum",
            share(rows.own_excess <= 2 * exact.TOLERANCE),
            converged,
        )
        out.add_mean(
            name,
            "share where DC from the unweighted SVM finds it",
            share(rows.unweighted_excess <= 2 * exact.TOLERANCE),
            converged,
        )
        out.add_mean(
            name,
            "objective above the minimum: WSVM start - unweighted start (%)",
            paired_difference(PERCENT * rows.own_excess, PERCENT * rows.unweighted_excess),
            converged,
        )


def _table_3(out, frame):
    for row in frame.itertuples():
        out.add(
            f"Table 3, U2,{row.a:g}".replace("0.", "."),
            "utility of the printed block - of the block U2,0 (points)",
            PERCENT * (row.weighted - row.unweighted),
        )


def _five(out, frame):
    converged = frame.converged.all()
    cost = {
        name: rows.sort_values("sample").cost.to_numpy() for name, rows in frame.groupby("machine")
    }
    for first, second in (
        ("WRSVM", "costs ignored"),
        ("WRSVM", "WSVM"),
        ("cost form", "WRSVM"),
        ("cost form", "costs ignored"),
    ):
        out.add_mean(
            "five classes",
            f"cost: {first} - {second}",
            paired_difference(cost[first], cost[second]),
            converged,
        )
