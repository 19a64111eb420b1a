"""A digest of source code that comments, docstrings and layout do not move.

The digest runs over the tokens of each module, so it is the same under every supported Python
(a dump of the syntax tree is not: its nodes change between versions).
"""

from __future__ import annotations

import hashlib
import io
import tokenize
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

__all__ = ["code_digest", "normalised_source"]

_DIGEST_LENGTH = 12
_LAYOUT = {tokenize.INDENT: "<indent>", tokenize.DEDENT: "<dedent>", tokenize.NEWLINE: "<newline>"}
_IGNORED = {tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER}


def _tokens(source: str) -> Iterator[tuple[int, str]]:
    """Type and text of each token; a formatted string is one token, as before Python 3.12."""
    lines = source.splitlines(keepends=True)
    depth, start = 0, None
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        if name.endswith("STRING_START"):
            depth, start = depth + 1, start if depth else token.start
        elif name.endswith("STRING_END"):
            depth -= 1
            if not depth:
                (first, left), (last, right) = start, token.end
                text = lines[first - 1 : last]
                text[-1] = text[-1][:right]
                text[0] = text[0][left:]
                yield tokenize.STRING, "".join(text)
        elif not depth:
            yield token.type, token.string


def normalised_source(source: str) -> str:
    """The source as its tokens, one a line, without comments, docstrings and layout.

    Parameters
    ----------
    source : str
        Text of a module.

    Returns
    -------
    str
        Statements that are a lone string are left out: they do nothing.
    """
    statements: list[str] = []
    line: list[tuple[int, str]] = []
    for kind, text in _tokens(source):
        if kind in _IGNORED:
            continue
        if kind in (tokenize.INDENT, tokenize.DEDENT):
            statements.append(_LAYOUT[kind])
        elif kind == tokenize.NEWLINE:
            if any(part != tokenize.STRING for part, _ in line):
                statements += [word for _, word in line] + [_LAYOUT[kind]]
            line = []
        else:
            line.append((kind, text))
    return "\n".join(statements)


def _files(module: str) -> list[tuple[str, Path]]:
    """Name and source file of a module, or of all modules of a package, sorted."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None:
        raise ValueError(
            f"The code of a study must name importable modules. Got '{module}', which is not "
            "found; correct the study's `code`."
        )
    if spec.submodule_search_locations is None:
        files = [(module, Path(spec.origin or ""))]
    else:
        files = [
            (f"{module}/{path.relative_to(folder).as_posix()}", path)
            for folder in map(Path, spec.submodule_search_locations)
            for path in sorted(folder.rglob("*.py"))
        ]
    if not files or any(path.suffix != ".py" for _, path in files):
        raise ValueError(f"The code of a study must be Python source. Got '{module}'.")
    return files


@lru_cache(maxsize=1024)
def _file_digest(path: Path, mtime_ns: int, size: int) -> str:
    with tokenize.open(path) as file:
        return hashlib.sha256(normalised_source(file.read()).encode()).hexdigest()


def code_digest(modules: Iterable[str]) -> str:
    """Digest of the source of some modules.

    Parameters
    ----------
    modules : iterable of str
        Module names, in any order; a package stands for everything it holds.

    Returns
    -------
    str
        12 hexadecimal digits, "" for no modules. Comments, docstrings, blank lines and the width
        of an indentation do not move it; everything else does.

    Raises
    ------
    ValueError
        If a module is not found or has no source.
    """
    parts = {}
    for module in modules:
        for name, path in _files(module):
            status = path.stat()
            parts[name] = _file_digest(path, status.st_mtime_ns, status.st_size)
    if not parts:
        return ""
    text = "\n".join(f"{name} {digest}" for name, digest in sorted(parts.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]
