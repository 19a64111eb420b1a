"""What a working file of records holds, for the tests that interrupt runs."""

import sqlite3
from contextlib import closing


def stored(path):
    """Key, code and rows of every record in a working file, as any reader of SQLite sees them."""
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path, 60)) as database:
        if not database.execute("SELECT * FROM sqlite_master").fetchone():
            return set()
        return set(database.execute("SELECT key, code, rows FROM records"))
