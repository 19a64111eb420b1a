"""Reading a CSV file line by line, and writing a file in one step."""

import codecs
import csv
import os
from contextlib import suppress
from pathlib import Path

#: How lines begin between which git left two versions of a file.
_CONFLICT = ("<<<<<<< ", ">>>>>>> ")


def read_csv(content):
    """The cells of the lines of a CSV file; a ValueError names a line that is none."""
    if content.startswith(codecs.BOM_UTF8):
        raise ValueError(
            "line 1: it begins with a byte order mark; save it as UTF-8 without one"
        )
    texts = []
    cells = []
    try:
        for line in content.splitlines() or [b""]:
            texts.append(line.decode())
            if texts[-1].startswith(_CONFLICT):
                raise csv.Error("git left two versions of what follows")
    except (UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(
            len(texts) + isinstance(error, UnicodeDecodeError), error
        ) from error
    try:
        for line in (reader := csv.reader(texts, strict=True)):
            if reader.line_num > len(cells) + 1:
                raise csv.Error("a quote is not closed")
            cells.append(line)
    except csv.Error as error:
        raise _unreadable(len(cells) + 1, error) from error
    return cells


def _unreadable(number, error):
    return ValueError(f"line {number}: it cannot be read as CSV ({error})")


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
