"""Writing a file in one step."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["replace_bytes", "replace_text", "write_all"]


def write_all(handle, data):
    """Write all of ``data`` to an open file descriptor, however few bytes a call takes."""
    while data:
        data = data[os.write(handle, data) :]


def replace_bytes(path, content):
    """Write a file so that whoever reads the path sees the old content or the new, and it lasts.

    Parameters
    ----------
    path : path-like
        Its folder is made if there is none.
    content : bytes
        A file that has this content already is left alone.

    Raises
    ------
    OSError
        If it cannot be written; a file that was there is untouched.
    """
    path = Path(path)
    with suppress(OSError):
        if path.read_bytes() == content:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
    try:
        try:
            write_all(handle, content)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def replace_text(path, text):
    """:func:`replace_bytes` for text, as UTF-8."""
    replace_bytes(path, text.encode("utf-8"))


def _sync_folder(folder):
    """Make a renaming in ``folder`` last, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
