"""Every public name is where it is listed, and says what it takes, gives and raises."""

import ast
import inspect
import pkgutil
import re
import textwrap
from importlib import import_module

import pytest

PACKAGES = ("agreement", "datasets", "estimators", "papers", "plotting", "solvers", "tuning")

#: What a study or an artefact calls: what these take and return stands at `Study` and `Artefact`.
CALLBACKS = (["unit"], ["profile"], ["records"])


def submodules(package):
    """The public modules of a package."""
    for module in pkgutil.iter_modules(import_module(package).__path__):
        if not module.name.startswith("_"):
            yield f"{package}.{module.name}"


def public_modules():
    """The package, and the public modules and packages in it that list names."""
    yield "companion"
    waiting = [name for name in submodules("companion") if name != "companion.cli"]
    while waiting:
        module = waiting.pop()
        home = import_module(module)
        # The report's modules are parts of one command.
        if hasattr(home, "__path__") and module != "companion.reproduction.report":
            waiting += submodules(module)
        if hasattr(home, "__all__"):
            yield module


def documented(name, documentation):
    """Whether a section of a numpydoc text has a line for a parameter."""
    return re.search(rf"(?m)^([*\w]+, )*\*{{0,2}}{name}(, [*\w]+)*( :.*)?$", documentation)


def own_functions(cls):
    """Public methods of a class that the companion wrote, as they are called on the class."""
    for base in cls.__mro__:
        if base.__module__.startswith("companion"):
            for name, member in vars(base).items():
                function = getattr(member, "__func__", member)
                if not name.startswith("_") and inspect.isfunction(function):
                    yield f"{base.__module__}.{base.__qualname__}.{name}", getattr(cls, name)


def public_functions():
    """Every public function, and every public method of a public class, by name."""
    found = {}
    for module in public_modules():
        home = import_module(module)
        for value in (getattr(home, name) for name in home.__all__):
            if inspect.isclass(value):
                found |= dict(own_functions(value))
            elif inspect.isfunction(value):
                found[f"{value.__module__}.{value.__qualname__}"] = value
    return found


FUNCTIONS = public_functions()


def own_statements(function):
    """The statements of a function, without those of functions inside it."""
    [node] = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body
    waiting = list(node.body)
    while waiting:
        statement = waiting.pop()
        yield statement
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(statement)


def needed_sections(function):
    """Sections that a numpydoc text must have: what is given, and what is raised here."""
    needed = set()
    for node in own_statements(function):
        if isinstance(node, ast.Return) and node.value is not None:
            needed.add("Returns")
        if isinstance(node, (ast.Yield, ast.YieldFrom)) and node.value is not None:
            needed.add("Yields")
        if isinstance(node, ast.Raise) and node.exc is not None:
            needed.add("Raises")
    return needed - {"Returns"} if "Yields" in needed else needed


def test_the_packages_are_found():
    found = set(public_modules())
    assert {f"companion.{name}" for name in PACKAGES} < found
    assert {
        "companion.solvers.transformations",
        "companion.reproduction.verdicts",
        "companion.datasets.uci",
    } < found
    assert len(FUNCTIONS) > 300


@pytest.mark.parametrize("module", list(public_modules()))
def test_public_names_exist_and_document_their_parameters(module):
    home = import_module(module)
    assert len(set(home.__all__)) == len(home.__all__)
    for name in home.__all__:
        found = getattr(home, name)
        if not (inspect.isfunction(found) or inspect.isclass(found)):
            continue
        text = "".join(
            inspect.cleandoc(part.__doc__ or "") + "\n"
            for part in (inspect.getmro(found) if inspect.isclass(found) else [found])
            if (part.__module__ or "").startswith("companion")
        )
        assert text.strip(), f"{module}.{name} has no docstring"
        if inspect.isclass(found) and issubclass(found, Exception):
            continue
        parameters = list(inspect.signature(found).parameters)
        missing = [p for p in parameters if parameters not in CALLBACKS and not documented(p, text)]
        assert not missing, f"{module}.{name} does not document {', '.join(missing)}"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_public_functions_and_methods_document_what_they_take_give_and_raise(name):
    function = FUNCTIONS[name]
    text = inspect.getdoc(function) or ""
    assert text, f"{name} has no docstring"
    parameters = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
    if parameters in CALLBACKS:
        return
    missing = [p for p in parameters if not documented(p, text)]
    missing += [s for s in needed_sections(function) if not re.search(rf"(?m)^{s}$", text)]
    assert not missing, f"{name} does not document {', '.join(missing)}"
