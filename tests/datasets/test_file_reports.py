"""What ``companion data fetch`` and ``companion data check`` report."""

import pytest

from companion.datasets import UnknownDataset, check, fetch, list_sources

ONE, TWO = b"1 2 3\n" * 200, b"4 5 6\n" * 300


@pytest.fixture
def two_files(bare, server, register):
    """Two registered data sets, both served; returns the server."""
    server.serve("/one.data", ONE)
    server.serve("/two.data", TWO)
    register(
        ("one", "one.data", server.url("/one.data"), ONE),
        ("two", "two.data", server.url("/two.data"), TWO),
    )
    return server


def states(reports):
    return {report.key: report.status for report in reports}


def test_fetching_reports_what_was_downloaded_and_then_what_is_here(two_files):
    assert states(fetch()) == {"one": "downloaded", "two": "downloaded"}
    assert states(fetch()) == {"one": "cached", "two": "cached"}
    assert len(two_files.requests) == 2


def test_a_file_that_cannot_be_had_does_not_stop_the_others_and_is_tried_again(two_files):
    answer = two_files.answers.pop("/one.data")
    reports = fetch()
    assert states(reports) == {"one": "failed", "two": "downloaded"}
    assert [report.ok for report in reports] == [False, True]
    assert "one.data" in reports[0].message and "404" in reports[0].message
    assert states(check()) == {"one": "missing", "two": "ok"}
    two_files.answers["/one.data"] = answer
    assert states(fetch(["one"])) == {"one": "downloaded"}


def test_checking_names_a_damaged_copy_even_beside_a_genuine_one(two_files, tmp_path, monkeypatch):
    fetch()
    (tmp_path / "mirror" / "one").mkdir(parents=True)
    (tmp_path / "mirror" / "one" / "one.data").write_bytes(ONE[:60])
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    report = check(["one"])[0]
    assert report.status == "damaged" and not report.ok
    assert "copy in COMPANION_DATA is truncated (60 of 1200 bytes)" in report.message


def test_checking_uses_no_network(bare, no_network):
    reports = check()
    assert len(reports) == sum(len(source.files) for source in list_sources())
    assert {report.status for report in reports} == {"missing"}
    assert all(report.ok and "companion data fetch" in report.message for report in reports)
    assert no_network == []


def test_without_network_every_file_is_reported_and_the_optional_source_is_left_out(
    bare, no_network
):
    reports = fetch()
    assert {report.status for report in reports} == {"failed"}
    assert "ida-benchmarks" not in states(reports)
    assert states(fetch(["ida-benchmarks"])) == {"ida-benchmarks": "failed"}
    for report in reports + check():
        assert "\n" not in report.message and report.file in report.message


@pytest.mark.parametrize("action", [fetch, check])
def test_an_unknown_key_stops_before_anything_is_done(action, two_files):
    with pytest.raises(UnknownDataset, match="'twoo' is not a registered data set; did you mean"):
        action(["one", "twoo"])
    assert two_files.requests == []
