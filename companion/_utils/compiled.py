"""numba's ``njit``, with compiled code that is always of the present sources.

numba keeps what it has compiled for as long as the file of the function stays as it is, wherever
that is kept. Code of other files is compiled into it all the same: the loops that it calls and the
constants that it names. So what is kept here carries a digest of them all.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

import numba

_ROOT = Path(__file__).parents[2]
_IMPORT = re.compile(r"^\s*from (companion[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?: as \w+)?")


def njit(**options):
    """As ``numba.njit`` with ``cache=True``."""

    def compiled(function):
        dispatcher = numba.njit(cache=True, **options)(function)  # noqa: TID251
        if numba.config.DISABLE_JIT:
            return dispatcher
        kept = dispatcher._cache._cache_file
        # In place of the time and size of the function's own file.
        assert kept._source_stamp
        kept._source_stamp = _digest(Path(function.__code__.co_filename))
        kept._load_index = _unless_damaged(kept._load_index, {})
        kept._load_data = _unless_damaged(kept._load_data, None)
        return dispatcher

    return compiled


def _unless_damaged(load, nothing):
    """What is kept, or nothing where a file of it was cut short: then the loop is compiled anew."""

    def loaded(*arguments):
        try:
            return load(*arguments)
        except Exception:  # of a damaged pickle it may be any
            return nothing

    return loaded


@cache
def _digest(path):
    """Digest of a source and of all that it imports of this package, and these in turn."""
    found = set()
    new = {path}
    while new:
        found |= new
        new = set().union(*map(_imported, new)) - found
    digest = hashlib.sha256()
    for source in sorted(found):
        digest.update(b"%s\n%s" % (source.name.encode(), source.read_bytes()))
    return digest.hexdigest()


@cache
def _imported(path):
    """The files of this package that a source imports from."""
    files = set()
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        place = _ROOT.joinpath(*module.split("."))
        for name in _NAME.findall(names):
            homes = (
                place / f"{name}.py",
                place.with_suffix(".py"),
                place / "__init__.py",
            )
            files.update([home for home in homes if home.is_file()][:1])
    return files
