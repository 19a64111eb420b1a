"""An audit finds a record that was falsified together with the digest that guards it."""

import json
from dataclasses import replace

import pytest
from _cases import cases
from _command import invoke
from _studies import N_UNITS, lacks_data, study, table
from scipy.stats import binom

from companion.reproduction.artefacts import Artefact, Paper
from companion.reproduction.audit import CONFIDENCE, Audit, Finding, audit
from companion.reproduction.index import write_indexed
from companion.reproduction.run import load_records
from companion.reproduction.store import RecordStore


def artefact_of(of_study):
    return Artefact("tests", "table_0", "A table", studies=(of_study,))


@pytest.fixture
def recorded(places):
    """The study, with its records."""
    records = study(n_repetitions=6)
    load_records(records)
    return records


@pytest.fixture
def described(monkeypatch):
    """Say more of the paper of the study."""

    def described(**more):
        papers = {"tests": Paper("tests", "A paper", "A. Nobody", "nowhere", **more)}
        monkeypatch.setattr("companion.reproduction.audit.list_papers", lambda: papers)

    return described


@pytest.fixture
def falsify(recorded, places):
    """Change the last digit of a number on record, by so much, and the index with it."""

    def falsify(by=5):
        store = RecordStore(recorded)
        lines = table(places).decode().splitlines(keepends=True)
        cells = lines[3].split(",")
        place = lines[0].strip().split(",").index("checksum")
        last = cells[place][-1]
        cells[place] = cells[place][:-1] + str((int(last) + by) % 10)
        lines[3] = ",".join(cells)
        content = "".join(lines).encode()
        write_indexed(store.path, store.name, content, N_UNITS, store.code)

    return falsify


def test_true_records_agree_and_bound_the_share_of_wrong_ones(recorded):
    result = audit([artefact_of(recorded)], 5, seed=3)
    assert [found.verdict for found in result.findings] == ["agrees"] * 5
    assert result.sentence() == (
        f"5 of 5 agree; with 95 % confidence at most 45.1 % of the {N_UNITS} records are wrong."
    )


def test_two_processes_draw_and_find_the_same(recorded, falsify):
    falsify()
    artefacts = [artefact_of(recorded)]
    alone = audit(artefacts, 8, seed=4)
    assert audit(artefacts, 8, seed=4, jobs=2) == alone
    assert audit(artefacts, 8, seed=5).findings != alone.findings


def test_a_falsified_record_is_named_with_both_values(recorded, falsify, places):
    falsify()
    output = invoke([artefact_of(recorded)], "audit", "--seed", "1", code=1)
    assert f"{N_UNITS - 1} of {N_UNITS} agree" in output
    assert "Differing: 1" in output
    line = table(places).decode().splitlines()[3]
    assert f"checksum is {line.split(',')[4]} on record" in " ".join(output.split())


def test_one_in_the_last_digit_is_rounding(recorded, falsify):
    falsify(by=1)
    invoke([artefact_of(recorded)], "audit", "--seed", "1")


def test_chaotic_units_that_differ_are_counted_apart(recorded, falsify, described):
    falsify()
    described(chaotic=("table_0",))
    output = invoke([artefact_of(recorded)], "audit", "--seed", "1")
    assert f"{N_UNITS - 1} of {N_UNITS - 1} agree" in output
    assert "elsewhere now: 1" in output
    assert "Of 1 more that were drawn, and their like, nothing is said" in " ".join(
        output.split()
    )


def test_times_are_left_out(recorded, falsify, described):
    falsify()
    described(timings=("checksum",))
    invoke([artefact_of(recorded)], "audit", "--seed", "1")


def test_what_cannot_be_computed_is_no_agreement(recorded):
    lost = replace(recorded, compute=lacks_data)
    output = invoke([artefact_of(lost)], "audit", "--seed", "1")
    assert "0 of 0 agree" in output
    assert f"{N_UNITS} could not be computed: no network" in output


def test_the_result_as_json_has_units_seed_and_versions(recorded):
    output = invoke(
        [artefact_of(recorded)], "audit", "--seed=2", "--units=4", "--format=json"
    )
    result = json.loads(output)
    assert (result["seed"], len(result["units"])) == (2, 4)
    assert {"python", "numpy"} <= result["versions"].keys()


@cases("n, differing", (300, 0), (20, 1), (200, 7))
def test_so_few_would_be_found_with_five_per_cent_at_the_bound(n, differing):
    findings = [Finding(k, "agrees", ()) for k in range(n - differing)]
    findings += [Finding(k, "differs", ("x",)) for k in range(differing)]
    bound = Audit(findings, 13_000, 0).at_most
    assert abs(binom.cdf(differing, n, bound) - (1 - CONFIDENCE)) < 1e-9


def test_without_records_there_is_nothing_to_draw(places):
    artefact = artefact_of(study(n_repetitions=6))
    assert "no records to draw from" in invoke([artefact], "audit", code=2)
