"""Opening for writing repairs what stands in the way, and touches nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from old_form import check_sound, connect, rows, state

from hermes_tui.history import tokenizer
from hermes_tui.history.errors import HistoryError
from hermes_tui.storage import opening, schema
from hermes_tui.storage.errors import StorageError
from hermes_tui.storage.optimize import optimize
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

Copy = Callable[[str], Path]
Execute = Callable[..., list[tuple[Any, ...]]]
T0 = 1_700_000_000.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with HistoryWriter(path, cjk=True) as writer:
        writer.create_session(NewSession(id="s1", source="cli", started_at=T0, title="One"))
        for number in range(5):
            writer.append("s1", NewMessage(role="user", content=f"text {number} 容器网络"), T0)
    return path


def opened(path: Path, **options: bool) -> None:
    opening.open_for_writing(str(path), **options).close()


def objects(path: Path) -> set[tuple[str, str]]:
    connection = connect(path)
    try:
        return {
            (str(kind), str(name))
            for kind, name in connection.execute("SELECT type, name FROM sqlite_master")
        }
    finally:
        connection.close()


def test_a_healthy_file_is_not_touched(path: Path, copy_db: Copy) -> None:
    for file in (path, copy_db("state-2026-08"), copy_db("state-2026-08-cjk")):
        before = file.read_bytes()
        opened(file)
        assert file.read_bytes() == before


@pytest.mark.parametrize(
    "name",
    ["state-0.13.0", "state-0.15.0", "state-0.17.0", "state-0.18.2", "state-0.19.0",
     "state-0.13.0-upgraded-through-0.19.0"],
)  # fmt: skip
def test_an_old_file_gets_what_it_lacks_and_keeps_its_rows(name: str, copy_db: Copy) -> None:
    file = copy_db(name)
    before = rows(file)
    opened(file)
    connection = connect(file)
    for table in ("sessions", "messages"):
        present = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        assert present >= {column.name for column in schema.table(table).columns}
    version = connection.execute("SELECT version FROM schema_version").get
    connection.close()
    after = rows(file)
    for old, new in zip(before, after, strict=True):
        assert [set(row) - set(kept) for row, kept in zip(old, new, strict=True)] == [set()] * len(
            old
        )
    names = objects(file)
    assert {("index", index.name) for index in schema.INDEXES} <= names
    assert {("table", table.name) for table in schema.TABLES} <= names
    assert version == 25 if "2026" in name else version < 25  # Hermes' own migrations still run
    settled = file.read_bytes()
    opened(file)
    assert file.read_bytes() == settled


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TRIGGER messages_fts_insert",
        "DROP TRIGGER messages_fts_delete; CREATE TRIGGER messages_fts_delete AFTER DELETE ON"
        " messages BEGIN SELECT 1; END",
        "DROP TRIGGER messages_fts_trigram_update",
        "DROP TABLE messages_fts",
        "DROP TABLE messages_fts_trigram",
        "DROP VIEW messages_fts_trigram_src; CREATE VIEW messages_fts_trigram_src AS"
        " SELECT id, role, content, tool_name, tool_calls FROM messages",
        "DELETE FROM messages_fts_data",
    ],
)
def test_an_index_that_missed_rows_is_made_anew(path: Path, execute: Execute, damage: str) -> None:
    execute(path, damage)
    if "TRIGGER" in damage:
        connection = connect(path)
        connection.execute(
            "INSERT INTO messages(session_id, role, content, timestamp)"
            " VALUES ('s1', 'user', 'x', 1)"
        )
        connection.close()
    opened(path)
    marks = state(path)
    assert marks["fts_rebuild_progress"] == "0"
    assert int(marks["fts_rebuild_high_water"]) >= 5
    with HistoryWriter(path) as writer:
        writer.append("s1", NewMessage(role="user", content="written meanwhile"), T0)
    optimize(str(path))
    check_sound(path)


def test_triggers_without_their_index_do_not_stop_every_insert(
    path: Path, execute: Execute
) -> None:
    execute(path, "DROP TABLE messages_fts_cjk")
    with HistoryWriter(path) as writer:
        writer.append("s1", NewMessage(role="user", content="goes in"), T0)
    optimize(str(path))
    check_sound(path)


def test_a_missing_view_alone_loses_nothing(path: Path, execute: Execute) -> None:
    execute(path, "DROP VIEW messages_fts_trigram_src")
    opened(path)
    assert "fts_rebuild_high_water" not in state(path)
    check_sound(path)


def test_missing_and_wrong_indexes_of_tables_are_made(path: Path, execute: Execute) -> None:
    execute(
        path,
        "DROP INDEX idx_sessions_parent; DROP INDEX idx_messages_session_id;"
        " CREATE INDEX idx_messages_session_id ON messages(role)",
    )
    opened(path)
    sql = execute(path, "SELECT sql FROM sqlite_master WHERE name = 'idx_messages_session_id'")
    assert "(session_id, id)" in sql[0][0]
    assert ("index", "idx_sessions_parent") in objects(path)


def test_two_sessions_of_one_title_do_not_stop_the_repair(path: Path, execute: Execute) -> None:
    execute(path, "DROP INDEX idx_sessions_title_unique")
    execute(
        path, "INSERT INTO sessions(id, source, started_at, title) VALUES ('s2', 'x', 1, 'One')"
    )
    opened(path)
    opened(path)
    assert ("index", "idx_sessions_title_unique") not in objects(path)


def test_without_its_tokenizer_the_word_index_is_retired(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(tokenizer, "register", lambda connection: None)
        with HistoryWriter(path) as writer:
            writer.append("s1", NewMessage(role="user", content="容器网络 again"), T0)
    assert state(path)["fts_cjk_stale"] == "1"
    names = objects(path)
    assert ("table", "messages_fts_cjk") in names
    assert not any(
        name.startswith("messages_fts_cjk_") and kind == "trigger" for kind, name in names
    )
    opened(path)  # with the tokenizer back it stays stale until it is rebuilt
    assert state(path)["fts_cjk_stale"] == "1"
    optimize(str(path))
    assert "fts_cjk_stale" not in state(path)
    check_sound(path)


@pytest.mark.parametrize(
    "name",
    ["state-newest-reconstructed", "state-newest-reconstructed-mixed-trigram-v1",
     "state-newest-reconstructed-longtool-hidden"],
)  # fmt: skip
def test_a_newer_layout_is_refused_and_left_alone(name: str, copy_db: Copy) -> None:
    file = copy_db(name)
    before = file.read_bytes()
    with pytest.raises(StorageError, match="newer Hermes"):
        opened(file)
    with pytest.raises(StorageError, match="newer Hermes"):
        optimize(str(file))
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE schema_version SET version = 26",
        "DROP TABLE messages_fts; CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name,"
        " tool_calls, content='messages_fts_src', content_rowid='id')",
        "DROP TABLE messages_fts_trigram; CREATE VIRTUAL TABLE messages_fts_trigram USING fts5("
        "content, tool_name, content='messages_fts_trigram_src', content_rowid='id')",
    ],
)
def test_each_sign_of_a_newer_layout_counts(path: Path, execute: Execute, change: str) -> None:
    execute(path, change)
    with pytest.raises(StorageError, match="newer Hermes"):
        opened(path)


def test_what_is_no_history_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="There is no file"):
        opened(tmp_path / "nowhere.db")
    with pytest.raises(HistoryError, match="folder"):
        optimize(str(tmp_path))
    text = tmp_path / "text.db"
    text.write_text("no database " * 100)
    with pytest.raises(HistoryError, match="SQLite database"):
        optimize(str(text))
    with pytest.raises(StorageError, match="no SQLite database"):
        opened(text)


def test_a_locked_file_is_a_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "BUSY_TIMEOUT_MS", 10)
    with HistoryWriter(path) as writer:
        other = apsw.Connection(str(path))
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match="locked by another program"):
            writer.append("s1", NewMessage(role="user", content="x"), T0)
        with pytest.raises(StorageError, match="locked by another program"):
            opened(path)
        other.close()


def test_strange_names_of_files_are_paths_not_options(path: Path, tmp_path: Path) -> None:
    strange = tmp_path / "state?mode=memory&x#y.db"
    shutil.copyfile(path, strange)
    with HistoryWriter(strange) as writer:
        writer.append("s1", NewMessage(role="user", content="here"), T0)
    assert len(rows(strange)[1]) == 6
