"""The tables of ``data/uci`` are whole, and what the studies make of them never changes."""

import hashlib
import re
import shutil

import numpy as np
from _cases import cases, refused
from _or_skip import or_skip

from companion import datasets
from companion._utils.errors import DamagedData
from companion._utils.paths import uci_dir
from companion.datasets import tables
from companion.datasets.ida import list_ida
from companion.datasets.imbalanced import list_imbalanced
from companion.datasets.tables import read_table, registered_tables
from companion.datasets.uci import list_uci

# First digits of the SHA-256 of the loaded arrays. Inputs are rounded to ten decimals, since
# scaling may round differently on other machines.
LOADED = """\
ida titanic fca68b51042aa1c1
ida heart 9f5b9c20cb392159
ida breast-cancer 157a79063b2c3bfb
ida german 236daf41c0da7510
ida diabetis 405a7bbb26b18121
ida image 98f71d248ad9b10e
ida thyroid 44780b52d22d3ae5
ida waveform bbac4080fef4fb68
uci breast-cancer-wisconsin cf4706f2dffb1fa2
uci dermatology 338760030e887a8a
uci haberman 126f87f66c3229d7
uci post-operative dd6a6d84937831a9
uci heart-cleveland e12c732ac3615b45
uci hepatitis addbb6e1e0a15561
uci bupa 39dd60c456b6facb
imbalanced glass7 4ea1a2127568f7f4
imbalanced segment1 d4cff87bbc96acee
imbalanced hepatitis 5c6816afc1f734ef
imbalanced sonar 55de12ca3ab9e3b8
imbalanced heart e12c732ac3615b45
imbalanced ionosphere efb28045d162aa10
imbalanced wdbc 66e3a78aef90e3bf
"""
LOADED = [line.split() for line in LOADED.splitlines()]


def test_every_table_is_described_and_registered():
    """The digests below are those of all classes and attributes."""
    files = [path.stem for path in uci_dir().glob("*.csv")]
    assert sorted(files) == sorted(registered_tables())
    text = (uci_dir() / "README.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([a-z-]+) \| ([\d,]+) \| (.+) \| (10\.24432/C\w+|none) \|", text, re.M
    )
    sizes = {name: int(n.replace(",", "")) for name, n, *_ in rows}
    assert sizes == {name: len(read_table(name)) for name in {*files} - {"titanic"}}


def test_another_table_of_the_same_name_is_refused_and_other_line_ends_are_not(
    tmp_path, monkeypatch
):
    folder = tmp_path / "uci"
    shutil.copytree(uci_dir(), folder)
    monkeypatch.setattr(tables, "uci_dir", lambda: folder)
    path = folder / "haberman.csv"
    text = path.read_text()
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert len(read_table("haberman")) == 306
    path.write_text(text.replace("30,64,1,1", "30,64,1,2", 1))
    refused(
        "haberman.csv is damaged or another file",
        read_table,
        "haberman",
        error=DamagedData,
    )
    path.unlink()
    refused("haberman.csv cannot be read", read_table, "haberman", error=DamagedData)
    sums = folder / "SHA256SUMS"
    sums.write_text(sums.read_text() + "<<<<<<< ours\na b c\n")
    refused("bring it back with git", read_table, "haberman", error=DamagedData)
    sums.unlink()
    refused("SHA256SUMS should have", read_table, "haberman", error=DamagedData)


def test_every_problem_that_is_listed_has_its_digest():
    listed = {"ida": list_ida(), "uci": list_uci(), "imbalanced": list_imbalanced()}
    names = {kind: [row[1] for row in LOADED if row[0] == kind] for kind in listed}
    assert names == listed


@cases("kind, name, digest", *LOADED)
def test_what_is_loaded_is_what_the_records_were_computed_from(kind, name, digest):
    data = or_skip(getattr(datasets, f"load_{kind}"))(name)
    found = hashlib.sha256()
    for array in (data.X, data.y):
        assert array.flags.c_contiguous
        assert not array.flags.writeable
        found.update((np.round(array.astype(float), 10) + 0.0).tobytes())
    assert found.hexdigest()[:16] == digest
