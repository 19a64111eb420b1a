"""``data/sources.toml`` is complete, well formed, and true to the files."""

import json
import re

import pytest
from _cases import refused

from companion import __main__
from companion._paths import data_dir
from companion.datasets import (
    _sources,
    data_digest,
    fetch_file,
    get_source,
    is_available,
    list_sources,
)
from companion.datasets._fetch import damage
from companion.datasets.ida import list_ida
from companion.datasets.uci import list_uci
from companion.errors import UnknownDataset

PAPERS = {"l1nsvm", "usvc", "gacv", "wrsvm", "conformal"}


def all_files():
    return [file for source in list_sources() for file in source.files]


def test_every_source_says_what_it_is_and_every_file_has_a_secure_address_and_a_hash():
    for source in list_sources():
        assert source.title and source.citation and source.licence, source.key
        assert source.used_by and set(source.used_by) <= PAPERS, source.key
        assert source.doi is None or re.fullmatch(r"10\.\d{4,}/\S+", source.doi), source.key
    for file in all_files():
        assert re.fullmatch(r"https://\S+", file.url), file.name
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256) and file.bytes > 0, file.name
        packed = file.name + (f".{file.packed}" if file.packed else "")
        assert file.url.rsplit("/", 1)[1] == packed


def test_keys_files_hashes_and_addresses_are_distinct():
    assert len({source.key for source in list_sources()}) == len(list_sources())
    for field in ("sha256", "url"):
        values = [getattr(file, field) for file in all_files()]
        assert len(set(values)) == len(values), field


def test_the_repackaged_benchmark_is_registered_but_fetched_only_when_named():
    file = get_source("ida-benchmarks").file()
    assert (file.name, file.bytes) == ("benchmarks.mat", 8912086)
    assert file.sha256.startswith("47c19e4bc4716edc")
    assert [source.key for source in list_sources() if not source.default] == ["ida-benchmarks"]


@pytest.mark.parametrize("file", all_files(), ids=lambda file: f"{file.key}/{file.name}")
def test_a_file_of_the_mirror_has_the_registered_hash(mirror, file):
    path = mirror / file.key / file.name
    if not path.exists():
        pytest.skip(f"the mirror has no {file.key}/{file.name}")
    assert damage(path, file) is None


def test_the_registry_agrees_with_the_list_of_the_mirror(mirror):
    path = mirror / "manifest.json"
    if not path.is_file():
        pytest.skip("the mirror has no manifest.json to compare with")
    listed = {entry.pop("file"): entry for entry in json.loads(path.read_text())}
    known = {f"{file.key}/{file.name}": file for file in all_files()}
    assert known.keys() - listed == {"ida-benchmarks/benchmarks.mat"}
    for name in known.keys() & listed:
        entry, file = listed[name], known[name]
        assert (file.sha256, file.bytes) == (entry["sha256"], entry["bytes"]), name
        assert (file.rows, file.attributes) == (entry["rows"], entry["attributes"]), name
        assert file.url == entry["uci_url"], name
    tables = {name for name, e in listed.items() if e["uci_url"] and e["rows"] is not None}
    assert tables <= set(known)


def test_an_unknown_key_is_met_with_the_near_one_or_with_all_keys():
    refused("known: heart-statlog, .*, ida-benchmarks", get_source, "qqqqqq", error=UnknownDataset)
    refused("is not a registered data set", get_source, ["german"], error=UnknownDataset)
    refused("did you mean 'heart'", data_digest, "hearts", error=UnknownDataset)
    message = "'german.dat' is not a file of the data set 'german'; did"
    refused(message, fetch_file, "german", "german.dat", error=KeyError)


BROKEN = {
    '"heart-statlog"\n': '"heart-statlog\n',  # an open quote
    "bytes = 16461": 'bytes = "16461"',
    'sha256 = "f5f3': 'sha512 = "f5f3',
    'key = "heart-cleveland"': 'key = "heart-statlog"',
    '["l1nsvm"]': "5",
    "\n[[source]]": "\n[source]",
    "title = ": "titel = ",
    "bytes = 18461": f"bytes = {'[' * 9999}",
}


@pytest.mark.parametrize("old", BROKEN)
def test_a_damaged_registry_is_one_clear_error_of_the_command(tmp_path, monkeypatch, capsys, old):
    text = (data_dir() / "sources.toml").read_text(encoding="utf-8").replace(old, BROKEN[old], 1)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "sources.toml").write_text(text)
    monkeypatch.setenv("COMPANION_PROJECT", str(tmp_path))
    monkeypatch.setattr(_sources, "_registry", _sources._registry.__wrapped__)
    monkeypatch.setattr("sys.argv", ["companion", "data", "list"])
    refused("3", __main__.main, error=SystemExit)
    assert re.fullmatch(
        r".*sources.toml cannot be used .*repository again\n", capsys.readouterr()[1]
    )


def test_digests_need_no_file_and_tell_all_problems_apart(bare, no_network):
    names = [(name, source) for name in list_ida() for source in ("drawn", "ida")]
    names += [(name,) for name in ("sonar", "glass", *list_uci())]
    assert not any(map(is_available, list_uci()))
    digests = [data_digest(*name) for name in names]
    assert len(set(digests)) == len(digests) and digests == [data_digest(*name) for name in names]
    assert all(re.fullmatch(r"[0-9a-f]{16}", digest) for digest in digests) and no_network == []


def test_a_digest_changes_with_the_hash_of_the_file(register):
    register(("german", "german.data", "https://a.invalid/german.data", b"one"))
    one = data_digest("german", "drawn")
    register(("german", "german.data", "https://a.invalid/german.data", b"two"))
    assert data_digest("german", "drawn") != one
    register(("german", "german.data", "https://b.invalid/german.data", b"one"))
    assert data_digest("german", "drawn") == one
