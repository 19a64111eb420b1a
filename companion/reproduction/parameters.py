"""The typed parameters of a notebook, and their checks before anything is computed.

The cell tagged ``parameters`` has a typed line for each, ``n_draws: int = 1000  # draws a panel``,
and the artefact declares the same with its choices and ranges. The command checks them before a
kernel starts. Plain ``papermill`` knows no types and only warns of an unknown name, so that the
next cell calls :func:`parameters_for`.
"""

import difflib
import math
import re
from contextlib import suppress

import click

from companion.reproduction.artefacts import get_artefact

_WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


class ParameterError(ValueError):
    """Parameters are unknown or have bad values; the message lists all of them."""

    def __init__(self, owner, faults):
        self.faults = list(faults)
        lines = "\n".join(f"  {fault}" for fault in self.faults)
        super().__init__(f"{owner} cannot run with these parameters:\n{lines}")


def _fault(name, value, declared):
    """What is wrong with a value, in words; nothing if it is right."""
    if name not in declared:
        close = difflib.get_close_matches(name, declared, n=1)
        hint = (
            f"did you mean {close[0]!r}?"
            if close
            else f"it has {', '.join(declared) or 'none'}"
        )
        return f"{name!r} is no parameter of it: {hint}"
    parameter = declared[name]
    types = (int, float) if parameter.type is float else parameter.type
    right = isinstance(value, types) and (parameter.type is bool) == isinstance(
        value, bool
    )
    if right and parameter.choices is not None:
        right = value in parameter.choices
    elif right and parameter.type in (int, float):
        right = math.isfinite(value) and parameter.low <= value <= parameter.high
    return (
        None
        if right
        else f"{name!r} must be {_allowed(parameter)}. Got {value!r} instead"
    )


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


def check_parameters(artefact, values, *, text=False):
    """A value for every parameter of an artefact: the given one, else the default.

    With `text`, values are words of a command line. Faults are one `ParameterError`.
    """
    declared = {parameter.name: parameter for parameter in artefact.parameters}
    values = dict(values)
    for name in values.keys() & declared.keys() if text else ():
        with suppress(
            click.BadParameter
        ):  # a word that stands for no value is a fault itself
            values[name] = click.types.convert_type(declared[name].type)(values[name])
    faults = [_fault(name, value, declared) for name, value in values.items()]
    if any(faults):
        raise ParameterError(artefact.id, filter(None, faults))
    return {name: p.type(values.get(name, p.default)) for name, p in declared.items()}


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
        A value for every parameter of the artefact.

    Raises
    ------
    ParameterError
        If a name is unknown, also one that papermill injected, or a value has the wrong type or is
        out of range; all faults at once.
    """
    artefact = get_artefact(name)
    stray = dict.fromkeys(_injected_names() - {p.name for p in artefact.parameters})
    return check_parameters(artefact, {**stray, **values})
