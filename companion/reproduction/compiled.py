"""What numba keeps of the compiled loops must come from the present sources.

numba compiles a function again when its own file changes, and not when that of a function it calls
does: a checkout that was updated could go on with a solver of before under the digest of the new
code. So what is compiled is thrown away as soon as any source of loops has changed.
"""

import ast
import hashlib
from pathlib import Path

from companion.reproduction.codehash import spelled

_STAMP = "loops-from.txt"


def discard_old_loops(package=None):
    """Remove compiled loops that come from other sources than those of a package, ``companion``.

    The number of files that were removed is 0 also where the folder cannot be written, and where
    numba keeps its files elsewhere.
    """
    package = Path(__file__).parents[1] if package is None else Path(package)
    stamp, present = package / "__pycache__" / _STAMP, _digest_of_loops(package)
    try:
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == present:
            return 0
        old = [*package.rglob("__pycache__/*.nbi"), *package.rglob("__pycache__/*.nbc")]
        for path in old:
            path.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(present, encoding="utf-8")
    except OSError:
        return 0
    return len(old)


def _digest_of_loops(package):
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "njit" in text:
            digest.update(f"{path.relative_to(package).as_posix()}\n".encode())
            digest.update(spelled(ast.parse(text)).encode())
    return digest.hexdigest()
