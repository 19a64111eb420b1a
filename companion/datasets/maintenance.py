"""What ``companion data`` does: fetch the registered files and check the copies at hand."""

import os
from dataclasses import dataclass
from typing import ClassVar

from companion.datasets._fetch import (
    cache_path,
    damage,
    find_file,
    forget_failures,
    locate,
    mirror_path,
)
from companion.datasets._sources import get_source, list_sources
from companion.errors import DataUnavailable

__all__ = ["CheckReport", "FetchReport", "check", "fetch"]


@dataclass(frozen=True)
class _FileReport:
    """The state of one file, of which one is a fault."""

    key: str
    file: str
    status: str
    message: str
    _FAULT: ClassVar[str]

    @property
    def ok(self):
        """Whether there is no fault."""
        return self.status != self._FAULT


class FetchReport(_FileReport):
    """What became of one file.

    Attributes
    ----------
    key, file : str
        Data set and name of the file.
    status : {"mirror", "cached", "downloaded", "failed"}
        Where it is, or that it is not.
    message : str
        One line.
    ok : bool
        Whether the file is here.
    """

    _FAULT = "failed"


class CheckReport(_FileReport):
    """The state of one file.

    Attributes
    ----------
    key, file : str
        Data set and name of the file.
    status : {"ok", "missing", "damaged"}
        ``"damaged"`` is a copy whose sha256 is not the registered one; it is never used.
    message : str
        One line.
    ok : bool
        False for a damaged copy; a file that is merely missing is no fault.
    """

    _FAULT = "damaged"


def _selected(keys):
    if keys:
        sources = [get_source(key) for key in keys]
    else:
        sources = [source for source in list_sources() if source.default]
    return [file for source in sources for file in source.files]


def fetch(keys=None, progress=None):
    """Bring files here, each from mirror or cache if it is there, else from the network.

    Parameters
    ----------
    keys : iterable of str, optional
        Data sets; all but those marked ``default = false`` if not given.
    progress : bool, optional
        Show progress bars of downloads; by default in a terminal only.

    Returns
    -------
    list of FetchReport
        One for each file. A file that cannot be had does not stop the others.

    Raises
    ------
    UnknownDataset
        If a key is not registered; nothing is fetched then.
    """
    files = _selected(keys)
    forget_failures()
    reports = []
    for file in files:
        path, _ = locate(file)
        if path is not None:
            status = "mirror" if path == mirror_path(file) else "cached"
            message = f"{file.key}/{file.name}: here already ({status})"
        else:
            try:
                find_file(file, progress=progress)
            except DataUnavailable as error:
                status, message = "failed", str(error)
            else:
                status = "downloaded"
                message = f"{file.key}/{file.name}: downloaded, {file.bytes} bytes"
        reports.append(FetchReport(file.key, file.name, status, message))
    return reports


def check(keys=None):
    """Compare the copies in mirror and cache with the registered hashes; no network.

    Parameters
    ----------
    keys : iterable of str, optional
        Data sets; all registered ones if not given.

    Returns
    -------
    list of CheckReport
        One for each file; a damaged copy is reported even if a genuine one lies elsewhere.

    Raises
    ------
    UnknownDataset
        If a key is not registered.
    """
    files = _selected(keys or [source.key for source in list_sources()])
    reports = []
    for file in files:
        places = {"COMPANION_DATA": mirror_path(file), "the cache": cache_path(file)}
        found = {place: path for place, path in places.items() if path and os.path.exists(path)}
        wrong = {place: damage(path, file) for place, path in found.items()}
        bad = [f"the copy in {place} {why}" for place, why in wrong.items() if why]
        if bad:
            status, detail = "damaged", "; ".join(bad) + "; remove it and fetch it again"
        elif found:
            status, detail = "ok", f"genuine, in {' and '.join(found)}"
        else:
            status, detail = "missing", f"not here; `companion data fetch {file.key}` gets it"
        message = f"{file.key}/{file.name}: {detail}"
        reports.append(CheckReport(file.key, file.name, status, message))
    return reports
