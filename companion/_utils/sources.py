"""The package's own sources: their spelling and their digest."""

import ast
import hashlib
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_WITH_BODY = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def spelled(tree) -> str:
    """A syntax tree in one spelling, without docstrings, positions and empty fields."""
    if isinstance(tree, list):
        return ",".join(map(spelled, tree))
    if not isinstance(tree, ast.AST):
        return repr(tree)
    fields = dict(ast.iter_fields(tree))
    if (
        isinstance(tree, _WITH_BODY)
        and ast.get_docstring(tree, clean=False) is not None
    ):
        fields["body"] = tree.body[1:]
    if isinstance(tree, ast.JoinedStr):  # to which Python 3.12 adds empty texts
        fields["values"] = [v for v in tree.values if getattr(v, "value", None) != ""]
    parts = [
        f"{name}={spelled(value)}"
        for name, value in fields.items()
        if name != "ctx" and value not in (None, [])
    ]
    return f"{type(tree).__name__}({';'.join(parts)})"


@cache
def sources_digest():
    """Digest of all sources of this package when it is first asked for: of what runs here."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        digest.update(f"{path.relative_to(_PACKAGE).as_posix()}\n{text}".encode())
    return digest.hexdigest()
