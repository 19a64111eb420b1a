"""Errata: strict about their form, every proof is there, and every errata test is accounted for."""

import ast
from pathlib import Path

import pytest

from companion.reproduction.artefacts import list_papers
from companion.reproduction.errata import KINDS, Erratum, load_errata
from companion.reproduction.published import PublishedError

ROOT = Path(__file__).parents[2]
ENTRY = """\
- paper: gacv
  where: (11)
  printed: one sum inside the other
  correct: two sums side by side
  kind: misprint
  proof: [tests/papers/test_gacv_errata.py::test_one, notebooks/gacv/fig_1.ipynb]
"""

#: Tests of the modules about errata that no erratum names, and why.
NOT_ERRATA = {
    "test_gacv_errata.py": {
        "test_the_costs_are_those_of_section_6": "the print is right",
        "test_the_bayes_risk_by_one_integral_by_two_and_by_sampling_agree": "not printed",
        "test_the_true_curves_are_the_two_parabolas": "the print is right",
        "test_the_sample_is_the_same_in_both_cases_and_has_the_shares_exactly": "a reading of ours",
        "test_a_sample_size_without_exact_shares_is_refused": "an argument of ours",
    },
    "test_l1nsvm_errata.py": {
        "test_the_clipping_of_equation_9_is_the_longest_step_that_stays_in_the_box": "lost in our text alone",
        "test_ls_multipliers_are_C_times_the_slack_as_section_2_must_read": "lost in our text alone",
        "test_the_l1_norm_of_the_slacks_needs_its_absolute_value": "lost in our text alone",
        "test_the_optimality_conditions_6_and_7_hold_at_the_solution": "the print is right",
        "test_equalities_with_slacks_of_one_sign_are_another_machine": "the print is right",
    },
    "test_wrsvm_errata.py": {
        "test_the_printed_ends_of_the_intervals_are_those_of_the_condition": "the print is right",
        "test_with_two_classes_truncation_is_not_needed": "a remark: k > 2 is for necessity alone",
        "test_truncation_above_zero_is_flat_from_there_down_and_not_only_in_the_middle": "the print is right, and more holds",
        "test_at_most_one_margin_is_positive_and_the_largest_is_not_negative_without_a_zero_sum": "the print is right, and less is needed",
        "test_the_w_of_15_sum_to_zero_whatever_the_multipliers": "the print is right",
        "test_the_blocks_of_table_3_are_those_of_the_published_values": "our own copies agree",
    },
    "test_conformal_errata.py": {
        "test_theorem_5_is_right_where_k_of_x_and_x_is_one": "the print is right",
        "test_act_keeps_the_correction_for_the_class_sizes_of_4_3_3": "the print is right",
    },
    "test_conformal_statements.py": {
        "test_the_slack_lines_end_on_their_support_hyperplanes": "about a figure of ours"
    },
}


def test_functions(path):
    """Names of the test functions of a module, without importing it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


test_functions.__test__ = False


def load(tmp_path, text):
    path = tmp_path / "errata.yaml"
    path.write_text(text, encoding="utf-8")
    return load_errata(path)


# ------------------------------------------------------------------ the file


def test_an_entry_is_read_as_it_stands(tmp_path):
    assert load(tmp_path, ENTRY) == [
        Erratum(
            "gacv",
            "(11)",
            "one sum inside the other",
            "two sums side by side",
            "misprint",
            ("tests/papers/test_gacv_errata.py::test_one", "notebooks/gacv/fig_1.ipynb"),
        )
    ]


def test_no_file_and_an_empty_file_hold_none(tmp_path):
    assert load_errata(tmp_path / "none.yaml") == []
    assert load(tmp_path, "# none\n") == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("paper: gacv", "paper: gcv", "entry 1: paper 'gcv' is unknown: there are l1nsvm, gacv"),
        ("kind: misprint", "kind: typo", "kind 'typo' is unknown: it must be one of misprint"),
        ("  kind: misprint\n", "", "kind is missing"),
        ("two sums side by side", "''", "correct must be a text that says something"),
        ("two sums side by side", "|\n    one\n    two", "correct must be one line"),
        ("where: (11)", "where: 11", "where must be a text that says something. Got 11"),
        ("proof: [", "proof: x # [", "proof must be a list of texts"),
        ("proof: [", "proof: [] # [", "proof must be a list of texts"),
        ("::test_one", "", "neither tests/<file>.py::test_<name> nor notebooks/<name>.ipynb"),
        ("notebooks/gacv/fig_1.ipynb", "section 3", "proof 'section 3' is neither"),
        ("kind:", "sort: x\n  kind:", "'sort' is unknown"),
        ("- paper: gacv", "- [", "errata.yaml has 1 fault"),
    ],
)
def test_each_fault_of_an_entry_is_named(tmp_path, old, new, message):
    assert old in ENTRY
    with pytest.raises(PublishedError) as caught:
        load(tmp_path, ENTRY.replace(old, new))
    assert message in str(caught.value)


def test_all_faults_are_reported_at_once(tmp_path):
    with pytest.raises(PublishedError) as caught:
        load(tmp_path, ENTRY.replace("kind:", "sort:") + ENTRY + ENTRY)
    assert [fault.partition(":")[0] for fault in caught.value.faults] == [
        "entry 1",
        "entry 1",
        "entry 3",
    ]
    assert "listed twice" in str(caught.value)


def test_a_file_that_is_no_list_is_refused(tmp_path):
    with pytest.raises(PublishedError, match="it must be a list, not dict"):
        load(tmp_path, "paper: gacv\n")


# ------------------------------------------------------------------ the project's own


def test_errata_stand_in_the_order_of_the_papers_and_are_of_every_kind():
    papers = list(dict.fromkeys(erratum.paper for erratum in load_errata()))
    assert papers == [paper for paper in list_papers() if paper in papers]
    assert {erratum.kind for erratum in load_errata()} == set(KINDS)


def test_every_proof_is_there():
    missing = []
    for erratum in load_errata():
        for proof in erratum.proof:
            path, _, name = proof.partition("::")
            file = ROOT / path
            if not file.is_file() or (name and name not in test_functions(file)):
                missing.append(proof)
    assert not missing


def test_what_cannot_be_proved_by_a_test_is_of_a_kind_that_only_a_notebook_can_show():
    """A formula is right or wrong by computation; what is left out shows in a reproduction."""
    without = {e.kind for e in load_errata() if not any("::" in proof for proof in e.proof)}
    assert without <= {"missing information", "gap"}


def test_every_test_about_errata_is_named_by_one_or_knowingly_not():
    modules = sorted((ROOT / "tests" / "papers").glob("test_*_errata.py"))
    modules += sorted((ROOT / "tests" / "papers").glob("test_*_statements.py"))
    assert set(NOT_ERRATA) <= {module.name for module in modules}
    named = {proof for erratum in load_errata() for proof in erratum.proof}
    for module in modules:
        path = module.relative_to(ROOT).as_posix()
        tests = set(test_functions(module))
        proofs = {test for test in tests if f"{path}::{test}" in named}
        assert tests - proofs == set(NOT_ERRATA.get(module.name, {})), module.name
