"""Digest of the code that a study's numbers come from, found by following names and imports.

From the function that computes a unit all definitions are followed that it names, through the
modules of its own package: functions, classes (whole), constants, and what these name in turn. A
figure that stands in the same module is not reached, so that redrawing it leaves records fresh.
Comments, docstrings and layout do not count, nor where a definition stands: the digest runs over
the syntax trees of the definitions, spelled the same under every supported Python.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

__all__ = ["closure", "code_digest", "spelled"]

_DIGEST_LENGTH = 12
_SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_UNSPELLED = {"ctx", "kind", "type_comment", "type_ignores"}


def spelled(tree: ast.AST) -> str:
    """A syntax tree in one spelling, without docstrings, positions and empty fields."""
    parts = []
    for name, value in ast.iter_fields(tree):
        if name == "body" and isinstance(tree, _SCOPES) and ast.get_docstring(tree, clean=False):
            value = value[1:]
        if name in _UNSPELLED or value is None or value == []:
            continue
        items = value if isinstance(value, list) else [value]
        texts = [spelled(v) if isinstance(v, ast.AST) else repr(v) for v in items]
        parts.append(f"{name}={','.join(texts)}")
    return f"{type(tree).__name__}({';'.join(parts)})"


class _Module:
    """What a module defines and imports: statements by name."""

    def __init__(self, name: str, path: Path):
        self.name, self.package = (
            name,
            name if path.name == "__init__.py" else name.rpartition(".")[0],
        )
        self.imports: dict[str, tuple[str, str | None]] = {}
        self.statements: dict[str, list[ast.stmt]] = {}
        for statement in ast.parse(path.read_bytes()).body:
            self.imports.update(self.imported_by(statement))
            for bound in _bound_names(statement):
                self.statements.setdefault(bound, []).append(statement)

    def imported_by(self, tree: ast.AST) -> dict[str, tuple[str, str | None]]:
        """Names that imports anywhere in a tree bind: their module, and the name in it."""
        found: dict[str, tuple[str, str | None]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for part in node.names:
                    found[part.asname or part.name] = (part.name, None)
            elif isinstance(node, ast.ImportFrom):
                home = node.module or ""
                if node.level:
                    base = self.package.split(".")[: 1 - node.level or None]
                    home = ".".join([*base, *([home] if home else [])])
                found.update({part.asname or part.name: (home, part.name) for part in node.names})
        return found

    @cache  # noqa: B019  (modules are kept for good)
    def definition(self, name: str) -> tuple[str, list[tuple]]:
        """The statements that bind a name, spelled, and where the names lead that they read."""
        reached = []
        for statement in self.statements[name]:
            imports = {**self.imports, **self.imported_by(statement)}
            for read, attribute in _names(statement):
                if read in imports:
                    reached.append((*imports[read], attribute))
                elif read in self.statements:
                    reached.append((self.name, read))
        return "\n".join(map(spelled, self.statements[name])), reached


def _bound_names(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return set()
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return {statement.name}
    nodes = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)} - {"__all__"}


@cache
def _module(name: str) -> _Module | None:
    """The module of that name, None if there is none or it is no Python source."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    path = Path(spec.origin or "") if spec else Path()
    return _Module(name, path) if path.suffix == ".py" else None


def _names(tree: ast.AST) -> Iterator[tuple[str, str | None]]:
    """Names that are read in a tree, with the attribute that is taken of them, if any."""
    owners = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owners.add(id(node.value))
            yield node.value.id, node.attr
        elif isinstance(node, ast.Name) and id(node) not in owners:
            yield node.id, None


class _Walk:
    """Collects the definitions reached from a function, within its top-level package."""

    def __init__(self, package: str):
        self.package = package
        self.found: dict[tuple[str, str], str] = {}

    def reach(self, home: str, name: str) -> None:
        """Follow `name` of the module `home`, wherever it is defined."""
        if home.partition(".")[0] != self.package or (home, name) in self.found:
            return
        module = _module(home)
        if module is None:
            raise ValueError(f"The code of a study must be Python source. {home} is not.")
        if name in module.statements:
            self.found[home, name], reached = module.definition(name)
            for step in reached:
                self.reach(*step) if len(step) == 2 else self.reach_import(*step)
        elif name in module.imports:
            self.reach_import(*module.imports[name])
        elif _module(f"{home}.{name}") is not None:
            self.reach_all(f"{home}.{name}")
        else:
            value = getattr(import_module(home), name, None)  # PEP 562
            origin = getattr(value, "__module__", home), getattr(value, "__qualname__", name)
            if origin != (home, name):
                self.reach(*origin)

    def reach_import(self, home: str, name: str | None, attribute: str | None = None) -> None:
        """Follow an imported name; of a module, the attribute that is taken or all it defines."""
        if home.partition(".")[0] != self.package:
            return
        module = home if name is None else f"{home}.{name}"
        if name is not None and (_module(module) is None or self.defines(home, name)):
            self.reach(home, name)
        elif attribute is not None:
            self.reach(module, attribute)
        else:
            self.reach_all(module)

    def reach_all(self, home: str) -> None:
        """Follow everything that a module defines or imports."""
        module = _module(home)
        for name in {**module.statements, **module.imports}:
            self.reach(home, name)

    @staticmethod
    def defines(home: str, name: str) -> bool:
        module = _module(home)
        if module is None:
            return False
        origin = module.imports.get(name, (None, None))
        return name in module.statements or origin not in ((None, None), (home, name))


def closure(function: Callable) -> dict[tuple[str, str], str]:
    """All definitions that a function reaches within its top-level package.

    Parameters
    ----------
    function : callable
        A function at the top level of an importable module.

    Returns
    -------
    dict of (str, str) to str
        By module and name: the definition, as `spelled`.

    Raises
    ------
    ValueError
        If the function is not such a one.
    """
    home, name = function.__module__, function.__qualname__
    module = _module(home)
    if module is None or name not in module.statements:
        raise ValueError(
            f"A study's compute must be a function at the top level of a module. Got {home}:{name}."
        )
    walk = _Walk(home.partition(".")[0])
    walk.reach(home, name)
    return walk.found


@cache
def code_digest(function: Callable) -> str:
    """12 hexadecimal digits that stand for all the code that a function reaches.

    Parameters
    ----------
    function : callable
        As of :func:`closure`.

    Returns
    -------
    str
        That of the source when it is first asked for, which is what this process runs.
    """
    parts = sorted({f"{name} {text}" for (_, name), text in closure(function).items()})
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_DIGEST_LENGTH]
