"""What is registered in ``data/sources.toml``, and the digests of data sets.

Nothing here looks for a file: it is the list of what exists in the world, with the hashes by which
a copy is recognised.
"""

import difflib
import hashlib
from dataclasses import dataclass
from functools import lru_cache

import tomllib

from companion._paths import data_dir
from companion.errors import UnknownDataset

__all__ = ["Source", "SourceFile", "get_source", "list_sources"]


@dataclass(frozen=True)
class SourceFile:
    """One file of a data set.

    Attributes
    ----------
    key : str
        Key of the data set, which is also its folder under ``COMPANION_DATA``.
    name : str
        Name of the file.
    url : str
        Address it is downloaded from.
    sha256 : str
        Digest of the file, in hexadecimal.
    bytes : int
        Size of the file.
    rows, attributes : int or None
        Shape of the table, without class and identity columns, with incomplete rows.
    packed : str or None
        ``"Z"`` if the address serves it packed by the Unix program ``compress``; digest and size
        are those of the unpacked file.
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
class Source:
    """One external data set.

    Attributes
    ----------
    key : str
        Short name.
    title, citation, licence : str
        What it is, how to cite it, under which terms it is given out.
    doi : str or None
        Digital object identifier, without the address of the resolver.
    used_by : tuple of str
        Keys of the papers that use it.
    files : tuple of SourceFile
        Its files; the first is the one meant when no name is given.
    default : bool
        False for a source that is fetched only when it is named.
    note : str
        What a user should know before fetching it.
    """

    key: str
    title: str
    citation: str
    licence: str
    doi: str | None
    used_by: tuple[str, ...]
    files: tuple[SourceFile, ...]
    default: bool = True
    note: str = ""

    def file(self, name=None):
        """Look up a file of this source.

        Parameters
        ----------
        name : str, optional
            Its name; the first file if not given.

        Returns
        -------
        SourceFile

        Raises
        ------
        UnknownDataset
            If the source has no such file.
        """
        if name is None:
            return self.files[0]
        files = {file.name: file for file in self.files}
        return look_up(f"file of the data set {self.key!r}", name, files)


def look_up(what, name, table):
    """The entry of a table by its name.

    Parameters
    ----------
    what : str
        What the table lists, for the error message.
    name : str
    table : dict of str to object

    Returns
    -------
    object

    Raises
    ------
    UnknownDataset
        If there is no such entry; the message names the nearest ones.
    """
    if isinstance(name, str) and name in table:
        return table[name]
    near = difflib.get_close_matches(str(name), table, n=2, cutoff=0.6)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"known: {', '.join(table)}"
    article = "an" if what[0] in "aeiou" else "a"
    raise UnknownDataset(f"{name!r} is not {article} {what}; {hint}")


def read_sources(path):
    """Read a registry.

    Parameters
    ----------
    path : path-like
        A file in the form of ``data/sources.toml``.

    Returns
    -------
    list of Source
        In the order of the file.
    """
    with open(path, "rb") as stream:
        entries = tomllib.load(stream)["source"]
    sources = []
    for entry in entries:
        files = tuple(SourceFile(key=entry["key"], **file) for file in entry.pop("file"))
        used_by = tuple(entry.pop("used_by", ()))
        sources.append(Source(doi=entry.pop("doi", None), used_by=used_by, files=files, **entry))
    return sources


@lru_cache(maxsize=1)
def _registry():
    return {source.key: source for source in read_sources(data_dir() / "sources.toml")}


def list_sources():
    """List the external data sets.

    Returns
    -------
    list of Source
        In the order of ``data/sources.toml``.
    """
    return list(_registry().values())


def get_source(key):
    """Look up an external data set.

    Parameters
    ----------
    key : str
        Its key, for example ``"heart-statlog"``.

    Returns
    -------
    Source

    Raises
    ------
    UnknownDataset
        If the registry has no such key; the message names the nearest ones.
    """
    return look_up("registered data set", key, _registry())


def digest_of(*parts):
    """Sixteen hexadecimal digits that identify a sequence of strings."""
    text = "\0".join(map(str, parts))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
