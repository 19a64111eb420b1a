"""How long the regeneration takes: ``data/times.csv``, one line a study and one a notebook.

``companion reproduce --profile paper --fresh --in-place`` writes the lines of what it computed
whole; a run that took over finished units, or that missed data, leaves them as they were.
"""

import os

from companion._paths import data_dir
from companion.reproduction._files import replace_text

__all__ = ["NOTEBOOK", "load_times", "save_times"]

#: Stands in the column ``study`` for running the notebook on finished records.
NOTEBOOK = "(notebook)"
_COLUMNS = ["artefact", "study", "units", "jobs", "cores", "seconds"]


def _path():
    return data_dir() / "times.csv"


def load_times():
    """Wall-clock time of every study and notebook in the paper profile.

    Returns
    -------
    pandas.DataFrame
        Columns artefact, study (:data:`NOTEBOOK` for the notebook), units, jobs, cores of the
        machine, seconds; empty if nothing was timed. A study that several artefacts use stands
        with the first.
    """
    import pandas as pd

    path = _path()
    return pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=_COLUMNS)


def save_times(artefact, lines):
    """Replace the lines of these studies of an artefact.

    Parameters
    ----------
    artefact : companion.reproduction.Artefact
    lines : list of (str, int, int, float)
        Study, units, jobs, seconds.
    """
    import pandas as pd

    from companion.reproduction.artefacts import list_artefacts

    new = pd.DataFrame(
        [
            (artefact.id, study, units, jobs, os.cpu_count(), round(seconds, 1))
            for study, units, jobs, seconds in lines
        ],
        columns=_COLUMNS,
    )
    old = load_times()
    replaced = (old["artefact"] == artefact.id) & old["study"].isin(new["study"])
    kept = old[~replaced]
    table = pd.concat([kept, new], ignore_index=True) if len(kept) else new
    known = [a.id for a in list_artefacts()]
    order = {name: place for place, name in enumerate(known)}
    place = table["artefact"].map(order).fillna(len(order))
    table = table.iloc[place.argsort(kind="stable")]
    replace_text(_path(), table.to_csv(index=False))
