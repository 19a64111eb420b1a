"""Mirror, cache, download, and one clear line for whatever goes wrong on the way."""

import errno
import os
import pickle
from pathlib import Path

import pytest
from _cases import refused

from companion.datasets import _fetch, check, fetch, fetch_file, list_sources
from companion.datasets._availability import is_available, why_unavailable
from companion.errors import DataUnavailable, UnknownDataset

CONTENT = b"1 2 3\n" * 200
#: A file of the Unix program ``compress``, and what is in it.
PACKED = bytes.fromhex("1f9d903158c860314341c081050fb2a0a100")
UNPACKED = b"1,2,3\n1,2,3\n1,2,4\n"


def complaint(key="toy", name=None):
    with pytest.raises(DataUnavailable) as caught:
        fetch_file(key, name)
    message = str(caught.value)
    assert "\n" not in message
    return message


def leftovers(cache):
    return [path for path in cache.rglob("*") if path.is_file()]


@pytest.fixture
def toy(bare, server, register):
    """One registered file, served as it should be; returns the server."""
    server.serve("/toy.data", CONTENT)
    register(("toy", "toy.data", server.url("/toy.data"), CONTENT))
    return server


@pytest.fixture
def mirrored(tmp_path, monkeypatch):
    """A mirror that holds the file; the file."""
    path = tmp_path / "mirror" / "toy" / "toy.data"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    return path


def test_a_file_is_downloaded_once_and_then_read_from_the_cache(toy, bare):
    path = fetch_file("toy")
    assert path == bare / "data" / "toy" / "toy.data" and path.read_bytes() == CONTENT
    assert fetch_file("toy") == path and toy.requests == ["/toy.data"]


def test_the_mirror_comes_before_the_cache_and_that_before_the_network(toy, mirrored, monkeypatch):
    assert fetch_file("toy") == mirrored and toy.requests == []
    with monkeypatch.context() as patch:
        patch.delenv("COMPANION_DATA")
        fetch_file("toy")
    assert fetch_file("toy") == mirrored
    mirrored.unlink()
    assert fetch_file("toy").read_bytes() == CONTENT and len(toy.requests) == 1


def test_a_wrong_file_in_the_mirror_is_refused_by_name_and_nothing_else_is_tried(toy, mirrored):
    fetch_file("toy")  # a file that was right is looked at again
    mirrored.write_bytes(CONTENT[:-1] + b"!")
    message = complaint()
    assert "toy.data" in message and "wrong sha256" in message and str(mirrored) in message
    assert "replace or remove" in message
    mirrored.write_bytes(CONTENT[:100])
    assert f"truncated (100 of {len(CONTENT)} bytes)" in complaint()
    mirrored.write_bytes(CONTENT * 2)
    assert f"too long ({2 * len(CONTENT)} of {len(CONTENT)} bytes)" in complaint()
    for make in (Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        mirrored.rmdir() if mirrored.is_dir() else mirrored.unlink()
        make(mirrored)
        assert "is no regular file" in complaint() and toy.requests == []


def test_a_mirror_that_is_no_folder_is_named(bare, no_network, register, tmp_path, monkeypatch):
    register(("toy", "toy.data", "http://data.invalid/toy.data", CONTENT))
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "nowhere"))
    message = complaint()
    assert "COMPANION_DATA=" in message and "is not a folder" in message


def test_a_damaged_cache_is_replaced_by_a_download(toy, bare):
    fetch_file("toy").write_bytes(CONTENT[:50])
    assert not is_available("toy") and "in the cache is truncated" in why_unavailable("toy")
    assert fetch_file("toy").read_bytes() == CONTENT and is_available("toy")


FAILURES = [
    (CONTENT[:-6], None, "wrong sha256, thrown away"),
    (CONTENT * 1000, None, "too long, thrown away"),
    (CONTENT[:64], len(CONTENT), "broke off"),
    (None, None, "answered 404, COMPANION_DATA"),
]


@pytest.mark.parametrize(("served", "length", "says"), FAILURES)
def test_a_download_that_fails_is_explained_and_leaves_nothing(toy, bare, served, length, says):
    toy.answers.clear()
    if served:
        toy.serve("/toy.data", served, length=length)
    message = complaint()
    assert all(part in message for part in ("toy.data", *says.split(", ")))
    assert leftovers(bare) == []


def test_a_download_that_failed_is_made_again_as_often_as_allowed_and_when_asked(toy, monkeypatch):
    monkeypatch.setattr(_fetch, "RETRIES", 1)
    toy.serve("/toy.data", CONTENT[:-6])
    first = complaint()
    assert complaint() == first and len(toy.requests) == 2
    toy.serve("/toy.data", CONTENT[:-6], CONTENT)
    _fetch.forget_failures()
    assert fetch_file("toy").read_bytes() == CONTENT and len(toy.requests) == 4


def test_without_network_a_line_names_file_and_remedy_and_the_host_is_asked_once(bare, no_network):
    message = complaint("heart-statlog")
    assert message.startswith("heart.dat of 'heart-statlog'")
    assert "no connection to archive.ics.uci.edu" in message
    assert "COMPANION_DATA" in message and "companion data fetch heart-statlog" in message
    assert leftovers(bare) == []
    n_asked = len(no_network)
    for key in ("heart-statlog", "german", "breast-cancer", "sonar", "pendigits"):
        assert "no connection" in complaint(key)
    assert len(no_network) == n_asked >= 1


def test_a_full_disk_is_named_leaves_nothing_and_is_no_failure_of_the_host(toy, bare, monkeypatch):
    import pooch

    def fill(self, url, output_file, pooch, check_only=False):
        output_file.write(CONTENT[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(pooch.HTTPDownloader, "__call__", fill)
        message = complaint()
    assert "toy.data" in message and "no space is left" in message and str(bare) in message
    assert "COMPANION_CACHE" in message and leftovers(bare) == []
    assert fetch_file("toy").read_bytes() == CONTENT


@pytest.mark.parametrize("why", ["below a file", "sealed", "refused"])
def test_a_cache_that_cannot_be_written_is_named_and_gets_nothing(toy, tmp_path, monkeypatch, why):
    def refuse(*args, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "here"))
    if why == "refused":
        monkeypatch.setattr(os, "makedirs", refuse)
    elif why == "below a file":
        (tmp_path / "here").write_text("not a folder")
    elif getattr(os, "geteuid", lambda: 0)() == 0:
        pytest.skip("runs as root, who may write everywhere")
    else:
        (tmp_path / "here").mkdir(mode=0o500)
    message = complaint()
    assert "cannot be written to" in message and "COMPANION_CACHE" in message and toy.requests == []


@pytest.mark.parametrize("sent", [PACKED, UNPACKED, PACKED[:-4]])
def test_a_packed_address_is_unpacked_and_something_else_refused(bare, server, register, sent):
    server.serve("/toy.data.Z", sent)
    register(("toy", "toy.data", server.url("/toy.data.Z"), UNPACKED), packed="Z")
    if sent == PACKED:
        assert fetch_file("toy").read_bytes() == UNPACKED
    else:
        assert "not the registered file" in complaint() and leftovers(bare) == []


def test_what_is_packed_may_not_grow_without_end():
    codes = [0, *range(257, 500)]  # each the string before and a zero more
    bits = sum(code << 9 * place for place, code in enumerate(codes))
    packed = b"\x1f\x9d\x90" + bits.to_bytes(9 * len(codes) // 8 + 1, "little")
    n = len(codes) * (len(codes) + 1) // 2
    assert _fetch.unlzw(packed, n) == bytes(n)
    refused(f"more than {n - 1} bytes", _fetch.unlzw, packed, n - 1)


@pytest.mark.parametrize("kind", [DataUnavailable, UnknownDataset])
def test_the_errors_survive_the_way_back_from_a_worker(kind):
    error = pickle.loads(pickle.dumps(kind("one line")))
    assert type(error) is kind and str(error) == "one line"


# ------------------------------------------------------------------ reports on all files

ONE, TWO = b"1 2 3\n" * 200, b"4 5 6\n" * 300


@pytest.fixture
def two_files(bare, server, register):
    """Two registered data sets, both served; returns the server."""
    files = {"one": ONE, "two": TWO}
    for key, content in files.items():
        server.serve(f"/{key}.data", content)
    register(*((k, f"{k}.data", server.url(f"/{k}.data"), file) for k, file in files.items()))
    return server


def states(reports):
    return {report.key: report.status for report in reports}


def test_fetching_reports_what_was_downloaded_then_what_is_here(two_files, tmp_path, monkeypatch):
    assert states(fetch(["two"])) == {"two": "downloaded"}
    assert states(check()) == {"one": "missing", "two": "ok"}
    assert states(fetch()) == {"one": "downloaded", "two": "cached"}
    (tmp_path / "mirror" / "one").mkdir(parents=True)
    (tmp_path / "mirror" / "one" / "one.data").write_bytes(ONE)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    assert states(fetch()) == {"one": "mirror", "two": "cached"}
    assert states(check()) == {"one": "ok", "two": "ok"} and len(two_files.requests) == 2


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


def test_without_network_every_file_is_reported_and_the_optional_one_left_out(bare, no_network):
    missing = check()
    assert len(missing) == sum(len(source.files) for source in list_sources())
    assert {report.status for report in missing} == {"missing"} and no_network == []
    assert all(report.ok and report.message.endswith("not here") for report in missing)
    reports = fetch()
    assert {report.status for report in reports} == {"failed"}
    assert "ida-benchmarks" not in states(reports)
    assert states(fetch(["ida-benchmarks"])) == {"ida-benchmarks": "failed"}
    for report in reports + missing:
        assert "\n" not in report.message and report.file in report.message


@pytest.mark.parametrize("action", [fetch, check])
def test_an_unknown_key_stops_before_anything_is_done(action, two_files):
    with pytest.raises(UnknownDataset, match="'twoo' is not a registered data set; did you mean"):
        action(["one", "twoo"])
    assert two_files.requests == []
