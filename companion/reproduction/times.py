"""How long the regeneration takes: ``data/times.csv``, one line a study and one a notebook.

A fresh run of the paper profile in place writes the lines of what it computed whole.
"""

import os

import pandas as pd

from companion._utils.files import replace_bytes
from companion._utils.paths import data_dir
from companion.reproduction.artefacts import list_artefacts

#: Stands in the column ``study`` for running the notebook on finished records.
NOTEBOOK = "(notebook)"
_COLUMNS = ["artefact", "study", "units", "jobs", "cores", "seconds"]


def load_times():
    """Wall-clock time of every study and notebook in the paper profile.

    Returns
    -------
    pandas.DataFrame
        Columns artefact, study (:data:`NOTEBOOK` for the notebook), units, jobs, cores of the
        machine, seconds; empty if nothing was timed. A study that several artefacts use stands
        with the one that it was computed for.
    """
    path = data_dir() / "times.csv"
    return pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=_COLUMNS)


def save_times(artefact, lines):
    """Replace the lines of these studies of a paper: tuples of study, units, jobs and seconds."""
    old = load_times()
    order = {known.id: place for place, known in enumerate(list_artefacts())}
    shared = old["artefact"].str.startswith(f"{artefact.paper}/") & (
        old["study"] != NOTEBOOK
    )
    of_artefact = shared | (old["artefact"] == artefact.id)
    replaced = of_artefact & old["study"].isin([line[0] for line in lines])
    new = [
        (artefact.id, study, units, jobs, os.cpu_count(), round(seconds, 1))
        for study, units, jobs, seconds in lines
    ]
    rows = [*old[~replaced].itertuples(index=False, name=None), *new]
    table = pd.DataFrame(rows, columns=_COLUMNS)
    table = table.sort_values("artefact", key=lambda ids: ids.map(order), kind="stable")
    text = table.to_csv(index=False)
    replace_bytes(data_dir() / "times.csv", text.encode())
