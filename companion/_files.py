"""Reading a CSV file line by line, writing a file in one step, and keeping what was found."""

import csv
import hashlib
import os
import pickle
from contextlib import suppress
from pathlib import Path


def read_csv(content):
    """Texts and cells of the lines of a CSV file; a ValueError names a line that is none."""
    texts, cells = [], []
    try:
        for line in content.splitlines() or [b""]:
            texts.append(line.decode())
        for line in (reader := csv.reader(texts, strict=True)):
            if reader.line_num > len(cells) + 1:
                raise csv.Error("a quote is not closed")
            cells.append(line)
    except (UnicodeDecodeError, csv.Error) as error:
        number = len(texts if isinstance(error, UnicodeDecodeError) else cells) + 1
        raise ValueError(f"line {number}: it cannot be read as CSV ({error})") from error
    return texts, cells


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
    with suppress(OSError):  # the renaming must last too, where the system can see to that
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def keep(path, parts, function, *args):
    """What the function gives, or gave before for equal parts, which the file at the path keeps.

    The parts are all that the result depends on, with the digest of the function's code.
    """
    stamp = hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()
    with suppress(Exception):  # whatever a damaged pickle leads to, or one of other packages
        before, found = pickle.loads(path.read_bytes())
        if before == stamp:
            return found
    found = function(*args)
    with suppress(OSError):
        replace_bytes(path, pickle.dumps((stamp, found)))
    return found
