"""Our schema is Hermes': same tables, columns, keys, indexes and trigger behaviour."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import apsw
import pytest

from hermes_tui.storage import fts, schema

NAMES = "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
PLAIN_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%fts%'"
    " AND name NOT LIKE 'sqlite_%'"
)


@pytest.fixture
def ours() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    schema.create(connection, cjk=False)
    return connection


@pytest.fixture
def theirs(shared: Path, tmp_path: Path) -> apsw.Connection:
    copy = tmp_path / "theirs.db"
    shutil.copyfile(shared / "hermes/dbs/state-2026-08.db", copy)
    return apsw.Connection(str(copy))


def described(connection: apsw.Connection, pragma: str, names: str) -> dict[str, object]:
    return {
        name: sorted(connection.execute(f"PRAGMA {pragma}({name})").fetchall(), key=repr)
        for (name,) in connection.execute(names).fetchall()
    }


@pytest.mark.parametrize("pragma", ["table_info", "foreign_key_list", "index_list"])
def test_tables_are_those_of_hermes(
    ours: apsw.Connection, theirs: apsw.Connection, pragma: str
) -> None:
    mine, real = (described(db, pragma, PLAIN_TABLES) for db in (ours, theirs))
    if pragma == "table_info":
        assert mine == real
        return
    # Their position in these lists says only in which order they were made.
    unnumbered = [
        {table: sorted(row[1:] if pragma == "index_list" else row[2:] for row in rows)
         for table, rows in found.items()}
        for found in (mine, real)
    ]  # fmt: skip
    assert unnumbered[0] == unnumbered[1]


def test_every_object_has_the_name_hermes_gives_it(
    ours: apsw.Connection, theirs: apsw.Connection
) -> None:
    assert set(ours.execute(NAMES)) == set(theirs.execute(NAMES))


def test_indexes_cover_the_columns_hermes_indexes(
    ours: apsw.Connection, theirs: apsw.Connection
) -> None:
    explicit = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    assert described(ours, "index_xinfo", explicit) == described(theirs, "index_xinfo", explicit)


ROWS = (
    "INSERT INTO messages(id, session_id, role, content, tool_name, tool_calls, timestamp) VALUES"
    " (1, 's', 'user', 'alpha one', NULL, NULL, 1), (2, 's', 'tool', 'alpha two', 'term', NULL, 2),"
    " (3, 's', 'assistant', NULL, NULL, '[{\"name\": \"alpha\"}]', 3), (9, 's', 'user', 'x', NULL,"
    " NULL, 4)",
)
CHANGES = (
    "UPDATE messages SET content = 'beta one' WHERE id = 1",
    "UPDATE messages SET active = 0, compacted = 1",
    "UPDATE messages SET role = 'tool' WHERE id = 1",
    "UPDATE messages SET role = 'user' WHERE id = 2",
    "UPDATE messages SET tool_name = 'gamma', tool_calls = NULL WHERE id IN (2, 3)",
    "DELETE FROM messages WHERE id IN (3, 9)",
)
MARKERS = ((None, None), ("2", None), ("5", "2"), ("9", "9"), ("3", "1"))


def entries(connection: apsw.Connection, index: str) -> list[tuple[str, int, str]]:
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.v_{index}"
        f" USING fts5vocab(main, {index}, instance)"
    )
    found = connection.execute(f"SELECT term, doc, col FROM temp.v_{index} WHERE doc < 100")
    return sorted(found.fetchall())


@pytest.mark.parametrize("marker", MARKERS)
def test_triggers_do_what_those_of_hermes_do(
    ours: apsw.Connection, theirs: apsw.Connection, marker: tuple[str | None, str | None]
) -> None:
    """After each of the same changes both files' indexes hold the same terms.

    Rows a rebuild has not reached are changed without being indexed, as Hermes does: only what
    the gates let through may differ between the marker settings, never between the two files.
    """
    theirs.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    theirs.execute("DELETE FROM messages")
    theirs.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 1)
    for index in ("messages_fts", "messages_fts_trigram"):
        theirs.execute(f"INSERT INTO {index}({index}) VALUES ('delete-all')")
    keys = (fts.BASE_MARKERS.high, fts.BASE_MARKERS.progress)
    for statement in (*ROWS, *CHANGES):
        for db in (ours, theirs):
            for key, value in zip(keys, marker, strict=True):
                if value is not None:
                    db.execute("INSERT OR REPLACE INTO state_meta VALUES (?, ?)", (key, value))
            db.execute(statement)
        for index in ("messages_fts", "messages_fts_trigram"):
            assert entries(ours, index) == entries(theirs, index), statement
    if marker == (None, None):
        for index in ("messages_fts", "messages_fts_trigram"):
            ours.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")


def test_update_triggers_stay_silent_when_no_indexed_column_changes(ours: apsw.Connection) -> None:
    ours.execute(ROWS[0])
    before = ours.total_changes()
    ours.execute("UPDATE messages SET active = 0, compacted = 1, observed = 1")
    assert ours.total_changes() - before == 4  # the rows themselves, nothing in an index


def test_the_notation_says_what_it_seems_to_say() -> None:
    declared = {c.name: c.declaration for c in schema.table("sessions").columns}
    assert declared["id"] == "TEXT PRIMARY KEY"
    assert declared["started_at"] == "REAL NOT NULL"
    assert declared["archived"] == "INTEGER NOT NULL DEFAULT 0"
    assert declared["title"] == "TEXT"
    with pytest.raises(KeyError):
        schema.table("no_such_table")


def test_every_event_of_every_index_has_its_own_trigger() -> None:
    names = [
        index.trigger_name(event)
        for index, event in itertools.product((fts.BASE, fts.TRIGRAM, fts.CJK), fts.EVENTS)
    ]
    assert len(set(names)) == 9
