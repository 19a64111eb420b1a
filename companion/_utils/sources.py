"""The package's own sources: their spelling and their digest."""

import ast
import hashlib
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_WITH_BODY = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_UNSPELLED = {"ctx", "kind", "type_comment", "type_ignores"}


def spelled(tree: ast.AST) -> str:
    """A syntax tree in one spelling, without docstrings, positions and empty fields."""
    parts = []
    for name, value in ast.iter_fields(tree):
        if name == "body" and isinstance(tree, _WITH_BODY):
            value = (
                value[1:] if ast.get_docstring(tree, clean=False) is not None else value
            )
        if name in _UNSPELLED or value is None or value == []:
            continue
        items = value if isinstance(value, list) else [value]
        if isinstance(tree, ast.JoinedStr):  # to which Python 3.12 adds empty texts
            items = [item for item in items if getattr(item, "value", None) != ""]
        texts = [spelled(v) if isinstance(v, ast.AST) else repr(v) for v in items]
        parts.append(f"{name}={','.join(texts)}")
    return f"{type(tree).__name__}({';'.join(parts)})"


def digest_of(package=_PACKAGE):
    """Digest of all sources of a package, as they are now."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        digest.update(f"{path.relative_to(package).as_posix()}\n{text}".encode())
    return digest.hexdigest()


@cache
def sources_digest():
    """That of this package when it is first asked for: of what this process runs."""
    return digest_of()
