"""Where the project's files are: the one place that knows.

The repository keeps ``data/`` and ``notebooks/`` beside the package. A checkout, or an editable
installation of one, uses them in place, so that a reader sees what a run changed with
``git diff``. A wheel carries a copy as ``companion/_project``. The environment variable
``COMPANION_PROJECT`` names another folder with ``data`` and ``notebooks`` in it, for whoever wants
to work on a copy (an installed wheel may not be writable).
"""

import os
from pathlib import Path

__all__ = ["build_dir", "cache_dir", "data_dir", "is_checkout", "notebooks_dir", "project_root"]

_PACKAGE = Path(__file__).resolve().parent
_PACKAGED = _PACKAGE / "_project"


def is_checkout():
    """Whether the package runs from a repository rather than from a wheel."""
    return (_PACKAGE.parent / "pyproject.toml").is_file() and not _PACKAGED.is_dir()


def _override():
    """Folder named by ``COMPANION_PROJECT``, or None."""
    folder = os.environ.get("COMPANION_PROJECT")
    return Path(folder).expanduser() if folder else None


def project_root():
    """Folder that holds ``data`` and ``notebooks``."""
    override = _override()
    if override is not None:
        return override
    return _PACKAGE.parent if is_checkout() else _PACKAGED


def data_dir():
    """Folder of the published values, the deviations, the records and the data sources."""
    return project_root() / "data"


def notebooks_dir():
    """Folder of the notebooks, one folder a paper inside it."""
    return project_root() / "notebooks"


def build_dir():
    """Folder of products that can be deleted: executed notebooks and reports.

    In the project folder; in the current one for a wheel, whose own folder may not be writable.
    """
    override = _override()
    if override is not None:
        return override / "build"
    return (_PACKAGE.parent if is_checkout() else Path.cwd()) / "build"


def cache_dir():
    """Folder of the working records and of downloaded data, which need not exist yet.

    The environment variable ``COMPANION_CACHE``, else the user's cache folder of this platform.
    """
    override = os.environ.get("COMPANION_CACHE")
    if override:
        return Path(override).expanduser()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("companion", appauthor=False))
