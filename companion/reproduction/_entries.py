"""Lists of entries typed by hand in YAML: read, and checked for their shape."""

from companion.reproduction.published import PublishedError

__all__ = ["read_entries", "shape_faults"]


def read_entries(path):
    """The list that a YAML file holds.

    Parameters
    ----------
    path : pathlib.Path
        A file that does not exist holds none, and so does one with comments alone.

    Returns
    -------
    list

    Raises
    ------
    PublishedError
        If it is no YAML, or something else than a list.
    """
    if not path.is_file():
        return []
    import yaml

    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise PublishedError(path.name, [" ".join(str(error).split())]) from error
    entries = [] if entries is None else entries
    if not isinstance(entries, list):
        raise PublishedError(path.name, [f"it must be a list, not {type(entries).__name__}"])
    return entries


def shape_faults(entry, texts, lists, optional=(), one_line=()):
    """Faults of an entry that its own text shows.

    Parameters
    ----------
    entry : object
        As YAML has it.
    texts, lists, optional : tuple of str
        Fields that hold a text, a list of texts, and a text that may be left out.
    one_line : tuple of str
        Texts that stand in a table.

    Returns
    -------
    list of str
    """
    if not isinstance(entry, dict):
        return [f"it must be a mapping, not {type(entry).__name__}"]
    faults = [f"{name} is missing" for name in (*texts, *lists) if name not in entry]
    known = (*texts, *lists, *optional)
    faults += [f"{name!r} is unknown" for name in entry if name not in known]
    for name in (*texts, *optional):
        text = entry.get(name, "-")
        if not isinstance(text, str) or not text.strip():
            faults.append(f"{name} must be a text that says something. Got {text!r}")
        elif name in one_line and "\n" in text.strip():
            faults.append(f"{name} must be one line, as it stands in a table")
    for name in lists:
        items = entry.get(name, ["-"])
        if not isinstance(items, list) or not items or not all(isinstance(i, str) for i in items):
            faults.append(f"{name} must be a list of texts (quote numbers). Got {items!r}")
    return faults
