"""Files from outside: folder, cache, download, and one clear line where none of them has it."""

import hashlib
import pickle
import re
from dataclasses import replace

import pytest
from _cases import cases, refused

from companion._utils.errors import DamagedData, DataUnavailable, UnknownDataset
from companion.datasets import OUTSIDE, OutsideFile, data_digest, fetch_file, find_copy

CONTENT = b"1 2 3\n" * 200
#: A file of the Unix program ``compress``, and what is in it.
PACKED = bytes.fromhex("1f9d903158c860314341c081050fb2a0a100")
UNPACKED = b"1,2,3\n1,2,3\n1,2,4\n"


@pytest.fixture
def toy(bare, server, monkeypatch):
    """The place of a file that a server of this machine has, and the served file."""
    folder, address = server
    (folder / "toy.data").write_bytes(CONTENT)
    file = OutsideFile(
        "toy/toy.data", hashlib.sha256(CONTENT).hexdigest(), f"{address}/toy.data"
    )
    monkeypatch.setitem(OUTSIDE, file.place, file)
    return file.place, folder / "toy.data"


@pytest.fixture
def held(tmp_path, monkeypatch):
    """A copy of that file in the folder that ``COMPANION_DATA`` names."""
    path = tmp_path / "held" / "toy" / "toy.data"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "held"))
    return path


def test_every_file_has_a_hash_and_a_secure_address_if_any():
    assert len({file.sha256 for file in OUTSIDE.values()}) == len(OUTSIDE)
    for place, file in OUTSIDE.items():
        assert place == file.place
        assert re.fullmatch(r"[a-z-]+/[a-z.-]+", place)
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.url is None or file.url.startswith("https://")


def test_a_file_is_downloaded_once_and_then_read_from_the_cache(toy, bare):
    place, served = toy
    assert find_copy(place) is None
    path = fetch_file(place)
    served.unlink()
    assert path == bare / "data" / place
    assert path.read_bytes() == CONTENT
    assert fetch_file(place) == path == find_copy(place)


def test_the_named_folder_comes_first_and_another_file_in_it_is_refused(toy, held):
    place, served = toy
    served.unlink()
    assert fetch_file(place) == held
    refused("is not a file from outside", find_copy, "toy/other", error=UnknownDataset)
    held.write_bytes(CONTENT[:-1] + b"!")
    for function in (fetch_file, find_copy):
        refused(
            f"{held} is damaged .* right file in its place",
            function,
            place,
            error=DamagedData,
        )


WRONG = hashlib.sha256(CONTENT[:-6]).hexdigest()
RIGHT = hashlib.sha256(CONTENT).hexdigest()


@cases(
    "sent, says",
    (CONTENT[:-6], f"expected sha256:{RIGHT} but got {WRONG}"),
    (None, "404"),
)
def test_a_download_that_fails_is_explained_and_leaves_nothing(toy, bare, sent, says):
    place, served = toy
    other = replace(OUTSIDE[place], place="toy/other.data")
    served.unlink()
    if sent is not None:
        served.write_bytes(sent)
    refused(
        f"^{place} is not here .*/toy.data: .*{says}.*; name a .*DATA$",
        fetch_file,
        place,
        error=DataUnavailable,
    )
    assert [path for path in bare.rglob("*") if path.is_file()] == []
    served.write_bytes(
        CONTENT
    )  # it is not asked for again in this process, but others are
    refused(says, fetch_file, place, error=DataUnavailable)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(OUTSIDE, other.place, other)
        assert fetch_file(other.place).read_bytes() == CONTENT


def test_a_packed_file_is_unpacked(bare, server, monkeypatch):
    folder, address = server
    (folder / "toy.data.Z").write_bytes(PACKED)
    url = f"{address}/toy.data.Z"
    file = OutsideFile("toy/toy.data", hashlib.sha256(UNPACKED).hexdigest(), url)
    monkeypatch.setitem(OUTSIDE, file.place, file)
    assert fetch_file(file.place).read_bytes() == UNPACKED


def test_without_network_a_line_names_file_and_remedy_and_the_host_is_asked_once(
    bare, no_network
):
    message = (
        "pendigits.tra is not here and .* archive.ics.uci.edu: .*; "
        "name a folder .* COMPANION_"
    )
    refused(message, fetch_file, "pendigits/pendigits.tra", error=DataUnavailable)
    n_asked = len(no_network)
    for place in ("pendigits/pendigits.tes", "waveform/waveform.data"):
        refused(f"{place} is not here", fetch_file, place, error=DataUnavailable)
    assert len(no_network) == n_asked >= 1
    refused("no address has it", fetch_file, "ida/heart.npz", error=DataUnavailable)


def test_digests_need_no_file_from_outside_but_refuse_another_one(
    bare, tmp_path, monkeypatch
):
    names = ("heart", "german", "waveform", "pendigits", "glass", "titanic")
    digests = {data_digest(name) for name in names}
    assert len(digests) == len(names)
    assert all(len(digest) == 16 for digest in digests)
    assert data_digest("heart") == data_digest("heart-statlog")
    refused("'hart' is not a table", data_digest, "hart", error=UnknownDataset)
    (tmp_path / "pendigits").mkdir()
    (tmp_path / "pendigits" / "pendigits.tes").write_bytes(CONTENT)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    refused("pendigits.tes is damaged", data_digest, "pendigits", error=DamagedData)


@cases("kind", DataUnavailable, UnknownDataset, DamagedData)
def test_the_errors_survive_the_way_back_from_a_worker(kind):
    error = pickle.loads(pickle.dumps(kind("one line")))
    assert type(error) is kind
    assert str(error) == "one line"
