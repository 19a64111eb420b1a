"""The digests by which units of work know their data."""

import hashlib
import os
from functools import lru_cache

from companion._utils.paths import uci_dir
from companion.datasets.ida import FORMS
from companion.datasets.outside import OUTSIDE, find_copy
from companion.datasets.tables import registered_tables, table_path

__all__ = ["data_digest"]


def data_digest(name):
    """Digest of what a data set is made of; a file from outside need not be here.

    Parameters
    ----------
    name : str
        A name of `list_ida`, a table of ``data/uci``, or a file from outside by the key of its
        place: "pendigits", "waveform".

    Returns
    -------
    str
        Sixteen hexadecimal digits.

    Raises
    ------
    UnknownDataset, DamagedData
        If there is no such data set; if a file that is here is not the one it should be.
    """
    return _digest(name, uci_dir(), os.environ.get("COMPANION_DATA"))


@lru_cache(maxsize=256)
def _digest(name, *folders):
    """As `data_digest`, once for the folders that files are looked for in."""
    table = FORMS[name].table if name in FORMS else name
    files = [file for file in OUTSIDE.values() if file.place.startswith(f"{table}/")]
    if not files:
        table_path(table)
        return registered_tables()[table][:16]
    for file in files:
        find_copy(file.place)
    digests = "\0".join(file.sha256 for file in files)
    return hashlib.sha256(digests.encode()).hexdigest()[:16]
