"""Writing a file in one step."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["replace_text"]


def replace_text(path, text):
    """Write a text file so that whoever reads the path sees the old content or the new.

    Parameters
    ----------
    path : path-like
        Its folder is made if there is none.
    text : str

    Raises
    ------
    OSError
        If it cannot be written; a file that was there is untouched.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
