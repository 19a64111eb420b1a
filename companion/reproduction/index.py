"""The index of the committed tables of records: ``data/records/index.csv``, one line a study.

It says of how many units a table is, by which code they were computed, and what its bytes are, so
that a table that is old or was altered is known without a digest in each of its lines.
"""

import hashlib
import lzma
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from companion._utils.files import replace_bytes
from companion._utils.paths import cache_dir, data_dir
from companion._utils.processes import only_one
from companion.reproduction.errors import DamagedError
from companion.reproduction.records import parse_table, to_table


class Entry(NamedTuple):
    """A line of the index, without its study: ``<paper>/<name>``."""

    units: str
    code: str
    sha256: str


_COLUMNS = ["study", *Entry._fields]
_STUDY = re.compile(r"[A-Za-z0-9_-]+/[A-Za-z0-9_-]+")


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
        lines = parse_table(path.read_bytes())
        if any([*line] != _COLUMNS for line in lines):
            raise ValueError(f"line 1: the columns must be {', '.join(_COLUMNS)}")
        for number, line in enumerate(lines, start=2):
            if not _STUDY.fullmatch(line["study"]):
                raise ValueError(
                    f"line {number}: {line['study']!r} is no '<paper>/<study>' of plain words"
                )
    except ValueError as error:
        advice = "It is damaged and left as it is; take it from the repository again"
        raise DamagedError(
            f"The index of records {path}: {error}. {advice}."
        ) from error
    return {line.pop("study"): Entry(**line) for line in lines}


def tables_of_records() -> list[str]:
    """The studies of which there is a table."""
    folder = data_dir() / "records"
    paths = [*folder.glob("*/*.csv"), *folder.glob("*/*.csv.xz")]
    return [f"{path.parent.name}/{path.name.partition('.')[0]}" for path in paths]


def packed(path: Path) -> Path:
    """Where a wheel, which is to be small, has a table."""
    return path.with_name(f"{path.name}.xz")


def read_table(path: Path) -> bytes:
    """The bytes of a table.

    A FileNotFoundError says that there is none, a ValueError that it is packed and damaged.
    """
    if path.is_file() or not packed(path).is_file():
        return path.read_bytes()
    try:
        return lzma.decompress(packed(path).read_bytes())
    except lzma.LZMAError as error:
        raise ValueError(f"{packed(path).name} cannot be unpacked ({error})") from error


@contextmanager
def _locked() -> Iterator[None]:
    """Keep other processes from writing a table and its entry."""
    lock = cache_dir().absolute() / "records" / "index.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with only_one(lock, "the index of records"):
        yield


def read_indexed(path: Path, study: str) -> tuple[bytes, str]:
    """The table of a study, and its code; "" if the index does not know it as it is.

    What does not fit is read again once nobody is writing.
    """
    for lock in (nullcontext(), _locked()):
        with lock:
            content = read_table(path)
            entry = load_index().get(study)
        if entry and digest_of_table(content) == entry.sha256:
            return content, entry.code
    return content, ""


def write_indexed(
    path: Path, study: str, content: bytes, n_units: int, code: str
) -> None:
    """Write the table of a study and its entry."""
    with _locked():
        entries = load_index()
        entries[study] = Entry(str(n_units), code, digest_of_table(content))
        lines = [
            {"study": name, **entry._asdict()}
            for name, entry in sorted(entries.items())
        ]
        replace_bytes(path, content)
        replace_bytes(index_path(), to_table(_COLUMNS, lines))
