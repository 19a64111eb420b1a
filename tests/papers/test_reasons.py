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
def ledger():
    """A number of the ledger by its place, such as "usvc/table_1: Case A / gain"."""
    ledgers = load_ledgers()

    def of(place, column="reproduced"):
        paper, artefact, row, name = re.fullmatch(
            r"(\w+)/(\w+): (.*?) / (.*)", place
        ).groups()
        frame = ledgers[paper]
        here = (frame[["artefact", "row", "column"]] == [artefact, row, name]).all(
            axis=1
        )
        return float(frame.loc[here, column].item())

    return of


def records(study, **chosen):
    """The rows of a committed table that have these values."""
    frame = pd.read_csv(data_dir() / "records" / f"{study}.csv")
    for column, value in chosen.items():
        frame = frame[frame[column] == value]
    return frame


def percent_wrong(study, **chosen):
    """Rows of a table with their test error in per cent."""
    frame = records(study, **chosen)
    return frame.assign(error=100.0 * frame["test_wrong"] / frame["n_test"])


def support_vectors(dataset, machine, settings, tol, study="table_2"):
    """Spread of the number of support vectors of l1nsvm Table 2."""
    frame = records(
        f"l1nsvm/{study}",
        dataset=dataset,
        machine=machine,
        settings=settings,
        tol=tol,
        selection="first_order",
    )
    return frame["n_sv"].std()


def by_tolerance(dataset, machine):
    """The spread at epsilon and at 2 epsilon, both matched, and at epsilon as chosen."""
    return [
        support_vectors(dataset, machine, "matched", 0.001),
        support_vectors(dataset, machine, "matched", 0.002),
        support_vectors(dataset, machine, "chosen", 0.001),
    ]


def outlier_at_50_and_100():
    """Mean alpha of the outlier of Least 1-Norm, and alpha times its distance."""
    mean = records("l1nsvm/fig_1_leverage", side="wrong").groupby("distance")
    alpha = mean["alpha_Least 1-Norm"].mean()
    return alpha[50.0], alpha[100.0], 50.0 * alpha[50.0], 100.0 * alpha[100.0]


def gckl_above_its_least(case, criterion):
    """Per cent by which GCKL at a criterion's minimum is above its least, coarse grid, n = 200."""
    frame = records("gacv/approximation", grid="coarse", n=200, case=case)
    above = [
        of_sample.loc[of_sample[criterion].idxmin(), "gckl"] / of_sample["gckl"].min()
        for _, of_sample in frame.groupby("sample")
    ]
    return 100.0 * (np.mean(above) - 1.0)


def gckl_of_both_cases():
    return [
        gckl_above_its_least(case, criterion)
        for criterion in ("gacv", "gacv_span", "hinge")
        for case in ("standard", "nonstandard")
    ]


def falls():
    """Medians of |log2| of the fall over the span, then per cent right within a factor of two."""
    medians = []
    for case in ("standard", "nonstandard"):
        frame = records("gacv/minima", grid="fine", n=200, case=case)
        medians.append(np.log2(frame["fall_over_span"]).abs().mean())
    frame = records("gacv/approximation", grid="coarse", n=200)
    right = 100.0 * frame.groupby("case")[["right_span", "right"]].mean()
    by_case = right.loc[["standard", "nonstandard"]]
    return [*medians, *by_case["right_span"], *by_case["right"]]


def surplus_at_gacv():
    """GACV/2 - XA at the minimum of GACV: what it is, then its three parts."""
    frame = records("gacv/minima", grid="fine", n=200, case="standard")
    parts = frame[["excess_rest_at_gacv", "excess_wrong_at_gacv"]].mean()
    counted = frame["excess_counted_at_gacv"].mean()
    total = (frame["gacv_half_at_gacv"] - frame["xa_at_gacv"]).mean()
    return total, parts.iloc[0], -parts.iloc[1], -counted


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


def on_waveform_and_diabetes(ledger):
    """What the unbiased machine errs more, in points and standard errors, also at the SVC's C."""
    loss = paired("usvc/table_2", "USVC", "SVMlight")["mean"]
    waveform = "Waveform / USVC - SVMlight"
    errors = ledger(f"usvc/table_2: {waveform} (standard errors)")
    at_the_same = ledger(
        f"usvc/table_2: {waveform}, at the C of SVMlight (standard errors)"
    )
    other = ledger("usvc/table_2: Diabetes / USVC - SVMlight (standard errors)")
    return loss["Waveform"], errors, loss["Diabetes"], other, at_the_same


def narrow_networks():
    errors = percent_wrong("usvc/table_3_narrow", sigma=1.4).groupby("dataset")["error"]
    names = ["Diabetes", "Image", "Ringnorm", "Twonorm", "Waveform"]
    return errors.mean()[names]


def published_settings(name):
    """Mean and spread of the size of the SVC at the settings published with the benchmark."""
    frame = percent_wrong("usvc/table_3_published", dataset=name)
    return frame["size"].mean(), frame["size"].std(), frame["error"].mean()


def published_sizes():
    sizes = records("usvc/table_3_published").groupby("dataset")["size"].mean()
    return sizes[["Diabetes", "Image", "Twonorm", "Waveform"]]


def kernels_or_loss():
    """What the unbiased machine, and the hinge on its prototypes, lose on Image and Twonorm."""
    loss = paired("usvc/table_3", "USVC", "SVMlight")["mean"]
    kernels = paired("usvc/table_3", "SVC on prototypes", "SVMlight")["mean"]
    return loss["Image"], kernels["Image"], loss["Twonorm"], kernels["Twonorm"]


def called_class_2():
    """What share of class 1 the Gaussian machine of Table 3 takes for 2, and its worst split."""
    shares = records(
        "wrsvm/table_3_gaussian",
        width="0.6 x median",
        machine="WRSVM",
        tie="least",
        a=0.2,
    )["p_12"]
    return shares.mean(), shares.max()


def lower_than_print(ledger, row, machine, column):
    """By how many points the two errors of Table 1 are lower than in print."""
    places = [f"usvc/table_1: {row}, CE {part} (%) / {machine}" for part in PARTS]
    return [ledger(place, "printed") - ledger(place, column) for place in places]


def gacv_beside_folds(ledger, name, criterion):
    """What a criterion loses beside five folds, and its standard error."""
    place = f"gacv/beyond: {name} / % err. {criterion} - 5-fold CV"
    return ledger(place), ledger(place, "reproduced_se")


def valleys(ledger):
    """Length by width of both valleys, over log sigma and over log sigma^2."""
    places = [
        f"gacv/fig_2: nonstandard / {criterion} valley: length / width"
        for criterion in ("GCKL", "MISCLASS")
    ]
    by_sigma = [ledger(place, "reproduced_as_read") for place in places]
    return [*by_sigma, *map(ledger, places)]


PARTS = ("train", "test")
AS_READ = "reproduced_as_read"

#: Texts of reasons, and the numbers that belong into them.
REASONS = {
    "at the matched settings the spread is {:.2f} at epsilon and {:.2f} at 2 epsilon; the settings "
    "make no difference ({:.2f} at the chosen ones)": [
        lambda _: by_tolerance("german", "LS"),
        lambda _: by_tolerance("breast-cancer", "Least 1-Norm"),
    ],
    "on the ten genuine splits at hand it is {:.1f} at": [
        lambda _: [support_vectors("heart", "LS", "chosen", 0.001, "beyond_genuine")]
    ],
    "the L1-SVM keeps {:.0f} % of the training part": [
        lambda ledger: [
            100 * ledger("l1nsvm/table_2: all data sets / largest share of SVs, L1")
        ]
    ],
    "goes from {:.2f} to {:.2f} C, and alpha times its distance from {:.1f} to {:.1f}": [
        lambda _: outlier_at_50_and_100()
    ],
    "XA is above GACV by no more than 0.003 in {:.0f} of 100": [
        lambda ledger: [
            100 * ledger(f"gacv/inefficiency: standard / {WITHIN} 0.003 above GACV")
        ]
    ],
    "GCKL is {:.1f} % (standard) and {:.1f} % (nonstandard) above its least; with the span it is "
    "{:.1f} and {:.1f} %, and with the exact leave-one-out hinge loss, which GACV approximates, "
    "{:.1f} and {:.1f} %": [lambda _: gckl_of_both_cases()],
    "(log2 {:.2f} and {:.2f}), each within a factor of two for {:.0f} and {:.0f} % of the support "
    "vectors, by theta_i for {:.0f} and {:.0f}": [lambda _: falls()],
    "the difference of {:.3f} is {:.3f} from points that XA does not count, whose slack and "
    "theta_i GACV adds, less {:.3f} from the wrong points and {:.3f} from": [
        lambda _: surplus_at_gacv()
    ],
    "the valleys are {:.1f} and {:.1f} times as long as wide; over log sigma^2, as the caption has "
    "it, {:.1f} and {:.1f}": [valleys],
    "GACV loses {:.2f} points (standard error {:.2f}) and XA {:.2f} ({:.2f}) on the same": [
        lambda ledger: [
            *gacv_beside_folds(ledger, "Diabetis", "GACV by the span"),
            *gacv_beside_folds(ledger, "Diabetis", "XA by the span"),
        ]
    ],
    "GACV loses {:.2f} points on German (standard error {:.2f}) and {:.2f} on Waveform ({:.2f})": [
        lambda ledger: [
            *gacv_beside_folds(ledger, "German", "GACV by the span"),
            *gacv_beside_folds(ledger, "Waveform", "GACV by the span"),
        ]
    ],
    "with the span it loses {:.1f} points (standard error {:.1f}) for {:.1f}": [
        lambda ledger: [
            *gacv_beside_folds(ledger, "Bupa", "GACV by the span"),
            gacv_beside_folds(ledger, "Bupa", "GACV")[0],
        ]
    ],
    "with the span it loses nothing ({:.1f} points, standard error {:.1f})": [
        lambda ledger: gacv_beside_folds(ledger, "Sonar", "GACV by the span")
    ],
    "the recorded error is still {:.1f} (train) and {:.1f} points (test) lower": [
        lambda ledger: lower_than_print(ledger, "Case A", "USVC s=4", AS_READ)
    ],
    "the recorded error is {:.1f} (train) and {:.1f} points (test) lower": [
        lambda ledger: lower_than_print(ledger, "Case B", "LS", "reproduced")
    ],
    "the iteration has {:.1f} and {:.1f} %, and thresholds of {:.2f} ± {:.2f} for the printed "
    "0.47 ± 0.10, but spreads of the error of {:.1f} and {:.1f} for": [
        lambda _: ended_at_a_twentieth()
    ],
    "the spread is {:.1f}, for the printed 5.2 and 5.4, but Th is then {:.2f} ± {:.2f}": [
        lambda _: ended_at_a_tenth()
    ],
    "from the SVC it is {:.3f}": [
        lambda ledger: [ledger("usvc/table_1: Case B, Th / USVC s=2", AS_READ)]
    ],
    "it falls from {:.2f} to {:.2f}": [
        lambda ledger: [
            ledger("usvc/table_1: Case B, Th / USVC s=4 ±"),
            ledger("usvc/table_1: Case B, Th / USVC s=4 ±", AS_READ),
        ]
    ],
    "the excess is {:.2f} points": [
        lambda ledger: [
            ledger("usvc/table_1: Case A / CE - CE_min of USVC s=2 (points)", AS_READ)
        ]
    ],
    "at C = 100 {:.2f} ({:.2f})": [
        lambda ledger: [
            ledger(
                "usvc/starts: Case A / CE - CE_min of USVC s=2, C = 100 (points)", of
            )
            for of in ("reproduced", "reproduced_se")
        ]
    ],
    "the machine makes {:.2f} points more errors than the best threshold": [
        lambda ledger: [ledger(f"usvc/table_1: Case A / training {OF_USVC}", AS_READ)]
    ],
    "the unbiased one errs {:.1f} points more on Waveform, {:.1f} standard errors, which is beyond "
    "chance for one of thirteen sets too; the {:.1f} points on Diabetes ({:.1f}) alone would be "
    "chance one time in ten. At the C of the SVC it is {:.1f} on": [
        on_waveform_and_diabetes
    ],
    "at 1.4 Diabetes has {:.1f}, Image {:.1f}, Ringnorm {:.1f}, Twonorm {:.1f} and "
    "Waveform {:.1f} %": [lambda _: narrow_networks()],
    "has {:.0f} ± {:.0f} support vectors and errs on {:.1f} %": [
        lambda _: published_settings("Ringnorm")
    ],
    "has {:.0f} ± {:.0f} support vectors, for the printed 25 ± 4": [
        lambda _: published_settings("Thyroid")[:2]
    ],
    "there are {:.0f}, {:.0f}, {:.0f} and {:.0f}, for the printed 352": [
        lambda _: published_sizes()
    ],
    "settings published with the benchmark ({:.1f} %)": [
        lambda _: published_settings("Image")[2:]
    ],
    "cross-validation finds a better one, of {:.0f}": [
        lambda ledger: [ledger("usvc/table_3: Ringnorm / SVMlight Mach. size")]
    ],
    "of the {:.2f} points that it loses on Image the hinge on the same prototypes loses {:.2f}: "
    "120 kernels are too few for this set. On Twonorm it is {:.2f} points, and {:.2f} with": [
        lambda _: kernels_or_loss()
    ],
    "as the table must be, the spread is {:.1f}; over sixty tests of a fifth it is {:.1f}": [
        lambda ledger: [
            ledger("usvc/table_4: Liver disorder / ERM-SVC ±", AS_READ),
            ledger("usvc/table_4: Liver disorder / ERM-SVC ±"),
        ]
    ],
    "the hinge errs {:.1f} and {:.1f} points more": [
        lambda ledger: [
            ledger(f"usvc/beyond: Section 3.1, case {case} / gain at n = 20 (points)")
            for case in "AB"
        ]
    ],
    "gives the other cells {:.4f} of this class is called class 2, half of it in one split of "
    "thirty, where it is {:.4f}": [lambda _: called_class_2()],
}
WITHIN = "share of samples with XA at most"
OF_USVC = "CE of USVC s=2 - CE_min (points)"


@cases(
    "template, numbers",
    *[(template, each) for template, found in REASONS.items() for each in found],
)
def test_a_reason_has_the_numbers_of_the_records(reasons, ledger, template, numbers):
    text = template.format(*numbers(ledger))
    assert any(text in reason for reason in reasons), text
