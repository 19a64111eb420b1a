"""Digest of the code that a study's numbers come from, found by following names and imports.

From the function that computes a unit all definitions are followed that it names, through the
modules of its own package and of this one: functions, classes (whole), constants, and what these
name in turn; and the `Unit` that it is given. A figure that stands in the same module is not
reached, so that redrawing it leaves records fresh. Comments, docstrings and layout do not count,
nor where a definition stands: the digest runs over the syntax trees of the definitions, spelled
the same under every supported Python.
"""

import ast
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec, resolve_name
from pathlib import Path

from companion._utils.sources import spelled

_DIGEST_LENGTH = 12
_OWN = __name__.partition(".")[0]
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

#: A module and the names that are taken of it, one of the other.
Place = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Module:
    """The statements that shape each name of a module, and the places of imported names."""

    name: str
    package: str
    statements: dict[str, list[ast.stmt]]
    imports: dict[str, Place]

    @cache  # noqa: B019  (modules are kept for good)
    def definition(self, name: str) -> tuple[str, list[Place]]:
        """The statements that shape a name, spelled, and the places that they read."""
        reached: list[Place] = []
        for statement in self.statements[name]:
            imports = self.imports | _imports([statement], self.package)
            reads = _Reads()
            reads.visit(statement)
            for read, *attributes in sorted(reads.names):
                if read in imports:
                    reached.append((*imports[read], *attributes))
                if read in self.statements:
                    reached.append((self.name, read))
        return "\n".join(map(spelled, self.statements[name])), reached


@cache
def _module(name: str) -> _Module | None:
    """The module of that name, None if there is none or it is no Python source."""
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, ValueError):  # the latter of a script run as __main__
        return None
    if spec is None or not (spec.origin or "").endswith(".py"):
        return None
    body = ast.parse(Path(str(spec.origin)).read_bytes()).body
    statements = defaultdict(list)
    for statement in body:
        for shaped in _shaped_names(statement):
            statements[shaped].append(statement)
    package = spec.parent or ""
    plain = [part for part in body if not isinstance(part, _DEFINITIONS)]
    return _Module(name, package, dict(statements), _imports(plain, package))


def _imports(statements: Iterable[ast.stmt], package: str) -> dict[str, Place]:
    """Names that imports in some statements bind, and the places they stand for."""
    found: dict[str, Place] = {}
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.Import):
            for part in node.names:
                top = part.name.partition(".")[0]
                found[part.asname or top] = (part.name if part.asname else top,)
        elif isinstance(node, ast.ImportFrom):
            home = resolve_name("." * node.level + (node.module or ""), package)
            for part in node.names:
                found[part.asname or part.name] = (home, part.name)
    return found


def _shaped_names(statement: ast.stmt) -> set[str]:
    """The names of a module that a statement binds or may change."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    if isinstance(statement, ast.Assign):
        changed: list = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        changed = [statement.target]
    else:  # such as a loop or a call, which may change all that it names
        changed = [statement]
    nodes = [node for part in changed for node in ast.walk(part)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.name for node in nodes if isinstance(node, _DEFINITIONS)}
    return names - {"__all__", "__name__"}


class _Reads(ast.NodeVisitor):
    """Collects the names in a tree, each with the attributes that are taken of it."""

    def __init__(self) -> None:
        self.names: set[tuple[str, ...]] = set()

    def visit_Name(self, node: ast.expr) -> None:
        attributes: list[str] = []
        owner = node
        while isinstance(owner, ast.Attribute):
            attributes.insert(0, owner.attr)
            owner = owner.value
        if isinstance(owner, ast.Name):
            self.names.add((owner.id, *attributes))
        else:
            self.visit(owner)

    visit_Attribute = visit_Name


def closure(function: Callable) -> dict[tuple[str, str], str]:
    """All definitions that a study's function reaches, by module and name, as `spelled`.

    A ValueError says that the function is not one at the top level of an importable module.
    """
    top = function.__module__ or "__main__"
    name = function.__qualname__
    module = _module(top)
    if module is None or name not in module.statements:
        raise ValueError(
            f"A study's compute must be a function at the top level of a module. Got {top}:{name}."
        )
    packages = {top.partition(".")[0], _OWN}
    found: dict[tuple[str, str], str] = {}

    def reach(home: str, *names: str) -> None:
        """Follow a place to where it is defined; a module alone is everything in it."""
        if home.partition(".")[0] not in packages:
            return
        module = _module(home)
        if module is None:
            raise ValueError(
                f"The code of a study must be Python source. {home} is not."
            )
        for name in names[:1] or module.statements | module.imports:
            if (home, name) in found:
                continue
            if name in module.statements:
                found[home, name], reached = module.definition(name)
                for place in reached:
                    reach(*place)
            if place := _imported_from(module, name):
                reach(*place, *names[1:])

    reach(top, name)
    reach("companion.reproduction.units", "Unit")
    return found


def _imported_from(module: _Module, name: str) -> Place:
    """The place that a name of a module leads to; none if it is defined there."""
    place = (module.name, name)
    if module.imports.get(name, place) != place:
        return module.imports[name]
    if name in module.statements or name.startswith("__"):
        return ()
    if _module(".".join(place)) is not None:
        return (".".join(place),)
    # what a module gives though its source does not define it (PEP 562)
    value = getattr(import_module(module.name), name)
    return value.__module__, value.__qualname__


#: Digests by module and name of the function, which kernels take over from who starts them.
KNOWN_DIGESTS: dict[tuple[str, str], str] = {}


def code_digest(function: Callable) -> str:
    """12 hexadecimal digits that stand for all the code that a study's function reaches.

    It is that of the source when it is first asked for, which is what this process runs.
    """
    place = (function.__module__, function.__qualname__)
    if place not in KNOWN_DIGESTS:
        found = closure(function).items()
        text = "\n".join(sorted({f"{name} {text}" for (_, name), text in found}))
        digest = hashlib.sha256(text.encode()).hexdigest()
        KNOWN_DIGESTS[place] = digest[:_DIGEST_LENGTH]
    return KNOWN_DIGESTS[place]
