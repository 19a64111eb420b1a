"""What a table or figure is made of: units of work, studies, parameters, artefacts, papers.

Pure data classes. A *unit* is one repetition at one setting; a *study* lists its units and knows
how to compute one of them; an *artefact* is a printed table or figure, drawn from the records of
one or more studies. How units are run and stored is the business of `companion.reproduction`.
"""

from __future__ import annotations

import hashlib
import json
import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

__all__ = [
    "PROFILES",
    "RUN_PARAMETERS",
    "Artefact",
    "Paper",
    "Parameter",
    "Study",
    "Unit",
    "canonical_json",
    "seed_for",
    "to_scalar",
]

PROFILES = ("quick", "paper")
_KEY_LENGTH = 20


def to_scalar(value: Any, where: str, *, finite: bool = False) -> str | int | float | bool | None:
    """The plain Python scalar equal to ``value``.

    Parameters
    ----------
    value : str, int, float, bool, None or numpy scalar
        What to convert; a 0-d array counts as a scalar.
    where : str
        What the value belongs to, for the error message.
    finite : bool, default=False
        Refuse NaN and the infinities, and drop the sign of a zero, as an identity needs.

    Returns
    -------
    str, int, float, bool or None

    Raises
    ------
    TypeError
        If the value is no scalar of JSON.
    ValueError
        If ``finite`` and the value is NaN or infinite.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        value = float(value)
        if not finite:
            return value
        if not math.isfinite(value):
            raise ValueError(f"{where} must be finite. Got {value} instead.")
        return value + 0.0  # -0.0 and 0.0 are one parameter
    raise TypeError(
        f"{where} must be a string, a number, a bool or None. "
        f"Got {type(value).__name__} instead; give its summary or its name."
    )


def canonical_json(value: Any) -> str:
    """One spelling for equal values: keys sorted, no spaces, ASCII, no NaN.

    Parameters
    ----------
    value : scalar, mapping or sequence of such
        What to spell. Scalars of numpy count as those of Python.

    Returns
    -------
    str
    """

    def plain(part):
        if isinstance(part, Mapping):
            return {str(name): plain(inner) for name, inner in part.items()}
        if isinstance(part, (list, tuple)):
            return [plain(inner) for inner in part]
        return to_scalar(part, "a part of an identity", finite=True)

    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def seed_for(*parts: Any) -> np.random.SeedSequence:
    """A seed that depends on ``parts`` alone.

    Units that must share their randomness (the same split for every machine, a paired comparison)
    take their seed from what they share, not from their own identity.

    Parameters
    ----------
    *parts : str, int, float, bool or None
        What the seed stands for, e.g. ``"l1nsvm", "split", "heart", 3``.

    Returns
    -------
    numpy.random.SeedSequence

    Examples
    --------
    >>> from companion.papers.base import seed_for
    >>> a, b = seed_for("split", "heart", 3), seed_for("split", "heart", 3)
    >>> bool((a.generate_state(4) == b.generate_state(4)).all())
    True
    """
    return np.random.SeedSequence(int(_digest(["seed", list(parts)]), 16))


@dataclass(frozen=True, eq=False)
class Unit:
    """One repetition at one setting, the smallest piece of work that is stored.

    Parameters
    ----------
    paper : str
        Key of the paper.
    study : str
        Name of the study.
    params : mapping of str to str, int, float, bool or None
        The setting, repetition included. Order is kept for display and does not matter for the
        identity. ``1`` and ``1.0`` are different parameters, as are ``1`` and ``True``.
    data : str, default=""
        Digest of the data the unit works on, "" for data made from the seed. Take it from the
        registry of data sets, so that units can be listed where the data cannot be had.

    Attributes
    ----------
    key : str
        20 hexadecimal digits of the SHA-256 of the identity.
    seed_sequence : numpy.random.SeedSequence
        Derived from paper, study and parameters, so that neither the order of the units, nor the
        number of jobs, nor a new edition of a data file moves it.
    """

    paper: str
    study: str
    params: Mapping[str, Any] = field(default_factory=dict)
    data: str = ""

    def __post_init__(self) -> None:
        owner = f"unit of {self.paper}/{self.study}"
        plain = {}
        for name, value in dict(self.params).items():
            if not isinstance(name, str) or not name:
                raise TypeError(f"{owner}: parameter names must be strings. Got {name!r} instead.")
            plain[name] = to_scalar(value, f"parameter '{name}' of a {owner}", finite=True)
        object.__setattr__(self, "params", plain)

    @cached_property
    def key(self) -> str:
        return _digest([self.paper, self.study, self.params, self.data])[:_KEY_LENGTH]

    @property
    def seed_sequence(self) -> np.random.SeedSequence:
        return seed_for(self.paper, self.study, canonical_json(self.params))

    def rng(self) -> np.random.Generator:
        """A fresh generator on the unit's own seed: two calls give the same stream.

        Returns
        -------
        numpy.random.Generator
        """
        return np.random.default_rng(self.seed_sequence)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        setting = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.paper}/{self.study}({setting})"


@dataclass(frozen=True)
class Study:
    """A list of units and the function that computes one of them.

    Parameters
    ----------
    paper : str
        Key of the paper.
    name : str
        Name of the study; the records are stored under this name.
    units : callable
        ``units(profile) -> list of Unit`` for the profile "quick" or "paper". Must not need the
        data themselves, only their digests.
    compute : callable
        ``compute(unit) -> dict or list of dict``: the result rows of a unit, scalars only. A
        function at the top level of an importable module, so that worker processes find it. It
        may raise `companion.datasets.DataUnavailable`; such a unit is reported as missing.
    code : tuple of str
        Names of the modules (or packages, meant with all they hold) whose source the results
        depend on. Records made by other source are reported as stale.
    """

    paper: str
    name: str
    units: Callable[[str], list[Unit]]
    compute: Callable[[Unit], dict | list[dict]]
    code: tuple[str, ...] = ()

    def unit(self, data: str = "", /, **params: Any) -> Unit:
        """A unit of this study with these parameters.

        Parameters
        ----------
        data : str, default=""
            As of `Unit`.
        **params : str, int, float, bool or None
            The setting.

        Returns
        -------
        Unit
        """
        return Unit(self.paper, self.name, params, data)


@dataclass(frozen=True)
class Parameter:
    """A typed parameter of an artefact's notebook.

    Parameters
    ----------
    name : str
        The variable in the notebook's parameters cell.
    type : type
        ``str``, ``int``, ``float`` or ``bool``.
    default : str, int, float or bool
        The value without ``-p``.
    help : str
        One line for the command's help.
    choices : tuple, optional
        The allowed values.
    low, high : float, optional
        The allowed range, ends included.
    """

    name: str
    type: type
    default: Any
    help: str
    choices: tuple | None = None
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if self.type not in (str, int, float, bool):
            raise TypeError(
                f"The type of parameter '{self.name}' must be str, int, float or bool. "
                f"Got {self.type!r} instead."
            )


#: What every notebook can be asked.
RUN_PARAMETERS = (
    Parameter("profile", str, "paper", "sizes of the study: quick or paper", choices=PROFILES),
    Parameter("jobs", int, 1, "processes for what is not yet computed, 1 to 256", low=1, high=256),
    Parameter("fresh", bool, False, "compute everything anew, whatever is on record"),
)


@dataclass(frozen=True)
class Artefact:
    """A printed table or figure, and the notebook that regenerates it.

    Parameters
    ----------
    paper : str
        Key of the paper; "" for a notebook about all of them.
    name : str
        E.g. "table_2"; the notebook is ``notebooks/<paper>/<name>.ipynb``.
    title : str
        One line, in the paper's words.
    studies : tuple of Study
        Where the numbers come from.
    parameters : tuple of Parameter
        What the notebook can be asked.
    values : callable
        ``values(records) -> DataFrame`` from the records of each study, keyed by its name, to the
        reproduced values: columns row, column, value, spread, n, se, converged. None if nothing is
        printed to compare with.
    """

    paper: str
    name: str
    title: str
    studies: tuple[Study, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    values: Callable | None = None

    @property
    def id(self) -> str:
        """What is typed on the command line, ``paper/name``, or ``name`` alone without a paper."""
        return f"{self.paper}/{self.name}" if self.paper else self.name


@dataclass(frozen=True)
class Paper:
    """A paper of the companion.

    Parameters
    ----------
    key : str
        Short name, e.g. "l1nsvm".
    title : str
        Title of the paper.
    citation : str
        Authors, venue, year.
    module : str
        The module that defines ``ARTEFACTS``; imported when the artefacts are asked for.
    """

    key: str
    title: str
    citation: str
    module: str

    @property
    def artefacts(self) -> tuple[Artefact, ...]:
        """The tables and figures of the paper, in print order."""
        return tuple(import_module(self.module).ARTEFACTS)
