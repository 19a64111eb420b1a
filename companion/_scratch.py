"""Memory for large temporary matrices, kept from one use to the next: fresh pages are slow."""

from __future__ import annotations

import threading

import numpy as np

KEPT_MEGABYTES = 128

_ALIGNMENT = 64
_local = threading.local()


def borrow_matrix(n, dtype=np.float64):
    """An uninitialised n by n matrix on an address divisible by 64, until :func:`give_back`."""
    size = n * n * np.dtype(dtype).itemsize
    free = _free()
    for k, memory in enumerate(free):  # the smallest first
        if size <= memory.size - _ALIGNMENT:
            del free[k]
            break
    else:
        memory = np.empty(size + _ALIGNMENT, dtype=np.uint8)
    # The address; ``memory.ctypes`` would take as long as a hundred pair updates.
    offset = -memory.__array_interface__["data"][0] % _ALIGNMENT
    return memory[offset : offset + size].view(dtype).reshape(n, n)


def give_back(matrix):
    """Return the memory of a borrowed matrix, which must not be used any more."""
    memory = matrix.base
    if not isinstance(memory, np.ndarray) or memory.dtype != np.uint8:
        return
    free = _free()
    free.append(memory)
    free.sort(key=lambda memory: memory.size)
    while sum(memory.size for memory in free) > KEPT_MEGABYTES * 1e6:
        del free[0 if len(free) > 1 else -1]


def release():
    """Let go of all memory that this thread keeps."""
    _free().clear()


def _free():
    if not hasattr(_local, "free"):
        _local.free = []
    return _local.free
