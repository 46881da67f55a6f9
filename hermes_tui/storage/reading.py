"""What a file holds, as the writing side needs to know it: layout, objects, markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.layout import Layout, Rows, read_layout
from hermes_tui.storage.errors import StorageError, shown
from hermes_tui.storage.fts import FtsIndex, Markers
from hermes_tui.storage.schema import SCHEMA_VERSION

TRASH_PREFIX = "fts_v22_trash_"
"""What Hermes calls the parts of an index it has set aside to be dropped later."""

Objects = Mapping[tuple[str, str], str]


def rows_of(connection: apsw.Connection) -> Rows:
    """The connection as `history.layout` wants it."""

    def rows(sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return connection.execute(sql, tuple(params)).fetchall()
        except (apsw.CorruptError, apsw.NotADBError) as error:
            raise DamagedError(str(error)) from error
        except (apsw.BusyError, apsw.LockedError):
            raise
        except apsw.Error as error:
            raise QueryError(str(error)) from error

    return rows


def writable_layout(connection: apsw.Connection, path: str) -> Layout:
    """The layout of a history this package can write.

    Raises HistoryError when it is none, or newer than what is known here.
    """
    layout = read_layout(rows_of(connection))
    version = layout.schema_version or 0
    trigram = layout.trigram
    newer = (
        version > SCHEMA_VERSION
        or layout.base.form in ("external_cut", "unknown")
        or trigram.form == "unknown"
        or (trigram.form == "external" and "tool_calls" not in trigram.columns)
        or bool(trigram.without_sources)
    )
    if newer:
        raise StorageError(
            f"{shown(path)} was written by a newer Hermes (schema {version}; this program writes"
            f" up to {SCHEMA_VERSION}). It can be read, but not changed: update hermes-tui, or use"
            " Hermes' own `sessions optimize-storage`."
        )
    return layout


def objects_of(connection: apsw.Connection) -> Objects:
    """The SQL of every object, by (type, name); '' for what SQLite makes by itself."""
    return {
        (str(kind), str(name)): str(sql or "")
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master")
    }


def flat(sql: str) -> str:
    """SQL without what does not change its meaning here: blanks, quotes, case."""
    return "".join(sql.split()).replace('"', "").replace("`", "").lower()


def number_in_meta(connection: apsw.Connection, key: str) -> int | None:
    """A state_meta value as a whole number, read as the triggers read it."""
    found: Any = connection.execute(
        "SELECT cast(value AS INTEGER) FROM state_meta WHERE key = ?", (key,)
    ).get
    return None if found is None else int(found)


def text_in_meta(connection: apsw.Connection, key: str) -> str:
    """A state_meta value as text; '' when there is none."""
    found: Any = connection.execute("SELECT value FROM state_meta WHERE key = ?", (key,)).get
    return "" if found is None else str(found)


def rebuild_of(connection: apsw.Connection, markers: Markers) -> tuple[int, int] | None:
    """(high water, progress) of a rebuild that is due; None when there is none."""
    high = number_in_meta(connection, markers.high)
    if high is None or high <= 0:
        return None
    return high, max(0, number_in_meta(connection, markers.progress) or 0)


def is_external(objects: Objects, index: FtsIndex) -> bool:
    """Whether the index has the external-content form with all three columns."""
    sql = flat(objects.get(("table", index.name), ""))
    return f"content='{index.source}'" in sql and "tool_calls" in sql


def trash_tables(objects: Objects) -> list[str]:
    """The tables set aside to be dropped, in a fixed order."""
    return sorted(
        name for kind, name in objects if kind == "table" and name.startswith(TRASH_PREFIX)
    )
