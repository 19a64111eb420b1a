"""Where a registered file is: mirror, cache, or the network, in this order.

A file is used only if its sha256 is the registered one. ``COMPANION_DATA`` names a folder that
holds files as ``<key>/<file name>``; downloads go to ``data/<key>`` in the cache folder.
"""

import errno
import hashlib
import os
import sys
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from stat import S_ISREG
from urllib.parse import urlsplit

from companion._paths import cache_dir
from companion.datasets._sources import get_source
from companion.errors import DataUnavailable

__all__ = ["fetch_file", "forget_failures"]

# Seconds to wait for a connection and for the next bytes, and further attempts after the first.
TIMEOUT = (5, 20)
RETRIES = 1

# Why a host could not be reached or a file (its address) not be had, for the rest of the process:
# without network a program that asks for twenty files should wait once, not twenty times.
_failures = {}


def forget_failures():
    """Forget which hosts and files could not be had, so that the next call tries again."""
    _failures.clear()


@lru_cache(maxsize=256)
def _sha256(path, size, mtime_ns):
    """Digest of a file; size and time of change are arguments so that a new file is read anew."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def damage(path, file):
    """What is wrong with a copy of a registered file, a clause about it; None if it is genuine."""
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):  # reading a pipe or a device may never end
            return "is no regular file"
        if status.st_size != file.bytes:
            kind = "truncated" if status.st_size < file.bytes else "too long"
            return f"is {kind} ({status.st_size} of {file.bytes} bytes)"
        got = _sha256(str(path), status.st_size, status.st_mtime_ns)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if got == file.sha256:
        return None
    return f"has a wrong sha256 ({got[:12]}..., registered is {file.sha256[:12]}...)"


def mirror_path(file):
    """Path of a file under ``COMPANION_DATA``, or None if that is not set."""
    root = os.environ.get("COMPANION_DATA")
    return Path(root).expanduser() / file.key / file.name if root else None


def cache_path(file):
    """Path of a file in the cache, whether it is there or not."""
    return cache_dir() / "data" / file.key / file.name


def locate(file):
    """A genuine local copy of a file and None, or None and one line on why there is none.

    A damaged copy is named. In the mirror nothing else is tried after it: whoever set
    ``COMPANION_DATA`` should know; one in the cache is replaced by a download.
    """
    mirror, cached = mirror_path(file), cache_path(file)
    copies = (
        (mirror, "COMPANION_DATA", f"replace or remove {mirror}"),
        (cached, "the cache", f"run `companion data fetch {file.key}`"),
    )
    for path, place, remedy in copies:
        if path is not None and os.path.exists(path):
            wrong = damage(path, file)
            if wrong is None:
                return path, None
            why = f"{file.name} of {file.key!r} in {place} {wrong}: it is not used; {remedy}"
            return None, why
    return None, f"{file.name} of {file.key!r} is not here; {_advice(file)}"


def _advice(file, when=""):
    root = os.environ.get("COMPANION_DATA")
    if root and not Path(root).expanduser().is_dir():
        return f"COMPANION_DATA={root} is not a folder: correct it or unset it"
    return (
        f"set COMPANION_DATA to a folder that has {file.key}/{file.name} "
        f"or run `companion data fetch {file.key}`{when}"
    )


def find_file(file, *, progress=None):
    """Path of a genuine copy of a `SourceFile`, downloaded if need be.

    `DataUnavailable` if there is none: one line that names the file and what to do.
    """
    path, why = locate(file)
    if path is not None:
        return path
    mirror = mirror_path(file)
    if mirror is not None and os.path.exists(mirror):
        raise DataUnavailable(why)
    return _download(file, progress)


def fetch_file(key, filename=None, *, progress=None):
    """Path of a file of an external data set, downloaded on first use, its sha256 checked.

    `key` is that of ``data/sources.toml``, for example ``"german"``, `filename` by default the
    first file of the data set. It is ``COMPANION_DATA/<key>/<filename>`` if that is there, else the
    copy in the cache; `progress` shows a bar for a download, by default in a terminal only.
    `DataUnavailable` is raised if no genuine copy can be had, `UnknownDataset` if there is no such
    key or file.
    """
    return find_file(get_source(key).file(filename), progress=progress)


def _download(file, progress):
    host = urlsplit(file.url).hostname
    for place in (file.url, host):
        if place in _failures:
            raise DataUnavailable(_sentence(file, _failures[place]))
    import pooch
    import requests.exceptions as http

    target = cache_path(file)
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    pooch.get_logger().setLevel("WARNING")
    registry = pooch.create(
        path=target.parent,
        base_url="",
        registry={file.name: f"sha256:{file.sha256}"},
        urls={file.name: file.url},
        retry_if_failed=RETRIES,
    )
    downloader = pooch.HTTPDownloader(timeout=TIMEOUT, progressbar=progress)
    connection = f"there is no connection to {host}"
    certificate = f"the certificate of {host} is not trusted here"

    def download(url, output_file, pooch):
        """Into memory, no more than is registered; pooch checks what is written."""
        received = _Limited(2 * file.bytes if file.packed else file.bytes)
        try:
            downloader(url, received, pooch)
        except http.ConnectionError as error:  # pooch would wait, and ask such a host again
            trusted = not isinstance(error, http.SSLError)
            raise ConnectionError(connection if trusted else certificate) from error
        content = received.getvalue()
        Path(output_file).write_bytes(unlzw(content, file.bytes) if file.packed else content)

    try:
        return Path(registry.fetch(file.name, downloader=download))
    except ConnectionError as error:
        place, reason = host, str(error)
    except http.Timeout:
        place, reason = host, connection
    except http.HTTPError as error:
        place, reason = file.url, f"{host} answered {error.response.status_code}"
    except http.RequestException as error:
        place, reason = file.url, f"the download from {host} broke off ({type(error).__name__})"
    except OSError as error:
        raise DataUnavailable(_disk_problem(file, target, error)) from error
    except ValueError:
        place = file.url
        reason = (
            f"what {host} sent is not the registered file (too long, truncated or changed: wrong "
            "sha256) and was thrown away"
        )
    _failures[place] = reason
    raise DataUnavailable(_sentence(file, reason))


class _Limited(BytesIO):
    """What pooch writes to; a ValueError if it is more than so many bytes."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def write(self, chunk):
        if self.tell() + len(chunk) > self.most:
            raise ValueError(f"more than {self.most} bytes")
        return super().write(chunk)


def unlzw(packed, most):
    """What the Unix program ``compress`` packed (``.Z``), a ValueError if more than `most` bytes.

    Codes come in groups of eight of the same width; a group ends early where the width changes.
    """
    if packed[:2] != b"\x1f\x9d" or len(packed) < 3 or not 9 < packed[2] & 31 <= 16:
        raise ValueError("not packed by compress")
    widest, clears = packed[2] & 31, packed[2] & 128
    start = [bytes([n]) for n in range(256)] + ([b""] if clears else [])
    table, bits, last, unpacked, place = start.copy(), 9, b"", bytearray(), 3
    while place < len(packed):
        group = packed[place : place + bits]
        place += bits
        codes = int.from_bytes(group, "little")
        for n in range(8 * len(group) // bits):
            code = codes >> n * bits & (1 << bits) - 1
            if clears and code == 256:
                table, bits, last = start.copy(), 9, b""
                break
            if code > len(table) - (not last):
                raise ValueError("a code without an entry")
            if last and len(table) < 1 << widest:
                table.append(last + (table[code] if code < len(table) else last)[:1])
            last = table[code]
            unpacked += last
            if len(unpacked) > most:
                raise ValueError(f"more than {most} bytes")
            if len(table) == 1 << bits and bits < widest:
                bits += 1
                break
    return bytes(unpacked)


def _sentence(file, reason):
    return f"{file.name} of {file.key!r} is not here and {reason}; {_advice(file, ' later')}"


def _disk_problem(file, target, error):
    if error.errno == errno.ENOSPC:
        rule, remedy = "no space is left in the cache folder", "free space there or set"
    else:
        # pooch re-raises a refused permission without its number, so there may be no strerror.
        rule = f"the cache folder cannot be written to ({error.strerror or type(error).__name__})"
        remedy = "set"
    return (
        f"{file.name} of {file.key!r} cannot be kept: {rule}; "
        f"{remedy} COMPANION_CACHE to another folder than {target.parents[2]}"
    )
