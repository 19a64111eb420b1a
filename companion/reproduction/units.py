"""Units of work and the studies that list them.

A *unit* is one repetition at one setting, known by a digest of its identity, which also seeds it; a
*study* lists its units and knows how to compute one of them.
"""

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from companion._utils.paths import check_name

PROFILES = ("quick", "paper")
_KEY_LENGTH = 20


def to_scalar(
    value: Any, where: str, *, finite: bool = False
) -> str | int | float | bool | None:
    """The plain Python scalar equal to ``value``."""
    if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float) and finite:
        if not math.isfinite(value):
            raise ValueError(f"{where} must be finite. Got {value} instead.")
        value += 0.0  # -0.0 and 0.0 are one parameter
    if value is not None and not isinstance(value, (str, int, float)):
        raise TypeError(
            f"{where} must be a string, a number, a bool or None. "
            f"Got {type(value).__name__} instead; give its summary or its name."
        )
    return value


def _encoded(value: Any) -> str:
    """One spelling for equal values: keys sorted, no spaces, ASCII, no NaN."""
    options: dict[str, Any] = {"separators": (",", ":"), "allow_nan": False}
    return json.dumps(value, sort_keys=True, **options)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def seed_for(*parts: Any) -> np.random.SeedSequence:
    """A seed that depends on ``parts`` alone.

    Units that must share their randomness (the same split for every machine, a paired comparison)
    take their seed from what they share, not from their own identity.

    Parameters
    ----------
    *parts : str, int, float, bool or None
        What the seed stands for, e.g. ``"trees", "split", "heart", 3``.

    Returns
    -------
    numpy.random.SeedSequence

    Examples
    --------
    >>> from companion.reproduction.units import seed_for
    >>> a, b = seed_for("split", "heart", 3), seed_for("split", "heart", 3)
    >>> bool((a.generate_state(4) == b.generate_state(4)).all())
    True
    """
    plain = [to_scalar(part, "a part of a seed", finite=True) for part in parts]
    return np.random.SeedSequence(int(_digest(_encoded(["seed", plain])), 16))


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
        owner = f"a unit of {self.paper}/{self.study}"
        plain = {}
        for name, value in self.params.items():
            if not isinstance(name, str) or not name:
                raise TypeError(
                    f"{owner}: parameter names must be strings. Got {name!r} instead."
                )
            plain[name] = to_scalar(
                value, f"parameter '{name}' of {owner}", finite=True
            )
        object.__setattr__(self, "params", plain)

    @cached_property
    def key(self) -> str:
        identity = [self.paper, self.study, self.params, self.data]
        return _digest(_encoded(identity))[:_KEY_LENGTH]

    @property
    def seed_sequence(self) -> np.random.SeedSequence:
        return seed_for(self.paper, self.study, _encoded(self.params))

    def rng(self) -> np.random.Generator:
        """A fresh generator on the unit's own seed: two calls give the same stream."""
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
        Name of the study; the records are stored under this name. Both are plain words: letters,
        digits, _ and -.
    units : callable
        ``units(profile) -> list of Unit`` for the profile "quick" or "paper". Must not need the
        data themselves, only their digests.
    compute : callable
        ``compute(unit) -> dict or list of dict``: the result rows of a unit, scalars only. A
        function at the top level of an importable module, so that worker processes find it. It
        may raise `companion.datasets.DataUnavailable`; such a unit is reported as missing.
    digits : int, default=6
        Significant digits of the floats that are kept: those that another processor gives as well.
    """

    paper: str
    name: str
    units: Callable[[str], list[Unit]]
    compute: Callable[[Unit], dict | list[dict]]
    digits: int = 6

    def __post_init__(self) -> None:
        check_name(self.paper, "a study's paper")
        check_name(self.name, f"a study of {self.paper}")

    def unit(self, data: str = "", /, **params: Any) -> Unit:
        """A unit of this study with these parameters."""
        return Unit(self.paper, self.name, params, data)


def study_over(paper, name, compute, settings=None, digest=None, *, digits=6, **levels):
    """A study with a unit for each setting, a mapping, and combination of levels.

    A level is its values, or how many repetitions, which count from 1. Settings and levels may
    differ by profile: a mapping from profile to what they are. ``digest(params)`` is that of data,
    and so many ``digits`` are kept of the results.
    """

    def values_of(given, profile):
        given = given[profile] if isinstance(given, dict) else given
        return range(1, given + 1) if isinstance(given, int) else given

    def units(profile):
        axes = [
            values_of(given, profile) for given in (settings or [{}], *levels.values())
        ]
        for setting, *chosen in product(*axes):
            params = setting | dict(zip(levels, chosen, strict=True))
            yield Unit(paper, name, params, digest(params) if digest else "")

    return Study(paper, name, lambda profile: list(units(profile)), compute, digits)


def numbered(key, number, counts):
    """Settings by profile: for each of the keys so many repetitions, which count from 1."""
    return {
        profile: [
            {key: one, number: k} for one, n in of.items() for k in range(1, n + 1)
        ]
        for profile, of in counts.items()
    }
