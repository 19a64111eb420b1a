"""The errors that say what is wrong with data."""

__all__ = ["DamagedData", "DataUnavailable", "UnknownDataset", "WrongSetting"]


class DamagedData(RuntimeError):
    """A file of data is not the one that it should be; nothing is computed from it."""


class WrongSetting(ValueError):
    """A variable of the environment that means nothing; nothing was run."""


class DataUnavailable(RuntimeError):
    """A data set cannot be had here; everything that does not need it can go on.

    The message is one line: which file, why, and what to do. It survives the way back from a
    worker.
    """


class UnknownDataset(DataUnavailable, KeyError):
    """No data set has this name; a `KeyError` too, but printed without quotes."""

    def __str__(self):
        return str(self.args[0]) if self.args else ""
