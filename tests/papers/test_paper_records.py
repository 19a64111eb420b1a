"""Committed records against a fresh computation of a sample of their units.

Each commit has another sample; ``COMPANION_SAMPLE``, which a failure names, draws one again.
"""

import os
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
from _cases import cases
from sklearn.exceptions import ConvergenceWarning

from companion._utils.paths import project_root
from companion.datasets import DataUnavailable
from companion.papers.summaries import range_text, select
from companion.reproduction.artefacts import list_artefacts, list_papers
from companion.reproduction.index import digest_of_table, index_path
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.run import read_stored
from companion.reproduction.times import load_times


def studies_of(*papers):
    """The studies of some papers by ``"<paper>/<study>"``."""
    studies = [
        study for paper in papers for a in list_artefacts(paper) for study in a.studies
    ]
    return {f"{study.paper}/{study.name}": study for study in studies}


#: By study, as they were when all records were made.
SECONDS_A_UNIT = {
    f"{line.artefact.partition('/')[0]}/{line.study}": line.seconds / line.units
    for line in load_times().itertuples()
}


def seed_of_this_commit():
    """The commit, or the digest of the index of records where there is no git, as 12 digits."""
    git = ["git", "rev-parse", "HEAD"]
    digest = digest_of_table(index_path().read_bytes())
    try:
        done = subprocess.run(git, cwd=project_root(), capture_output=True, text=True)
    except FileNotFoundError:
        return digest[:12]
    return (done.stdout or digest)[:12]


SAMPLE = os.environ.get("COMPANION_SAMPLE") or seed_of_this_commit()


def sample(name, units):
    """Units that take about a second, one to ten, of this commit, in their order."""
    rng = np.random.default_rng([int(SAMPLE, 16), *name.encode()])
    size = round(1.0 / max(SECONDS_A_UNIT.get(name, 1.0), 0.1))
    chosen = rng.choice(len(units), min(max(size, 1), len(units)), replace=False)
    return [units[k] for k in sorted(chosen)]


def fresh_and_committed(study, units):
    """Every row of the units computed anew: the unit, the row and the row on record.

    Units whose data cannot be had are left out; the test is skipped if there is no other.
    """
    frame = read_stored(study, "paper").frame
    compared = 0
    unavailable = set()
    for unit in units:
        try:
            with warnings.catch_warnings():
                # As in a run: a fit of the tuning may spend its budget. What a row says of its
                # own fit, `converged`, is compared with the record like every other cell.
                warnings.simplefilter("ignore", ConvergenceWarning)
                rows = study.compute(unit)
        except DataUnavailable as error:
            unavailable.add(str(error))
            continue
        rows = rows if isinstance(rows, list) else [rows]
        recorded = select(frame, **unit.params).drop(columns=[*unit.params])
        assert len(rows) == len(recorded), unit
        for row, record in zip(rows, recorded.to_dict("records"), strict=True):
            yield (
                unit,
                row,
                {name: None if pd.isna(v) else v for name, v in record.items()},
            )
        compared += 1
    if not compared:
        pytest.skip("; ".join(sorted(unavailable)))


#: Evolutionary searches have a test of their own.
STUDIES = studies_of(*(paper for paper in list_papers() if paper != "conformal"))
#: A tuned machine of the DC algorithm, and what CMA-ES or a gradient search ends at, move with the
#: last bit: a step more, another of two values of C that are as good, a candidate more or less to
#: its side. What follows from them may then move, where most cells stay.
TUNED = {
    f"wrsvm/{name}"
    for name in (
        "table_1",
        "table_1_one_pair",
        "table_2",
        "table_3",
        "fig_1",
        "fig_2",
        "fig_2_second_row",
    )
}
SEARCHED = {name: study for name, study in studies_of("wrsvm").items() if name in TUNED}
SEARCHED |= studies_of("conformal")
del SEARCHED["conformal/costs"]  # which consists of times
del SEARCHED["conformal/draws"]  # the methods of conformal/board on more draws
del SEARCHED[
    "wrsvm/table_1_one_pair"
]  # a minute a unit: test_wrsvm_studies has a small one
#: How far a number may move on another processor, where sums are rounded otherwise. A different
#: last bit can send SMO along another path: a few per cent of its iterations, another multiplier
#: of identical points at zero, a certificate anywhere below the tolerance, and, for a test point
#: whose decision value is within the tolerance of zero, another side.
PATH = {"n_iter": 0.05, "n_sv": 0.02, "smo_n_sv": 0.2}
PATH |= dict.fromkeys(("steps", "cost_steps", "cost_plain_steps"), 0.5)
BELOW_TOLERANCE = (
    "kkt_violation",
    "duality_gap",
    "even_difference",
    "interior_difference",
)
ERRORS = 0.004
#: Times are of the machine that made the records. A criterion that counts samples may gain or lose
#: one, and then another cell can be the least: what belongs to the chosen cell may move, what the
#: surface is worth there may not.
#: The fits of ``wrsvm/table_1_one_pair`` are those of ``wrsvm/table_1``.
WITHOUT_FITS = ["gacv/fig_1", "wrsvm/beyond_baselines", "wrsvm/table_1_one_pair"]
TIMES = ("seconds", "criteria_share")
SHAPE = (
    "position",
    "length",
    "width",
    "tilt",
    "decades",
    "length_by_sigma",
    "width_by_sigma",
)
TUNED_BY_GACV = ("gacv/beyond", "gacv/beyond_tables")
OF_THE_CHOSEN_CELL = dict.fromkeys(TUNED_BY_GACV, ("log2_C", "log2_gamma"))
OF_THE_CHOSEN_CELL["gacv/inefficiency"] = (
    "n_tied",
    "n_groups",
    "leaves_grid",
    "log10_lambda",
    "log10_sigma2",
    *SHAPE,
)
COUNT_TOLERANCE = dict.fromkeys(("target", "target_low", "target_high"), 0.03)
COUNT_TOLERANCE |= {
    "estimate": 0.02,
    "n_wrong": 0.05,
    "loo": 0.02,
    "xa": 0.02,
    "right": 0.5,
    "xa_span": 0.02,
    "right_span": 0.5,
}


#: Where free vectors nearly determine one another a span rests on rounding: on another processor
#: 15 of 6,200 medians of this study were others by more than a per cent, one by .09.
BY_SPANS = {"gacv/approximation": dict.fromkeys(("fall_over_span", "gacv_span"), 0.1)}


#: The same of the iteration of one paper, which a last bit can send to another minimum.
SETTLED = ("machine", "start", "way", "s", "damping")
TUNED_COLUMNS = ("C", "sigma", "size", "negative_weight")


def _is_slow(unit):
    if unit.paper == "usvc":
        big = ("Image", "Ringnorm", "Twonorm", "Waveform")
        is_long = unit.study in ("table_3", "table_3_adapted")
        return is_long and unit.params["dataset"] in big
    if unit.paper == "gacv":
        return unit.params.get("n") == 500 or unit.params.get("by_scikit_learn", False)
    slow_search = unit.study == "table_2_search" and unit.params["part"] == "all rows"
    whole_grid = unit.study in ("table_2_surface", "table_2_iterations")
    return unit.params.get("dataset") == "german" and (slow_search or whole_grid)


@pytest.mark.slow
@cases("name", *sorted(STUDIES.keys() - TUNED))
def test_a_sample_of_units_computed_from_scratch_agrees_with_the_records(name):
    study = STUDIES[name]
    units = [unit for unit in study.units("paper") if not _is_slow(unit)]
    for unit, row, record in fresh_and_committed(study, sample(name, units)):
        assert {name for name, value in record.items() if value is not None} <= set(row)
        for column, value in row.items():
            where = f"{unit}: {column}, COMPANION_SAMPLE={SAMPLE}"
            if study.paper == "usvc":
                if column in SETTLED or not is_unstable(row):
                    assert_close_iteration(column, value, record[column], row, where)
            elif column not in (*TIMES, *OF_THE_CHOSEN_CELL.get(name, ())):
                assert_close(column, value, record[column], row, where, name)


def is_unstable(row):
    """Whether a row is of an iteration that leaves its minimum, where any rounding decides."""
    return row.get("way") == "plain" or (
        row.get("s") == 4 and row.get("damping", 1) < 1 / 3
    )


def assert_close_iteration(column, value, committed, row, where):
    if isinstance(value, str | bool | np.bool_) or value is None or committed is None:
        assert value == committed, where
    elif column in TUNED_COLUMNS:
        assert 0.05 <= value / committed <= 20, where
    elif column in ("missed", "false_alarms") or "wrong" in column:
        total = row.get(
            "n_train" if column in ("cv_wrong", "train_wrong") else "n_test", 500
        )
        assert abs(value - committed) <= max(2, 0.03 * total), where
    elif column == "n_iter":
        assert abs(value - committed) <= max(5, 0.2 * committed), where
    elif isinstance(value, float):
        assert np.isclose(value, committed, rtol=2e-2, atol=1e-2), where
    else:
        assert value == committed, where


def assert_close(column, value, committed, row, where, name):
    if isinstance(value, str | bool | np.bool_) or value is None:
        assert value == committed, where
    elif column in BY_SPANS.get(name, ()):
        assert abs(value - committed) <= BY_SPANS[name][column], where
    elif column in BELOW_TOLERANCE:
        assert value <= max(2 * committed, 2.1e-3), where
    elif name.startswith("gacv/") and column in COUNT_TOLERANCE:
        slack = COUNT_TOLERANCE[column] * (row["n_test"] if column == "n_wrong" else 1)
        assert abs(value - committed) <= slack, where
    elif column == "n_wrong" or column.startswith("wrong_"):
        slack = (
            ERRORS * row.get("n_test", row.get("n_rows", 0)) * row.get("repeats", 10)
        )
        assert abs(value - committed) <= max(1, slack), where
    elif column in PATH:
        assert abs(value - committed) <= max(1, PATH[column] * committed), where
    elif isinstance(value, float):
        assert np.isclose(value, committed, rtol=1e-2, atol=1e-2), where
    else:
        assert value == committed, where


def test_every_unit_is_on_record_and_no_committed_fit_missed_its_tolerance():
    """But for the evolutionary searches, and the iteration of a paper that does not settle."""
    studies = studies_of(*list_papers())
    for name, study in studies.items():
        records = read_stored(study, "paper")
        missed = 0
        assert records.gaps["missing"] == []
        for row in (
            records.frame.to_dict("records") if study.paper != "conformal" else ()
        ):
            is_converged = row.get(
                "converged", name in WITHOUT_FITS or study.paper == "usvc"
            )
            unsettled = "plain", "least_squares"
            missed += not (
                is_converged or {row.get("way"), row.get("start")} & {*unsettled}
            )
        assert missed == 0, name


def test_values_of_empty_records_are_empty_and_not_an_error():
    for artefact in (a for a in list_artefacts() if a.values is not None):
        frame = artefact.values(
            {study.name: pd.DataFrame() for study in artefact.studies}
        )
        assert list(frame.columns[:3]) == ["row", "column", "value"]


def test_an_identity_that_is_not_regenerated_names_the_test_that_proves_it():
    """That there is this test is one of the things that `companion verify` looks for."""
    ledger = pd.concat(read_ledgers(list_artefacts())[0].values())
    proved = ledger[(ledger["asks"] == "identity") & ledger["reproduced"].isna()]
    assert len(proved)
    assert proved["why"].str.contains(r"proved by tests/\S+\.py::\w+$").all()


#: A board has no data set; this one has the fewest patterns.
SMALL_SETS = (None, "Hepatitis")
MOVES = ("log2_C", "n_steps", "n_missed", "parts")
SHARE_ALIKE = {"wrsvm": 0.7, "conformal": 0.8}


@pytest.mark.slow
@cases("name", *SEARCHED)
def test_most_of_a_sample_of_searched_units_agrees_with_the_records(name):
    study = SEARCHED[name]
    units = [u for u in study.units("paper") if u.params.get("dataset") in SMALL_SETS]
    same = []
    for unit, row, record in fresh_and_committed(study, sample(name, units)):
        for column, value in row.items():
            if isinstance(value, str) or column in (
                "config",
                "a",
                "n_positive",
                "n_negative",
            ):
                where = f"{unit}: {column}, COMPANION_SAMPLE={SAMPLE}"
                assert value == record[column], where
            elif isinstance(value, float | int) and not column.startswith(MOVES):
                same.append(np.isclose(value, record[column], rtol=1e-2, atol=1e-2))
    assert same
    assert np.mean(same) >= SHARE_ALIKE[study.paper], f"COMPANION_SAMPLE={SAMPLE}"


def test_a_range_is_one_number_where_both_ends_look_alike():
    assert range_text([3, 1, 2], ".0f") == "1 to 3"
    assert range_text([1.01, 1.04], ".1f") == "1.0"
