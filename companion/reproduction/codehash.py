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
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from pathlib import Path

from companion._utils.sources import spelled

_DIGEST_LENGTH = 12
_OWN = __name__.partition(".")[0]
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class _Module:
    """What a module defines and imports: statements by name, and where imported names lead.

    A place is a module and the names that are taken of it, one of the other.
    """

    def __init__(self, spec: ModuleSpec):
        self.name = spec.name
        self.package = spec.parent
        self.imports: dict[str, tuple[str, ...]] = {}
        self.statements: dict[str, list[ast.stmt]] = {}
        for statement in ast.parse(Path(str(spec.origin)).read_bytes()).body:
            if not isinstance(statement, _DEFINITIONS):
                self.imports |= self.imported_by([*ast.walk(statement)])
            for bound in _shaped_names(statement):
                self.statements.setdefault(bound, []).append(statement)

    def imported_by(self, nodes: list[ast.AST]) -> dict[str, tuple[str, ...]]:
        """Names that imports among some nodes bind, and the places they stand for."""
        found: dict[str, tuple[str, ...]] = {}
        for node in nodes:
            if isinstance(node, ast.Import):
                for part in node.names:
                    bound = part.asname or part.name.partition(".")[0]
                    found[bound] = (part.name if part.asname else bound,)
            elif isinstance(node, ast.ImportFrom):
                home = resolve_name(
                    "." * node.level + (node.module or ""), self.package
                )
                found |= {
                    part.asname or part.name: (home, part.name) for part in node.names
                }
        return found

    @cache  # noqa: B019  (modules are kept for good)
    def definition(self, name: str) -> tuple[str, list[tuple[str, ...]]]:
        """The statements that shape a name, spelled, and the places that they read."""
        reached = []
        for statement in self.statements[name]:
            nodes = [*ast.walk(statement)]
            imports = self.imports | self.imported_by(nodes)
            for read, *attributes in _names(nodes):
                if read in imports:
                    reached.append((*imports[read], *attributes))
                if read in self.statements:
                    reached.append((self.name, read))
        return "\n".join(map(spelled, self.statements[name])), reached


def _shaped_names(statement: ast.stmt) -> set[str]:
    """The names of a module that a statement binds or may change."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    nodes = [*ast.walk(statement)]
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    plain = isinstance(statement, (ast.Assign, ast.AnnAssign)) and all(
        isinstance(target, (ast.Name, ast.Tuple)) for target in targets
    )
    if plain and not any(isinstance(node, ast.NamedExpr) for node in nodes):
        # what a comprehension in the value counts by is no name of the module
        nodes = [node for target in targets for node in ast.walk(target)]
    # What is no plain assignment, such as a loop or a call, may change all that it names.
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.name for node in nodes if isinstance(node, _DEFINITIONS)}
    return names - {"__all__", "__name__"}


@cache
def _module(name: str) -> _Module | None:
    """The module of that name, None if there is none or it is no Python source."""
    try:
        spec = find_spec(name)
    except (
        ModuleNotFoundError,
        ValueError,
    ):  # the latter of a script that runs as __main__
        return None
    if spec is None or not (spec.origin or "").endswith(".py"):
        return None
    return _Module(spec)


def _names(nodes: list[ast.AST]) -> Iterator[tuple[str, ...]]:
    """Names that are read, each with the attributes that are taken of it."""
    owners = set()
    for node in nodes:  # from outside in
        attributes: list[str] = []
        owner = node
        while isinstance(owner, ast.Attribute):
            attributes.insert(0, owner.attr)
            owner = owner.value
            owners.add(id(owner))
        if isinstance(owner, ast.Name) and id(node) not in owners:
            yield owner.id, *attributes


def closure(function: Callable) -> dict[tuple[str, str], str]:
    """All definitions that a study's function reaches, by module and name, as `spelled`.

    A ValueError says that the function is not one at the top level of an importable module.
    """
    top = function.__module__ or ""
    name = function.__qualname__
    module = _module(top) if top else None
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


def _imported_from(module: _Module, name: str) -> tuple[str, ...]:
    """The place that a name of a module leads to; none if it is defined there."""
    home = module.name
    if module.imports.get(name, (home, name)) != (home, name):
        return module.imports[name]
    if name in module.statements or name.startswith("__"):
        return ()
    if _module(f"{home}.{name}") is not None:
        return (f"{home}.{name}",)
    # what a module gives though its source does not define it (PEP 562)
    value = getattr(import_module(home), name)
    defined = getattr(value, "__module__", home)
    origin = (defined, getattr(value, "__qualname__", name))
    if origin == (home, name):
        raise ValueError(f"The definition of {name} cannot be found from {home}.")
    return origin


#: Digests by module and name of the function, which kernels take over from who starts them.
KNOWN_DIGESTS: dict[tuple[str, str], str] = {}


def code_digest(function: Callable) -> str:
    """12 hexadecimal digits that stand for all the code that a study's function reaches.

    It is that of the source when it is first asked for, which is what this process runs.
    """
    place = function.__module__, function.__qualname__
    if place not in KNOWN_DIGESTS:
        found = closure(function).items()
        text = "\n".join(sorted({f"{name} {text}" for (_, name), text in found}))
        digest = hashlib.sha256(text.encode()).hexdigest()
        KNOWN_DIGESTS[place] = digest[:_DIGEST_LENGTH]
    return KNOWN_DIGESTS[place]
