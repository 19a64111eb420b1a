"""Records of finished units: a working file that survives a kill, and a small committed table.

Each unit goes, in a transaction of its own, into an SQLite database in the user's cache folder, one
a study and profile. Records of the paper profile are then *consolidated*, sorted and rounded, into
``data/records/<paper>/<study>.csv``, of which ``data/records/index.csv`` has a line.
"""

import hashlib
import json
import logging
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from companion._utils.files import read_csv
from companion._utils.paths import cache_dir, data_dir
from companion._utils.processes import only_one
from companion.reproduction.codehash import code_digest
from companion.reproduction.errors import DamagedError, StoreError
from companion.reproduction.index import (
    digest_of_table,
    index_path,
    read_indexed,
    write_indexed,
)
from companion.reproduction.records import (
    Record,
    cell,
    check_header,
    check_rows,
    parse_table,
    to_frame,
    to_lines,
    to_record,
    to_table,
)
from companion.reproduction.units import PROFILES, Study, Unit

logger = logging.getLogger("companion")

# Seconds in which other processes must have finished their transactions, of milliseconds each.
_PATIENCE = 60
_UNDER_WAY = (
    "PRAGMA user_version"  # 1 while a run that computes all units anew has not ended
)
# Records by the key of their unit, or by the cells of parameters of which there is no unit.
Found = dict[Any, Record]
_TABLE = "records (key TEXT PRIMARY KEY, params TEXT, code TEXT, rows TEXT)"
_DIGEST_LENGTH = 12
# How values are put into order that may be of several types.
_RANKS = {type(None): 0, bool: 1, int: 2, float: 2, str: 3}


class RecordStore:
    """The records of one study in one profile; those of "quick" have a working file only.

    The committed table is `path`, the working file `working`; `units` are those of the study, by
    key and in its order; `code` stands for its present code and data.
    """

    def __init__(self, study: Study, profile: str = "paper"):
        if profile not in PROFILES:
            raise ValueError(
                f"The profile must be one of {', '.join(PROFILES)}. Got {profile!r}."
            )
        self.study = study
        self.profile = profile
        self.path = data_dir() / "records" / study.paper / f"{study.name}.csv"
        folder = cache_dir().absolute() / "records" / profile / study.paper
        self.working = folder / f"{study.name}.sqlite"
        self._name = f"{study.paper}/{study.name} ({profile} profile)"
        listed = study.units(profile)
        self.parameters = [
            *dict.fromkeys(name for unit in listed for name in unit.params)
        ]
        self._by_cells: dict[tuple[str, ...], Unit] = {}  # of the parameters
        for unit in listed:
            if (unit.paper, unit.study) != (study.paper, study.name):
                raise ValueError(f"{self._name} lists a unit of another study: {unit}.")
            cells = tuple(cell(unit.params.get(name)) for name in self.parameters)
            if cells in self._by_cells:
                raise ValueError(f"{self._name} lists a unit twice: {unit}.")
            self._by_cells[cells] = unit
        self.units = {unit.key: unit for unit in listed}
        # of the code and, if there are any, of the data that it works on
        self.code = code_digest(study.compute)
        if data := sorted({unit.data for unit in listed} - {""}):
            origin = "\n".join([self.code, *data]).encode()
            self.code = hashlib.sha256(origin).hexdigest()[:_DIGEST_LENGTH]

    def _key(self, cells: tuple[str, ...]) -> Any:
        """The key of the unit with these parameters, or these where no unit has them."""
        unit = self._by_cells.get(cells)
        return unit.key if unit else cells

    # ----------------------------------------------------------------------------- reading

    def records(self, waiting: dict[str, Record] | None = None) -> Found:
        """Every record there is, by key, those of units that the study no longer lists included.

        One that waits is the later, and counts unless only the committed one is up to date.
        """
        found: Found = self._committed() if self.profile == "paper" else {}
        for key, record in (self.waiting() if waiting is None else waiting).items():
            if (
                key not in found
                or found[key].code != self.code
                or record.code == self.code
            ):
                found[key] = record
        return found

    def lines(self, records: Found) -> list[list[str]]:
        """Header and lines of the table of the records that are of units listed, sorted."""

        def place(listed):
            values = map(listed[1].params.get, self.parameters)
            return [(_RANKS[type(v)], 0 if v is None else v) for v in values]

        listed = sorted(self._by_cells.items(), key=place)
        by_cells = {
            cells: records[unit.key] for cells, unit in listed if unit.key in records
        }
        return to_lines(self.parameters, by_cells)

    def waiting(self) -> dict[str, Record]:
        """The records of the working file, by key."""
        if not os.path.exists(self.working):
            return {}
        with self._database("read") as database:
            return self._select(database)

    def has_leftovers(self) -> bool:
        """Whether records wait that are not those of a fresh run under way, which takes its own."""
        if not os.path.exists(self.working):
            return False
        with self._database("read") as database:
            is_fresh = database.execute(_UNDER_WAY).fetchone() == (1,)
            return not is_fresh and bool(self._select(database))

    def _select(self, database: sqlite3.Connection) -> dict[str, Record]:
        if database.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("database disk image is malformed")
        found: dict[str, Record] = {}
        if not database.execute("SELECT name FROM sqlite_master").fetchall():
            return found  # a run was killed before its first unit
        for key, params, code, rows in database.execute("SELECT * FROM records"):
            unit = self.study.unit(**json.loads(params))
            checked = check_rows(unit, json.loads(rows))
            found[key] = to_record(code, checked, self.study.digits)
        return found

    def _table(self) -> tuple[bytes, str]:
        """The committed table as it was written, and by which code; empty if there is none."""
        try:
            content, entry = read_indexed(
                self.path, f"{self.study.paper}/{self.study.name}"
            )
            if entry is None or digest_of_table(content) != entry.sha256:
                parse_table(content, self.parameters, "")  # which may know the line
                wrong = f"{index_path()} has no line of it"
                if entry is not None:
                    wrong = f"it was altered, as its sha256 in {index_path()} shows"
                raise ValueError(wrong)
            check_header(read_csv(content.partition(b"\n")[0])[0], self.parameters)
            return content, entry.code
        except (FileNotFoundError, NotADirectoryError):
            return b"", ""
        except (OSError, ValueError) as error:
            raise self._failure("read", self.path, error) from error

    def _committed(self) -> Found:
        """Those of the table, by key, or by the cells of parameters of which there is no unit."""
        content, code = self._table()
        found = parse_table(content, self.parameters, code) if content else {}
        return {self._key(cells): record for cells, record in found.items()}

    def read(self) -> tuple[Any, Found]:
        """The records of units listed, for pandas, and every record by key.

        A committed table to which nothing waits to be added is read by pandas alone, and its
        records come without their rows.
        """
        waiting = self.waiting()
        content = b""
        code = ""
        if self.profile == "paper" and not waiting:
            content, code = self._table()
        if not content:
            found = self.records(waiting)
            content = to_table(self.lines(found))
            return to_frame(content, self.parameters, self._by_cells)[0], found
        frame, lines = to_frame(content, self.parameters, self._by_cells)
        found = {}
        for number, cells in enumerate(lines, start=2):
            found.setdefault(self._key(cells), Record(code, [], number))
        return frame, found

    # ----------------------------------------------------------------------------- writing

    def append(self, unit: Unit, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store a finished unit: from now on it is kept, whatever becomes of this process."""
        line = (unit.key, json.dumps(unit.params), self.code, json.dumps(rows))
        with self._database("write") as database:
            database.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", line)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other process computes units of the study, and keep others waiting."""
        with self._database("write"):  # records can be written
            lock = self.working.with_suffix(".lock")
        with only_one(lock, self._name):
            yield

    def begin(self) -> None:
        """Begin to compute all units anew; a run that began so and was interrupted goes on."""
        with self._database("write") as database:
            if database.execute(_UNDER_WAY).fetchone() == (0,):
                self._consolidate(database)
                database.execute("DELETE FROM records")
                database.execute(f"{_UNDER_WAY} = 1")

    def end(self) -> None:
        """End the run that `begin` began, so that the next one begins again."""
        with self._database("write") as database:
            database.execute(f"{_UNDER_WAY} = 0")
            self._consolidate(database)

    def consolidate(self) -> None:
        """Bring the records of the paper profile into the committed table, in one step."""
        if self.profile == "paper" and self.waiting():
            with self._database("write") as database:
                self._consolidate(database)

    def _consolidate(self, database: sqlite3.Connection) -> None:
        waiting = self._select(database) if self.profile == "paper" else {}
        if not waiting:
            return
        # A run that computed all anew needs no committed table, which may have other parameters.
        is_fresh = database.execute(_UNDER_WAY).fetchone() == (1,)
        new = waiting if is_fresh else {}
        found = new if new.keys() >= self.units.keys() else self.records(waiting)
        kept = {key: record for key, record in found.items() if key in self.units}
        if dropped := len(found) - len(kept):
            logger.warning(
                "%s: %d record(s) of units no longer listed.", self.path, dropped
            )
        if kept:
            self._write_table(kept)
        if not is_fresh:
            database.execute("DELETE FROM records")

    def _write_table(self, kept: dict[str, Record]) -> None:
        """The table is of the present code if all of its records are."""
        codes = {record.code for record in kept.values()}
        code = min(codes - {self.code}, default=self.code)
        study = f"{self.study.paper}/{self.study.name}"
        try:
            write_indexed(self.path, study, to_table(self.lines(kept)), len(kept), code)
        except OSError as error:
            raise self._failure("write", self.path, error) from error

    @contextmanager
    def _database(self, action: str) -> Iterator[sqlite3.Connection]:
        """The working file, in one transaction, to read or write."""
        try:
            if action == "write":
                self.working.parent.mkdir(parents=True, exist_ok=True)
            with closing(
                sqlite3.connect(self.working, _PATIENCE, isolation_level=None)
            ) as found:
                # What is written outlives this process. To wait for the disk as well, which guards
                # against a power cut, takes longer than many a unit.
                found.execute("PRAGMA synchronous = OFF")
                found.execute("BEGIN IMMEDIATE" if action == "write" else "BEGIN")
                with found:
                    if action == "write":
                        found.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
                    yield found
        except (OSError, ValueError, TypeError, RecursionError, sqlite3.Error) as error:
            raise self._failure(action, self.working, error) from error

    def _failure(self, action: str, path: Path, error: Exception) -> StoreError:
        way_out = "COMPANION_PROJECT to a copy of the project"
        if path.parent == self.working.parent:
            way_out = "COMPANION_CACHE to another folder"
        kind: type[StoreError] = DamagedError
        advice = "It is damaged and left as it is; move it away"
        if (
            isinstance(error, (OSError, sqlite3.Error))
            and type(error) is not sqlite3.DatabaseError
        ):
            kind = StoreError
            advice = "Free some space on its disk, make it accessible"
        return kind(
            f"Records of {self._name}: cannot {action} {path}: "
            f"{getattr(error, 'strerror', None) or error}. {advice}, or set {way_out}, and run "
            f"again; every unit already stored is kept."
        )
