"""What independent programs find on the same splits, beside the print and our records.

The tables in ``data/witnesses`` were written once; its README says by which program, and how.
"""

import math

import pandas as pd

from companion._utils.paths import data_dir
from companion.metrics import paired_difference
from companion.papers.summaries import select
from companion.reproduction.artefacts import get_artefact
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.run import read_stored
from companion.reproduction.verdicts import MATCHES

_SVC = {"machine": "SVMlight"}
_LS = {"machine": "LS", "settings": "chosen"}
#: By paper and how the program was set: the artefact, its study with our machine, the column
#: printed, and the reading of the print that this is, if it is one.
WITNESSED = {
    ("usvc", "default C"): (
        "table_2",
        "table_2_default",
        {},
        "SVMlight",
        "svmlight-default-C",
    ),
    ("usvc", "C of ours"): ("table_2", "table_2", _SVC, "SVMlight", ""),
    ("usvc", "C by the folds"): ("table_2", "table_2", _SVC, "SVMlight", ""),
    ("usvc", "setting of ours"): ("table_3", "table_3", _SVC, "SVMlight CE (%)", ""),
    ("l1nsvm", "LS"): ("table_2", "table_2", _LS, "LS % err.", ""),
}
#: Two programs agree where their mean errors are closer than this, in points, and no split has a
#: difference beyond the second: a few patterns lie on the boundary.
CLOSE = (0.3, 1.5)
ALONE = "we alone differ"


def load_witnesses():
    """The errors of all programs, a row a split, those runs that did not end left out."""
    tables = sorted((data_dir() / "witnesses").glob("*.csv"))
    frame = pd.concat(pd.read_csv(path).assign(program=path.stem) for path in tables)
    return frame[frame.test_wrong.notna()]


def beside_witnesses(witnesses=None):
    """A row for each set and way of a program: print, ours and theirs on the same splits, a word.

    The word says whether the programs agree on these splits, and if so whether the print matches
    ours over all splits, by the ledger; or whether we alone differ.
    """
    frame = load_witnesses() if witnesses is None else witnesses
    rows = []
    for (paper, way), (artefact, name, chosen, column, reading) in WITNESSED.items():
        found = get_artefact(f"{paper}/{artefact}")
        study = next(study for study in found.studies if study.name == name)
        ours = select(read_stored(study).frame, **chosen)
        if "n_wrong" in ours:
            ours = ours.rename(columns={"n_wrong": "test_wrong"})
        ledger = read_ledgers([found])[0][found.id]
        printed = ledger[ledger.column == column].set_index("row")
        theirs = select(frame, paper=paper, way=way)
        both = theirs.merge(ours, on=["dataset", "split"], suffixes=("", "_ours"))
        for (program, dataset), splits in both.groupby(
            ["program", "dataset"], sort=False
        ):
            row = printed.loc[dataset.capitalize()]
            head = {"paper": paper, "program": program, "way": way, "data set": dataset}
            of_cell = {"cell": f"{artefact}: {dataset} / {column}"}
            rows.append(head | of_cell | _beside(splits, row, reading))
    return pd.DataFrame(rows)


def _beside(splits, row, reading):
    """Both programs on the splits of a set, in per cent, and what that says of a printed cell."""
    all_splits, verdict = row.reproduced, row.verdict
    if reading and row.reading == reading:
        all_splits, verdict = row.reproduced_as_read, row.verdict_as_read
    elif reading:
        all_splits, verdict = math.nan, ""
    theirs, ours = (
        100 * splits[name] / splits.n_test for name in ("test_wrong", "test_wrong_ours")
    )
    gap = paired_difference(theirs, ours)
    largest = (theirs - ours).abs().max()
    one_pattern = 100 / splits.n_test.min()
    if abs(gap.mean) <= CLOSE[0] and largest <= max(CLOSE[1], one_pattern):
        word = "two programs agree"
        if verdict == MATCHES:
            word += ", and the print matches"
        elif verdict:
            word += ", and the print does not match"
    else:
        of_both = [abs(errors.mean() - row.published) for errors in (theirs, ours)]
        word = ALONE if of_both[0] < of_both[1] else "the other program differs"
    return {
        "splits": len(splits),
        "printed": row.published,
        "ours, all splits": all_splits,
        "ours": ours.mean(),
        "theirs": theirs.mean(),
        "largest difference": largest,
        "verdict": verdict,
        "word": word,
    }
