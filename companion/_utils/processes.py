"""Processes that must end with another, or wait for each other."""

import logging
import os
import threading
import time
from contextlib import contextmanager
from functools import cache

logger = logging.getLogger("companion")


@cache
def end_with(parent):
    """End this worker as soon as the process that started it is gone, even if it was killed."""

    def watch():
        while parent in (
            os.getppid(),
            os.getpid(),
        ):  # the latter where one job needs no worker
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def only_one(path, what):
    """Wait until no other process does this, and keep others waiting; a killed one does not."""
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        logger.warning("%s: waiting for another process that is at it.", what)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
