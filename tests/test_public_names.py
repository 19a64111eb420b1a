"""Every public name is where it is listed; what readers are shown says what it takes and gives."""

import ast
import doctest
import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

from _cases import cases

import companion
from companion import datasets

#: What users read, as well as the loaders of data sets. Elsewhere a sentence is enough.
SHOWN = ("kernels", "losses", "metrics", "solvers", "tuning")


def modules_with_lists():
    """Modules of the package that list their public names."""
    for found in pkgutil.walk_packages(companion.__path__, "companion."):
        if "._" not in found.name and hasattr(import_module(found.name), "__all__"):
            yield found.name


def documentation(value):
    """The docstring; for a class also those of its bases here, which may document parameters."""
    parts = inspect.getmro(value) if inspect.isclass(value) else [value]
    ours = (part for part in parts if (part.__module__ or "").startswith("companion"))
    return "\n".join(inspect.cleandoc(part.__doc__ or "") for part in ours)


def undocumented(value):
    """Parameters without a line of their own in the numpydoc text."""
    text = documentation(value)
    parameters = inspect.signature(value).parameters
    line = r"(?m)^([*\w]+, )*\*{{0,2}}{}(, [*\w]+)*( :.*)?$"
    taken = [name for name in parameters if name not in ("self", "cls")]
    return [name for name in taken if not re.search(line.format(name), text)]


def own_methods(cls):
    """Public methods of a class that are ours."""
    for name, member in inspect.getmembers(cls, inspect.isroutine):
        module = str(getattr(member, "__module__", ""))
        is_ours = module.startswith("companion") and not name.startswith("_")
        if is_ours and callable(member):  # a cached property is a routine from 3.13 on
            yield f"{cls.__name__}.{name}", member


def shown():
    """What is shown, by name: functions, classes and their methods."""
    for name in (name for name in datasets.__all__ if name.startswith("load_")):
        yield name, getattr(datasets, name)
    for module in (companion, *(import_module(f"companion.{name}") for name in SHOWN)):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                yield from own_methods(value)
            if inspect.isroutine(value) or inspect.isclass(value):
                yield name, value


READERS = dict(shown())
HOME = Path(companion.__file__).parent
WITH_EXAMPLES = [
    path
    for path in sorted(HOME.rglob("*.py"))
    if re.search(r"(?m)^ +>>> ", path.read_text())
]


@cases("module", "companion", *modules_with_lists())
def test_listed_names_exist_once(module):
    home = import_module(module)
    assert len(set(home.__all__)) == len(home.__all__)
    assert [name for name in home.__all__ if not hasattr(home, name)] == []


def test_type_checkers_see_the_names_of_the_package():
    stub = ast.parse((HOME / "__init__.pyi").read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    seen = {part.name for node in imports for part in node.names}
    assert seen == set(companion.__all__) - {"__version__"}


@cases("name", *sorted(READERS))
def test_what_readers_are_shown_documents_what_it_takes(name):
    value = READERS[name]
    assert documentation(value).strip()
    if not (inspect.isclass(value) and issubclass(value, Exception)):
        assert undocumented(value) == []


@cases("path", *WITH_EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_of_the_docstrings_run(path):
    name = ".".join(path.relative_to(HOME.parent).with_suffix("").parts)
    results = doctest.testmod(import_module(name))
    assert results.attempted
    assert not results.failed
