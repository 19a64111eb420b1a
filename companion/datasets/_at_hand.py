"""Which files a data set is made of, and whether they are here, without reading them."""

import hashlib

from companion._paths import data_dir
from companion.datasets import ida
from companion.datasets._fetch import locate
from companion.datasets._sources import digest_of, get_source, list_sources
from companion.errors import UnknownDataset

__all__ = ["data_digest", "is_available", "why_unavailable"]


def data_digest(name, source=None):
    """Digest of what a data set is made of, without having it.

    Parameters
    ----------
    name : str
        A name of `list_ida`, else a key of ``data/sources.toml``.
    source : {None, "drawn", "ida"}, default=None
        As in `load_ida`; of no meaning for a key.

    Returns
    -------
    str
        Sixteen hexadecimal digits that change with the registered hashes of the files, the sizes
        of the splits and the source of the splits, and with nothing else. For the Titanic they
        change with the cross-table in ``data/``.
    """
    if name not in ida.FORMS and name in {source.key for source in list_sources()}:
        return digest_of("files", *(file.sha256 for file in get_source(name).files))
    form = ida.get_form(name)
    if ida.resolve_source(name, source) == "ida":
        return digest_of("ida", name, ida.benchmark_file().sha256)
    if form.key is None:
        text = (data_dir() / f"{name}.csv").read_text(encoding="ascii")
        content = hashlib.sha256(text.encode()).hexdigest()
    else:
        content = get_source(form.key).file(form.file).sha256
    return digest_of("drawn", name, content, form.n_train, form.n_test)


def why_unavailable(name):
    """Say why a data set is not here, looking at mirror and cache alone.

    Parameters
    ----------
    name : str
        A name of `list_ida`, else a key of ``data/sources.toml``.

    Returns
    -------
    str or None
        One line that names the file and what to do, or None if the data are here. A data set that
        is not here may still be had by a download.
    """
    try:
        if name in ida.FORMS:
            form = ida.FORMS[name]
            if form.key is None or ida.split_source(name) == "ida":
                return None
            files = (get_source(form.key).file(form.file),)
        else:
            files = get_source(name).files
    except UnknownDataset as error:
        return str(error)
    return next((why for path, why in map(locate, files) if path is None), None)


def is_available(name):
    """Tell whether a data set is here, looking at mirror and cache alone.

    Parameters
    ----------
    name : str
        A name of `list_ida`, else a key of ``data/sources.toml``.

    Returns
    -------
    bool
    """
    return why_unavailable(name) is None
