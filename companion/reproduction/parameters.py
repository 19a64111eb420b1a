"""The typed parameters of a notebook, and their checks before anything is computed.

A notebook declares them in its cell tagged ``parameters`` and nowhere else, with the name, type,
default, what it is, and at the end the range or the choices::

    n_draws: int = 1000  # draws of a panel, 1 to 10000
    C: float = 1.0  # cost of a slack, at least 0
    kernel: str = "linear"  # kernel of the machine: linear or rbf

The command checks the values before a kernel starts. Plain ``papermill`` knows no ranges and only
warns of an unknown name, so that the next cell calls :func:`parameters_for`.
"""

import ast
import difflib
import json
import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import click

from companion.reproduction.artefacts import get_artefact, notebook_path

_TYPES = {"str": str, "int": int, "float": float, "bool": bool}
_WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
_NUMBER = r"-?\d+(?:\.\d+)?"
_DECLARATION = re.compile(r"(\w+): (str|int|float|bool) = (.+?)  # (.+)")
_CHOICES = re.compile(r"(.+): ([^:]+) or ([^:]+)")
_RANGE = re.compile(
    rf".+, (?:(?P<low>{_NUMBER}) to (?P<high>{_NUMBER})"
    rf"|at least (?P<least>{_NUMBER})|at most (?P<most>{_NUMBER}))"
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


def _declared_by(line):
    """The parameter that a line declares; a ValueError if it is no declaration."""
    match = _DECLARATION.fullmatch(line)
    if match is None:
        raise ValueError(f"no declaration: {line}")
    name, type_name, default, text = match.groups()
    kind = _TYPES[type_name]
    limits = {}
    if found := _CHOICES.fullmatch(text):
        text, others, last = found.groups()
        limits["choices"] = tuple(map(kind, [*others.split(", "), last]))
    elif found := _RANGE.fullmatch(text):
        ends = {"low": found["low"] or found["least"]}
        ends["high"] = found["high"] or found["most"]
        limits = {end: kind(number) for end, number in ends.items() if number}
    return Parameter(name, kind, kind(ast.literal_eval(default)), text, **limits)


def read_parameters(notebook):
    """The parameters that a notebook, a path, declares, by name.

    A file that cannot be read has none: running it will say why. A ParameterError is raised for
    lines of the parameters cell that declare nothing.
    """
    try:
        cells = json.loads(notebook.read_bytes())["cells"]
        tagged = [c for c in cells if "parameters" in c["metadata"].get("tags", [])]
        lines = "".join(line for cell in tagged for line in cell["source"]).splitlines()
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    declared = {}
    faults = []
    for line in filter(None, lines):
        try:
            parameter = _declared_by(line)
        except (ValueError, SyntaxError, TypeError):
            faults.append(f"{line!r} declares none: {_HOW_TO_DECLARE}")
        else:
            declared[parameter.name] = parameter
    if faults:
        raise ParameterError(notebook, faults)
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
        What is typed for the artefact, such as ``"l1nsvm/table_2"``.
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
