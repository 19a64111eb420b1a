"""The typed parameters of a notebook, and their checks before anything is computed.

Each notebook has one cell tagged ``parameters`` with one typed line each::

    profile: str = "paper"  # size of the run: quick or paper
    n_draws: int = 1000  # random draws a panel

and the artefact declares the same with its choices and ranges. ``companion reproduce -p`` checks
against the declaration before a kernel starts. Plain ``papermill`` knows no types and only warns of
an unknown name, so that the cell after the parameters calls :func:`parameters_for`, which stops
the notebook before it computes anything.
"""

import ast
import difflib
import io
import math
import tokenize

from companion.reproduction.artefacts import Parameter

__all__ = [
    "ParameterError",
    "check_parameters",
    "disagreements",
    "parameters_for",
    "read_parameters_cell",
]

_TYPES = {"str": str, "int": int, "float": float, "bool": bool}
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_BOOLS = {"true": True, "false": False}
_TAG = "parameters"


class ParameterError(ValueError):
    """Parameters are unknown or have bad values; the message lists all of them."""

    def __init__(self, owner, faults):
        self.faults = list(faults)
        lines = "\n".join(f"  {fault}" for fault in self.faults)
        super().__init__(f"{owner} cannot run with these parameters:\n{lines}")


def _unknown(name, parameters):
    known = [parameter.name for parameter in parameters]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else ""
    listing = f"it has {', '.join(known)}" if known else "it has none"
    return f"{name!r} is no parameter of it: {hint or listing}"


def _from_text(parameter, text):
    """Value a command-line word stands for; the word itself if it stands for none."""
    if parameter.type is bool:
        return _BOOLS.get(text.strip().lower(), text)
    try:
        return parameter.type(text)
    except ValueError:
        return text


def _has_type(parameter, value):
    if parameter.type is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if parameter.type is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, parameter.type)


def _allowed(parameter):
    """What a parameter may be, in words."""
    if parameter.choices is not None:
        return "one of " + ", ".join(repr(choice) for choice in parameter.choices)
    words = _WORDS[parameter.type]
    if parameter.low is not None and parameter.high is not None:
        return f"{words} from {parameter.low} to {parameter.high}"
    if parameter.low is not None:
        return f"{words} of at least {parameter.low}"
    if parameter.high is not None:
        return f"{words} of at most {parameter.high}"
    return words


def _is_allowed(parameter, value):
    if not _has_type(parameter, value):
        return False
    if parameter.type is float and not math.isfinite(value):
        return False
    if parameter.choices is not None and value not in parameter.choices:
        return False
    too_low = parameter.low is not None and value < parameter.low
    too_high = parameter.high is not None and value > parameter.high
    return not (too_low or too_high)


def check_parameters(artefact, values, *, text=False):
    """Check values for the parameters of an artefact.

    Parameters
    ----------
    artefact : companion.reproduction.Artefact
    values : mapping of str to str, int, float or bool
    text : bool, default=False
        Whether texts are words of a command line, which stand for numbers as well.

    Returns
    -------
    dict
        A value for every parameter of the artefact in its order: the given one, else the default.

    Raises
    ------
    ParameterError
        If a name is unknown, or a value has the wrong type or is out of range; all faults at once.
    """
    declared = {parameter.name: parameter for parameter in artefact.parameters}
    faults, checked = [], {}
    for name, value in values.items():
        if name not in declared:
            faults.append(_unknown(name, artefact.parameters))
            continue
        parameter = declared[name]
        if text and isinstance(value, str):
            value = _from_text(parameter, value)
        if _is_allowed(parameter, value):
            checked[name] = parameter.type(value)
        else:
            faults.append(f"{name!r} must be {_allowed(parameter)}. Got {value!r} instead")
    if faults:
        raise ParameterError(artefact.id, faults)
    return {name: checked.get(name, parameter.default) for name, parameter in declared.items()}


def _injected_names():
    """Names that papermill assigned in this kernel, an empty set outside one.

    Papermill opens the cell it injects with the comment ``# Parameters``; IPython keeps the
    source of every cell that ran.
    """
    try:
        from IPython import get_ipython
    except ImportError:
        return set()
    shell = get_ipython()
    names = set()
    for source in [] if shell is None else shell.user_ns.get("In", []):
        if source.startswith("# Parameters\n"):
            targets = [
                node
                for part in ast.parse(source).body
                if isinstance(part, ast.Assign)
                for node in part.targets
            ]
            names.update(node.id for node in targets if isinstance(node, ast.Name))
    return names


def parameters_for(artefact, /, **values):
    """Check the parameters of a notebook from inside it.

    Called in the cell after the parameters, so that plain ``papermill`` refuses a bad value as
    ``companion reproduce`` does. A name that papermill injected but the notebook does not know is
    refused too.

    Parameters
    ----------
    artefact : str or companion.reproduction.Artefact
        The artefact, or what is typed for it, such as ``"l1nsvm/table_2"``.
    **values
        The notebook's parameters by name; those left out have their defaults.

    Returns
    -------
    dict
        A value for every parameter of the artefact.

    Raises
    ------
    ParameterError
        As of :func:`check_parameters`.
    """
    if isinstance(artefact, str):
        from companion.reproduction.artefacts import get_artefact

        artefact = get_artefact(artefact)
    stray = {name: None for name in _injected_names() - {p.name for p in artefact.parameters}}
    return check_parameters(artefact, {**stray, **values})


def _comments(source):
    """Text of the comment on each line of Python source, by line number."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        token.start[0]: token.string.lstrip("#").strip()
        for token in tokens
        if token.type == tokenize.COMMENT
    }


def read_parameters_cell(notebook):
    """Read the parameters cell of a notebook without running it.

    Parameters
    ----------
    notebook : path-like or nbformat.NotebookNode

    Returns
    -------
    tuple of companion.reproduction.Parameter
        Name, type, default and help of each line, without choices or range.

    Raises
    ------
    ValueError
        If there is not exactly one cell tagged ``parameters``, or if a line of it is not
        ``name: type = literal  # help`` with the type str, int, float or bool.
    """
    import nbformat

    if not isinstance(notebook, nbformat.NotebookNode):
        notebook = nbformat.read(notebook, as_version=4)
    cells = [cell for cell in notebook.cells if _TAG in cell.metadata.get("tags", [])]
    if len(cells) != 1 or cells[0].cell_type != "code":
        raise ValueError(
            f"A notebook must have one code cell tagged {_TAG!r}. It has {len(cells)}."
        )
    source = cells[0].source
    comments, parameters = _comments(source), []
    for node in ast.parse(source).body:
        line = ast.get_source_segment(source, node)
        try:
            kind = _TYPES[node.annotation.id]
            default = ast.literal_eval(node.value)
            parameter = Parameter(node.target.id, kind, default, comments[node.end_lineno])
        except (AttributeError, KeyError, ValueError, TypeError):
            parameter = None
        if parameter is None or not _has_type(parameter, default):
            raise ValueError(
                "A line of the parameters cell must read 'name: type = value  # help' with a type "
                f"of {', '.join(_TYPES)} and a value of it. Got {line!r}."
            )
        parameters.append(parameter)
    return tuple(parameters)


def disagreements(artefact, notebook):
    """Compare an artefact's declared parameters with the cell of its notebook.

    Parameters
    ----------
    artefact : companion.reproduction.Artefact
    notebook : path-like or nbformat.NotebookNode

    Returns
    -------
    list of str
        One sentence a difference in name, type, default or help; empty if they agree.
    """
    cell = {parameter.name: parameter for parameter in read_parameters_cell(notebook)}
    declared = {parameter.name: parameter for parameter in artefact.parameters}
    found = [f"{name!r} is in the notebook alone" for name in cell if name not in declared]
    found += [f"{name!r} is declared alone" for name in declared if name not in cell]
    for name in declared:
        for what in ("type", "default", "help") if name in cell else ():
            mine, theirs = getattr(declared[name], what), getattr(cell[name], what)
            if mine != theirs:
                found.append(
                    f"{what} of {name!r} is declared {mine!r}; the notebook has {theirs!r}"
                )
    if not found and list(cell) != list(declared):
        found.append(
            f"the order is declared {', '.join(declared)}; the notebook has {', '.join(cell)}"
        )
    return found
