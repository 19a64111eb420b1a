"""The two errors that say that data cannot be had."""

__all__ = ["DataUnavailable", "UnknownDataset"]


class DataUnavailable(RuntimeError):
    """A data set cannot be had here; everything that does not need it can go on.

    The message is one line: which file, why, and what to do. It pickles, so that it survives the
    way back from a worker process.
    """


class UnknownDataset(DataUnavailable, KeyError):
    """No data set has this name.

    It is a `KeyError` too, for callers that look up names; unlike that of a plain `KeyError` its
    text is printed without quotes around it.
    """

    def __str__(self):
        return str(self.args[0]) if self.args else ""
