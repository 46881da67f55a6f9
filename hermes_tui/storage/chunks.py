"""The two long jobs in short transactions: fill an index, and drop what was set aside."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import apsw

from hermes_tui.storage.errors import quoted
from hermes_tui.storage.fts import FtsIndex
from hermes_tui.storage.opening import immediate
from hermes_tui.storage.pacing import Pace
from hermes_tui.storage.reading import objects_of, rebuild_of, trash_tables

CHUNK_ROWS = 500
"""The most rows of one chunk, as in Hermes."""

Sleep = Callable[[float], None]


class Stopped(Exception):  # noqa: N818 - a wish, not an error
    """The caller asked to stop; everything done so far is in the file."""


def fill(
    connection: apsw.Connection,
    indexes: Sequence[FtsIndex],
    report: Callable[[int, int], None],
    stop: Callable[[], bool],
    sleep: Sleep,
) -> int:
    """Copy the rows that are due into the indexes of one rebuild; returns how many there were.

    The markers are read anew in every chunk, so another program may work on the same rebuild.
    `report` is called with (done, total) as message ids. Raises Stopped between two chunks.
    """
    markers = indexes[0].markers
    pace = Pace(start=256e3, least=8e3, most=8e6, sleep=sleep)
    copied = 0
    while rebuild_of(connection, markers):
        if stop():
            raise Stopped
        with immediate(connection):
            due = rebuild_of(connection, markers)
            if due is None:
                break
            pace.begin()
            high, progress = due
            upto, rows = _chunk_end(connection, progress, high, pace.size)
            for index in indexes:
                connection.execute(index.copy_sql(), {"low": progress, "high": upto})
            if upto >= high:
                connection.execute(
                    "DELETE FROM state_meta WHERE key IN (?, ?)", (markers.high, markers.progress)
                )
            else:
                connection.execute(
                    "INSERT OR REPLACE INTO state_meta VALUES (?, ?)", (markers.progress, str(upto))
                )
        pace.end()
        copied += rows
        report(upto, high)
    return copied


def _chunk_end(
    connection: apsw.Connection, progress: int, high: int, octets: float
) -> tuple[int, int]:
    """(last id of the next chunk, its rows): about `octets` bytes of text, at least one row."""
    rows = connection.execute(
        "SELECT id, ifnull(octet_length(content), 0) + ifnull(octet_length(tool_calls), 0)"
        " FROM messages WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
        (progress, high, CHUNK_ROWS),
    ).fetchall()
    total, taken = 0, 0
    for taken, (message_id, size) in enumerate(rows, 1):
        total += int(str(size))
        if total >= octets and taken < len(rows):
            return int(str(message_id)), taken
    return (int(str(rows[-1][0])), taken) if len(rows) == CHUNK_ROWS else (high, taken)


def drop_trash(
    connection: apsw.Connection,
    report: Callable[[int, int], None],
    stop: Callable[[], bool],
    sleep: Sleep,
) -> int:
    """Drop every table that was set aside, some rows at a time; returns how many tables."""
    pace = Pace(start=200, least=10, most=20_000, sleep=sleep)
    tables = trash_tables(objects_of(connection))
    for number, table in enumerate(tables):
        report(number, len(tables))
        while _drop_some(connection, table, pace):
            if stop():
                raise Stopped
        report(number + 1, len(tables))
    return len(tables)


def _drop_some(connection: apsw.Connection, table: str, pace: Pace) -> bool:
    """Delete one chunk of rows, or the empty table; False when the table is gone."""
    with immediate(connection):
        pace.begin()
        if table not in trash_tables(objects_of(connection)):
            return False
        key = ", ".join(
            quoted(str(name))
            for (name,) in connection.execute(
                "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (table,)
            )
        )
        removed = 0
        if key:
            connection.execute(
                f"DELETE FROM {quoted(table)} WHERE ({key}) IN"
                f" (SELECT {key} FROM {quoted(table)} LIMIT ?)",
                (int(pace.size),),
            )
            removed = connection.changes()
        if removed == 0:
            connection.execute(f"DROP TABLE {quoted(table)}")
    pace.end()
    return removed > 0
