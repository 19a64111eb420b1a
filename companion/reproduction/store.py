"""Records of finished units: a working file that survives a kill, and a small committed table.

Each unit goes, in a transaction of its own, into an SQLite database in the user's cache folder, one
a study and profile. Records of the paper profile are then *consolidated*, sorted and rounded, into
``data/records/<paper>/<study>.csv``, of which ``data/records/index.csv`` has a line.
"""

import hashlib
import json
import logging
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from companion._utils.paths import cache_dir, data_dir
from companion._utils.processes import only_one
from companion.reproduction.codehash import code_digest
from companion.reproduction.errors import DamagedError, StoreError
from companion.reproduction.index import index_path, read_indexed, write_indexed
from companion.reproduction.records import (
    Record,
    Row,
    cell,
    parse_table,
    to_frame,
    to_table,
)
from companion.reproduction.units import PROFILES, Study, Unit

logger = logging.getLogger("companion")

# Seconds in which other processes must have finished their transactions, of milliseconds each.
_PATIENCE = 60
#: 1 while a run that computes all units anew has not ended.
_UNDER_WAY = "PRAGMA user_version"
_TABLE = "finished (key TEXT PRIMARY KEY, code TEXT, rows TEXT)"
# Records by the cells of the parameters of their unit.
Found = dict[tuple[str, ...], Record]
_DIGEST_LENGTH = 12


class RecordStore:
    """The records of one study in one profile; those of "quick" have a working file only.

    The committed table is `path`, the working file `working`; `units` are those of the study, in
    its order and by the cells of their parameters; `code` stands for its present code and data.
    """

    def __init__(self, study: Study, profile: str = "paper"):
        if profile not in PROFILES:
            raise ValueError(
                f"The profile must be one of {', '.join(PROFILES)}. Got {profile!r}."
            )
        self.study = study
        self.profile = profile
        self.name = f"{study.paper}/{study.name}"
        self.path = data_dir() / "records" / f"{self.name}.csv"
        folder = cache_dir().absolute() / "records" / profile
        self.working = folder / f"{self.name}.sqlite"
        listed = study.units(profile)
        names = chain.from_iterable(unit.params for unit in listed)
        self.parameters = [*dict.fromkeys(names)]
        self.units: dict[tuple[str, ...], Unit] = {}
        for unit in listed:
            cells = self._cells(self._row(unit))
            if cells in self.units or f"{unit.paper}/{unit.study}" != self.name:
                fault = "lists a unit twice, or of another study"
                raise ValueError(f"{self.name} {fault}: {unit}.")
            self.units[cells] = unit
        # of the code and, if there are any, of the data that it works on
        self.code = code_digest(study.compute)
        if data := sorted({unit.data for unit in listed} - {""}):
            origin = "\n".join([self.code, *data]).encode()
            self.code = hashlib.sha256(origin).hexdigest()[:_DIGEST_LENGTH]

    def _row(self, unit: Unit) -> Row:
        """The columns of the parameters in a row of a unit."""
        return {name: cell(unit.params.get(name)) for name in self.parameters}

    def _cells(self, row: Row) -> tuple[str, ...]:
        return tuple(row.get(name, "") for name in self.parameters)

    # ----------------------------------------------------------------------------- reading

    def records(self) -> Found:
        """Every record there is, those of units that the study no longer lists included.

        One that waits is the later, and counts unless only the committed one is up to date.
        """
        found = self._committed()
        for cells, record in self.waiting().items():
            old = found.get(cells)
            if old is None or old.code != self.code or record.code == self.code:
                found[cells] = record
        return found

    def _committed(self) -> Found:
        """The records of the committed table."""
        found: Found = {}
        content, code = self._table()
        for row in parse_table(content):
            found.setdefault(self._cells(row), Record(code, [])).rows.append(row)
        return found

    def waiting(self) -> Found:
        """The records of the working file."""
        found: Found = {}
        if not self.working.exists():
            return found
        with self._database("read") as database:
            tables = database.execute("SELECT name FROM sqlite_master").fetchall()
            if ("finished",) in tables:  # else a run was killed before its first unit
                for code, stored in database.execute("SELECT code, rows FROM finished"):
                    rows = json.loads(stored)
                    found[self._cells(rows[0])] = Record(code, rows)
        return found

    def _table(self) -> tuple[bytes, str]:
        """The committed table as it was written, and by which code; empty if there is none."""
        if self.profile != "paper":
            return b"", ""
        with self._naming_file("read", self.path):
            try:
                content, code = read_indexed(self.path, self.name)
            except (FileNotFoundError, NotADirectoryError):
                return b"", ""
            if not code:
                parse_table(content)  # which may know the line
                raise ValueError(
                    f"it was altered: {index_path()} has no line of it with its sha256"
                )
            if not content.startswith(",".join(self.parameters).encode()):
                names = ", ".join(self.parameters)
                raise ValueError(f"line 1: the first columns must be {names}")
            return content, code

    def read(self) -> tuple[Any, dict[tuple[str, ...], str]]:
        """The records of units listed, for pandas, and the code of every record.

        A committed table to which nothing waits to be added is read by pandas alone.
        """
        content, code = self._table()
        codes = {}
        if not content or self.waiting():
            found = self.records()
            codes = {cells: record.code for cells, record in found.items()}
            content = self._table_of(found)
        frame, lines = to_frame(content, self.parameters, self.units)
        return frame, codes or dict.fromkeys(lines, code)

    def _table_of(self, found: Found) -> bytes:
        """The table of the records that are of units listed, sorted by their parameters."""

        def place(cells):
            values = map(self.units[cells].params.get, self.parameters)
            kinds = ((v is not None, isinstance(v, str), v) for v in values)
            return [kind if kind[0] else (False,) for kind in kinds]

        listed = sorted(self.units.keys() & found.keys(), key=place)
        rows = chain.from_iterable(found[cells].rows for cells in listed)
        return to_table(self.parameters, [*rows])

    # ----------------------------------------------------------------------------- writing

    def append(self, unit: Unit, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store a finished unit: from now on it is kept, whatever becomes of this process."""
        digits = self.study.digits
        known = self._row(unit)
        cells = [
            known | {name: cell(row[name], digits) for name in row} for row in rows
        ]
        line = (unit.key, self.code, json.dumps(cells))
        with self._database("write") as database:
            database.execute("INSERT OR REPLACE INTO finished VALUES (?, ?, ?)", line)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other process computes units of the study, and keep others waiting."""
        with self._database("write"):  # records can be written
            lock = self.working.with_suffix(".lock")
        with only_one(lock, self.name):
            yield

    def begin(self) -> None:
        """Begin to compute all units anew; a run that began so and was interrupted goes on."""
        with self._database("write") as database:
            if database.execute(_UNDER_WAY).fetchone() == (0,):
                self._consolidate(database)
                database.execute("DELETE FROM finished")
                database.execute(f"{_UNDER_WAY} = 1")

    def end(self) -> None:
        """End the run that `begin` began, so that the next one begins again."""
        with self._database("write") as database:
            database.execute(f"{_UNDER_WAY} = 0")
            self._consolidate(database)

    def consolidate(self) -> bool:
        """Bring the records of the paper profile into the committed table, if any wait.

        Those of a fresh run under way stay with it, and take the place of others once they are
        complete.
        """
        if self.profile != "paper" or not self.waiting():
            return False
        with self._database("write") as database:
            self._consolidate(database)
        return True

    def _consolidate(self, database: sqlite3.Connection) -> None:
        # Read by a connection of its own, while no other can write.
        waiting = self.waiting() if self.profile == "paper" else {}
        is_fresh = database.execute(_UNDER_WAY).fetchone() == (1,)
        found = {cells: r for cells, r in waiting.items() if r.code == self.code}
        is_complete = found.keys() >= self.units.keys()
        if not waiting:
            return
        if is_fresh and not is_complete:
            committed = self._committed()
            if not (waiting.keys() & self.units.keys()) - committed.keys():
                return
            found = waiting | committed
        elif not is_complete:  # else an older committed table is not needed
            found = self.records()
        kept = [found[cells] for cells in self.units if cells in found]
        if dropped := len(found) - len(kept):
            logger.warning(
                "%s: %d record(s) of units no longer listed.", self.path, dropped
            )
        # No code is that of a table of several.
        codes = {code for record in kept for code in record.code.split("+")}
        code = "+".join(sorted(codes)) or self.code
        with self._naming_file("write", self.path):
            table = self._table_of(found)
            write_indexed(self.path, self.name, table, len(kept), code)
        if not is_fresh:
            database.execute("DELETE FROM finished")

    @contextmanager
    def _database(self, action: str) -> Iterator[sqlite3.Connection]:
        """The working file, in one transaction, to read or write."""
        with self._naming_file(action, self.working):
            if action == "write":
                self.working.parent.mkdir(parents=True, exist_ok=True)
            opened = sqlite3.connect(
                self.working, timeout=_PATIENCE, isolation_level=None
            )
            with closing(opened) as database:
                # What is written outlives this process. To wait for the disk as well, which guards
                # against a power cut, takes longer than many a unit.
                database.execute("PRAGMA synchronous = OFF")
                database.execute("BEGIN IMMEDIATE" if action == "write" else "BEGIN")
                with database:
                    if action == "write":
                        database.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
                    yield database

    @contextmanager
    def _naming_file(self, action: str, path: Path) -> Iterator[None]:
        """Say which file cannot be read or written, why, and what to do."""
        try:
            yield
        except (OSError, ValueError, sqlite3.Error) as error:
            kind: type[StoreError] = StoreError
            advice = "Free some space on its disk, make it accessible"
            if isinstance(error, ValueError) or type(error) is sqlite3.DatabaseError:
                kind = DamagedError
                advice = "It is damaged and left as it is; move it away"
            way_out = "COMPANION_PROJECT to a copy of the project"
            if path == self.working:
                way_out = "COMPANION_CACHE to another folder"
            reason = getattr(error, "strerror", None) or error
            raise kind(
                f"Records of {self.name} ({self.profile} profile): cannot {action} {path}: "
                f"{reason}. {advice}, or set {way_out}, and run again; every unit already stored "
                "is kept."
            ) from error
