"""What a row, a count or a difference is called in words."""

import math

from _cases import cases

from companion.reproduction.scores import counted
from companion.reproduction.texts import ended, reproduced_text


@cases(
    "value, se, text",
    (-5.6e-17, 0.01, "0 (SE 0.01)"),
    (2e-4, 0.01, "0.0002 (SE 0.01)"),
    (1e-17, math.nan, "1e-17"),
)
def test_a_difference_of_rounding_errors_alone_is_zero(value, se, text):
    line = {"kind": "ordinal", "printed": "alike", "reproduced": value, "se": se}
    assert reproduced_text(line) == text


@cases(
    "number, part, text",
    (1, "holds", "1 holds"),
    (2, "holds", "2 hold"),
    (0, "differs, explained", "0 differ, explained"),
    (1, "undecided", "1 undecided"),
    (3, "undecided", "3 undecided"),
)
def test_a_count_agrees_with_its_verb(number, part, text):
    assert counted(number, part) == text


def test_a_sentence_has_a_full_stop_and_a_question_has_none():
    assert [ended("It is"), ended("Is it?")] == ["It is.", "Is it?"]
