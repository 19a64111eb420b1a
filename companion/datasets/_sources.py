"""What is registered in ``data/sources.toml``, with the hashes by which a copy is recognised."""

import difflib
import hashlib
import tomllib
from dataclasses import dataclass, fields
from functools import lru_cache

from companion._paths import data_dir
from companion.errors import DataUnavailable, UnknownDataset

__all__ = ["Source", "SourceFile", "get_source", "list_sources"]


class _Typed:
    """What is read from a file: a TypeError says which of its fields has another type."""

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, field.type):
                kind = getattr(field.type, "__name__", field.type)
                raise TypeError(f"{field.name} of {self.key!r} must be {kind}. Got {value!r}")


@dataclass(frozen=True)
class SourceFile(_Typed):
    """One file of a data set: address, sha256 in hexadecimal, size.

    `key` is also its folder under ``COMPANION_DATA``; `rows` and `attributes` are the shape of the
    table, without class and identity columns, with incomplete rows. `packed` is ``"Z"`` if the
    address serves it packed by the Unix program ``compress``; digest and size are those of what was
    packed.
    """

    key: str
    name: str
    url: str
    sha256: str
    bytes: int
    rows: int | None = None
    attributes: int | None = None
    packed: str | None = None


@dataclass(frozen=True)
class Source(_Typed):
    """One external data set: what it is, how to cite it, under which terms it is given out.

    `used_by` has keys of papers; the first of its `files` is the one meant when no name is given.
    `default` is False for a source that is fetched only when it is named, `note` what a user should
    know before fetching it.
    """

    key: str
    title: str
    citation: str
    licence: str
    used_by: tuple
    files: tuple
    doi: str | None = None
    default: bool = True
    note: str = ""

    def file(self, name=None):
        """The file of this name, the first if none is given; `UnknownDataset` if there is none."""
        if name is None:
            return self.files[0]
        files = {file.name: file for file in self.files}
        return look_up(f"file of the data set {self.key!r}", name, files)


def look_up(what, name, table):
    """The entry of this name; `UnknownDataset` that names the nearest ones if there is none."""
    if isinstance(name, str) and name in table:
        return table[name]
    near = difflib.get_close_matches(str(name), table, n=2, cutoff=0.6)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"known: {', '.join(table)}"
    article = "an" if what[0] in "aeiou" else "a"
    raise UnknownDataset(f"{name!r} is not {article} {what}; {hint}")


@lru_cache(maxsize=1)
def _registry():
    """The sources by key, in the order of the file; `DataUnavailable` if that is damaged."""
    path, sources = data_dir() / "sources.toml", {}
    try:
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["source"]:
            files = tuple(SourceFile(key=entry["key"], **file) for file in entry.pop("file"))
            source = Source(files=files, used_by=tuple(entry.pop("used_by")), **entry)
            if sources.setdefault(source.key, source) is not source:
                raise ValueError(f"{source.key!r} is there twice")
        return sources
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        fault = f"{path} cannot be used ({type(error).__name__}: {error})"
        raise DataUnavailable(f"{fault}; take it from the repository again") from error


def list_sources():
    """The external data sets, a list of `Source` in the order of ``data/sources.toml``."""
    return list(_registry().values())


def get_source(key):
    """The external data set of a key such as ``"heart-statlog"``.

    `UnknownDataset`, which names the nearest keys, if there is none.
    """
    return look_up("registered data set", key, _registry())


def digest_of(*parts):
    """Sixteen hexadecimal digits that identify a sequence of strings."""
    text = "\0".join(map(str, parts))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
