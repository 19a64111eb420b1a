"""Quotations and printed numbers are those of the papers' texts, where these are at hand."""

import os
from pathlib import Path

import pytest
from _cases import cases

from companion.reproduction.artefacts import list_papers
from companion.reproduction.published import load_published
from companion.reproduction.quotations import check_print, fragments_of, letters_of

FOLDER = os.environ.get("COMPANION_PRINT", "")


def own_text(paper):
    """A text in which everything stands that our rows have of a paper."""
    rows = load_published(paper)
    quoted = [part for text in rows["sentence"] for part in fragments_of(text)]
    return " ; ".join([*quoted, *rows["printed"]])


@pytest.mark.skipif(not FOLDER, reason="COMPANION_PRINT names no folder of texts")
def test_every_quotation_and_number_is_in_the_text_of_its_paper():
    found = check_print(FOLDER)
    assert {check.paper for check in found} == {*list_papers()}
    assert [fault for check in found for fault in check.faults] == []
    # what is said in formulas has to be read by eye, and has been
    assert sum(len(check.formulas) for check in found) <= 3


def test_a_text_with_everything_has_no_faults(tmp_path):
    (tmp_path / "wrsvm.txt").write_text(own_text("wrsvm"), encoding="utf-8")
    (check,) = check_print(tmp_path)
    assert check.faults == []
    assert check.n_quotations > 20
    assert check.n_numbers > 80


def test_a_word_left_out_and_a_digit_changed_are_named(tmp_path):
    text = (
        own_text("wrsvm").replace("0.4545", "0.4544").replace("more and more", "more")
    )
    (tmp_path / "wrsvm.txt").write_text(text, encoding="utf-8")
    (check,) = check_print(tmp_path)
    quoted, number = sorted(check.faults)
    assert '"When we increase a, more and more data points' in quoted
    assert "0.4545 stands 0 times in the text, and in our cells 1" in number


@cases(
    "ours, print_of_it",
    ("clearly biased", "clear-\nly  bia\N{COMBINING DIAERESIS}sed"),
    ("values of xi_i", "values of \N{GREEK SMALL LETTER XI}i"),
    ("'safer' solution", "\N{LEFT SINGLE QUOTATION MARK}safer\u2019 solution"),
)
def test_how_a_text_breaks_its_lines_makes_no_difference(ours, print_of_it):
    assert letters_of(ours) == letters_of(print_of_it)


def test_a_folder_without_texts_is_an_error_that_names_them(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"text of no paper\. Wanted: l1nsvm\.txt"
    ):
        check_print(Path(tmp_path))
