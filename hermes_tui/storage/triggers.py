"""Whether the triggers of an index do what they must, found out by trying them.

Hermes writes the same triggers in other words, and other versions in others still. So their text
is not compared; they are put on an empty database in memory, a row is inserted, changed and
deleted under several rebuild markers, and what the index then holds is compared with what ours
leave there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import apsw

from hermes_tui.storage.fts import EVENTS, Event, FtsIndex

_TABLES = (
    "CREATE TABLE state_meta(key TEXT PRIMARY KEY, value TEXT)",
    "CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id, role, content,"
    " tool_call_id, tool_calls, tool_name, timestamp, active, compacted)",
)
_CHANGES = (
    "INSERT INTO messages(id, role, content, tool_name, tool_calls, active) VALUES"
    " (1, 'user', 'alpha one', NULL, NULL, 1), (2, 'tool', 'alpha two', 'terminal', NULL, 1),"
    " (3, 'assistant', NULL, NULL, 'call alpha', 1), (9, 'user', 'nine', NULL, NULL, 1)",
    "UPDATE messages SET content = 'beta one' WHERE id IN (1, 9)",
    "UPDATE messages SET role = 'tool' WHERE id = 1",
    "UPDATE messages SET role = 'user', tool_name = 'gamma' WHERE id = 2",
    "UPDATE messages SET tool_name = 'delta' WHERE id = 2",
    "UPDATE messages SET tool_calls = 'epsilon' WHERE id IN (2, 3)",
    "DELETE FROM messages WHERE id IN (3, 9)",
)
_BOOKKEEPING = "UPDATE messages SET active = 0, compacted = 1"
_MARKERS: tuple[tuple[str | None, str | None], ...] = (
    (None, None), ("2", None), ("5", "2"), ("3", "1"), ("9", "9"),
)  # fmt: skip

Held = tuple[tuple[tuple[str, int, str], ...], ...]


def are_sound(index: FtsIndex, statements: Sequence[str], *, inline: bool = False) -> bool:
    """Whether these CREATE TRIGGER statements keep the index as ours would.

    inline: the index has the old form, one column with its own copy of the text.
    """
    if len(statements) != len(EVENTS):
        return False
    try:
        return _held(index, tuple(statements), inline) == _expected(index, inline)
    except apsw.Error:
        return False


def expected(index: FtsIndex, event: Event, *, inline: bool = False) -> str:
    """Our trigger for the event, for either form of the index."""
    return _inline_sql(index, event) if inline else index.trigger_sql(event)


def _expected(index: FtsIndex, inline: bool) -> Held:
    ours = tuple(expected(index, event, inline=inline) for event in EVENTS)
    return _held(index, ours, inline)


@lru_cache(maxsize=64)
def _held(index: FtsIndex, statements: tuple[str, ...], inline: bool) -> Held:
    """What the index holds after each change, under each pair of markers."""
    return tuple(
        held
        for high, progress in (_MARKERS[:1] if inline else _MARKERS)
        for held in _play(index, statements, inline, high, progress)
    )


def _play(
    index: FtsIndex,
    statements: tuple[str, ...],
    inline: bool,
    high: str | None,
    progress: str | None,
) -> list[tuple[tuple[str, int, str], ...]]:
    database = apsw.Connection(":memory:")
    try:
        for sql in (*_TABLES, *_index_sql(index, inline), *statements):
            database.execute(sql)
        for key, value in ((index.markers.high, high), (index.markers.progress, progress)):
            if value is not None:
                database.execute("INSERT INTO state_meta VALUES (?, ?)", (key, value))
        held = []
        for change in _CHANGES:
            database.execute(change)
            held.append(_terms(database))
        before = database.total_changes()
        database.execute(_BOOKKEEPING)
        rows = database.changes()
        held.append((("rows touched beside", database.total_changes() - before - rows, ""),))
        return held
    finally:
        database.close()


def _index_sql(index: FtsIndex, inline: bool) -> tuple[str, ...]:
    """The index with FTS5's own tokenizer: what triggers do does not depend on it."""
    plain = FtsIndex(index.name, "", index.tool_rows, index.markers)
    table = f"CREATE VIRTUAL TABLE {index.name} USING fts5(content)" if inline else plain.table_sql
    vocabulary = f"CREATE VIRTUAL TABLE terms USING fts5vocab({index.name}, instance)"
    return tuple(sql for sql in (plain.view_sql, table, vocabulary) if sql)


def _terms(database: apsw.Connection) -> tuple[tuple[str, int, str], ...]:
    found = database.execute("SELECT term, doc, col FROM terms")
    return tuple(sorted((str(term), int(str(doc)), str(column)) for term, doc, column in found))


def _inline_sql(index: FtsIndex, event: Event) -> str:
    """The trigger for the old form: all text glued into one column, of every role."""
    of = " OF content, tool_name, tool_calls" if event == "update" else ""
    text = " || ' ' || ".join(
        f"ifnull(new.{c}, '')" for c in ("content", "tool_name", "tool_calls")
    )
    body = []
    if event != "insert":
        body.append(f"DELETE FROM {index.name} WHERE rowid = old.id")
    if event != "delete":
        body.append(f"INSERT INTO {index.name}(rowid, content) VALUES (new.id, {text})")
    return (
        f"CREATE TRIGGER {index.trigger_name(event)} AFTER {event.upper()}{of} ON messages"
        f" BEGIN {'; '.join(body)}; END"
    )
