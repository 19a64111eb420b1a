"""Where the project's files are: the one place that knows.

The repository keeps ``data/`` and ``notebooks/`` beside the package. A checkout, or an editable
installation of one, uses them in place, so that a reader sees what a run changed with
``git diff``. A wheel carries a copy as ``companion/_project``. The environment variable
``COMPANION_PROJECT`` names another folder with ``data`` and ``notebooks`` in it, for whoever wants
to work on a copy (an installed wheel may not be writable). So does a table ``[tool.companion]`` in
the nearest pyproject.toml, in the folder in which one works or above it: papers of one's own.
"""

import os
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

from companion._utils.errors import DamagedData, WrongSetting

__all__ = [
    "build_dir",
    "cache_dir",
    "check_name",
    "chosen_folder",
    "companion_root",
    "data_dir",
    "is_checkout",
    "notebooks_dir",
    "project_root",
    "uci_dir",
]

_PACKAGE = Path(__file__).resolve().parents[1]
_PACKAGED = _PACKAGE / "_project"
#: The table of its pyproject.toml by which a folder says that it has papers of its own.
_MARK = "[tool.companion]"
_NAME = re.compile(r"[A-Za-z0-9_-]+")


def check_name(name, what):
    """Refuse a name that is no plain word: files and folders are called by it."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        rule = "letters, digits, _ and - alone, since files are called by it"
        raise ValueError(f"The name of {what} must have {rule}. Got {name!r}.")


def is_checkout():
    """Whether the package runs from a repository rather than from a wheel."""
    return (_PACKAGE.parent / "pyproject.toml").is_file() and not _PACKAGED.is_dir()


def chosen_folders():
    """Folders that are not the default ones, by variable, for a process that starts elsewhere."""
    folders = {
        name: chosen_folder(name) for name in ("COMPANION_CACHE", "COMPANION_DATA")
    }
    folders["COMPANION_PROJECT"] = own_project()
    return {name: str(folder) for name, folder in folders.items() if folder}


def chosen_folder(variable):
    """The folder that an environment variable names, or None."""
    folder = os.environ.get(variable)
    if not folder:
        return None
    try:
        return Path(folder).expanduser().absolute()
    except RuntimeError:
        raise WrongSetting(
            f"{variable} is {folder!r}, and no user of that name has a home folder here: "
            "name another folder, or unset it."
        ) from None


def read_settings(path):
    """The text of a pyproject.toml, whatever its encoding; a `DamagedData` if none can be read."""
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise DamagedData(
            f"{path} cannot be read ({error.strerror}), and it may name papers: make it readable, "
            "or set COMPANION_PROJECT to the folder of the project."
        ) from error


@cache
def _marked_above(folder):
    """The nearest folder with a pyproject.toml, if that says that it has papers of its own."""
    for project in (folder, *folder.parents):
        settings = project / "pyproject.toml"
        if settings.is_file():
            text = read_settings(settings)
            lines = [line.split("#")[0].strip() for line in text.splitlines()]
            return project if _MARK in lines else None
    return None


def own_project():
    """The folder that the environment names, or in which one works, with papers of its own."""
    if chosen := chosen_folder("COMPANION_PROJECT"):
        return chosen
    try:
        return _marked_above(Path.cwd())
    except FileNotFoundError:  # a folder that was removed
        return None


def companion_root():
    """Folder of what comes with the package: ``data`` and ``notebooks``."""
    return _PACKAGE.parent if is_checkout() else _PACKAGED


def uci_dir():
    """Folder of the UCI tables, which come with the package whatever project is worked on."""
    return companion_root() / "data" / "uci"


def project_root():
    """Folder that holds ``data`` and ``notebooks``."""
    return own_project() or companion_root()


def data_dir():
    """Folder of the published values, the deviations, the records and the data sources."""
    return project_root() / "data"


def notebooks_dir():
    """Folder of the notebooks, one folder a paper inside it."""
    return project_root() / "notebooks"


def unwritable(folder):
    """Why nothing can be written into a folder, with the way out; "" if something can.

    The folder is made if there is none.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as probe:
            probe.write(bytes(4096))
    except OSError as error:
        way_out = (
            "set COMPANION_PROJECT to a copy of the project that can be written, "
            "and run again"
        )
        return f"Nothing can be written into {folder} ({error.strerror}): {way_out}."
    return ""


def build_dir():
    """Folder of products that can be deleted: executed notebooks and reports.

    In the project folder; in the current one for a wheel, whose own folder may not be writable.
    """
    if own := own_project():
        return own / "build"
    return (_PACKAGE.parent if is_checkout() else Path.cwd()) / "build"


def cache_dir():
    """Folder of the working records and of downloaded data, which need not exist yet.

    The environment variable ``COMPANION_CACHE``, else the user's cache folder of this platform.
    """
    if chosen := chosen_folder("COMPANION_CACHE"):
        return chosen
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("companion", appauthor=False))
