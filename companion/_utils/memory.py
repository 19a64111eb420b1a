"""How much memory this process may still take, and the refusal of what would take more."""

from contextlib import suppress
from pathlib import Path

import psutil

_OWN_GROUPS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")

# Files of a control group that say what it may use and what it does use.
_FILES_OF_VERSION_1 = "memory.limit_in_bytes", "memory.usage_in_bytes"
_FILES_OF_VERSION_2 = "memory.max", "memory.current"

# What takes less than this, in megabytes, is not worth a look at the machine.
NEGLIGIBLE = 100


def require_memory(what, megabytes, way_out):
    """Refuse what would take more memory than there is, with the way out; a `ValueError`.

    `what` is the subject of the sentence, such as "LSSVC with a kernel for 40,000 samples".
    """
    if not fits_in_memory(megabytes):
        raise ValueError(
            f"{what} takes about {megabytes * 1e-3:.1f} GB of memory, and "
            f"{available_megabytes() * 1e-3:.1f} GB are free here. {way_out}"
        )


def fits_in_memory(megabytes):
    """Whether there is as much memory for this process now."""
    return megabytes < NEGLIGIBLE or megabytes <= available_megabytes()


def available_megabytes():
    """Memory that is free now for this process, without swapping.

    It is what the machine has free, or less where the limit of a container leaves less.
    """
    return min([psutil.virtual_memory().available, *_left_by_groups()]) * 1e-6


def _left_by_groups():
    """Bytes that control groups leave, of versions 1 and 2: the own group and all above it."""
    with suppress(OSError, ValueError):
        for line in _OWN_GROUPS.read_text().splitlines():
            _, controllers, place = line.split(":", 2)
            if not controllers:
                top = _GROUPS
                files = _FILES_OF_VERSION_2
            elif "memory" in controllers.split(","):
                top = _GROUPS / "memory"
                files = _FILES_OF_VERSION_1
            else:
                continue
            # A container sees its own group at the top, whatever the place is called outside.
            innermost = top / place.strip("/")
            for group in (innermost, *innermost.parents):
                with suppress(OSError, ValueError):  # "max" is no limit
                    limit, usage = (int((group / name).read_text()) for name in files)
                    yield max(limit - usage + _file_cache(group), 0)
                if group == top:
                    break


def _file_cache(group):
    """Bytes of a group that hold files and are given up when memory is asked for."""
    statistics = dict(
        line.split() for line in (group / "memory.stat").read_text().splitlines()
    )
    return int(
        statistics.get("total_inactive_file", statistics.get("inactive_file", 0))
    )
