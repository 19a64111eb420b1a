"""Digest of the code that a study's numbers come from, found by following names and imports.

From the function that computes a unit all definitions are followed that it names, through the
modules of its own package and of this one: functions, classes (whole), constants, and what these
name in turn; and the `Unit` that it is given. A figure that stands in the same module is not
reached, so that redrawing it leaves records fresh. Comments, docstrings and layout do not count,
nor where a definition stands: the digest runs over the syntax trees of the definitions, spelled
the same under every supported Python.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_DIGEST_LENGTH = 12
_OWN = __name__.partition(".")[0]
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_UNSPELLED = {"ctx", "kind", "type_comment", "type_ignores"}


def spelled(tree: ast.AST) -> str:
    """A syntax tree in one spelling, without docstrings, positions and empty fields."""
    parts = []
    for name, value in ast.iter_fields(tree):
        if name == "body" and isinstance(tree, (ast.Module, *_DEFINITIONS)):
            value = value[1:] if ast.get_docstring(tree, clean=False) is not None else value
        if name in _UNSPELLED or value is None or value == []:
            continue
        items = value if isinstance(value, list) else [value]
        if isinstance(tree, ast.JoinedStr):  # to which Python 3.12 adds empty texts
            items = [item for item in items if getattr(item, "value", None) != ""]
        texts = [spelled(v) if isinstance(v, ast.AST) else repr(v) for v in items]
        parts.append(f"{name}={','.join(texts)}")
    return f"{type(tree).__name__}({';'.join(parts)})"


class _Module:
    """What a module defines and imports: statements by name."""

    def __init__(self, name: str, path: Path):
        self.name = name
        self.package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        self.imports: dict[str, tuple[str, str | None]] = {}
        self.statements: dict[str, list[ast.stmt]] = {}
        for statement in ast.parse(path.read_bytes()).body:
            if not isinstance(statement, _DEFINITIONS):
                self.imports.update(self.imported_by(statement))
            for bound in _shaped_names(statement):
                self.statements.setdefault(bound, []).append(statement)

    def imported_by(self, tree: ast.AST) -> dict[str, tuple[str, str | None]]:
        """Names that imports anywhere in a tree bind: their module, and the name in it."""
        found: dict[str, tuple[str, str | None]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for part in node.names:  # of `import a.b` all of b is taken to be used
                    whole = "." in part.name and not part.asname
                    bound = part.asname or part.name.partition(".")[0]
                    found[bound] = (part.name, "*" if whole else None)
            elif isinstance(node, ast.ImportFrom):
                home = node.module or ""
                if node.level:
                    base = self.package.split(".")[: 1 - node.level or None]
                    home = ".".join([*base, *([home] if home else [])])
                found.update({part.asname or part.name: (home, part.name) for part in node.names})
        return found

    @cache  # noqa: B019  (modules are kept for good)
    def definition(self, name: str) -> tuple[str, list[tuple]]:
        """The statements that shape a name, spelled, and where the names lead that they read."""
        reached = []
        for statement in self.statements[name]:
            imports = {**self.imports, **self.imported_by(statement)}
            for read, attribute in _names(statement):
                if read in imports:
                    reached.append((*imports[read], attribute))
                if read in self.statements:
                    reached.append((self.name, read))
        return "\n".join(map(spelled, self.statements[name])), reached


def _shaped_names(statement: ast.stmt) -> set[str]:
    """The names of a module that a statement binds or may change."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return set()
    plain = isinstance(statement, (ast.Assign, ast.AnnAssign)) and all(
        isinstance(target, (ast.Name, ast.Tuple))
        for target in getattr(statement, "targets", [getattr(statement, "target", None)])
    )
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, _DEFINITIONS):
            names.add(node.name)
        # What is no plain assignment, such as a loop or a call, may change all that it names.
        elif isinstance(node, ast.Name) and (isinstance(node.ctx, ast.Store) or not plain):
            names.add(node.id)
    return names - {"__all__", "__name__"}


@cache
def _module(name: str) -> _Module | None:
    """The module of that name, None if there is none or it is no Python source."""
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, ValueError):  # the latter of a script that runs as __main__
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
    """Collects the definitions reached from a function, within its package and this one."""

    def __init__(self, package: str):
        self.packages = {package, _OWN}
        self.found: dict[tuple[str, str], str] = {}

    def reach(self, home: str, name: str) -> None:
        """Follow `name` of the module `home`, wherever it is defined."""
        if home.partition(".")[0] not in self.packages or (home, name) in self.found:
            return
        module = _module(home)
        if module is None:
            raise ValueError(f"The code of a study must be Python source. {home} is not.")
        if name in module.statements:
            self.found[home, name], reached = module.definition(name)
            for step in reached:
                self.reach(*step) if len(step) == 2 else self.reach_import(*step)
        if name in module.imports:
            self.reach_import(*module.imports[name])
        elif name in module.statements or name.startswith("__"):
            return
        elif _module(f"{home}.{name}") is not None:
            self.reach_all(f"{home}.{name}")
        else:
            self.reach_lazy(home, name)

    def reach_lazy(self, home: str, name: str) -> None:
        """Follow what a module gives though its source does not define it (PEP 562)."""
        value = getattr(import_module(home), name)
        origin = getattr(value, "__module__", home), getattr(value, "__qualname__", name)
        if origin != (home, name):
            self.reach(*origin)
        elif " at 0x" not in repr(value):
            self.found[home, name] = repr(value)
        else:
            raise ValueError(f"The definition of {name} cannot be found from {home}.")

    def reach_import(self, home: str, name: str | None, attribute: str | None = None) -> None:
        """Follow an imported name; of a module, the attribute that is taken or all it defines."""
        if home.partition(".")[0] not in self.packages:
            return
        module = home if name in (None, "*") else f"{home}.{name}"
        if name == "*":
            self.reach_all(module)
        elif name is not None and (_module(module) is None or self.defines(home, name)):
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
    """All definitions that a study's function reaches, by module and name, as `spelled`.

    A ValueError says that the function is not one at the top level of an importable module.
    """
    home, name = function.__module__ or "", function.__qualname__
    module = _module(home) if home else None
    if module is None or name not in module.statements:
        raise ValueError(
            f"A study's compute must be a function at the top level of a module. Got {home}:{name}."
        )
    walk = _Walk(home.partition(".")[0])
    walk.reach(home, name)
    walk.reach("companion.reproduction.units", "Unit")
    return walk.found


@cache
def code_digest(function: Callable) -> str:
    """12 hexadecimal digits that stand for all the code that a study's function reaches.

    It is that of the source when it is first asked for, which is what this process runs.
    """
    parts = sorted({f"{name} {text}" for (_, name), text in closure(function).items()})
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_DIGEST_LENGTH]
