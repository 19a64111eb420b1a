"""With what the notebooks of the thesis open, and what their tables do not hide."""

import re

import pytest
from _cases import cases

from companion.papers import conformal
from companion.papers.conformal import g_means, real_sets
from companion.reproduction.regenerate import regenerate

OPENINGS = [a.id for a in conformal.ARTEFACTS if a.what_came_out is not None]


@cases("name", *OPENINGS)
def test_an_opening_is_a_few_sentences_whose_numbers_are_known(name):
    run = regenerate(name)
    text = run.artefact.what_came_out(run)
    assert re.search(r"\d", text)
    assert not re.search(r"\bnan\b|\binf\b|[+-]0\.0+\b(?!\d)", text)
    assert 1 <= len(re.findall(r"\.(?= [A-Z$]|$)", text)) <= 4


def test_on_sonar_the_print_tells_methods_apart_that_are_one_machine_here():
    """Each cell is within chance, and the difference that the table is about is not there."""
    run = regenerate("conformal/real_sets")
    table = real_sets.differences_table(run.records["folds"], run.records["partitions"])
    sonar = table[table["data set"] == "Sonar"].set_index("method")
    assert sonar.printed[["AMA", "ACT"]].tolist() == pytest.approx([0.057, 0.057])
    assert (sonar.here[["AMA", "ACT"]] == 0).all()
    assert (sonar.printed > 0.05).all()
    starred = g_means.printed_asterisks("Sonar")
    assert starred
    assert not set(starred) & set(sonar.index)
    ledger = run.ledger.set_index(["row", "column"])
    for method in ("AMA", "ACT"):
        gap = ledger.loc[f"{method} - SVM", "Sonar: difference of the cells"]
        assert gap.scored
        assert gap.verdict == "differs, unexplained"
