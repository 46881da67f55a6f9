"""Histories in the old inline form, as Hermes up to 0.19 keeps them, for the tests of storage."""

from __future__ import annotations

from pathlib import Path

import apsw

from hermes_tui.history import tokenizer
from hermes_tui.storage.fts import BASE, CJK, EVENTS, TRIGRAM, FtsIndex
from hermes_tui.storage.triggers import expected

INDEXES = (BASE, TRIGRAM, CJK)
GLUED = "ifnull(content, '') || ' ' || ifnull(tool_name, '') || ' ' || ifnull(tool_calls, '')"


def connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(5_000)
    tokenizer.register(connection)
    return connection


def make_inline(path: Path) -> None:
    """Turn a current history into one with inline base and trigram indexes and no CJK index."""
    connection = connect(path)
    with connection:
        for index in INDEXES:
            for event in EVENTS:
                connection.execute(f"DROP TRIGGER IF EXISTS {index.trigger_name(event)}")
            connection.execute(f"DROP TABLE IF EXISTS {index.name}")
            if not index.tool_rows:
                connection.execute(f"DROP VIEW IF EXISTS {index.source}")
        for index in (BASE, TRIGRAM):
            _make_inline_index(connection, index)
        connection.execute("DELETE FROM state_meta WHERE key LIKE 'fts%'")
    connection.close()


def _make_inline_index(connection: apsw.Connection, index: FtsIndex) -> None:
    tokenize = f", tokenize='{index.tokenizer}'" if index.tokenizer else ""
    connection.execute(f"CREATE VIRTUAL TABLE {index.name} USING fts5(content{tokenize})")
    connection.execute(f"INSERT INTO {index.name}(rowid, content) SELECT id, {GLUED} FROM messages")
    for event in EVENTS:
        connection.execute(expected(index, event, inline=True))


def keep_first(path: Path, count: int) -> None:
    """Make a history smaller: only its first `count` messages stay."""
    connection = connect(path)
    connection.execute("DELETE FROM messages WHERE id > ?", (count,))
    connection.execute("VACUUM")
    connection.close()


def found(path: Path, index: FtsIndex, query: str) -> list[int]:
    """Ids of the rows that match, in rank order; [] when the file has no such index."""
    connection = connect(path)
    try:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (index.name,)).get:
            rows = connection.execute(
                f"SELECT rowid FROM {index.name} WHERE {index.name} MATCH ? ORDER BY rank, rowid",
                (query,),
            )
            return [int(str(row)) for (row,) in rows]
        return []
    finally:
        connection.close()


def tool_rows(path: Path) -> set[int]:
    """Ids of the rows of role `tool`, which the trigram index leaves out in its current form."""
    connection = connect(path)
    try:
        rows = connection.execute("SELECT id FROM messages WHERE role = 'tool'").fetchall()
        return {int(str(row)) for (row,) in rows}
    finally:
        connection.close()


def check_sound(path: Path) -> None:
    """The file is intact, and every index holds exactly the text it should."""
    connection = connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").get == "ok"
        for index in INDEXES:
            name = index.name
            connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('integrity-check', 1)")
    finally:
        connection.close()


def rows(path: Path) -> tuple[list[object], list[object]]:
    """Every session and message, as they are."""
    connection = connect(path)
    try:
        sessions = connection.execute("SELECT * FROM sessions ORDER BY id").fetchall()
        messages = connection.execute("SELECT * FROM messages ORDER BY id").fetchall()
        return list(sessions), list(messages)
    finally:
        connection.close()


def state(path: Path) -> dict[str, str]:
    """The rows of state_meta that concern indexes."""
    connection = connect(path)
    try:
        found = connection.execute("SELECT key, value FROM state_meta WHERE key LIKE 'fts%'")
        return {str(key): str(value) for key, value in found.fetchall()}
    finally:
        connection.close()
