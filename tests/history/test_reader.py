"""A history through its reader: outlines, messages, other threads, and statements stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from hermes_tui.history.errors import HistoryError, Interrupted, QueryError
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History, HistoryPool
from hermes_tui.history.statements import bindable
from hermes_tui.history.tokenizer import register
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

# Counts to a billion: it ends only when it is stopped.
ENDLESS = (
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000000) "
    "select count(*) from n"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Session s with 1,203 messages, and t whose messages lie between them."""
    path = tmp_path / "state.db"
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        writer.create_session(NewSession(id="s", source="cli", started_at=1.0))
        writer.create_session(NewSession(id="t", source="cli", started_at=2.0, parent_id="s"))
        turns = [NewMessage(role="user", content=f"turn {n}") for n in range(601)]
        first = writer.append_batch("s", turns, 10.0)
        writer.append("t", NewMessage(role="assistant", content="数据"), 20.0)
        writer.append_batch("s", [*turns, NewMessage(role="tool")], 30.0)
        assert first[0] == 1
    return path


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    with History.open(Place(str(path))) as history:
        yield history


def test_outline(history: History, path: Path, execute: Callable[..., Any]) -> None:
    execute(
        path,
        "update messages set active = 0 where id = 1;"
        "update messages set active = 0, compacted = 1 where id = 2;"
        "update messages set tool_calls = '[\"数\"]' where id = 4",
    )
    outline = history.outline("s")
    assert len(outline) == 1203
    assert list(outline.ids[:3]) == [1, 2, 3]
    assert outline.visibility[:4] == bytes([2, 1, 0, 0])
    assert outline.octets[0] == len("turn 0")
    assert outline.octets[3] == len("turn 3") + len('["数"]'.encode())
    assert outline.octets[-1] == 0
    assert outline.roles[0] == "user"
    assert outline.roles[-1] == "tool"
    assert outline.timestamps[0] == 10.0


@pytest.mark.parametrize(
    ("message_id", "place"), [(1, 0), (601, 600), (602, None), (603, 601), (0, None), (9999, None)]
)
def test_a_position_is_exact(history: History, message_id: int, place: int | None) -> None:
    assert history.outline("s").position(message_id) == place


def test_the_outline_of_nobody_is_empty(history: History) -> None:
    outline = history.outline("nobody")
    assert len(outline) == 0
    assert outline.position(1) is None


def test_messages_come_in_the_order_asked_for(history: History) -> None:
    asked = [1203, 5, 77777, 602, 5, *range(600, 0, -1)]
    assert [m.id for m in history.messages(asked)] == [i for i in asked if i != 77777]
    assert history.messages([]) == []
    assert history.messages([602])[0].text == "数据"


def test_counts_are_of_rows_that_are_there(history: History) -> None:
    many = ["s", "t", *(f"no{n}" for n in range(1200))]
    assert history.message_counts(many) == {"s": 1203, "t": 1}


def test_session(history: History) -> None:
    session = history.session("t")
    assert session is not None
    assert session.parent_id == "s"
    assert history.session("T") is None
    assert history.session("\ud800") is None


def test_what_is_kept_is_read_again_when_another_process_writes(
    history: History, path: Path
) -> None:
    before, version = history.families(), history.data_version()
    assert history.families() is before
    with HistoryWriter(path, cjk=False) as writer:
        writer.create_session(NewSession(id="new", source="cli", started_at=3.0))
    assert history.data_version() != version
    assert "new" in history.families().sessions


def test_stop_ends_a_statement(history: History) -> None:
    with pytest.raises(Interrupted):
        history.rows(ENDLESS, stop=lambda: True)
    assert history.rows("select 1", stop=lambda: False) == [(1,)]
    assert history.session("s") is not None, "the connection stays usable"


def test_a_stop_that_answers_no_bool_still_stops(history: History) -> None:
    with pytest.raises(Interrupted):
        history.rows(ENDLESS, stop=lambda: "yes")  # type: ignore[arg-type, return-value]


def test_interrupt_from_another_thread(history: History) -> None:
    running = threading.Event()

    def stop() -> bool:
        running.set()
        return False

    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(history.rows, ENDLESS, (), stop)
        assert running.wait(30)
        history.interrupt()
        with pytest.raises(Interrupted):
            asked.result(30)
    history.interrupt()
    assert history.session("s") is not None, "an idle connection is not hurt"


def test_what_sqlite_refuses_is_a_query_error(history: History) -> None:
    for sql in ("select nonsense", "select * from messages_fts where messages_fts match '\"'"):
        with pytest.raises(QueryError) as caught:
            history.rows(sql)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["plain", "猫🐈", "\x00"])
def test_text_is_bound_as_it_is(text: str) -> None:
    assert bindable(text) is text


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "\ud83d\udc08"])
def test_half_a_surrogate_pair_is_replaced(history: History, text: str) -> None:
    bound = bindable(text)
    assert "\ufffd" in bound
    assert history.rows("select ?", (text,)) == [(bound,)]


def test_a_pool_gives_each_thread_its_own_connection(path: Path) -> None:
    pool = HistoryPool(Place(str(path)), register=register)
    barrier = threading.Barrier(4)

    def use() -> tuple[int, int, int]:
        history = pool.get()
        barrier.wait(30)
        assert pool.get() is history
        return id(history), len(history.outline("s")), len(history.messages([1, 2]))

    with ThreadPoolExecutor(4) as threads:
        answers = [f.result(60) for f in [threads.submit(use) for _ in range(4)]]
        assert len({identity for identity, *_ in answers}) == 4
        assert {counts for _, *counts in answers for counts in [tuple(counts)]} == {(1203, 2)}
    pool.close()
    with pytest.raises(HistoryError, match="has been closed"):
        pool.get()


def test_interrupting_all_ends_what_runs(path: Path) -> None:
    pool = HistoryPool(Place(str(path)))
    running = threading.Barrier(4)

    def work() -> str:
        waited = [False]

        def stop() -> bool:
            if not waited[0]:
                waited[0] = True
                running.wait(30)
            return False

        try:
            pool.get().rows(ENDLESS, stop=stop)
        except Interrupted:
            return "interrupted"
        return "ended"

    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(work) for _ in range(3)]
        running.wait(30)
        pool.interrupt_all()
        assert [f.result(30) for f in asked] == ["interrupted"] * 3
    pool.close()


def test_closing_while_a_statement_runs(path: Path) -> None:
    """Quitting does not wait for a long search, and does not fail over it."""
    pool = HistoryPool(Place(str(path)))
    running = threading.Event()

    def stop() -> bool:
        running.set()
        return False

    def work() -> str:
        history = pool.get()
        with pytest.raises(Interrupted):
            history.rows(ENDLESS, stop=stop)
        with pytest.raises(Interrupted):
            history.outline("s")
        with pytest.raises(HistoryError, match="has been closed"):
            pool.get()
        return "all refused"

    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(work)
        assert running.wait(30)
        pool.close()
        assert asked.result(30) == "all refused"
    pool.close()
    pool.interrupt_all()


def test_a_pool_over_nothing_says_so_in_every_thread(tmp_path: Path) -> None:
    pool = HistoryPool(Place(str(tmp_path / "none.db")))
    for _ in range(2):
        with pytest.raises(HistoryError):
            pool.get()
    pool.close()


TEXTS = {
    "messages": [
        "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp",
        "active", "compacted", "reasoning", "reasoning_content", "display_kind",
    ],
    "sessions": [
        "source", "model", "model_config", "parent_session_id", "started_at", "ended_at",
        "end_reason", "message_count", "title", "archived", "cwd", "last_activity_at",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("table", "column"), [(t, c) for t, cs in TEXTS.items() for c in cs])
def test_a_cell_that_is_no_utf8(
    path: Path, execute: Callable[..., Any], table: str, column: str
) -> None:
    """One bad byte loses nothing but itself, in any column."""
    execute(
        path,
        "pragma foreign_keys=off;"
        f"update {table} set {column} = cast(x'61ff62' as text) where rowid = 1",
    )
    with History.open(Place(str(path))) as history:
        history.families()
        history.markers()
        session_id = history.messages([1])[0].session_id
        assert session_id == ("a\ufffdb" if column == "session_id" else "s")
        assert len(history.outline("s")) == (1202 if column == "session_id" else 1203)
        assert len(history.lineage("t").nodes) == 2
        session = history.session("s")
        assert session is not None
        if (table, column) == ("messages", "content"):
            assert history.messages([1])[0].text == "a\ufffdb"
        if (table, column) == ("sessions", "title"):
            assert session.title == "a\ufffdb"


@pytest.mark.parametrize("moment", ["'yesterday'", "9e999", "-9e999", "1e20", "x'00ff'", "-1"])
def test_odd_timestamps(path: Path, execute: Callable[..., Any], moment: str) -> None:
    execute(
        path,
        f"update messages set timestamp = {moment} where id = 1;"
        f"update sessions set started_at = {moment}, ended_at = {moment} where id = 's'",
    )
    with History.open(Place(str(path))) as history:
        assert len(history.outline("s")) == 1203
        assert history.messages([1])[0].text == "turn 0"
        assert len(history.lineage("s").nodes) == 2


def test_null_active_is_live(tmp_path: Path, execute: Callable[..., Any]) -> None:
    path = tmp_path / "state.db"
    execute(
        path,
        "create table sessions(id text primary key, source text, started_at real);"
        "create table messages(id integer primary key, session_id text, role text, content text, "
        "timestamp real, active integer, compacted integer); insert into messages values"
        "(1, 's', 'user', 'a', 1, null, null), (2, 's', 'user', 'b', 1, 0, null), "
        "(3, 's', 'user', 'c', 1, null, 1), (4, 's', 'user', 'd', 1, 'odd', 'odd')",
    )
    with History.open(Place(str(path))) as history:
        assert history.outline("s").visibility == bytes([0, 2, 0, 0])
        states = [m.visibility for m in history.messages([1, 2, 3, 4])]
        assert states == ["live", "rewound", "live", "live"]


def test_ids_and_text_that_are_null(tmp_path: Path, execute: Callable[..., Any]) -> None:
    path = tmp_path / "state.db"
    execute(
        path,
        "create table sessions(id text primary key, source text, started_at real);"
        "create table messages(id integer primary key, session_id text, role text, content text, "
        "timestamp real); insert into sessions values(null, null, null), ('s', null, null);"
        "insert into messages values(1, null, null, null, null), (2, 's', null, null, null)",
    )
    with History.open(Place(str(path))) as history:
        assert set(history.families().sessions) == {"", "s"}
        assert [m.role for m in history.messages([1, 2])] == ["", ""]
        assert list(history.outline("s").roles) == [""]
        assert history.messages([2])[0].visibility == "live"


def test_an_outline_reads_odd_flags_as_the_rows_do(tmp_path: Path) -> None:
    """Flags may be NULL, text, real or nonsense: both readings of a row agree."""
    flags = (1, 0, None, "0", "1", "x", 0.0, 1.5, b"0", b"")
    path = tmp_path / "state.db"
    with closing(apsw.Connection(str(path))) as db:
        db.execute("create table sessions(id text primary key, source text, started_at real)")
        db.execute(
            "create table messages(id integer primary key, session_id text, role text, "
            "content text, timestamp real, active, compacted)"
        )
        db.execute("insert into sessions values('s', 'cli', 1)")
        for active in flags:
            for compacted in flags:
                db.execute(
                    "insert into messages(session_id, role, content, timestamp, active, compacted) "
                    "values('s', 'user', 'x', 1, ?, ?)",
                    (active, compacted),
                )
    with History.open(Place(str(path), "")) as history:
        outline = history.outline("s")
        names = ("live", "archived", "rewound")
        told = [names[code] for code in outline.visibility]
        assert told == [m.visibility for m in history.messages(list(outline.ids))]
        assert set(told) == set(names)


def test_rows_among_many_ids_are_asked_for_in_pieces(history: History) -> None:
    """More ids than one statement takes; values before them stay where they are."""
    held = history.rows("select id from messages order by id")
    wanted = [*range(-2_000, 0), *(row[0] for row in held)]
    sql = "select id, ? from messages where id in (@ids) order by id"
    assert history.rows_among(sql, wanted, before=("x",)) == [(row[0], "x") for row in held]
    assert history.rows_among(sql, [], before=("x",)) == []
