"""What can go wrong while writing a history, as sentences a person can act on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from hermes_tui.history.errors import HistoryError
from hermes_tui.text.clean import clean_line


class StorageError(HistoryError):
    """A history that cannot be written; str() is one clear sentence for the user."""


def shown(value: object) -> str:
    """A path, id or title as it may stand in a sentence: clean, one line, cut at 200."""
    return clean_line(str(value), 200)


def quoted(name: str) -> str:
    """A name from a database as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def sentences(path: object) -> Iterator[None]:
    """Turn what SQLite raises about the file at `path` into a StorageError."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StorageError(
            f"{shown(path)} is locked by another program; try again in a moment."
        ) from error
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise StorageError(f"{shown(path)} is no SQLite database, or a damaged one.") from error
    except apsw.FullError as error:
        raise StorageError(f"The disk of {shown(path)} is full.") from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StorageError(f"{shown(path)} cannot be opened for writing.") from error
    except apsw.Error as error:
        raise StorageError(f"{shown(path)}: {shown(error)}.") from error
