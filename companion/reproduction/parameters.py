"""The typed parameters of a notebook, and their checks before anything is computed.

A notebook declares them in its one cell tagged ``parameters``, as papermill reads it: the name,
type, default, and what it is, which may end in the range or the choices::

    n_draws: int = 1000  # draws of a panel, 1 to 10000
    C: float = 1.0  # cost of a slack, at least 0
    kernel: str = "linear"  # kernel of the machine: linear or rbf

The command checks the values before a kernel starts. Plain ``papermill`` knows no ranges and only
warns of an unknown name, so that the next cell calls :func:`parameters_for`.
"""

import ast
import difflib
import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import click

from companion._utils.errors import DamagedData
from companion._utils.slow_imports import pass_over_slow_imports
from companion.reproduction.artefacts import get_artefact, notebook_path

_TYPES = {"str": str, "int": int, "float": float, "bool": bool}
_WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?"
#: What speaks of a range.
_LIMITS = re.compile(r"\d to -?[.\d]|\bat (?:least|most) -?[.\d]")
_CHOICES = re.compile(r"(.+): ([^:]+) or ([^:]+)")
_RANGE = re.compile(
    rf".+, (?:({_NUMBER}) to ({_NUMBER})|at least ({_NUMBER})|at most ({_NUMBER}))"
)
_HOW_TO_DECLARE = "write `name: type = default  # what it is, 1 to 9`"


class ParameterError(ValueError):
    """Parameters are unknown or have bad values; the message lists all of them."""

    def __init__(self, owner, faults):
        self.faults = faults
        lines = "\n  ".join(faults)
        super().__init__(f"{owner} cannot run with these parameters:\n  {lines}")


@dataclass(frozen=True)
class Parameter:
    """A line of a parameters cell; without choices or a range every value of the type will do."""

    name: str
    type: type
    default: Any
    help: str
    choices: tuple | None = None
    low: float = -math.inf
    high: float = math.inf


def _typed(found):
    """A parameter as papermill found it; what papermill cannot read is an error of some kind."""
    kind = _TYPES[found["inferred_type_name"]]
    text = found["help"]
    limits = {}
    if match := _CHOICES.fullmatch(text):
        text, others, last = match.groups()
        limits["choices"] = tuple(map(kind, [*others.split(", "), last]))
    elif match := _RANGE.fullmatch(text):
        low, high, least, most = match.groups()
        ends = {"low": low or least, "high": high or most}
        limits = {end: kind(number) for end, number in ends.items() if number}
    elif _LIMITS.search(text):
        raise ValueError("its range is not at the end, or not one")
    if not text:
        raise ValueError("it does not say what it is")
    default = kind(ast.literal_eval(found["default"]))
    parameter = Parameter(found["name"], kind, default, text, **limits)
    if not _is_right(parameter, default):
        raise ValueError(f"its default is not {_allowed(parameter)}")
    return parameter


def read_notebook(path):
    """The notebook of a path; DamagedData names a file that is none."""
    pass_over_slow_imports()
    import nbformat

    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise
    except Exception as error:  # of many kinds, by what the file has instead
        reason = f"{type(error).__name__}: {error}"
        raise DamagedData(f"{path} cannot be read: {reason:.200}") from None


def read_parameters(path):
    """The parameters that the notebook of a path declares, by name; none if it is not there.

    A ParameterError is raised for lines of the parameters cell that declare nothing, and for a
    second such cell, of which papermill would take no notice.
    """
    if not path.is_file():
        return {}
    notebook = read_notebook(path)
    import papermill

    from companion.reproduction.engine import clean

    tagged = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    if len(tagged) > 1:
        fault = f"{len(tagged)} cells are tagged `parameters`: make them one"
        raise ParameterError(path, [fault])
    notebook.cells = tagged
    clean(notebook)
    found = papermill.inspect_notebook(notebook)
    declared = {}
    faults = []
    for line in "".join(cell.source for cell in tagged).splitlines():
        if not line.partition("#")[0].strip():
            continue
        name = line.partition(":")[0]
        try:
            declared[name] = _typed(found[name])
        except (LookupError, ValueError, SyntaxError, TypeError):
            faults.append(f"{line!r} declares none: {_HOW_TO_DECLARE}")
    if faults:
        raise ParameterError(path, faults)
    return declared


def _is_right(parameter, value):
    kinds = (int, float) if parameter.type is float else (parameter.type,)
    if type(value) not in kinds:
        return False
    if parameter.choices is not None:
        return value in parameter.choices
    if isinstance(value, (str, bool)):
        return True
    return math.isfinite(value) and parameter.low <= value <= parameter.high


def _allowed(parameter):
    """What a parameter may be, in words."""
    if parameter.choices is not None:
        return "one of " + ", ".join(map(repr, parameter.choices))
    words = _WORDS[parameter.type]
    low = parameter.low
    high = parameter.high
    if math.isfinite(low) and math.isfinite(high):
        return f"{words} from {low} to {high}"
    words += f" of at least {low}" * math.isfinite(low)
    return words + f" of at most {high}" * math.isfinite(high)


def check_parameters(owner, declared, values, *, text=False):
    """A value for every declared parameter: the given one, else the default.

    With `text`, values are words of a command line. Faults are one `ParameterError`, which names
    the owner.
    """
    checked = {name: parameter.default for name, parameter in declared.items()}
    faults = []
    for name, value in values.items():
        parameter = declared.get(name)
        if parameter is None:
            hint = f"it has {', '.join(declared) or 'none'}"
            for close in difflib.get_close_matches(name, declared, n=1):
                hint = f"did you mean {close!r}?"
            faults.append(f"{name!r} is no parameter of it: {hint}")
            continue
        if text:  # a word that stands for no value is a fault itself
            with suppress(click.BadParameter):
                value = click.types.convert_type(parameter.type)(value)
        if _is_right(parameter, value):
            checked[name] = parameter.type(value)
        else:
            allowed = _allowed(parameter)
            faults.append(f"{name!r} must be {allowed}. Got {value!r} instead")
    if faults:
        raise ParameterError(owner, faults)
    return checked


def _injected_names():
    """Names that papermill assigned in this kernel, in the cells that it injects.

    They begin with ``# Parameters``; IPython keeps the source of every cell that ran.
    """
    from IPython import get_ipython

    shell = get_ipython()
    cells = [] if shell is None else shell.user_ns.get("In", [])
    injected = [cell for cell in cells if cell.startswith("# Parameters\n")]
    return set(re.findall(r"^(\w+) = ", "\n".join(injected), re.MULTILINE))


def parameters_for(name, /, **values):
    """Check the parameters of a notebook from inside it, so that it stops before it computes.

    Parameters
    ----------
    name : str
        What is typed for the artefact, such as ``"trees/table_2"``.
    **values
        The notebook's parameters by name; those left out have their defaults.

    Returns
    -------
    dict
        A value for every parameter of the artefact; the given ones if the notebook, which declares
        them, is not there.

    Raises
    ------
    ParameterError
        If a name is unknown, also one that papermill injected, or a value has the wrong type or is
        out of range; all faults at once.
    """
    notebook = notebook_path(get_artefact(name))
    if not notebook.is_file():
        return values
    declared = read_parameters(notebook)
    stray = dict.fromkeys(_injected_names() - declared.keys())
    return check_parameters(name, declared, {**stray, **values})
