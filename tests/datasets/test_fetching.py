"""Mirror, cache, download, and one clear line for whatever goes wrong on the way."""

import errno
import os
import pickle
import time
from pathlib import Path

import pytest

from companion.datasets import (
    DataUnavailable,
    UnknownDataset,
    _fetch,
    fetch_file,
    is_available,
    why_unavailable,
)

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


def put(root, content, key="toy", name="toy.data"):
    path = Path(root) / key / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_file_is_downloaded_once_and_then_read_from_the_cache(toy, bare):
    path = fetch_file("toy")
    assert path == bare / "data" / "toy" / "toy.data"
    assert path.read_bytes() == CONTENT
    assert fetch_file("toy") == path
    assert toy.requests == ["/toy.data"]


def test_the_mirror_comes_before_the_cache_and_the_network(toy, bare, tmp_path, monkeypatch):
    fetch_file("toy")
    held = put(tmp_path / "mirror", CONTENT)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    assert fetch_file("toy") == held
    assert len(toy.requests) == 1


def test_a_file_missing_from_the_mirror_is_taken_from_the_cache(toy, tmp_path, monkeypatch):
    (tmp_path / "mirror").mkdir()
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    assert fetch_file("toy").read_bytes() == CONTENT


def test_a_wrong_file_in_the_mirror_is_refused_by_name_and_nothing_else_is_tried(
    toy, tmp_path, monkeypatch
):
    held = put(tmp_path / "mirror", CONTENT[:-1] + b"!")
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    message = complaint()
    assert "toy.data" in message and "wrong sha256" in message and str(held) in message
    assert "replace or remove" in message
    assert toy.requests == []


def test_a_truncated_file_in_the_mirror_is_called_truncated(toy, tmp_path, monkeypatch):
    put(tmp_path / "mirror", CONTENT[:100])
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    assert f"truncated (100 of {len(CONTENT)} bytes)" in complaint()


def test_a_file_of_the_mirror_that_changes_is_read_again(toy, tmp_path, monkeypatch):
    held = put(tmp_path / "mirror", CONTENT)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    fetch_file("toy")
    held.write_bytes(CONTENT.replace(b"3", b"4"))
    assert "wrong sha256" in complaint()


def test_a_folder_in_place_of_the_file_is_refused(toy, tmp_path, monkeypatch):
    (tmp_path / "mirror" / "toy" / "toy.data").mkdir(parents=True)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    assert "cannot be read" in complaint()


def test_a_mirror_that_is_no_folder_is_named(bare, no_network, register, tmp_path, monkeypatch):
    register(("toy", "toy.data", "http://data.invalid/toy.data", CONTENT))
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "nowhere"))
    message = complaint()
    assert "COMPANION_DATA=" in message and "is not a folder" in message


def test_a_damaged_cache_is_replaced_by_a_download(toy, bare):
    put(bare / "data", CONTENT[:50])
    assert not is_available("toy")
    assert "in the cache is truncated" in why_unavailable("toy")
    assert fetch_file("toy").read_bytes() == CONTENT
    assert is_available("toy")


def test_a_wrong_download_is_thrown_away_and_said_to_be_wrong(toy, bare):
    toy.serve("/toy.data", CONTENT[:-6])
    message = complaint()
    assert "toy.data" in message and "wrong sha256" in message and "thrown away" in message
    assert leftovers(bare) == []


def test_a_connection_that_breaks_leaves_nothing_half_written(toy, bare):
    toy.serve("/toy.data", CONTENT[:64], length=len(CONTENT))
    assert "broke off" in complaint()
    assert leftovers(bare) == []


def test_a_transfer_that_is_damaged_once_is_made_again(toy, bare, monkeypatch):
    monkeypatch.setattr(_fetch, "RETRIES", 1)
    toy.serve("/toy.data", CONTENT[:-6], CONTENT)
    assert fetch_file("toy").read_bytes() == CONTENT
    assert len(toy.requests) == 2


def test_an_address_that_is_gone_is_reported_with_its_status(toy, bare):
    toy.answers.clear()
    message = complaint()
    assert "answered 404" in message and "COMPANION_DATA" in message
    assert leftovers(bare) == []


def test_a_download_that_failed_is_not_tried_again_until_asked(toy):
    toy.answers.clear()
    first = complaint()
    n_requests = len(toy.requests)
    assert complaint() == first
    assert len(toy.requests) == n_requests
    toy.serve("/toy.data", CONTENT)
    _fetch.forget_failures()
    assert fetch_file("toy").read_bytes() == CONTENT


def test_without_network_one_line_names_file_and_remedy(bare, no_network):
    message = complaint("heart-statlog")
    assert message.startswith("heart.dat of 'heart-statlog'")
    assert "no connection to archive.ics.uci.edu" in message
    assert "COMPANION_DATA" in message and "companion data fetch heart-statlog" in message
    assert leftovers(bare) == []


def test_without_network_only_the_first_file_of_a_host_costs_time(bare, no_network):
    complaint("heart-statlog")
    n_asked = len(no_network)
    assert n_asked >= 1
    start = time.perf_counter()
    for key in ("heart-statlog", "german", "breast-cancer", "sonar", "pendigits"):
        assert "no connection" in complaint(key)
    assert time.perf_counter() - start < 0.5
    assert len(no_network) == n_asked


def test_availability_is_found_without_touching_the_network(bare, no_network):
    assert not is_available("heart-statlog")
    assert not is_available("heart")
    assert is_available("titanic")
    assert "heart.dat" in why_unavailable("heart")
    assert no_network == []


def test_a_full_disk_is_named_and_leaves_nothing(toy, bare, monkeypatch):
    import pooch

    def fill(self, url, output_file, pooch, check_only=False):
        Path(output_file).write_bytes(CONTENT[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", fill)
    message = complaint()
    assert "toy.data" in message and "no space is left" in message and str(bare) in message
    assert "COMPANION_CACHE" in message
    assert leftovers(bare) == []


def test_a_full_disk_is_not_remembered_as_a_failure_of_the_host(toy, bare, monkeypatch):
    import pooch

    def fill(self, url, output_file, pooch, check_only=False):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(pooch.HTTPDownloader, "__call__", fill)
        complaint()
    assert fetch_file("toy").read_bytes() == CONTENT


def test_a_cache_below_a_file_cannot_be_written_and_says_so(toy, tmp_path, monkeypatch):
    (tmp_path / "plain").write_text("not a folder")
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "plain"))
    message = complaint()
    assert "cannot be written to" in message and "COMPANION_CACHE" in message


@pytest.mark.skipif(
    getattr(os, "geteuid", lambda: 0)() == 0, reason="runs as root, who may write everywhere"
)
def test_a_cache_without_permission_cannot_be_written_and_says_so(toy, tmp_path, monkeypatch):
    (tmp_path / "sealed").mkdir(mode=0o500)
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "sealed"))
    assert "cannot be written to" in complaint()


def test_a_refused_permission_is_named_and_downloads_nothing(toy, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "makedirs", refuse)
    message = complaint()
    assert "cannot be written to" in message and "COMPANION_CACHE" in message
    assert toy.requests == []


def test_a_packed_address_is_unpacked_on_the_way_into_the_cache(bare, server, register):
    server.serve("/toy.data.Z", PACKED)
    register(("toy", "toy.data", server.url("/toy.data.Z"), UNPACKED), packed="Z")
    path = fetch_file("toy")
    assert path.name == "toy.data" and path.read_bytes() == UNPACKED


@pytest.mark.parametrize("sent", [UNPACKED, PACKED[:-4]])
def test_a_packed_address_that_sends_something_else_is_refused(bare, server, register, sent):
    server.serve("/toy.data.Z", sent)
    register(("toy", "toy.data", server.url("/toy.data.Z"), UNPACKED), packed="Z")
    assert "not the registered file" in complaint()
    assert leftovers(bare) == []


def test_an_unknown_key_is_met_with_the_nearest_one(bare, no_network):
    with pytest.raises(UnknownDataset, match=r"'germn' is not a registered data set; did you mean"):
        fetch_file("germn")
    with pytest.raises(KeyError, match="german"):
        fetch_file("germn")
    assert no_network == []


def test_an_unknown_file_is_met_with_the_known_ones():
    with pytest.raises(
        UnknownDataset, match=r"'german.dat' is not a file of the data set 'german'; did you mean"
    ):
        fetch_file("german", "german.dat")


@pytest.mark.parametrize("kind", [DataUnavailable, UnknownDataset])
def test_the_errors_survive_the_way_back_from_a_worker(kind):
    error = pickle.loads(pickle.dumps(kind("one line")))
    assert type(error) is kind
    assert str(error) == "one line"
