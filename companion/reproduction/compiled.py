"""What numba keeps of the compiled loops must come from the present sources.

numba does not notice that a function has changed which another file calls. So what is compiled is
thrown away as soon as any source of loops has changed.
"""

import ast
import hashlib
from contextlib import suppress
from pathlib import Path

from companion.reproduction.codehash import spelled

_STAMP = "loops-from.txt"


def discard_old_loops(package=Path(__file__).parents[1]):
    """Remove compiled loops of other sources than the present, of ``companion`` by default.

    They stay where the folder cannot be written.
    """
    stamp, present = package / "__pycache__" / _STAMP, _digest_of_loops(package)
    with suppress(OSError):
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != present:
            for path in sorted(package.rglob("__pycache__/*.nb[ci]")):
                path.unlink(missing_ok=True)
            stamp.parent.mkdir(exist_ok=True)
            stamp.write_text(present, encoding="utf-8")


def _digest_of_loops(package):
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "njit" in text:
            digest.update(f"{path.relative_to(package).as_posix()}\n".encode())
            digest.update(spelled(ast.parse(text)).encode())
    return digest.hexdigest()
