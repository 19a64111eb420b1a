"""How much memory this process may take."""

import math
import os
from contextlib import suppress
from pathlib import Path

_LIMIT_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def memory_megabytes():
    """Physical memory, or what the container leaves of it; infinite where neither is told."""
    found = [math.inf]
    with suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6)
    with suppress(OSError, ValueError):  # which says "max" where there is no limit
        found.append(int(_LIMIT_OF_CONTAINER.read_text()) / 1e6)
    return min(found)
