"""Numbers that are typed in the reasons of deviations are those of the committed records."""

import re

import numpy as np
import pandas as pd
import pytest
from _cases import cases

from companion._utils.paths import data_dir
from companion.papers.across.overview import load_ledgers
from companion.reproduction.declared import load_deviations


@pytest.fixture(scope="module")
def reasons():
    """All reasons, numbers with a digit before the point."""
    texts = {deviation.reason for deviation in load_deviations().values()}
    return [re.sub(r"(?<!\d)\.(?=\d)", "0.", " ".join(text.split())) for text in texts]


@pytest.fixture(scope="module")
def ledgers():
    return load_ledgers()


def of_ledger(ledgers, place):
    """A number of the ledger by its column and place, "se of usvc/table_1: Case A / gain"."""
    column, paper, artefact, row, name = re.fullmatch(PLACE, place).groups()
    frame = ledgers[paper]
    here = (frame[["artefact", "row", "column"]] == [artefact, row, name]).all(axis=1)
    line = frame.loc[here].iloc[0].astype(object)
    if column in COLUMNS:
        return float(line[COLUMNS[column]])
    value = line["reproduced_as_read"] if "as read" in column else line["reproduced"]
    if "less than print" in column:
        return float(line["printed"]) - float(value)
    return 100.0 * float(value)


PLACE = r"(?:([\w% ]+) of )?(\w+)/(\w+): (.*?) / (.*)"
COLUMNS = {None: "reproduced", "as read": "reproduced_as_read", "se": "reproduced_se"}


def records(study, **chosen):
    """The rows of a committed table that have these values."""
    frame = pd.read_csv(data_dir() / "records" / f"{study}.csv")
    for column, value in chosen.items():
        frame = frame[frame[column] == value]
    return frame


def percent_wrong(study, **chosen):
    """Rows of a table with their test error in per cent."""
    frame = records(study, **chosen)
    return frame.assign(error=100.0 * frame.test_wrong / frame.n_test)


def support_vectors(dataset, machine, settings, tol):
    """Spread of the number of support vectors of l1nsvm Table 2."""
    found = records(
        "l1nsvm/table_2",
        dataset=dataset,
        machine=machine,
        settings=settings,
        tol=tol,
        selection="first_order",
    )
    return found.n_sv.std()


def spreads_by_tolerance(dataset, machine):
    """Matched at epsilon and at 2 epsilon, and chosen at epsilon."""
    return [
        support_vectors(dataset, machine, *chosen)
        for chosen in (("matched", 0.001), ("matched", 0.002), ("chosen", 0.001))
    ]


def falls():
    """Medians of |log2| of the fall over the span, then per cent right within a factor of two."""
    medians = []
    for case in ("standard", "nonstandard"):
        frame = records("gacv/minima", grid="fine", n=200, case=case)
        medians.append(np.log2(frame["fall_over_span"]).abs().mean())
    frame = records("gacv/approximation", grid="coarse", n=200)
    right = 100.0 * frame.groupby("case", sort=False)[["right_span", "right"]].mean()
    return [*medians, *right["right_span"], *right["right"]]


def samples(**chosen):
    """What each criterion chooses for the samples of 200."""
    return records("gacv/inefficiency", n=200, **chosen).pivot(
        index="sample", columns="criterion"
    )


def closer_curves():
    """Per cent of samples in which GACV and XA agree more than MISCLASS and the truth."""
    found = samples(grid="fine", case="standard")
    return [100.0 * (found.from_gacv.xa < found.from_true.misclass).mean()]


def minima_apart():
    """Mean distance of the minima of GACV and BRXA on the coarse grid, and its error."""
    found = samples(grid="coarse", case="nonstandard")
    sides = [found[f"log10_{name}"] for name in ("lambda", "sigma2")]
    distances = pd.Series(np.hypot(*(side.gacv - side.xa for side in sides)))
    return [distances.mean(), distances.sem()]


def surplus_at_gacv():
    """GACV/2 - XA at the minimum of GACV: what it is, then its three parts."""
    frame = records("gacv/minima", grid="fine", n=200, case="standard")
    mean = frame.mean(numeric_only=True)
    return (
        mean.gacv_half_at_gacv - mean.xa_at_gacv,
        mean.excess_rest_at_gacv,
        -mean.excess_wrong_at_gacv,
        -mean.excess_counted_at_gacv,
    )


def ended_at(change, reading, machine):
    """Both errors and the threshold of plain machines that end at a relative change."""
    frame = records(
        "usvc/table_1_plain", reading=reading, machine=machine, start="least_squares"
    )
    found = frame[[f"train_wrong_{change}", f"test_wrong_{change}"]] / 5.0
    return found.assign(threshold=frame[f"threshold_{change}"])


def ended_at_a_twentieth():
    frame = ended_at("0.05", "A, cluster weight .265", "USVC s=4")
    spread = frame.std()
    return [*frame.mean(), spread["threshold"], *spread.iloc[:2]]


def ended_at_a_tenth():
    frame = ended_at("0.1", "B", "USVC s=4")
    spread = frame.std()
    return spread.iloc[0], frame["threshold"].mean(), spread["threshold"]


def paired(study, first, second):
    """Differences of two machines' errors, split by split: mean and standard error by data set."""
    errors = percent_wrong(study)
    wide = errors.pivot_table("error", ["dataset", "split"], "machine")
    return (wide[first] - wide[second]).groupby("dataset").agg(["mean", "sem"])


def loss_on_waveform_and_diabetes():
    return paired("usvc/table_2", "USVC", "SVMlight")["mean"][["Waveform", "Diabetes"]]


def published_on_ringnorm():
    """Size of the SVC at the settings published with the benchmark, its spread, the error."""
    frame = percent_wrong("usvc/table_3_published", dataset="Ringnorm")
    return [*frame["size"].agg(["mean", "std"]), frame["error"].mean()]


def published_on_thyroid():
    frame = records("usvc/table_3_published", dataset="Thyroid")
    return frame["size"].agg(["mean", "std"])


def published_sizes():
    sizes = records("usvc/table_3_published").groupby("dataset")["size"]
    return sizes.mean()[["Diabetes", "Image", "Twonorm", "Waveform"]]


def kernels_or_loss():
    """What the unbiased machine, and the hinge on its prototypes, lose on Image and Twonorm."""
    loss = paired("usvc/table_3", "USVC", "SVMlight")["mean"]
    kernels = paired("usvc/table_3", "SVC on prototypes", "SVMlight")["mean"]
    return loss["Image"], kernels["Image"], loss["Twonorm"], kernels["Twonorm"]


def adapted_networks():
    errors = percent_wrong("usvc/table_3_adapted").groupby("dataset").error.mean()
    return errors[["Diabetes", "Image", "Ringnorm", "Twonorm"]]


def left_by_the_svc():
    """What the profile of the SVC leaves of the variance of CE, as printed and with .265."""
    r = records("usvc/fig_3_4", loss="SVC").groupby("reading").correlation
    left = 1 - r.apply(lambda of: (of * of.abs()).mean())
    return left["A, as printed"], left["A, cluster weight .265"]


def called_class_2():
    """What share of class 1 the Gaussian machine of Table 3 takes for 2, the worst split's part."""
    shares = records(
        "wrsvm/table_3_gaussian",
        width="0.6 x median",
        machine="WRSVM",
        tie="least",
        a=0.2,
    )["p_12"]
    return shares.mean(), 100.0 * shares.max() / shares.sum(), shares.max()


#: Texts of reasons, and what computes the numbers that belong into them.
OF_RECORDS = {
    "at the matched settings the spread is {:.2f} at epsilon and {:.2f} at 2 epsilon; the settings "
    "make no difference ({:.2f} at the chosen ones)": lambda: spreads_by_tolerance(
        "german", "LS"
    ),
    "{:.2f} at epsilon and {:.2f} at 2 epsilon; the settings make no difference ({:.2f} at": (
        lambda: spreads_by_tolerance("breast-cancer", "Least 1-Norm")
    ),
    "the settings published with the benchmark ({:.1f} %)": lambda: [
        percent_wrong("usvc/table_3_published", dataset="Image").error.mean()
    ],
    "(log2 {:.2f} and {:.2f}), each within a factor of two for {:.0f} and {:.0f} % of the support "
    "vectors, by theta_i for {:.0f} and {:.0f}": falls,
    "the difference of {:.3f} is {:.3f} from points that XA does not count, whose slack and "
    "theta_i GACV adds, less {:.3f} from the wrong points and {:.3f} from": surplus_at_gacv,
    "the iteration has {:.1f} and {:.1f} %, and thresholds of {:.2f} ± {:.2f} for the printed "
    "0.47 ± 0.10, but spreads of the error of {:.1f} and {:.1f} for": ended_at_a_twentieth,
    "the spread is {:.1f}, for the printed 5.2 and 5.4, but Th is then {:.2f} ± {:.2f}": (
        ended_at_a_tenth
    ),
    "{:.1f} points more on Waveform, 4.0 standard errors, which is beyond chance for one of "
    "thirteen sets too; the {:.1f} points on Diabetes": loss_on_waveform_and_diabetes,
    "in {:.0f} % of 440 samples of 200 the curves of GACV and XA are closer": closer_curves,
    "the minima of GACV and BRXA are {:.2f} apart (standard error {:.2f})": minima_apart,
    "has {:.0f} ± {:.0f} support vectors and errs on {:.1f} %": published_on_ringnorm,
    "has {:.0f} ± {:.0f} support vectors, for the printed 25 ± 4": published_on_thyroid,
    "there are {:.0f}, {:.0f}, {:.0f} and {:.0f}, for the printed 352": published_sizes,
    "of the {:.2f} points that it loses on Image the hinge on the same prototypes loses {:.2f}: "
    "120 kernels are too few for this set. On Twonorm it is {:.2f} points, and {:.2f} with": (
        kernels_or_loss
    ),
    "err on {:.1f}, {:.1f}, {:.1f} and {:.1f} % of eight other splits": adapted_networks,
    "it leaves {:.2f} of its variance, with a cluster weight of 0.265 {:.2f}": left_by_the_svc,
    "gives the other cells {:.4f} of this class is called class 2, {:.0f} % of it in one "
    "split of thirty, where it is {:.4f}": called_class_2,
}

#: Texts of reasons, and the places in the ledger of the numbers that belong into them.
OF_LEDGER = {
    "the L1-SVM keeps {:.0f} % of the training part": [
        "% of l1nsvm/table_2: all data sets / largest share of SVs, L1"
    ],
    "XA has several minima in {:.0f} % of 440, and all of them are neighbours in {:.0f} %": [
        "% of gacv/inefficiency: standard / share of samples with several minima of XA",
        "% of gacv/inefficiency: standard / share of samples with several minima of XA, all of "
        "them neighbours",
    ],
    "XA is above GACV by no more than 0.003 in {:.0f} % of 440": [
        "% of gacv/inefficiency: standard / share of samples with XA at most 0.003 above GACV"
    ],
    "the valleys are {:.1f} and {:.1f} times as long as wide; over log sigma^2, as the caption has "
    "it, {:.1f} and {:.1f}": [
        "as read of gacv/fig_2: nonstandard / GCKL valley: length / width",
        "as read of gacv/fig_2: nonstandard / MISCLASS valley: length / width",
        "gacv/fig_2: nonstandard / GCKL valley: length / width",
        "gacv/fig_2: nonstandard / MISCLASS valley: length / width",
    ],
    "the recorded error is still {:.1f} (train) and {:.1f} points (test) lower": [
        "less than print as read of usvc/table_1: Case A, CE train (%) / USVC s=4",
        "less than print as read of usvc/table_1: Case A, CE test (%) / USVC s=4",
    ],
    "the recorded error is {:.1f} (train) and {:.1f} points (test) lower": [
        "less than print of usvc/table_1: Case B, CE train (%) / LS",
        "less than print of usvc/table_1: Case B, CE test (%) / LS",
    ],
    "of 0.265 the spread is {:.1f} for the printed 2.6": [
        "as read of usvc/table_1: Case A, CE test (%) / USVC s=4 ±"
    ],
    "from the SVC it is {:.3f}": ["as read of usvc/table_1: Case B, Th / USVC s=2"],
    "it falls from {:.2f} to {:.2f}": [
        "usvc/table_1: Case B, Th / USVC s=4 ±",
        "as read of usvc/table_1: Case B, Th / USVC s=4 ±",
    ],
    "the excess is {:.2f} points": [
        "as read of usvc/table_1: Case A / CE - CE_min of USVC s=2 (points)"
    ],
    "the machine makes {:.2f} points more errors than the best threshold": [
        "as read of usvc/table_1: Case A / training CE of USVC s=2 - CE_min (points)"
    ],
    "points more on Waveform, {:.1f} standard errors": [
        "usvc/table_2: Waveform / USVC - SVMlight (standard errors)"
    ],
    "points on Diabetes ({:.1f}) alone would be chance one time in ten. At the C of the SVC it is "
    "{:.1f} on": [
        "usvc/table_2: Diabetes / USVC - SVMlight (standard errors)",
        "usvc/table_2: Waveform / USVC - SVMlight, at the C of SVMlight (standard errors)",
    ],
    "cross-validation finds a better one, of {:.0f}": [
        "usvc/table_3: Ringnorm / SVMlight Mach. size"
    ],
    "least squares errs {:.2f} % and the unbiased machine {:.2f}": [
        "usvc/table_4: Dermat / LS",
        "usvc/table_4: Dermat / USVC",
    ],
    "as the table must be, the spread is {:.1f}; over sixty tests of a fifth it is {:.1f}": [
        "as read of usvc/table_4: Liver disorder / ERM-SVC ±",
        "usvc/table_4: Liver disorder / ERM-SVC ±",
    ],
    "the hinge errs {:.1f} and {:.1f} points more": [
        "usvc/benefit: Section 3.1, case A / gain at n = 20 (points)",
        "usvc/benefit: Section 3.1, case B / gain at n = 20 (points)",
    ],
}


@cases("template", *OF_RECORDS, *OF_LEDGER)
def test_a_reason_has_the_numbers_of_records_and_ledger(reasons, ledgers, template):
    if template in OF_RECORDS:
        numbers = OF_RECORDS[template]()
    else:
        numbers = [of_ledger(ledgers, place) for place in OF_LEDGER[template]]
    text = template.format(*numbers)
    assert any(text in reason for reason in reasons), text
