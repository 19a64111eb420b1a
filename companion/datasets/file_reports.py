"""What ``companion data`` does: fetch the registered files and check the copies at hand."""

import os
from dataclasses import dataclass

from companion.datasets import _fetch
from companion.datasets._sources import get_source, list_sources
from companion.errors import DataUnavailable

__all__ = ["CheckReport", "FetchReport", "check", "fetch"]


@dataclass(frozen=True)
class FetchReport:
    """What became of one file that was fetched or checked, `message` in one line.

    `status` is, of `fetch`, "mirror", "cached", "downloaded" or "failed"; of `check` "ok",
    "missing" or "damaged", a copy whose sha256 is not the registered one and that is never used.
    """

    key: str
    file: str
    status: str
    message: str

    @property
    def ok(self):
        return self.status not in ("failed", "damaged")


CheckReport = FetchReport


def _selected(keys):
    if keys:
        sources = [get_source(key) for key in keys]
    else:
        sources = [source for source in list_sources() if source.default]
    return [file for source in sources for file in source.files]


def fetch(keys=None, progress=None):
    """Bring files here, each from mirror or cache if it is there, else from the network.

    `keys` are data sets, by default all but those marked ``default = false``; `progress` shows bars
    of downloads, by default in a terminal only. Returns a `FetchReport` for each file; one that
    cannot be had does not stop the others. `UnknownDataset` is raised before anything is fetched.
    """
    files = _selected(keys)
    _fetch.forget_failures()
    reports = []
    for file in files:
        path, _ = _fetch.locate(file)
        if path is not None:
            status = "mirror" if path == _fetch.mirror_path(file) else "cached"
            message = f"{file.key}/{file.name}: here already ({status})"
        else:
            try:
                _fetch.find_file(file, progress=progress)
            except DataUnavailable as error:
                status, message = "failed", str(error)
            else:
                status = "downloaded"
                message = f"{file.key}/{file.name}: downloaded, {file.bytes} bytes"
        reports.append(FetchReport(file.key, file.name, status, message))
    return reports


def check(keys=None):
    """Compare the copies in mirror and cache with the registered hashes; no network.

    `keys` are data sets, by default all that are registered (else `UnknownDataset`). Returns a
    `CheckReport` for each file; a damaged copy is reported even if a genuine one lies elsewhere.
    """
    reports = []
    for file in _selected(keys or [source.key for source in list_sources()]):
        places = {"COMPANION_DATA": _fetch.mirror_path(file), "the cache": _fetch.cache_path(file)}
        found = {place: path for place, path in places.items() if path and os.path.exists(path)}
        wrong = {place: _fetch.damage(path, file) for place, path in found.items()}
        bad = [f"the copy in {place} {why}" for place, why in wrong.items() if why]
        if bad:
            status, detail = "damaged", "; ".join(bad) + "; remove it and fetch it again"
        elif found:
            status, detail = "ok", f"genuine, in {' and '.join(found)}"
        else:
            status, detail = "missing", "not here"
        reports.append(
            CheckReport(file.key, file.name, status, f"{file.key}/{file.name}: {detail}")
        )
    return reports
