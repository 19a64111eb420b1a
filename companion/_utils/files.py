"""Reading a CSV file line by line, and writing a file in one step."""

import codecs
import csv
import os
from contextlib import suppress
from pathlib import Path

#: How lines begin between which git left two versions of a file.
_CONFLICT = (b"<<<<<<< ", b">>>>>>> ")


def read_csv(content):
    """The cells of the lines of a CSV file; a ValueError names a line that is none."""
    if content.startswith(codecs.BOM_UTF8):
        raise ValueError(
            "line 1: it begins with a byte order mark; save it as UTF-8 without one"
        )
    cells = []
    for number, line in enumerate(content.splitlines() or [b""], start=1):
        try:
            if line.startswith(_CONFLICT):
                raise csv.Error("git left two versions of what follows")
            cells += csv.reader([line.decode()], strict=True)
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(
                f"line {number}: it cannot be read as CSV ({error})"
            ) from error
    return cells


def replace_bytes(path, content):
    """Write a file so that whoever reads the path sees the old content or the new, and it lasts.

    Its folder is made if there is none; a file that has this content already is left alone, and
    so is what was there if it cannot be written.
    """
    path = Path(path)
    with suppress(OSError):
        if path.read_bytes() == content:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}-{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    with suppress(
        OSError
    ):  # the renaming must last too, where the system can see to that
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
