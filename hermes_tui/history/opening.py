"""Opening somebody else's SQLite file for reading, however it was left, and hardened.

Measured in every WAL state (schema history, 7): a plain path with SQLITE_OPEN_READONLY is right
wherever SQLite can open it; `immutable=1` only where nobody can write beside the file and no WAL
holds rows; otherwise a copy of the file and its WAL is read. A rollback journal that a crash left
behind is rolled back in a copy too: a read-only connection may not do it.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

import apsw

from hermes_tui.history.errors import HistoryError
from hermes_tui.text.clean import clean_line

BUSY_TIMEOUT_MS = 2_000
"""A live Hermes holds its locks for milliseconds; a migration may for a second."""
MAX_VALUE_BYTES = 256 << 20
_HEADER = b"SQLite format 3\x00"

How = Literal["live", "immutable", "copy"]


@dataclass(frozen=True, slots=True)
class Opened:
    """A hardened read-only connection, how the file was opened, and what to do after closing."""

    connection: apsw.Connection
    how: How
    cleanup: Callable[[], None]


def open_readonly(path: str) -> Opened:
    """Open `path` read-only. HistoryError with one sentence when it cannot be read."""
    _check_file(path)
    try:
        return Opened(_harden(_connect(path)), "live", _nothing)
    except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
        crashed = _has_rows(path + "-journal")
        if not crashed and os.access(os.path.dirname(path) or ".", os.W_OK):
            raise HistoryError(_cannot_open(path, error)) from error
    except apsw.Error as error:
        raise HistoryError(_cannot_open(path, error)) from error
    try:
        if crashed:
            return _open_copy(path, "-journal")
        if not _has_rows(path + "-wal"):
            return Opened(_harden(_connect(path, immutable=True)), "immutable", _nothing)
        return _open_copy(path, "-wal")
    except (apsw.Error, OSError) as error:
        raise HistoryError(_cannot_open(path, error)) from error


def _check_file(path: str) -> None:
    """Say what is wrong with a file that no SQLite would read as a database."""
    shown = clean_line(path)
    try:
        header = _header(path)
    except IsADirectoryError as error:
        raise HistoryError(f"{shown} is a folder, not a history. Name its state.db.") from error
    except (OSError, ValueError) as error:
        reason = clean_line(getattr(error, "strerror", None) or str(error))
        raise HistoryError(
            f"Cannot read {shown}: {reason}. Check that the file is there and that you may read it."
        ) from error
    if not header and not _has_rows(path + "-wal"):
        raise HistoryError(
            f"{shown} is empty (zero bytes): Hermes has not written a history there."
        )
    if header and header != _HEADER:
        raise HistoryError(
            f"{shown} is not a SQLite database. Name Hermes' state.db with --db FILE."
        )


def _header(path: str) -> bytes:
    """The first bytes of a regular file: opening a pipe or a device could wait for ever."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(None, "it is a pipe or a device")
    with open(path, "rb") as file:
        return file.read(len(_HEADER))


def _connect(path: str, *, immutable: bool = False) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY
    # A plain path keeps '?', '#' and '%' in names harmless; only immutable needs a URI.
    name = path if os.path.isabs(path) else os.path.join(os.curdir, path)
    if immutable:
        name = f"file:{quote(os.path.abspath(path))}?mode=ro&immutable=1"
        flags |= apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(name, flags=flags)
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        # SQLite opens lazily: read something here, so that failing happens here too.
        connection.execute("select count(*) from sqlite_schema").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _harden(connection: apsw.Connection) -> apsw.Connection:
    """Nothing in the file may run code, write, or make us read past its end."""
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    for pragma in ("cell_size_check=1", "mmap_size=0", "query_only=1"):
        connection.execute(f"pragma {pragma}").fetchall()
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    return connection


def _open_copy(path: str, beside: str) -> Opened:
    """Read a private copy of the file and of the WAL or journal beside it.

    The directory is not ours to write while the WAL holds rows, or a journal has to be rolled back.
    """
    folder = tempfile.mkdtemp(prefix="hermes-tui-")

    def cleanup() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    try:
        copy = os.path.join(folder, "state.db")
        shutil.copyfile(path, copy)
        shutil.copyfile(path + beside, copy + beside)
        if beside == "-journal":
            _roll_back(copy)
        return Opened(_harden(_connect(copy)), "copy", cleanup)
    except BaseException:
        cleanup()
        raise


def _roll_back(copy: str) -> None:
    """Take back the transaction that a crash left half written; the first read does it."""
    with closing(apsw.Connection(copy)) as connection:
        connection.execute("select count(*) from sqlite_schema").fetchall()


def _has_rows(wal: str) -> bool:
    try:
        return os.path.getsize(wal) > 0
    except OSError:
        return False


def _nothing() -> None:
    """No copy was made, so nothing has to be removed."""


def _cannot_open(path: str, error: Exception) -> str:
    shown = clean_line(path)
    if isinstance(error, apsw.BusyError):
        return f"{shown} is locked by another program. Try again when it has finished."
    if isinstance(error, (apsw.NotADBError, apsw.CorruptError)):
        return f"{shown} is not a readable SQLite database: {clean_line(str(error))}."
    return f"Cannot open {shown}: {clean_line(str(error))}. Check who may read it and its folder."
