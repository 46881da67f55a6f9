"""Nothing in a file that somebody sent you can run, write, or be written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import Place
from hermes_tui.history.opening import open_readonly
from hermes_tui.history.reader import History
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with HistoryWriter(path, cjk=False) as writer:
        writer.create_session(NewSession(id="s", source="cli", started_at=1.0))
        writer.append("s", NewMessage(role="user", content="docker"), 1.0)
    return path


@pytest.fixture
def connection(path: Path) -> Iterator[apsw.Connection]:
    opened = open_readonly(str(path))
    with closing(opened.connection) as connection:
        yield connection


@pytest.mark.parametrize(
    "statement",
    [
        "insert into state_meta values('a', 'b')",
        "update messages set content = 'x'",
        "delete from messages",
        "drop table messages",
        "create table extra(x)",
        "insert into messages_fts(messages_fts) values('rebuild')",
        "pragma user_version = 7",
        "attach ':memory:' as other",
        "vacuum",
    ],
)
def test_nothing_can_be_written(connection: apsw.Connection, path: Path, statement: str) -> None:
    before = path.read_bytes()
    with pytest.raises(apsw.Error):
        connection.execute(statement).fetchall()
    assert path.read_bytes() == before


def test_query_only_stays_on(connection: apsw.Connection) -> None:
    assert connection.execute("pragma query_only").fetchall() == [(1,)]
    assert connection.readonly("main")


def test_switches_are_set(connection: apsw.Connection) -> None:
    off = (
        apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER,
        apsw.SQLITE_DBCONFIG_DQS_DML,
        apsw.SQLITE_DBCONFIG_DQS_DDL,
        apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
    )
    assert [connection.config(switch, -1) for switch in off] == [0] * len(off)
    assert connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1) == 1
    assert connection.execute("pragma cell_size_check").fetchall() == [(1,)]
    assert connection.execute("pragma mmap_size").fetchall() in ([], [(0,)])


def test_a_view_of_the_file_cannot_call_a_dangerous_function(
    path: Path, execute: Callable[..., Any]
) -> None:
    execute(path, "create view trap as select load_extension('/nowhere/x.so') as answer")
    opened = open_readonly(str(path))
    with closing(opened.connection) as connection, pytest.raises(apsw.Error) as caught:
        connection.execute("select * from trap").fetchall()
    assert "/nowhere" not in str(caught.value), "it was tried"


def test_messages_as_a_view_that_calls_a_function_is_no_way_in(
    tmp_path: Path, execute: Callable[..., Any]
) -> None:
    """A file may name its trap as Hermes names its tables."""
    path = tmp_path / "state.db"
    execute(
        path,
        "create table sessions(id text primary key, source text, started_at real);"
        "insert into sessions values('s', 'cli', 1.0);"
        "create view messages as select 1 as id, 's' as session_id, 'user' as role, "
        "load_extension('/nowhere/x.so') as content, 1.0 as timestamp",
    )
    with pytest.raises(HistoryError, match=r"unsafe use of load_extension"):
        History.open(Place(str(path))).close()


def test_a_huge_value_is_refused_not_loaded(path: Path, execute: Callable[..., Any]) -> None:
    execute(path, "insert into messages(session_id, role, timestamp) values('s', 'user', 2.0)")
    opened = open_readonly(str(path))
    with closing(opened.connection) as connection, pytest.raises(apsw.TooBigError):
        connection.execute("select zeroblob(?)", (300 << 20,)).fetchall()


def test_a_damaged_file_is_a_sentence(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))

    def read_all() -> None:
        with History.open(Place(str(path))) as history:
            history.outline("s")
            history.families()
            history.rows("select * from messages_fts_data")

    with pytest.raises(HistoryError) as caught:
        read_all()
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_a_file_cut_short_is_a_sentence(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(HistoryError), History.open(Place(str(path))) as history:
        history.families()
