"""How much memory this process may still take, and the refusal of what would take more."""

import ctypes
import math
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

_FREE_ON_LINUX = Path("/proc/meminfo")
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
    """Memory that is free now for this process; infinite where it is unknown.

    It is what the machine has free, or less where the limit of a container leaves less.
    """
    return min([_free_on_machine(), *_left_by_groups()], default=math.inf) * 1e-6


def _free_on_machine():
    """Bytes that can be had without swapping, according to psutil or to the system."""
    with suppress(ImportError):
        import psutil

        return psutil.virtual_memory().available
    with suppress(OSError, ValueError):
        if sys.platform == "darwin":
            return _free_on_mac(
                subprocess.check_output(["/usr/bin/vm_stat"], text=True)
            )
        if sys.platform == "win32":
            return _free_on_windows()
        lines = _FREE_ON_LINUX.read_text().splitlines()
        values = dict(line.split(":", 1) for line in lines)
        return int(values["MemAvailable"].split()[0]) * 1024
    return math.inf


def _free_on_mac(report):
    """What vm_stat reports as free or as given up when asked for."""
    page = int(re.search(r"page size of (\d+) bytes", report)[1])
    kinds = re.findall(
        r"^Pages (?:free|inactive|speculative): +(\d+)\.$", report, re.MULTILINE
    )
    return page * sum(map(int, kinds))


def _free_on_windows():
    """The available physical memory of a MEMORYSTATUSEX, whose first field is its length."""
    status = (ctypes.c_uint64 * 8)(64)
    ctypes.windll.kernel32.GlobalMemoryStatusEx(status)
    return status[2]


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
