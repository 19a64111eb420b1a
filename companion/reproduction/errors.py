"""The errors of running and storing units; each message says what happened and what to do."""

__all__ = ["ClusterError", "StoreError", "UnitError"]


class StoreError(RuntimeError):
    """A file of records cannot be read or written. Records already in it are untouched."""


class UnitError(RuntimeError):
    """Units failed, or their workers did; every unit that finished is stored."""


class ClusterError(UnitError):
    """A Dask cluster that cannot be reached, or that has no worker; finished units are stored."""
