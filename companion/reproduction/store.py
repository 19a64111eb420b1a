"""Records of finished units: a working file that survives a kill, and a small committed table.

While units are computed, each finished one is appended to a *working file* in the user's cache
folder (``COMPANION_CACHE`` moves it), one line of JSON a unit, synchronised to the disk. Records
of the paper profile are then *consolidated*, sorted, into ``data/records/<paper>/<study>.csv``.
"""

from __future__ import annotations

import errno
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion._paths import cache_dir, data_dir
from companion.reproduction._files import replace_bytes, write_all
from companion.reproduction.codehash import code_digest
from companion.reproduction.errors import StoreError
from companion.reproduction.records import Record, check_rows, parse_table, to_frame, to_table
from companion.reproduction.units import PROFILES, Study, Unit

try:
    import fcntl
except ImportError:  # Windows has none: there, run one process at a time
    fcntl = None

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RecordStore"]

logger = logging.getLogger("companion")

_FORMAT = "companion records 1"
_FINISHED = b'{"finished":true}\n'

# Finished units that could not be written (a full disk), by working file. They are written first
# when the file can be written again, so that the owner of a living kernel loses none of them.
_UNSAVED: dict[Path, list[bytes]] = {}


class RecordStore:
    """The records of one study in one profile.

    Parameters
    ----------
    study : Study
        Whose records.
    profile : {"paper", "quick"}, default="paper"
        Records of the quick profile have a working file only.
    root : path-like, optional
        Folder of the committed tables, by default ``data/records`` of the project.
    cache : path-like, optional
        Folder of the working files, by default ``records`` in the user's cache folder.

    Attributes
    ----------
    path : pathlib.Path
        The committed table.
    working : pathlib.Path
        The working file.
    units : dict of str to Unit
        The units of the study in this profile, by key, in the study's order.
    parameters : list of str
        The names of their parameters, in order of appearance.
    code : str
        Digest of the study's present code.
    """

    def __init__(
        self,
        study: Study,
        profile: str = "paper",
        root: str | os.PathLike | None = None,
        cache: str | os.PathLike | None = None,
    ):
        if profile not in PROFILES:
            raise ValueError(f"The profile must be one of {', '.join(PROFILES)}. Got {profile!r}.")
        self.study = study
        self.profile = profile
        committed = Path(root) if root is not None else data_dir() / "records"
        working = Path(cache) if cache is not None else cache_dir() / "records"
        self.path = committed / study.paper / f"{study.name}.csv"
        self.working = working.absolute() / profile / study.paper / f"{study.name}.jsonl"
        self._name = f"{study.paper}/{study.name} ({profile} profile)"
        header = {"format": _FORMAT, "paper": study.paper, "study": study.name, "profile": profile}
        self._depth = 0
        self._header = json.dumps(header).encode() + b"\n"

    @cached_property
    def units(self) -> dict[str, Unit]:
        units = {}
        for unit in self.study.units(self.profile):
            if (unit.paper, unit.study) != (self.study.paper, self.study.name):
                raise ValueError(f"{self._name} lists a unit of another study: {unit}.")
            if unit.key in units:
                raise ValueError(f"{self._name} lists a unit twice: {unit}.")
            units[unit.key] = unit
        return units

    @cached_property
    def parameters(self) -> list[str]:
        return list(dict.fromkeys(name for unit in self.units.values() for name in unit.params))

    @cached_property
    def code(self) -> str:
        return code_digest(self.study.compute)

    # ----------------------------------------------------------------------------- reading

    def records(self) -> dict[str, Record]:
        """Every record there is, by key.

        Of two records of one unit that of the working file counts, being the later one, unless
        only the committed one was made by the present code.

        Returns
        -------
        dict of str to Record
            In no particular order. Records of units that the study no longer lists are included.

        Raises
        ------
        StoreError
            If a file is not a file of these records, or cannot be read.
        """
        found = self._read_committed() if self.profile == "paper" else {}
        for key, record in self._read_working()[0].items():
            if key not in found or found[key].code != self.code or record.code == self.code:
                found[key] = record
        return found

    def read(self) -> pd.DataFrame:
        """Every record there is, as a table sorted by parameters.

        Returns
        -------
        DataFrame
            The parameters, the result columns, ``key`` and ``code``; one line a result row.
        """
        return to_frame(self.records().values(), self.parameters)

    @property
    def finished(self) -> bool:
        """Whether the last run over the working file came to its end."""
        return self._read_working()[1]

    @property
    def pending(self) -> bool:
        """Whether the working file has records to be consolidated."""
        return bool(self._read_working()[0])

    def _read_working(self) -> tuple[dict[str, Record], bool]:
        try:
            with self._locked():
                raw = self.working.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return {}, False
        except OSError as error:
            raise self._failure("read", self.working, error) from error
        lines = raw.split(b"\n")
        torn = lines.pop()
        if not lines:
            self._check_header(torn)
            return {}, False
        self._check_header(lines[0] + b"\n")
        if torn:
            self._notice_torn()
        found, damaged = {}, 0
        for line in lines[1:]:
            try:
                content = json.loads(line)
                if "finished" not in content:
                    rows = tuple(content["rows"])
                    record = Record(content["key"], content["params"], content["code"], rows)
                    found[record.key] = record
            except (ValueError, KeyError, TypeError):
                damaged += 1
        if damaged:
            logger.warning(
                "%s: %d damaged line(s) dropped; the units will be computed again.",
                self.working,
                damaged,
            )
        return found, lines[-1] + b"\n" == _FINISHED and not torn

    def _read_committed(self) -> dict[str, Record]:
        try:
            content = self.path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise self._failure("read", self.path, error) from error
        try:
            return parse_table(content, self.parameters, self.units)
        except ValueError as error:
            raise StoreError(
                f"{self.path} is not a table of records of {self._name}: {error}. It is left as "
                "it is; restore it or move it away."
            ) from error

    def _check_header(self, start: bytes) -> None:
        """Refuse a file that is not this store's working file (or the torn start of one)."""
        if start != self._header and not (
            self._header.startswith(start) and not start.endswith(b"\n")
        ):
            raise StoreError(
                f"{self.working} is not a working file of the records of {self._name}. "
                "It is left as it is; move it away, or set COMPANION_CACHE to another folder, "
                "and run again."
            )

    def _notice_torn(self) -> None:
        logger.warning(
            "%s: the last line is torn (a run was killed while writing it) and is dropped; "
            "its unit will be computed again.",
            self.working,
        )

    # ----------------------------------------------------------------------------- writing

    @property
    def unsaved(self) -> int:
        """Number of finished units that wait in memory because they could not be written."""
        return len(_UNSAVED.get(self.working, []))

    def prepare(self) -> None:
        """Make sure that records can be written, before anything is computed.

        Raises
        ------
        StoreError
            If the working file cannot be written or is not one of these records.
        """
        self._write(b"".join(_UNSAVED.get(self.working, [])))
        _UNSAVED.pop(self.working, None)

    def append(self, unit: Unit, rows: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> Record:
        """Store a finished unit; it is on the disk when this returns.

        Parameters
        ----------
        unit : Unit
            The unit.
        rows : mapping or iterable of mappings
            Its result rows.

        Returns
        -------
        Record

        Raises
        ------
        StoreError
            If it cannot be written. The record then waits in memory and is written with the next
            one, or by `prepare`; what was in the file stays.
        TypeError, ValueError
            If the rows cannot be stored; see `check_rows`.
        """
        record = Record(unit.key, unit.params, self.code, tuple(check_rows(unit, rows)))
        content = {
            "key": record.key,
            "params": dict(record.params),
            "code": record.code,
            "rows": record.rows,
        }
        line = json.dumps(content, separators=(",", ":")).encode() + b"\n"
        _UNSAVED.setdefault(self.working, []).append(line)
        self.prepare()
        return record

    def finish(self) -> None:
        """Mark the working file as that of a run that came to its end."""
        if not self.finished:
            self._write(_FINISHED)

    def clear(self) -> None:
        """Remove the working file; the committed table stays.

        Raises
        ------
        StoreError
            If the file is not one of records, or cannot be removed.
        """
        self._read_working()  # refuses a foreign file
        _UNSAVED.pop(self.working, None)
        try:
            with self._locked():
                self.working.unlink(missing_ok=True)
        except NotADirectoryError:
            pass
        except OSError as error:
            raise self._failure("remove", self.working, error) from error

    def _write(self, data: bytes) -> None:
        """Append to the working file in one piece, or leave it as it was."""
        try:
            self.working.parent.mkdir(parents=True, exist_ok=True)
            with self._locked():
                handle = os.open(self.working, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
                try:
                    size = self._end_of_records(handle)
                    try:
                        write_all(handle, data if size else self._header + data)
                        os.fsync(handle)
                    except OSError:
                        with suppress(OSError):
                            os.ftruncate(handle, size)
                        raise
                finally:
                    os.close(handle)
        except OSError as error:
            raise self._failure("write", self.working, error) from error

    def _end_of_records(self, handle: int) -> int:
        """Length of the file after its torn last line, if any, is cut off."""
        size = os.lseek(handle, 0, os.SEEK_END)
        os.lseek(handle, 0, os.SEEK_SET)
        self._check_header(os.read(handle, len(self._header)))
        end = size
        while end:
            start = max(0, end - 65536)
            os.lseek(handle, start, os.SEEK_SET)
            newline = os.read(handle, end - start).rfind(b"\n")
            end = start + newline + 1 if newline >= 0 else start
            if newline >= 0:
                break
        if end < size:
            self._notice_torn()
            os.ftruncate(handle, end)
        return end

    def consolidate(self) -> Path:
        """Write the committed table: sorted, complete lines, replaced in one step.

        Records of units that the study no longer lists are dropped with a notice. The working
        file, whose records are all in the table then, is removed. Without any record nothing is
        written.

        Returns
        -------
        pathlib.Path
            The committed table.

        Raises
        ------
        ValueError
            If the profile is not "paper".
        StoreError
            If the table cannot be written; the old one and the working file then stay.
        """
        if self.profile != "paper":
            raise ValueError(f"Only the paper profile is consolidated. Got {self._name}.")
        with self._locked():
            found = self.records()
            kept = [record for key, record in found.items() if key in self.units]
            if len(kept) < len(found):
                logger.warning(
                    "%s: %d record(s) dropped, of units the study no longer lists.",
                    self.path,
                    len(found) - len(kept),
                )
            if kept:
                try:
                    replace_bytes(self.path, to_table(kept, self.parameters))
                except OSError as error:
                    raise self._failure("write", self.path, error) from error
                self.clear()
        return self.path

    # ----------------------------------------------------------------------------- helpers

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock beside the working file, so that processes take turns; reentrant.

        Where it cannot be had (no folder yet, a network disk without locks) work goes on without:
        appending in one write is safe on its own except for the repair of a torn line.
        """
        handle = None
        self._depth += 1
        try:
            if fcntl is not None and self._depth == 1:
                with suppress(OSError):
                    handle = os.open(
                        self.working.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o644
                    )
                    fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            self._depth -= 1
            if handle is not None:
                os.close(handle)

    def _failure(self, action: str, path: Path, error: OSError) -> StoreError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            advice = "Free some space on this disk"
        elif path == self.working:
            advice = "Make it accessible, or set COMPANION_CACHE to a folder that is"
        else:
            advice = "Make it accessible, or set COMPANION_PROJECT to a copy of the project that is"
        kept = "every unit already stored is kept"
        if self.unsaved:
            kept += f", and {self.unsaved} finished unit(s) wait in the memory of this process"
        return StoreError(
            f"Records of {self._name}: cannot {action} {path}: {error.strerror or error}. "
            f"{advice}, and run again; {kept}."
        )
