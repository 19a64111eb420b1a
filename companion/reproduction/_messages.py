"""What to quote of an error: a line or a sentence that stands inside another message."""

from __future__ import annotations

import traceback

__all__ = ["first_sentence", "last_line"]


def last_line(error: BaseException) -> str:
    """The last line of its traceback: the error's name and the beginning of its message."""
    return traceback.format_exception_only(error)[-1].strip().splitlines()[-1]


def first_sentence(error: BaseException) -> str:
    """The first sentence of its message, on one line; the error's name if there is none."""
    return " ".join(str(error).split()).split(". ")[0].rstrip(".") or type(error).__name__
