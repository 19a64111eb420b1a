"""Independent programs agree with the records within stated bounds, and false records are found."""

import numpy as np
import pandas as pd
from _cases import cases

from companion._utils.paths import data_dir
from companion.papers.across.witnesses import ALONE, beside_witnesses, load_witnesses
from companion.papers.gacv.approximation import APPROXIMATION
from companion.papers.l1nsvm.table_2_studies import TABLE_2
from companion.papers.summaries import select
from companion.reproduction.run import read_stored


def load_all(program):
    return pd.read_csv(data_dir() / "witnesses" / f"{program}.csv")


def test_on_the_same_splits_two_programs_agree():
    table = beside_witnesses()
    assert table.word.str.startswith("two programs agree").all()
    assert {*table.paper} == {"usvc", "l1nsvm"}
    assert (table.splits >= 2).all()


@cases(
    "program, paper, way",
    ("svmlight", "usvc", "setting of ours"),
    ("kernlab", "l1nsvm", "LS"),
)
def test_a_record_that_is_not_ours_is_found(program, paper, way):
    frame = load_witnesses()
    theirs = (frame.program == program) & (frame.paper == paper) & (frame.way == way)
    false = frame.assign(
        test_wrong=frame.test_wrong.mask(theirs, frame.test_wrong + 0.02 * frame.n_test)
    )
    found = select(beside_witnesses(false), paper=paper, way=way)
    assert not found.word.str.startswith("two programs agree").any()
    assert found.word.isin((ALONE, "the other program differs")).all()


def test_leaving_out_one_by_one_kernlab_errs_as_often_as_the_records_of_gacv():
    theirs = select(load_all("kernlab"), paper="gacv", way="standard")
    cells = theirs.assign(
        log10_lambda=-np.log10(2 * 200 * theirs.C).round(6),
        log2_sigma=-np.log2(2 * theirs.gamma) / 2,
    )
    ours = select(
        read_stored(APPROXIMATION).frame, grid="coarse", n=200, case="standard"
    )
    keys = ["log10_lambda", "log2_sigma"]
    both = cells.merge(ours, left_on=["split", *keys], right_on=["sample", *keys])
    assert len(both) == len(cells) >= 6
    assert (both.loo_wrong / 200 - both["loo"]).abs().max() < 1e-6


def test_the_hinge_machine_of_kernlab_errs_on_as_many_patterns_as_ours():
    theirs = select(load_witnesses(), program="kernlab", paper="l1nsvm", way="L1")
    ours = select(read_stored(TABLE_2).frame, machine="L1", settings="chosen")
    both = theirs.merge(ours, on=["dataset", "split"], suffixes=("", "_ours"))
    assert len(both) == len(theirs) == 40
    assert both.test_wrong.tolist() == both.n_wrong.tolist()
    assert (both.n_sv - both.n_sv_ours).abs().max() <= 2
