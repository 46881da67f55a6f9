"""Set an index aside and make it anew, as one short transaction whatever its size.

Dropping a large index takes as long as its size; renaming it does not. So the old parts are only
renamed, to the names Hermes uses for the same purpose, and dropped in pieces later.
"""

from __future__ import annotations

import apsw

from hermes_tui.storage.fts import BASE, CJK, EVENTS, STALE_KEY, TRIGRAM, FtsIndex, Markers
from hermes_tui.storage.reading import TRASH_PREFIX, objects_of, rebuild_of

_PARTS = ("data", "idx", "content", "docsize", "config")


def remake(connection: apsw.Connection, markers: Markers) -> None:
    """Set aside every index of this rebuild, make it empty, and mark all rows as due.

    Runs in the transaction that is open; the connection must know the tokenizers.
    """
    for index in (BASE, TRIGRAM, CJK):
        if index.markers == markers:
            _set_aside(connection, index)
            for sql in index.create_statements():
                connection.execute(sql)
    if markers == CJK.markers:
        connection.execute("DELETE FROM state_meta WHERE key = ?", (STALE_KEY,))
    mark_due(connection, markers)


def mark_due(connection: apsw.Connection, markers: Markers) -> None:
    """Mark every row there is now as not yet indexed; newer rows are the triggers' work."""
    connection.execute(
        "DELETE FROM state_meta WHERE key IN (?, ?)", (markers.high, markers.progress)
    )
    connection.execute(
        "INSERT INTO state_meta SELECT ?, cast(max(id) AS TEXT) FROM messages HAVING max(id) > 0",
        (markers.high,),
    )
    if rebuild_of(connection, markers):
        connection.execute("INSERT INTO state_meta VALUES (?, '0')", (markers.progress,))


def _set_aside(connection: apsw.Connection, index: FtsIndex) -> None:
    """Take triggers, view and table of an index away, keeping its parts as trash tables."""
    objects = objects_of(connection)
    for event in EVENTS:
        if ("trigger", index.trigger_name(event)) in objects:
            connection.execute(f"DROP TRIGGER {index.trigger_name(event)}")
    if ("table", index.name) in objects:
        trash = _free_name({name for _, name in objects}, index)
        # Without the check of everything else in the schema: another index may be broken too.
        connection.execute("PRAGMA legacy_alter_table = ON")
        try:
            connection.execute(f"ALTER TABLE {index.name} RENAME TO {trash}")
        finally:
            connection.execute("PRAGMA legacy_alter_table = OFF")
        _forget(connection, trash)
    if not index.tool_rows and ("view", index.source) in objects:
        connection.execute(f"DROP VIEW {index.source}")


def _free_name(taken: set[str], index: FtsIndex) -> str:
    """A name whose parts are not there yet: an earlier run may have left some."""
    number, name = 1, f"{TRASH_PREFIX}{index.name}"
    while not taken.isdisjoint(f"{name}_{part}" for part in _PARTS):
        number += 1
        name = f"{TRASH_PREFIX}{number}_{index.name}"
    return name


def _forget(connection: apsw.Connection, table: str) -> None:
    """Remove a virtual table from the schema without touching its parts.

    SQL has no statement for that; DROP TABLE would drop the parts too, in one long transaction.
    """
    defensive = connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    try:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,))
    finally:
        connection.execute("PRAGMA writable_schema = RESET")
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, defensive)
