"""The command: ``companion`` or ``python -m companion``."""

import sys

from companion.errors import DataUnavailable


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
        print(
            f"The command needs {package}, which is not installed: "
            "pip install 'svm-companion[reproduce]'",
            file=sys.stderr,
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
