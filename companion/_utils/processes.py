"""Processes that must end with another, or wait for each other."""

import logging
import os
import sqlite3
import threading
import time
from contextlib import closing, contextmanager
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
    """Wait until no other process does this, and keep others waiting.

    The lock is that of an empty database, which the system takes from a process that is killed.
    """
    announced = False
    with closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as lock:
        while not lock.in_transaction:
            try:
                lock.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                if not announced:
                    logger.warning(
                        "%s: waiting for another process that is at it.", what
                    )
                announced = True
        yield
