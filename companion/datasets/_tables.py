"""The tables of ``data/uci``, read as they stand there."""

import hashlib
from functools import lru_cache
from pathlib import Path

import numpy as np

from companion._paths import data_dir
from companion.errors import DamagedData


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
    """Path of a table whose content is the registered one."""
    path = data_dir() / "uci" / f"{name}.csv"
    check(path, registered()[path.name])
    return path


def registered():
    """SHA-256 of the tables by file name, from ``data/uci/SHA256SUMS``."""
    lines = (data_dir() / "uci" / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    return {Path(name).name: digest for digest, name in (line.split() for line in lines)}


def check(path, digest):
    """A `DamagedData` error if a text file of the repository has another content than this."""
    try:
        status = path.stat()
        got = _digest_of_text(path, status.st_size, status.st_mtime_ns)
    except (OSError, UnicodeDecodeError) as error:
        raise DamagedData(
            f"{path} cannot be read ({error}); take it from the repository"
        ) from error
    if got != digest:
        raise DamagedData(
            f"{path} has the SHA-256 {got[:12]}..., registered is {digest[:12]}...; "
            "take it from the repository again"
        )


@lru_cache(maxsize=64)
def _digest_of_text(path, size, mtime_ns):
    """Digest whatever the line ends are; size and time make sure that a new file is read anew."""
    text = path.read_text(encoding="ascii")
    return hashlib.sha256(text.encode()).hexdigest()


def read_only(*arrays):
    """The arrays, closed to accidental writing: they are kept and handed out again."""
    for array in arrays:
        array.setflags(write=False)
    return arrays
