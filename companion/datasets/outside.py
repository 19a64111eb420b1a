"""The files that are not part of the repository: found in a folder, else fetched on first use.

``COMPANION_DATA`` names a folder that has files as ``<key>/<file name>``; downloads go to ``data``
in the cache folder. ``data/uci/README.md`` says what the files are.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from companion._utils.errors import DamagedData, DataUnavailable
from companion._utils.paths import cache_dir, chosen_folder
from companion.datasets.tables import check_digest, look_up

__all__ = ["OUTSIDE", "OutsideFile", "fetch_file", "find_copy"]

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_BENCHMARK = "https://github.com/tdiethe/gunnar_raetsch_benchmark_datasets/raw/master"
#: Seconds to wait for a connection and for the next bytes.
_TIMEOUT = (5, 20)


@dataclass(frozen=True)
class OutsideFile:
    """A file by its place ``<key>/<file name>``, its SHA-256 and, if there is one, its address.

    An address that ends in ``.Z`` serves it packed by the Unix program ``compress``.
    """

    place: str
    sha256: str
    url: str | None = None


#: All of them by their place.
OUTSIDE = {
    file.place: file
    for file in (
        OutsideFile(
            "pendigits/pendigits.tra",
            "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3",
            f"{_UCI}/pendigits/pendigits.tra",
        ),
        OutsideFile(
            "pendigits/pendigits.tes",
            "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015",
            f"{_UCI}/pendigits/pendigits.tes",
        ),
        OutsideFile(
            "waveform/waveform.data",
            "da332f3121943f586826f5d1b2cdd354548c59f71ddbf28c4d0c2eb623d7bfc3",
            f"{_UCI}/waveform/waveform.data.Z",
        ),
        OutsideFile(
            "ida-benchmarks/benchmarks.mat",
            "47c19e4bc4716edc4077cfa5ea61edf4d02af4ec51a0ecfe035626ae8b561c75",
            f"{_BENCHMARK}/benchmarks.mat",
        ),
        OutsideFile(
            "ida/titanic.npz",
            "7d3b4e6f4a94d0fd289f418faf02c7b8bd36e1afc8d6eb70a84ecb824e05e8ec",
        ),
        OutsideFile(
            "ida/heart.npz",
            "9409fdc2e908f49007ce4441306cece610e33b9d64d5b0501f1ee97a37f730f8",
        ),
        OutsideFile(
            "ida/breast-cancer.npz",
            "cc259940d8b804aa4e8ca130252ce5da9e843243402c57d44d570f2303f4c192",
        ),
        OutsideFile(
            "ida/german.npz",
            "3f3470f27be0a9e1dd92d3c4d1573595521a3244f4363578cfd98a05be4cc0d5",
        ),
        OutsideFile(
            "ida/ringnorm.npz",
            "3a8beb603ab01e400a2245d76252630fa70e3bcae823e24d6ccad8ecad42baa6",
        ),
        OutsideFile(
            "ida/twonorm.npz",
            "a2fc5e5a8f7dda3c56eac8d12ac8ce13f35428a6d1e61a02a4918a63572f4b1d",
        ),
    )
}

# Why a host did not answer, or a file was not had, for the rest of the process: without network a
# program that asks for several files waits once.
_failures = {}


def find_copy(place):
    """Path of the copy of a file that is here, None if there is none.

    A `DamagedData` error if the copy in ``COMPANION_DATA`` is another file, `UnknownDataset` if
    there is no such file.
    """
    file = look_up("file from outside", place, OUTSIDE)
    cached = _cached(file)
    folder = chosen_folder("COMPANION_DATA")
    if folder:
        path = folder / place
        if path.exists():
            check_digest(path, file.sha256)
            return path
    try:
        check_digest(cached, file.sha256)
    except DamagedData:  # a download replaces it
        return None
    return cached


def fetch_file(place):
    """Path of a file, which is downloaded if it is not here.

    `DataUnavailable` is raised if it cannot be had, `DamagedData` if the copy in
    ``COMPANION_DATA`` is another file.
    """
    path = find_copy(place)
    if path is not None:
        return path
    file = OUTSIDE[place]
    if file.url is None:
        raise _unavailable(place, "no address has it")
    host = urlsplit(file.url).hostname
    for known in (host, place):
        if known in _failures:
            raise _unavailable(place, _failures[known])
    from requests import ConnectionError, Timeout

    try:
        return _download(file)
    except (ConnectionError, Timeout) as error:
        _failures[host] = f"it could not be fetched from {host}: {type(error).__name__}"
        raise _unavailable(place, _failures[host]) from error
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        reason = reason.partition(". ")[0]  # what follows is not known
        _failures[place] = f"it could not be fetched from {file.url}: {reason}"
        raise _unavailable(place, _failures[place]) from error


def _unavailable(place, reason):
    return DataUnavailable(
        f"{place} is not here and {reason}; name a folder that has it by COMPANION_DATA"
    )


def _cached(file):
    return cache_dir() / "data" / file.place


def _download(file):
    import pooch

    pooch.get_logger().setLevel("WARNING")
    target = _cached(file)
    fetched = pooch.retrieve(
        file.url,
        known_hash=f"sha256:{file.sha256}",
        fname=target.name,
        path=target.parent,
        downloader=_unpacked if file.url.endswith(".Z") else _http(),
    )
    return Path(fetched)


def _http():
    """A downloader of pooch; without a stream an answer that is an error leaves no open socket."""
    import pooch

    return pooch.HTTPDownloader(timeout=_TIMEOUT, stream=False)


def _unpacked(url, output_file, registry):
    """A downloader of pooch, which checks what it leaves."""
    _http()(url, output_file, registry)
    with open(output_file, "rb") as packed:
        finished = subprocess.run(
            ["gzip", "-dc"], stdin=packed, capture_output=True, check=True
        )
    Path(output_file).write_bytes(finished.stdout)
