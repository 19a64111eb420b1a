"""Digest of the code that a study's numbers come from, found by following names and imports.

From the function that computes a unit all definitions are followed that it names, through the
modules of its own package and of this one, and those that lie beside them in the project:
functions, classes (whole), constants, and what these name in turn; and the `Unit` that it is given.
Of a library counts what is imported, and not its code. A figure that stands in the same module is
not reached, so that redrawing it leaves records fresh. Comments, docstrings and layout do not
count, nor where a definition stands: the digest runs over the syntax trees of the definitions,
spelled the same under every supported Python.
"""

import ast
import hashlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from pathlib import Path

from companion._utils.paths import project_root

_DIGEST_LENGTH = 12
_OWN = __name__.partition(".")[0]
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def spelled(tree) -> str:
    """A syntax tree in one spelling, without docstrings, positions and empty fields."""
    if isinstance(tree, list):
        return ",".join(map(spelled, tree))
    if not isinstance(tree, ast.AST):
        return repr(tree)
    fields = dict(ast.iter_fields(tree))
    if (
        isinstance(tree, (ast.Module, *_DEFINITIONS))
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


@dataclass(frozen=True)
class _Module:
    """The statements that shape each name of a module, and where its imported names stand.

    A place is a module and the names that are taken of it, one of the other. A name that is
    imported differently in several functions has several.
    """

    statements: dict[str, list[ast.stmt]]
    imports: dict[str, set[tuple[str, ...]]]


def _source(name: str) -> ModuleSpec | None:
    """What is known of a module that is Python source, None if there is none of that name."""
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, ValueError):  # the latter of a script run as __main__
        return None
    return spec if spec and str(spec.origin).endswith(".py") else None


@cache
def _module(name: str) -> _Module:
    spec = _source(name)
    if spec is None:
        raise ValueError(f"The code of a study must be Python source. {name} is not.")
    tree = ast.parse(Path(str(spec.origin)).read_bytes())
    module = _Module(defaultdict(list), defaultdict(set))
    for statement in tree.body:
        for shaped in _shaped_names(statement):
            module.statements[shaped].append(statement)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for part in node.names:
                top = part.name.partition(".")[0]
                place = part.name if part.asname else top
                module.imports[part.asname or top].add((place,))
        elif isinstance(node, ast.ImportFrom):
            home = resolve_name("." * node.level + (node.module or ""), spec.parent)
            for part in node.names:
                if part.name == "*":
                    raise ValueError(
                        f"{name} imports * from {home}: name what it needs, since its code "
                        "could not be followed"
                    )
                module.imports[part.asname or part.name].add((home, part.name))
    return module


def _shaped_names(statement: ast.stmt) -> set[str]:
    """The names of a module that a statement binds or may change."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    changed: list[ast.AST] = [
        statement
    ]  # a loop or a call may change all that it names
    if isinstance(statement, ast.Assign):
        changed = [*statement.targets]
    elif isinstance(statement, ast.AnnAssign):
        changed = [statement.target]
    nodes = [node for part in changed for node in ast.walk(part)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.name for node in nodes if isinstance(node, _DEFINITIONS)}
    return names - {"__all__", "__name__"}


class _Reads(ast.NodeVisitor):
    """Collects the names in a tree, each with the attributes that are taken of it."""

    def __init__(self) -> None:
        self.names: set[tuple[str, ...]] = set()

    def visit_Name(self, node: ast.expr) -> None:
        attributes: tuple[str, ...] = ()
        while isinstance(node, ast.Attribute):
            attributes = (node.attr, *attributes)
            node = node.value
        if isinstance(node, ast.Name):
            self.names.add((node.id, *attributes))
        else:
            self.visit(node)

    visit_Attribute = visit_Name


@cache
def _definition(home: str, name: str) -> tuple[str, set[tuple[str, ...]]]:
    """The statements that shape a name of a module, spelled, and the names that they read."""
    module = _module(home)
    reads = _Reads()
    for statement in module.statements[name]:
        reads.visit(statement)
    known = module.statements.keys() | module.imports
    names = {read for read in reads.names if read[0] in known}
    return "\n".join(map(spelled, module.statements[name])), names


def closure(function: Callable) -> dict[tuple[str, str], str]:
    """All definitions that a study's function reaches, by module and name, as `spelled`.

    A ValueError says that the function is not one at the top level of an importable module.
    """
    top = function.__module__ or "__main__"
    name = function.__qualname__
    if _source(top) is None or name not in _module(top).statements:
        raise ValueError(
            f"A study's compute must be a function at the top level of a module. Got {top}:{name}."
        )
    package = top.partition(".")[0]
    found: dict[tuple[str, str], str] = {}

    def reach(home: str, *names: str) -> None:
        """Follow a place to where it is defined; a module alone is everything in it."""
        module = _module(home)
        for name in names[:1] or module.statements.keys() | module.imports:
            if (home, name) in found:
                continue
            if name in module.statements:
                found[home, name], reads = _definition(home, name)
                for read in reads:
                    reach(home, *read)
            for place in _places(home, name):
                if _is_followed(place[0].partition(".")[0], package):
                    reach(*place, *names[1:])
                else:  # of a library counts what is taken, and not its code
                    found[home, f"import {name}"] = ".".join(place)

    reach(top, name)
    reach("companion.reproduction.units", "Unit")
    return found


@cache
def _is_followed(top: str, package: str) -> bool:
    """Whether a module is of the study's package, of this one, or beside them in the project."""
    if top in (package, _OWN):
        return True
    spec = _source(top)
    path = Path(str(spec.origin)) if spec else Path()
    return path.is_relative_to(project_root()) and "site-packages" not in path.parts


def _places(home: str, name: str) -> set[tuple[str, ...]]:
    """Where a name of a module leads to; nowhere if it is defined there."""
    module = _module(home)
    places = module.imports.get(name, set()) - {(home, name)}
    if places or name in module.statements or name.startswith("__"):
        return places
    if _source(f"{home}.{name}"):
        return {(f"{home}.{name}",)}
    # what a module gives though its source does not define it (PEP 562)
    value = getattr(import_module(home), name)
    return {(value.__module__, value.__qualname__)}


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
