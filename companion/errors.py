"""The two errors that say that data cannot be had."""

__all__ = ["DataUnavailable", "UnknownDataset"]


class DataUnavailable(RuntimeError):
    """A data set cannot be had here; everything that does not need it can go on.

    The message is one line: which file, why, and what to do. It survives the way back from a
    worker.
    """


class UnknownDataset(DataUnavailable, KeyError):
    """No data set has this name; a `KeyError` too, but printed without quotes."""

    def __str__(self):
        return str(self.args[0]) if self.args else ""
