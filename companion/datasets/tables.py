"""The tables of ``data/uci``, read as they stand there, and digests of files."""

import difflib
import hashlib
from functools import lru_cache

import numpy as np

from companion._utils.errors import DamagedData, UnknownDataset
from companion._utils.paths import uci_dir


def read_table(name):
    """A table of ``data/uci`` as text, NaN where a cell is empty: attributes, then ``class``.

    A `DamagedData` error if it is not the table of the repository.
    """
    import pandas as pd

    return pd.read_csv(table_path(name), dtype=str)


def attributes(table):
    """What a table has beside its classes as an array of floats, which are exact."""
    cells = table.drop(columns="class").to_numpy(dtype=object)
    return np.array(cells, dtype=float, order="C")


def table_path(name):
    """Path of a table, whose content is the registered one."""
    path = uci_dir() / f"{name}.csv"
    check_digest(path, look_up("table", name, registered_tables()))
    return path


def registered_tables():
    """SHA-256 of the tables by name, from ``data/uci/SHA256SUMS``."""
    path = uci_dir() / "SHA256SUMS"
    try:
        lines = path.read_text(encoding="ascii").splitlines()
        pairs = [line.split() for line in lines]
        return {file.removesuffix(".csv"): digest for digest, file in pairs}
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DamagedData(
            f"{path} should have a digest and a file name on each line: {reason}; bring it back "
            "with git checkout."
        ) from error


def check_digest(path, digest):
    """A `DamagedData` error if a file has another content than that of this SHA-256."""
    try:
        status = path.stat()
        found = _digest_of_file(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise DamagedData(f"{path} cannot be read: {error.strerror}.") from error
    if found != digest:
        raise DamagedData(
            f"{path} is damaged or another file: its SHA-256 is {found[:12]}... and should be "
            f"{digest[:12]}...; put the right file in its place."
        )


@lru_cache(maxsize=64)
def _digest_of_file(path, size, mtime_ns):
    """The SHA-256, of a table whatever its line ends are.

    Size and time of change are arguments so that a new file is read anew.
    """
    content = path.read_bytes()
    if path.suffix == ".csv":
        content = content.replace(b"\r\n", b"\n")
    return hashlib.sha256(content).hexdigest()


def look_up(what, name, table):
    """The entry of this name; `UnknownDataset` that names the nearest ones if there is none."""
    if isinstance(name, str) and name in table:
        return table[name]
    near = difflib.get_close_matches(str(name), table, n=2, cutoff=0.6)
    hint = (
        f"did you mean {' or '.join(map(repr, near))}?"
        if near
        else f"known: {', '.join(table)}"
    )
    article = "an" if what[0] in "aeiou" else "a"
    raise UnknownDataset(f"{name!r} is not {article} {what}; {hint}")


def read_only(*arrays):
    """The arrays, closed to accidental writing: they are kept and handed out again."""
    for array in arrays:
        array.setflags(write=False)
    return arrays
