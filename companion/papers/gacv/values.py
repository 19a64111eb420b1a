"""From records to the printed numbers of the report and the sentences of its Section 6."""

from __future__ import annotations

import numpy as np

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.gacv.beyond import DATASETS
from companion.papers.gacv.example import (
    CASES,
    COSTS,
    ERROR_COST,
    SAMPLE_SHARE,
    SAMPLE_SIZE,
    TARGET_SHARE,
)
from companion.papers.summaries import Values, present

#: The report's "global search" is compared with the fine grid.
PRINTED_GRID = "fine"


def runs(frame, case, criterion, grid=PRINTED_GRID, n=SAMPLE_SIZE):
    """The rows of one case and criterion in the order of the samples, with the inefficiency.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``inefficiency``.
    case : {"standard", "nonstandard"}
    criterion : str
    grid : {"fine", "coarse"}, default="fine"
    n : int, default=200

    Returns
    -------
    DataFrame
        With the columns inefficiency (mean over tied minimisers), inefficiency_low and
        inefficiency_high added.
    """
    rows = frame[
        (frame.case == case)
        & (frame.criterion == criterion)
        & (frame.grid == grid)
        & (frame.n == n)
    ].sort_values("sample")
    return rows.assign(
        inefficiency=rows.target / rows.target_least,
        inefficiency_low=rows.target_low / rows.target_least,
        inefficiency_high=rows.target_high / rows.target_least,
    )


# -- Figure 1 -------------------------------------------------------------------------------


def fig_1_values(records):
    """The sample, the costs, and how close the curves are."""
    out = Values()
    _design(out)
    samples, frame = records["fig_1"], records["inefficiency"]
    if not samples.empty:
        out.add("sample", "share of +", samples.share_positive.mean())
        out.add("sample", "share of -", 1 - samples.share_positive.mean())
        for name, label in (("positive", "+"), ("negative", "-")):
            for k in (1, 2):
                for moment in ("mean", "variance"):
                    values = samples[f"{moment}_{k}_{name}"]
                    out.add(
                        f"class {label}",
                        f"{moment} of x{k}",
                        values.mean(),
                        spread=values.std(ddof=1),
                        n=len(values),
                    )
    if not frame.empty:
        for case in CASES:
            _curves(out, frame, case)
    return out.frame()


def _design(out):
    out.add("costs", "C+", ERROR_COST[1])
    out.add("costs", "C-", ERROR_COST[-1])
    for sign, label in (("+", 1), ("-", -1)):
        out.add("costs", f"pi{sign}", TARGET_SHARE[label])
        out.add("costs", f"pi_s{sign}", SAMPLE_SHARE[label])
        out.add("costs", f"L({label})", COSTS["nonstandard"][label])


def _curves(out, frame, case):
    misclass, xa = runs(frame, case, "misclass"), runs(frame, case, "xa")
    converged = frame.converged.all()
    out.add_mean(
        case,
        "share of the population where MISCLASS and true curve disagree",
        mean_and_standard_error(misclass.from_true),
        converged,
    )
    out.add_mean(
        case,
        "disagreement: GACV with XA - XA with true",
        paired_difference(xa.from_gacv, xa.from_true),
        converged,
    )


# -- the inefficiencies ---------------------------------------------------------------------


def inefficiency_values(records):
    """The five printed inefficiencies and the claims about the two estimates."""
    out, frame = Values(), records["inefficiency"]
    if frame.empty:
        return out.frame()
    converged = frame.converged.all()
    for case in CASES:
        gacv, xa = runs(frame, case, "gacv"), runs(frame, case, "xa")
        out.add_draws(case, "GACV", gacv.inefficiency, converged)
        if case == "standard":
            out.add_draws(case, "XA, least of the tied minima", xa.inefficiency_low, converged)
            out.add_draws(case, "XA, largest of the tied minima", xa.inefficiency_high, converged)
        else:
            out.add_draws(case, "BRXA", xa.inefficiency, converged)
        difference = paired_difference(xa.inefficiency, gacv.inefficiency)
        out.add_mean(case, "inefficiency XA - GACV", difference, converged)
        out.add_mean(
            case,
            "|inefficiency XA - GACV|",
            difference._replace(mean=abs(difference.mean)),
            converged,
        )
        for name, label in (("gacv", "GACV"), ("xa", "XA")):
            own, folds = runs(frame, case, name), runs(frame, case, "cv_10")
            out.add_mean(
                case,
                f"inefficiency of {label}",
                mean_and_standard_error(own.inefficiency),
                converged,
            )
            out.add_mean(
                case,
                f"inefficiency {label} - 10-fold CV",
                paired_difference(own.inefficiency, folds.inefficiency),
                converged,
            )
        pessimism = paired_difference(xa.estimate, xa.target)
        out.add_mean(case, "XA - MISCLASS, at the minimum of XA", pessimism, converged)
        out.add_mean(
            case,
            "|XA - MISCLASS|, at the minimum of XA",
            pessimism._replace(mean=abs(pessimism.mean)),
            converged,
        )
        out.add_mean(
            case,
            "GACV / 2 - XA, at their minima",
            paired_difference(gacv.estimate, xa.estimate),
            converged,
        )
        _bounds(out, frame, case, converged)
    _standard_is_easier(out, frame, converged, "inefficiency", "inefficiency of {}")
    return out.frame()


def _bounds(out, frame, case, converged):
    two, one, gckl = (runs(frame, case, name) for name in ("xa_2", "xa", "gckl"))
    out.add(
        case,
        "least GCKL - MISCLASS of any cell",
        gckl.least_above_target.min(),
        converged=converged,
    )
    out.add(
        case,
        "least XA_J (rho = 2) - leave-one-out of any cell with a free vector",
        two.least_above_loo.min(),
        converged=converged,
    )
    out.add_mean(
        case,
        "distance from MISCLASS: rho = 2 - rho = 1",
        paired_difference(two.off_target, one.off_target),
        converged,
    )
    out.add_mean(
        case,
        "distance from leave-one-out: rho = 2 - rho = 1",
        paired_difference(two.minus_loo.abs(), one.minus_loo.abs()),
        converged,
    )


# -- Figure 2 -------------------------------------------------------------------------------


def fig_2_values(records):
    """Where the minima lie and what shape they have."""
    out, frame = Values(), records["inefficiency"]
    if frame.empty:
        return out.frame()
    converged = frame.converged.all()
    for case in CASES:
        _minima(out, frame, case, converged)
        _biases(out, frame, case, converged)
    _standard_is_easier(out, frame, converged, "distance", "distance of {} from MISCLASS")
    lengths = [runs(frame, case, "misclass").length for case in ("nonstandard", "standard")]
    out.add_mean(
        "both cases",
        "length of the valley: nonstandard - standard",
        paired_difference(*lengths),
        converged,
    )
    return out.frame()


def _minima(out, frame, case, converged):
    target, gacv, xa = (runs(frame, case, name) for name in ("misclass", "gacv", "xa"))
    out.add_mean(
        case,
        "distance of minima: GACV to XA - GACV to MISCLASS",
        paired_difference(distance(gacv, xa), distance(gacv, target)),
        converged,
    )
    for name, label in (("gckl", "GCKL"), ("misclass", "MISCLASS")):
        shape = runs(frame, case, name)
        out.add_mean(
            case,
            f"{label} valley: length / width",
            mean_and_standard_error(shape.length / np.maximum(shape.width, 0.25)),
            converged,
        )
        out.add_mean(
            case,
            f"{label} valley: decades of lambda",
            mean_and_standard_error(shape.decades),
            converged,
        )
        out.add_mean(case, f"{label} valley: tilt", mean_and_standard_error(shape.tilt), converged)
    for name, label in (("gacv", "GACV"), ("xa", "XA")):
        out.add_mean(
            case,
            f"{label} minimum: place along the valley",
            mean_and_standard_error(runs(frame, case, name).position),
            converged,
        )


def _biases(out, frame, case, converged):
    for name, label in (("gacv", "GACV"), ("xa", "XA")):
        own = runs(frame, case, name).log10_lambda
        for other, words in (("misclass", "MISCLASS"), ("gckl", "GCKL")):
            if name == "xa" and other == "gckl":
                continue
            out.add_mean(
                case,
                f"log10 lambda: {label} - {words}",
                paired_difference(own, runs(frame, case, other).log10_lambda),
                converged,
            )


def distance(first, second):
    """Distance of two choices in (log10 lambda, log10 sigma^2), in decades, sample by sample.

    Parameters
    ----------
    first, second : DataFrame
        Records of two criteria, sample by sample.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    du = first.log10_lambda.to_numpy() - second.log10_lambda.to_numpy()
    dv = first.log10_sigma2.to_numpy() - second.log10_sigma2.to_numpy()
    return np.hypot(du, dv)


def _standard_is_easier(out, frame, converged, quantity, words):
    for name, label in (("gacv", "GACV"), ("xa", "XA")):
        values = []
        for case in ("nonstandard", "standard"):
            own = runs(frame, case, name)
            values.append(
                own.inefficiency
                if quantity == "inefficiency"
                else distance(own, runs(frame, case, "misclass"))
            )
        out.add_mean(
            "both cases",
            f"{words.format(label)}: nonstandard - standard",
            paired_difference(np.asarray(values[0]), np.asarray(values[1])),
            converged,
        )


# -- beyond the report ----------------------------------------------------------------------


def beyond_values(records):
    """Whether tuning by the estimates costs test error, and what they cost to compute."""
    out, frame = Values(), records["beyond"]
    if frame.empty:
        return out.frame()
    for name in present(frame, DATASETS):
        folds = searched(frame, name, "cv")
        sizes = {"n_train": int(folds.n_train.iloc[0]), "n_test": int(folds.n_test.iloc[0])}
        for search, label in (("gacv", "GACV"), ("xi_alpha", "XA")):
            own = searched(frame, name, search)
            converged = own.converged.all() and folds.converged.all()
            for question, correction in (("", {}), (", new samples", sizes)):
                out.add_mean(
                    DATASETS[name],
                    f"% err. {label} - 5-fold CV{question}",
                    paired_difference(own.error, folds.error, **correction),
                    converged,
                )
    shares = frame.dropna(subset="criteria_share").groupby("dataset").criteria_share
    largest = shares.mean().idxmax()
    out.add_mean(
        "all data sets",
        "share of the search's time spent on GACV and XA",
        mean_and_standard_error(shares.get_group(largest)),
    )
    return out.frame()


def searched(frame, dataset, search):
    """Rows of one data set and search in the order of the splits, with the error in per cent.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond``.
    dataset : str
    search : str

    Returns
    -------
    DataFrame
    """
    rows = frame[(frame.dataset == dataset) & (frame.search == search)].sort_values("split")
    return rows.assign(error=100.0 * rows.n_wrong / rows.n_test)
