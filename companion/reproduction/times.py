"""How long the regeneration takes: ``data/times.csv``, one line a study and one a notebook.

A fresh run of the paper profile in place writes the lines of what it computed whole.
"""

import os

import pandas as pd

from companion._utils.files import replace_bytes
from companion._utils.paths import data_dir
from companion.reproduction.artefacts import list_artefacts
from companion.reproduction.published import PublishedError

#: Stands in the column ``study`` for running the notebook on finished records.
NOTEBOOK = "(notebook)"
_COLUMNS = ["artefact", "study", "units", "jobs", "cores", "seconds"]
_NUMBERS = _COLUMNS[2:]


def load_times():
    """Wall-clock time of every study and notebook in the paper profile.

    Returns
    -------
    pandas.DataFrame
        Columns artefact, study (:data:`NOTEBOOK` for the notebook), units, jobs, cores of the
        machine, seconds; empty if nothing was timed. A study that several artefacts use stands
        with the one that it was computed for.

    Raises
    ------
    PublishedError
        If the file is no such table.
    """
    path = data_dir() / "times.csv"
    if not path.is_file():
        return pd.DataFrame(columns=_COLUMNS)
    try:
        times = pd.read_csv(path)
        if [*times] != _COLUMNS:
            raise ValueError(f"the columns must be {', '.join(_COLUMNS)}")
        times[_NUMBERS].astype(float)
    except ValueError as error:
        raise PublishedError(path.name, [" ".join(str(error).split())]) from error
    return times


def save_times(artefact, lines):
    """Replace the lines of these studies of a paper: tuples of study, units, jobs and seconds."""
    order = {known.id: place for place, known in enumerate(list_artefacts())}
    rows = [*load_times().itertuples(index=False, name=None)]
    for study, units, jobs, seconds in lines:
        times = (units, jobs, os.cpu_count(), round(seconds, 1))
        rows.append((artefact.id, study, *times))
    table = pd.DataFrame(rows, columns=_COLUMNS)
    # A study is of a paper, whichever artefact it was computed for.
    papers = table["artefact"].str.partition("/")[0]
    owners = table["artefact"].where(table["study"] == NOTEBOOK, papers)
    table = table[
        ~table.assign(artefact=owners).duplicated(["artefact", "study"], "last")
    ]
    table = table.sort_values("artefact", key=lambda ids: ids.map(order), kind="stable")
    replace_bytes(data_dir() / "times.csv", table.to_csv(index=False).encode())
