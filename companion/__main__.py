"""The command: ``companion`` or ``python -m companion``."""

import sys

from companion._utils.extras import way_to_install
from companion._utils.slow_imports import pass_over_slow_imports


def main():
    """Run the command; say in one line what it needs and is not installed."""
    if sys.stdout.encoding == "utf-8":  # a folder may have a name that is none
        sys.stdout.reconfigure(errors="surrogateescape")
    pass_over_slow_imports()
    try:
        from companion.papers.command import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)  # while it was imported; the command says later ones itself
    except ModuleNotFoundError as error:
        package = (error.name or "companion").partition(".")[0]
        if package == "companion":
            raise
        print(
            f"The command needs {package}, which is not installed. {way_to_install('reproduce')}",
            file=sys.stderr,
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
