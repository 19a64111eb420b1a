"""What the notebook ``beyond`` shows beside the verdicts on its claims."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error
from companion.papers.conformal import studies
from companion.papers.conformal.claims import width_means
from companion.papers.conformal.experiments import PRINTED_ASTERISKS, SVM
from companion.papers.conformal.problems import N_FOLDS, SETS, C
from companion.papers.conformal.units import METHODS as UNIT_METHODS
from companion.papers.conformal.values import by_partition, errors
from companion.papers.summaries import none_without_records
from companion.reproduction.published import load_published

__all__ = [
    "BOARD_ASTERISKS",
    "asterisk_evidence",
    "forced_table",
    "hidden_increase",
    "printed_pattern",
    "shift_table",
    "unit_table",
    "width_curves",
    "width_gains",
    "width_table",
]

_SHIFT = (
    "data set",
    "SVM without V",
    "bias shift",
    "MDT-VMETA",
    "MDT-VMETA - bias shift",
    "SE",
    "better on",
    "worse on",
    "of",
)

#: Methods with a printed asterisk in Table 6.3.1.
BOARD_ASTERISKS = ("WIL", "MDT-JGRAD", "MDT-VMETA", "TSVT-VMETA")

_ASTERISKS = (
    "data set",
    "folds",
    "least error on V can fall",
    "MDT-VMETA lowers it",
    "TSVT-VMETA lowers it",
    "error on V",
    "MDT on a grid",
    "MDT-VMETA",
    "TSVT-VMETA",
    "printed, MDT",
    "printed, TSVT",
)


def shift_table(folds, shift):
    """MDT-VMETA beside a shift of the bias that also minimises the error on V: a row a set.

    Parameters
    ----------
    folds, shift : DataFrame
        Records of the studies of these names.

    Returns
    -------
    DataFrame
    """
    rows = []
    for name in SETS:
        own, other = folds[folds.dataset == name], shift[shift.dataset == name]
        if not len(own) or not len(other):
            continue
        means, shifted = by_partition(own), by_partition(other)["bias shift"]
        both = means.index.intersection(shifted.index)
        gap = (means.loc[both, "MDT-VMETA"] - shifted[both]).to_numpy()
        difference = mean_and_standard_error(gap)
        rows.append(
            {
                "data set": name,
                "SVM without V": means["SVM without V"].mean(),
                "bias shift": shifted.mean(),
                "MDT-VMETA": means["MDT-VMETA"].mean(),
                "MDT-VMETA - bias shift": difference.mean,
                "SE": difference.standard_error,
                "better on": int((gap < -1e-12).sum()),
                "worse on": int((gap > 1e-12).sum()),
                "of": difference.n,
            }
        )
    return pd.DataFrame(rows, columns=_SHIFT)


def forced_table(frame):
    """Forced transformations beside a plain machine of larger C: a row a set, method and number.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``forced``.

    Returns
    -------
    DataFrame
        g-means errors on the training and the test part, the factor of C (median of d^2 over the
        support vectors), and the test error of the plain machine with that C.
    """
    own = frame.assign(
        error=errors(frame),
        scaled=errors(
            frame.assign(missed=frame.scaled_missed, false_alarms=frame.scaled_false_alarms)
        ),
    )
    rows = []
    for (name, method, asked), part in own.groupby(["dataset", "method", "asked"], sort=False):
        rows.append(
            {
                "data set": name,
                "method": method,
                "forced": asked,
                "applied": part.n_transformations.mean(),
                "training error": part.train_error.mean(),
                "test error": part.error.mean(),
                "C times": 10 ** part.log10_factor.mean(),
                "test error, that C alone": part.scaled.mean(),
            }
        )
    return pd.DataFrame(rows)


def hidden_increase(frame):
    """Share of the gain of forced transformations that a larger C brings: a row a method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``forced``.

    Returns
    -------
    DataFrame
        Of the board alone, for every number of transformations.
    """
    own = frame[(frame.dataset == studies.BOARD_NAME) & (frame.asked > 0)]
    base = frame[(frame.dataset == studies.BOARD_NAME) & (frame.asked == 0)]
    rows = []
    for (method, asked), part in own.groupby(["method", "asked"], sort=False):
        plain = errors(base[base.method == method].sort_values("partition")).to_numpy()
        part = part.sort_values("partition")
        gain = plain - errors(part).to_numpy()
        scaled = errors(
            part.assign(missed=part.scaled_missed, false_alarms=part.scaled_false_alarms)
        ).to_numpy()
        alone = plain - scaled
        rows.append(
            {
                "method": method,
                "forced": asked,
                "gain of the transformations": gain.mean(),
                "gain of C alone": alone.mean(),
                "share": alone.mean() / gain.mean(),
                "new C": C * 10 ** part.log10_factor.mean(),
                "draws": len(part),
            }
        )
    return pd.DataFrame(rows)


@none_without_records("data set", "2 sigma^2", SVM, *studies.WIDTH_METHODS)
def width_table(frame):
    """g-means errors by width: a row a data set and width, a column a method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``widths``.

    Returns
    -------
    DataFrame
    """
    table = width_means(frame).groupby(level=["dataset", "width"]).mean()
    table = table.reindex([name for name in SETS if name in set(frame.dataset)], level="dataset")
    columns = [SVM, *studies.WIDTH_METHODS]
    return (
        table[columns].reset_index().rename(columns={"dataset": "data set", "width": "2 sigma^2"})
    )


def width_curves(frame, name):
    """Errors against 2 sigma^2 on one set, for :func:`companion.plotting.plot_paths`.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``widths``.
    name : str
        A data set as printed.

    Returns
    -------
    dict of str to (ndarray, ndarray, ndarray)
        Widths, means over the partitions and their standard errors, by method.
    """
    table = width_means(frame[frame.dataset == name])
    curves = {}
    for method in (SVM, *studies.WIDTH_METHODS):
        by = table[method].groupby(level="width")
        n = by.size().to_numpy()
        spread = by.std(ddof=1).fillna(0.0).to_numpy() if n.max() > 1 else np.zeros(len(n))
        curves[method] = (by.mean().index.to_numpy(), by.mean().to_numpy(), spread / np.sqrt(n))
    return curves


def width_gains(frame):
    """SVM's error and the gain over it, a point a data set and width, by method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``widths``.

    Returns
    -------
    dict of str to (ndarray, ndarray)
    """
    if frame.empty:
        return {}
    table = width_means(frame).groupby(level=["dataset", "width"]).mean()
    return {
        method: (table[SVM].to_numpy(), (table[SVM] - table[method]).to_numpy())
        for method in studies.WIDTH_METHODS
    }


def printed_pattern(frame, names=("Segment1", "Hepatitis")):
    """The printed rows of the two deviating sets beside every width: how far the errors are apart.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``widths``.
    names : sequence of str, optional
        Data sets as printed.

    Returns
    -------
    DataFrame
        A row a data set and width: errors of SVM, AMA, ACT and WIL as regenerated, with the print
        as a first row.
    """
    printed = load_published("conformal")
    printed = printed[printed.artefact == "real_sets"].set_index(["row", "column"]).value
    table = width_table(frame)
    methods, rows = [SVM, "AMA", "ACT", "WIL"], []
    for name in names:
        rows.append(
            {"data set": name, "2 sigma^2": "50, printed"}
            | {method: printed[method, name] for method in methods}
        )
        for _, row in table[table["data set"] == name].iterrows():
            rows.append(
                {"data set": name, "2 sigma^2": f"{row['2 sigma^2']:g}"}
                | {method: row[method] for method in methods}
            )
    return pd.DataFrame(rows, columns=["data set", "2 sigma^2", *methods])


def asterisk_evidence(frame):
    """What an optimiser that minimises the error on V would do: a row a data set.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``asterisks``.

    Returns
    -------
    DataFrame
        Of seven folds, in how many the first machine errs on V, in how many some MDT on a grid of
        117 settings has a smaller error there, and in how many CMA-ES finds one; mean errors on V.
    """
    rows = []
    for name in SETS:
        own = frame[frame.dataset == name]
        if not len(own):
            continue

        def folds(column, own=own):
            return N_FOLDS * (own[column] < own.v_before - 1e-9).mean()

        rows.append(
            dict(
                zip(
                    _ASTERISKS,
                    (
                        name,
                        len(own),
                        folds("grid"),
                        folds("MDT-VMETA"),
                        folds("TSVT-VMETA"),
                        own.v_before.mean(),
                        own.grid.mean(),
                        own["MDT-VMETA"].mean(),
                        own["TSVT-VMETA"].mean(),
                        *(
                            "*" if f"{m}-VMETA" in PRINTED_ASTERISKS[name] else ""
                            for m in ("MDT", "TSVT")
                        ),
                    ),
                    strict=True,
                )
            )
        )
    return pd.DataFrame(rows, columns=_ASTERISKS)


def unit_table(frame):
    """Errors and shares of transformed folds in both units: a row a data set and method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``units``.

    Returns
    -------
    DataFrame
        With the print, and its asterisk where it has one.
    """
    printed = load_published("conformal").set_index(["artefact", "row", "column"]).value
    rows = []
    for name in [studies.BOARD_NAME, *SETS]:
        own = frame[frame.dataset == name]
        for method in UNIT_METHODS if len(own) else ():
            place = (
                ("checkers", method, "g-means error")
                if name == studies.BOARD_NAME
                else ("real_sets", method, name)
            )
            starred = method in (
                BOARD_ASTERISKS if name == studies.BOARD_NAME else PRINTED_ASTERISKS[name]
            )
            row = {
                "data set": name,
                "method": method,
                "printed": f"{printed[place]:g}{' *' if starred else ''}",
            }
            for units in ("hull", "svm"):
                part = own[(own.method == method) & (own.units == units)]
                row |= {
                    f"error, {units}": errors(part).mean(),
                    f"transformed, {units}": (part.n_transformations > 0).mean(),
                }
            rows.append(row)
    return pd.DataFrame(
        rows,
        columns=(
            "data set",
            "method",
            "printed",
            "error, hull",
            "transformed, hull",
            "error, svm",
            "transformed, svm",
        ),
    )
