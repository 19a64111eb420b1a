"""The errors of running and storing units; each message says what happened and what to do."""

from companion._utils.errors import DamagedData


class StoreError(RuntimeError):
    """A file of records cannot be read or written. Records already in it are untouched."""


class DamagedError(StoreError, DamagedData):
    """A file of records is not as it was written."""


class UnitError(RuntimeError):
    """Units failed, or their workers did; every unit that finished is stored.

    `computed` is how many that were.
    """


class ClusterError(UnitError):
    """A Dask cluster that cannot be reached, or that has no worker; finished units are stored."""
