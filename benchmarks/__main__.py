"""Run the benchmarks: ``python -m benchmarks [NAME ...]``, all of them without a name."""

import difflib
import importlib
import pkgutil
import sys
from pathlib import Path


def available():
    """Modules of this folder that can be run, and the first line of what each says it does."""
    names = sorted(
        module.name
        for module in pkgutil.iter_modules([str(Path(__file__).parent)])
        if not module.name.startswith("_")
    )
    return {name: importlib.import_module(f"benchmarks.{name}") for name in names}


def main(arguments):
    """Run the named benchmarks in turn; return the exit code (2 for an unknown name)."""
    modules = available()
    if any(argument in ("-h", "--help", "--list") for argument in arguments):
        print(__doc__ + "\n")
        for name, module in modules.items():
            print(f"  {name:<16} {module.__doc__.splitlines()[0]}")
        return 0
    unknown = [name for name in arguments if name not in modules]
    for name in unknown:
        close = difflib.get_close_matches(name, modules, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        print(
            f"There is no benchmark {name!r}. {hint}There are: {', '.join(modules)}.",
            file=sys.stderr,
        )
    if unknown:
        return 2
    for name in arguments or modules:
        print(f"\n=== {name}: {modules[name].__doc__.splitlines()[0]}\n", flush=True)
        modules[name].main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
