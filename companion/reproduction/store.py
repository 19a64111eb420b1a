"""Records of finished units: a working file that survives a kill, and a small committed table.

Each unit goes, in a transaction of its own, into an SQLite database in the user's cache folder, one
a study and profile. Records of the paper profile are then *consolidated*, sorted, into
``data/records/<paper>/<study>.csv``.
"""

import json
import logging
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from companion._paths import cache_dir, data_dir
from companion.reproduction._files import replace_bytes, replace_text
from companion.reproduction.codehash import code_digest
from companion.reproduction.errors import DamagedError, StoreError
from companion.reproduction.records import Record, parse_table, to_table
from companion.reproduction.units import PROFILES, Study, Unit

logger = logging.getLogger("companion")

# Seconds in which other processes must have finished their transactions, of milliseconds each.
_PATIENCE = 60
_UNDER_WAY = "PRAGMA user_version"  # 1 while a run that computes all units anew has not ended
_TABLE = "records (key TEXT PRIMARY KEY, params TEXT, code TEXT, rows TEXT)"


class RecordStore:
    """The records of one study in one profile; those of "quick" have a working file only.

    The committed table is `path`, the working file `working`; `units` are those of the study, by
    key and in its order; `code` is the digest of its present code.
    """

    def __init__(self, study: Study, profile: str = "paper"):
        if profile not in PROFILES:
            raise ValueError(f"The profile must be one of {', '.join(PROFILES)}. Got {profile!r}.")
        self.study = study
        self.profile = profile
        self.code = code_digest(study.compute)
        self.path = data_dir() / "records" / study.paper / f"{study.name}.csv"
        folder = cache_dir().absolute() / "records" / profile / study.paper
        self.working = folder / f"{study.name}.sqlite"
        self._name = f"{study.paper}/{study.name} ({profile} profile)"
        self.units = self._listed()
        names = [name for unit in self.units.values() for name in unit.params]
        self.parameters = list(dict.fromkeys(names))

    def _listed(self) -> dict[str, Unit]:
        units = {}
        for unit in self.study.units(self.profile):
            if (unit.paper, unit.study) != (self.study.paper, self.study.name):
                raise ValueError(f"{self._name} lists a unit of another study: {unit}.")
            if unit.key in units:
                raise ValueError(f"{self._name} lists a unit twice: {unit}.")
            units[unit.key] = unit
        return units

    # ----------------------------------------------------------------------------- reading

    def records(self, waiting: dict[str, Record] | None = None) -> dict[str, Record]:
        """Every record there is, by key, those of units that the study no longer lists included.

        One that waits is the later, and counts unless only the committed one is up to date.
        """
        found = self._committed() if self.profile == "paper" else {}
        for key, record in (self.waiting() if waiting is None else waiting).items():
            if key not in found or found[key].code != self.code or record.code == self.code:
                found[key] = record
        return found

    def waiting(self) -> dict[str, Record]:
        """The records of the working file, by key."""
        if not os.path.exists(self.working):
            return {}
        with self._database("read") as database:
            return self._select(database)

    def _select(self, database: sqlite3.Connection) -> dict[str, Record]:
        if database.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("database disk image is malformed")
        if not database.execute("SELECT * FROM sqlite_master WHERE name = 'records'").fetchone():
            return {}  # a run was killed before its first unit
        return {
            key: Record(key, json.loads(params), code, tuple(json.loads(rows)))
            for key, params, code, rows in database.execute("SELECT * FROM records")
        }

    def _committed(self) -> dict[str, Record]:
        try:
            found = parse_table(self.path.read_bytes(), self.parameters)
            nothing = dict.fromkeys(self.parameters)
            for key, unit in self.units.items():
                if key in found and found[key].params != {**nothing, **unit.params}:
                    line = found[key].line
                    raise ValueError(
                        f"line {line}: the parameters of {key} are not those of {unit}"
                    )
            self._check_shape(found)
            return found
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, ValueError) as error:
            raise self._failure("read", self.path, error) from error

    def _shapes(self) -> dict[str, Any]:
        """The results that the table of each study has, and how many records of how many lines."""
        path = self.path.parents[1] / "shapes.json"
        return json.loads(path.read_bytes()) if path.is_file() else {}

    def _check_shape(self, found: dict[str, Record]) -> None:
        shape = self._shapes().get(f"{self.study.paper}/{self.study.name}")
        for record in found.values() if shape else ():
            n, lines = str(len(record.rows)), shape["records by lines"]
            if ", ".join(sorted(record.rows[0])) != shape["results"]:
                raise ValueError(f"line 1: the results must be {shape['results']}")
            lines[n] = lines.get(n, 0) - 1
            if lines[n] < 0:
                many = f"the record {record.key} has {n} lines, which is one such record too many"
                raise ValueError(f"line {record.line}: {many}")

    # ----------------------------------------------------------------------------- writing

    def append(self, unit: Unit, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store a finished unit: it is on the disk when this returns."""
        line = (unit.key, json.dumps(unit.params), self.code, json.dumps(rows))
        with self._database("write") as database:
            database.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", line)

    def prepare(self) -> None:
        """Make sure that records can be written."""
        with self._database("write"):
            pass

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
        found = self.records(waiting)
        kept = [record for key, record in found.items() if key in self.units]
        if dropped := len(found) - len(kept):
            text = "%s: %d record(s) dropped, of units the study no longer lists."
            logger.warning(text, self.path, dropped)
        if kept:
            try:
                replace_bytes(self.path, to_table(kept, self.parameters))
                self._keep_shape(kept)
            except OSError as error:
                raise self._failure("write", self.path, error) from error
        if database.execute(_UNDER_WAY).fetchone() == (0,):
            database.execute("DELETE FROM records")

    def _keep_shape(self, records: list[Record]) -> None:
        results = {name for record in records for row in record.rows for name in row}
        lines = Counter(str(len(record.rows)) for record in records)
        shape = {"records by lines": lines, "results": ", ".join(sorted(results))}
        shapes = self._shapes() | {f"{self.study.paper}/{self.study.name}": shape}
        text = json.dumps(shapes, indent=1, sort_keys=True)
        replace_text(self.path.parents[1] / "shapes.json", f"{text}\n")

    @contextmanager
    def _database(self, action: str) -> Iterator[sqlite3.Connection]:
        """The working file, in one transaction, to read or write."""
        try:
            if action == "write":
                self.working.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.working, _PATIENCE, isolation_level=None)) as found:
                found.execute("PRAGMA synchronous = FULL")
                found.execute("BEGIN IMMEDIATE" if action == "write" else "BEGIN")
                with found:
                    if action == "write":
                        found.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
                    yield found
        except (OSError, ValueError, sqlite3.Error) as error:
            raise self._failure(action, self.working, error) from error

    def _failure(self, action: str, path: Path, error: Exception) -> StoreError:
        way_out = "COMPANION_CACHE to another folder"
        if path == self.path:
            way_out = "COMPANION_PROJECT to a copy of the project"
        kind, advice = StoreError, "Free some space on its disk, make it accessible"
        if isinstance(error, ValueError) or type(error) is sqlite3.DatabaseError:  # not a subclass
            kind, advice = DamagedError, "It is damaged and left as it is; move it away"
        return kind(
            f"Records of {self._name}: cannot {action} {path}: "
            f"{getattr(error, 'strerror', None) or error}. {advice}, or set {way_out}, and run "
            f"again; every unit already stored is kept."
        )
