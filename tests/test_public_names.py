"""Every public name can be had from where it is listed, and says what it takes."""

import ast
import inspect
import pkgutil
import re
import textwrap
from importlib import import_module

import pytest

import companion

#: Packages whose modules are looked into, function by function.
INNER = ("agreement", "datasets", "papers", "tuning")
PACKAGES = ("datasets", "estimators", "papers", "plotting", "solvers", "tuning")


def public_modules():
    """The package, its modules and the packages in it; ``reproduction`` has modules of its own."""
    yield "companion"
    for module in pkgutil.iter_modules(companion.__path__):
        if not module.name.startswith("_") and module.name not in ("cli", "reproduction"):
            yield f"companion.{module.name}"
    for module in pkgutil.iter_modules(import_module("companion.reproduction").__path__):
        if not module.name.startswith("_"):
            yield f"companion.reproduction.{module.name}"


def documented(name, documentation):
    """Whether a section of a numpydoc text has a line for a parameter."""
    return re.search(rf"(?m)^([*\w]+, )*\*{{0,2}}{name}(, [*\w]+)*( :.*)?$", documentation)


def test_the_packages_are_found():
    assert {f"companion.{name}" for name in PACKAGES} < set(public_modules())


def inner_modules():
    """The modules within the packages that list public names."""
    for package in INNER:
        home = import_module(f"companion.{package}")
        for module in pkgutil.walk_packages(home.__path__, home.__name__ + "."):
            private = any(part.startswith("_") for part in module.name.split("."))
            if not private and hasattr(import_module(module.name), "__all__"):
                yield module.name


def test_the_inner_modules_are_found():
    assert {"companion.papers.gacv.tables", "companion.papers.wrsvm.claim_tables",
            "companion.datasets.uci", "companion.tuning.grid"} <= set(inner_modules())  # fmt: skip


@pytest.mark.parametrize("module", [*public_modules(), *inner_modules()])
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
        missing = [p for p in inspect.signature(found).parameters if not documented(p, text)]
        assert not missing, f"{module}.{name} does not document {', '.join(missing)}"


# ------------------------------------------------------------------ functions of the inner modules

#: What a study or an artefact calls: what these take and return stands at `Study` and `Artefact`.
CALLBACKS = (["unit"], ["profile"], ["records"])


def functions_of(module):
    """Public functions and methods made in a module, but for what a base class documents."""
    home = import_module(module)
    own = {name: found for name, found in vars(home).items()
           if not name.startswith("_") and getattr(found, "__module__", None) == module}
    for name, found in own.items():
        if inspect.isfunction(found):
            yield name, found
        elif inspect.isclass(found):
            for method, function in vars(found).items():
                inherited = any(hasattr(base, method) for base in found.__bases__)
                if inspect.isfunction(function) and not method.startswith("_") and not inherited:
                    yield f"{name}.{method}", function


def fault_of(function):
    """What the documentation of a function lacks, "" if it is complete."""
    text = inspect.cleandoc(function.__doc__ or "")
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    if names in CALLBACKS:
        return "" if text else "a docstring"
    lacking = [name for name in names if not documented(name, text)]
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    returns = any(isinstance(node, ast.Return) and node.value is not None or
                  isinstance(node, ast.Yield) for node in ast.walk(tree))  # fmt: skip
    if returns and not re.search(r"(?m)^(Returns|Yields)\n-", text):
        lacking.append("what it returns")
    return ", ".join(lacking)


def test_a_function_that_documents_too_little_is_noticed():
    def bare(frame, *, order=1):
        """A row a machine."""
        return frame

    assert fault_of(bare) == "frame, order, what it returns"


@pytest.mark.parametrize("package", INNER)
def test_functions_say_what_they_take_and_return(package):
    home = import_module(f"companion.{package}")
    faults = [
        f"{module.name}.{name} does not document {fault}"
        for module in pkgutil.walk_packages(home.__path__, home.__name__ + ".")
        if not any(part.startswith("_") for part in module.name.split("."))
        for name, function in functions_of(module.name)
        if (fault := fault_of(function))
    ]
    assert not faults, "\n".join(faults)
