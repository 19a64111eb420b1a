"""The reader of ``.Z`` files against a writer of the format, and the writer against gzip."""

import hashlib
import shutil
import subprocess

import numpy as np
import pytest

from companion.datasets import fetch_file
from companion.datasets._lzw import unpack


def pack(data, max_width=16, clear_at=None):
    """Write the format: LZW codes of growing width, lowest bit first, in groups of eight codes.

    `clear_at` empties the table once it has as many entries.
    """
    bits, n_bits, group_start = 0, 0, 0

    def emit(code, width):
        nonlocal bits, n_bits
        bits |= code << n_bits
        n_bits += width

    def close_group(width):
        nonlocal n_bits, group_start
        size = 8 * width
        n_bits = group_start = group_start + -(-(n_bits - group_start) // size) * size

    fresh = {bytes([value]): value for value in range(256)}
    table, next_code, width, word = dict(fresh), 257, 9, b""
    for value in data:
        longer = word + bytes([value])
        if longer in table:
            word = longer
            continue
        emit(table[word], width)
        word = bytes([value])
        if next_code < 1 << max_width:
            table[longer] = next_code
            next_code += 1
            # The reader learns each entry one code later, so the width grows one code later too.
            if next_code > 1 << width and width < max_width:
                close_group(width)
                width += 1
        if clear_at is not None and next_code >= clear_at:
            emit(256, width)
            close_group(width)
            table, next_code, width = dict(fresh), 257, 9
    if word:
        emit(table[word], width)
    return b"\x1f\x9d" + bytes([0x80 | max_width]) + bits.to_bytes(-(-n_bits // 8), "little")


def samples():
    rng = np.random.default_rng(5)
    table = "\n".join(",".join(f"{v:.2f}" for v in row) for row in rng.normal(size=(400, 21)))
    return {
        "empty": b"",
        "one byte": b"a",
        "a run, whose codes are used before they are complete": b"a" * 5000,
        "a table of numbers": table.encode(),
        "bytes without pattern": rng.integers(0, 256, 20000, dtype=np.uint8).tobytes(),
    }


CASES = [
    pytest.param(data, *options, id=f"{name}, width {options[0]}, clear {options[1]}")
    for name, data in samples().items()
    for options in ((16, None), (12, None), (10, None), (16, 3000), (13, 600))
]


@pytest.mark.parametrize(("data", "max_width", "clear_at"), CASES)
def test_what_was_packed_is_unpacked(data, max_width, clear_at):
    assert unpack(pack(data, max_width, clear_at)) == data


@pytest.mark.skipif(shutil.which("gzip") is None, reason="there is no gzip to compare with")
@pytest.mark.parametrize(("data", "max_width", "clear_at"), CASES)
def test_gzip_reads_the_packed_bytes_alike(data, max_width, clear_at):
    packed = pack(data, max_width, clear_at)
    assert subprocess.run(["gzip", "-dc"], input=packed, stdout=-1, check=True).stdout == data


def test_other_bytes_are_refused():
    with pytest.raises(ValueError, match="not a .Z file"):
        unpack(b"PK\x03\x04")


def test_a_code_before_its_definition_is_refused():
    first, second = 97, 300
    payload = (first | second << 9).to_bytes(3, "little")
    with pytest.raises(ValueError, match="damaged .Z file"):
        unpack(b"\x1f\x9d\x90" + payload)


def test_a_packed_address_is_unpacked_on_the_way_into_the_cache(bare, server, register):
    data = samples()["a table of numbers"]
    server.serve("/toy.data.Z", pack(data))
    register(("toy", "toy.data", server.url("/toy.data.Z"), data), packed="Z")
    path = fetch_file("toy")
    assert path.name == "toy.data"
    assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(data).digest()


def test_a_packed_address_that_sends_something_else_is_refused(bare, server, register):
    data = samples()["a table of numbers"]
    server.serve("/toy.data.Z", data)
    register(("toy", "toy.data", server.url("/toy.data.Z"), data), packed="Z")
    with pytest.raises(RuntimeError, match="not the registered file"):
        fetch_file("toy")
    assert [path for path in bare.rglob("*") if path.is_file()] == []
