"""The errors of running and storing units; each message says what happened and what to do."""

from __future__ import annotations

__all__ = ["ClusterError", "StoreError", "UnitError"]


class StoreError(RuntimeError):
    """A file of records cannot be read or written. Records already in it are untouched."""


class UnitError(RuntimeError):
    """One or more units failed; every unit that finished is stored.

    Parameters
    ----------
    message : str
        Names the study and the units.
    failures : list of (Unit, str), optional
        Each failed unit with the last line of its traceback.
    """

    def __init__(self, message: str, failures: list | None = None):
        super().__init__(message)
        self.failures = list(failures or [])


class ClusterError(UnitError):
    """A Dask cluster that cannot be reached, or that has no worker; finished units are stored."""
