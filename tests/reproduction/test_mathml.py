"""Formulas of the site."""

from _cases import cases, refused

from companion.reproduction.report.mathml import to_mathml


def test_lines_of_a_formula_are_aligned_and_no_mark_of_it_is_shown():
    markup = to_mathml(r"\begin{aligned}a&=b\\&=c\end{aligned}", block=True)
    assert markup.count("<mtr>") == 2
    assert ">&<" not in markup


@cases(
    "formula, unknown",
    (r"\nosuchname x", r"\nosuchname"),
    (r"\begin{gathered}a&b\end{gathered}", "&"),
)
def test_what_cannot_be_drawn_is_named(formula, unknown):
    assert unknown in str(refused("is unknown", to_mathml, formula))
