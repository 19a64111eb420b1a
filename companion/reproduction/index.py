"""The index of the committed tables of records: ``data/records/index.csv``, one line a study.

It says of how many units a table is, by which code they were computed, and what its bytes are, so
that a table that is old or was altered is known without a digest in each of its lines.
"""

import hashlib
import lzma
import os
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from companion._utils.files import read_csv, replace_bytes
from companion._utils.paths import cache_dir, data_dir
from companion._utils.processes import only_one
from companion.reproduction.errors import DamagedError
from companion.reproduction.records import to_table


@dataclass(frozen=True)
class Entry:
    """A line of the index, without its study: ``<paper>/<name>``."""

    units: str
    code: str
    sha256: str


_COLUMNS = ["study", *(field.name for field in fields(Entry))]


def index_path() -> Path:
    """Where the index stands."""
    return data_dir() / "records" / "index.csv"


def digest_of_table(content: bytes) -> str:
    """The SHA-256 of a table, whatever ends its lines."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def load_index() -> dict[str, Entry]:
    """The entries by study; none where there is no index."""
    path = index_path()
    if not path.is_file():
        return {}
    try:
        header, *lines = read_csv(path.read_bytes())
        if header != _COLUMNS:
            raise ValueError(f"line 1: the columns must be {', '.join(_COLUMNS)}")
        entries = {}
        for number, line in enumerate(lines, start=2):
            if len(line) != len(header):
                raise ValueError(
                    f"line {number}: {len(line)} cells instead of {len(header)}"
                )
            if line[0] in entries:
                raise ValueError(f"line {number}: {line[0]} is there twice")
            entries[line[0]] = Entry(*line[1:])
        return entries
    except ValueError as error:
        advice = "It is damaged and left as it is; take it from the repository again"
        raise DamagedError(
            f"The index of records {path}: {error}. {advice}."
        ) from error


def _next(path: Path) -> Path:
    """Where the new table of a study waits until the index names it."""
    return path.with_name(f".{path.name}.next")


def packed(path: Path) -> Path:
    """Where a wheel, which is to be small, has a table."""
    return path.with_name(f"{path.name}.xz")


def read_table(path: Path) -> bytes:
    """The bytes of a table; a FileNotFoundError says that there is none."""
    if path.is_file() or not packed(path).is_file():
        return path.read_bytes()
    try:
        return lzma.decompress(packed(path).read_bytes())
    except lzma.LZMAError as error:
        raise ValueError(f"{packed(path).name} cannot be unpacked: {error}") from error


def read_indexed(path: Path, study: str) -> tuple[bytes, Entry | None]:
    """The table of a study with its entry, and whatever there is where nothing fits the entry.

    A FileNotFoundError says that there is no table.
    """
    entry = load_index().get(study)
    waiting = _next(path)
    if entry and waiting.is_file():
        content = waiting.read_bytes()
        if digest_of_table(content) == entry.sha256:
            return content, entry
    return read_table(path), entry


def write_indexed(
    path: Path, study: str, content: bytes, n_units: int, code: str
) -> None:
    """Write the table of a study and its entry, so that a kill in between loses neither."""
    if path.is_file() and path.read_bytes() == content:
        waiting = path
    else:
        waiting = _next(path)
        replace_bytes(waiting, content)
    lock = cache_dir().absolute() / "records" / "index.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with only_one(lock, "the index of records"):
        entries = load_index()
        entries[study] = Entry(str(n_units), code, digest_of_table(content))
        lines = [[name, *astuple(entry)] for name, entry in sorted(entries.items())]
        replace_bytes(index_path(), to_table([_COLUMNS, *lines]))
    os.replace(waiting, path)
