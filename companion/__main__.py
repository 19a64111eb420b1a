"""The command: ``companion`` or ``python -m companion``."""

import sys

from companion.errors import DataUnavailable

_SITE = ("latex2mathml", "myst_nb", "numpydoc", "pydata_sphinx_theme", "rocrate", "sphinx")
#: Extras other than ``reproduce`` that bring what a part of the command needs.
_EXTRAS = dict.fromkeys(_SITE, "docs") | {"dask": "distributed", "distributed": "distributed"}


def main():
    """Run the command, or say in one line what it lacks."""
    try:
        from companion.cli import main as command

        command()
    except DataUnavailable as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "companion"):
            raise
        extra = _EXTRAS.get(package, "reproduce")
        advice = f"which is not installed: pip install 'svm-companion[{extra}]'"
        print(f"The command needs {package}, {advice}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
