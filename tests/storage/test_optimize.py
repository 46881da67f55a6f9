"""optimize-storage: the same answers before and after, from every recorded state of a file."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from old_form import (
    INDEXES,
    check_sound,
    connect,
    found,
    make_inline,
    rows,
    state,
    tool_rows,
)

from hermes_tui import demo
from hermes_tui.storage import chunks
from hermes_tui.storage.encoding import tool_call
from hermes_tui.storage.fts import BASE, CJK, TRIGRAM
from hermes_tui.storage.optimize import Progress, optimize
from hermes_tui.storage.plan import plan
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

Copy = Callable[[str], Path]
QUERIES = (
    "docker", "networking", '"docker networking"', "docker OR postgres", "docker NOT networking",
    "migration", "kumquat", "terminal", "work*", '"容器网络"', '"数据库"', '"설정"', "cafe",
)  # fmt: skip
RECORDED = (
    "state-0.13.0", "state-0.14.0", "state-0.15.0", "state-0.16.0", "state-0.17.0",
    "state-0.18.2", "state-0.19.0", "state-0.13.0-upgraded-through-0.19.0",
    "state-0.13.0-opened-by-2026-08", "state-0.19.0-opened-by-2026-08",
    "state-0.19.0-optimized-by-2026-08", "state-0.19.0-midrebuild-by-2026-08", "state-2026-08",
    "state-2026-08-cjk", "state-2026-08-cjk-pending", "state-2026-08-cjk-stale",
)  # fmt: skip


def run(path: Path, **options: Any) -> Any:
    return optimize(str(path), sleep=lambda _: None, **options)


@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_file_ends_healthy_with_the_same_answers(name: str, copy_db: Copy) -> None:
    file = copy_db(name)
    pending = "midrebuild" in name
    before = {query: found(file, BASE, query) for query in QUERIES}
    before_trigram = {query: found(file, TRIGRAM, query) for query in QUERIES}
    old_rows = rows(file)[1]
    tools = tool_rows(file)
    report = run(file)
    assert report.finished
    assert report.plan.steps or report.size_before == report.size_after
    assert plan(str(file)).steps == ()
    assert set(state(file)) == {"fts_storage_version"}
    assert [row[:2] for row in rows(file)[1]] == [row[:2] for row in old_rows]
    connection = connect(file)
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    assert (
        connection.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE '%trash%'").get == 0
    )
    connection.close()
    for query in QUERIES:
        if pending:
            assert set(before[query]) <= set(found(file, BASE, query))
        else:
            assert found(file, BASE, query) == before[query], query
            kept = [hit for hit in before_trigram[query] if hit not in tools]
            assert sorted(found(file, TRIGRAM, query)) == sorted(kept), query


def test_stopped_half_way_the_file_looks_as_if_hermes_had_stopped(
    copy_db: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same tables, triggers, view and marks: so Hermes can finish what we began."""
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 10)
    ours, theirs = (copy_db(f"state-0.19.0-{name}-by-2026-08") for name in ("opened", "midrebuild"))
    assert not run(ours, cjk=False, stop=Counting(3)).finished
    marks = state(ours)
    assert marks.pop("fts_optimize_available", "1") == "1"
    assert marks == state(theirs)
    named = "SELECT type, name FROM sqlite_master WHERE name LIKE '%fts%' ORDER BY 1, 2"
    listed = []
    for file in (ours, theirs):
        connection = connect(file)
        listed.append(connection.execute(named).fetchall())
        connection.close()
    assert listed[0] == listed[1]


@pytest.mark.parametrize("name", RECORDED)
def test_four_places_of_a_message_are_four_hits_in_every_file(name: str, copy_db: Copy) -> None:
    """Content, arguments, function name and tool name, written by us before and after."""
    file = copy_db(name)
    for moment in ("before", "after"):
        call = tool_call(f"function{moment}", {"command": f"argument{moment}"}, "call_77")
        with HistoryWriter(file) as writer:
            writer.create_session(NewSession(id=moment, source="cli", started_at=2e9))
            said, asked, answered = writer.append_batch(
                moment,
                [
                    NewMessage(role="user", content=f"a content{moment}"),
                    NewMessage(role="assistant", content="", tool_calls=[call]),
                    NewMessage(role="tool", content="ok", tool_name=f"name{moment}"),
                ],
                2e9,
            )
        expected = {
            f"content{moment}": said,
            f"argument{moment}": asked,
            f"function{moment}": asked,
            f"name{moment}": answered,
        }
        for query, message in expected.items():
            assert found(file, BASE, query) == [message]
        run(file)
        columns = dict(
            zip(expected, ("content", "tool_calls", "tool_calls", "tool_name"), strict=True)
        )
        for query, message in expected.items():
            assert found(file, BASE, f"{columns[query]}: {query}") == [message]
            assert found(file, BASE, f"- {columns[query]}: {query}") == []


def test_the_cjk_index_answers_afterwards(copy_db: Copy) -> None:
    served = copy_db("state-2026-08-cjk")
    recorded = (
        "state-0.19.0-opened-by-2026-08", "state-0.19.0-midrebuild-by-2026-08", "state-2026-08",
        "state-2026-08-cjk-pending", "state-2026-08-cjk-stale",
    )  # fmt: skip
    for name in recorded:
        file = copy_db(name)
        run(file)
        for query in ('"容器"', '"项目"', '"迁移"', '"猫"', '"테스"', "docker"):
            assert found(file, CJK, query) == found(served, CJK, query), (name, query)


def test_a_large_inline_history_shrinks_and_answers_the_same(inline: Path) -> None:
    tools = tool_rows(inline)
    before = {(i.name, q): found(inline, i, q) for i in (BASE, TRIGRAM) for q in QUERIES}
    held = rows(inline)
    report = run(inline, cjk=False)
    assert report.finished
    assert report.compacted
    assert report.size_after < report.size_before
    assert report.indexed == len(held[1])
    assert dict(report.unindexed) == {BASE.name: 0, TRIGRAM.name: 0}
    assert rows(inline) == held
    for (name, query), hits in before.items():
        index = BASE if name == BASE.name else TRIGRAM
        if index is BASE:
            assert found(inline, index, query) == hits
        else:
            assert sorted(found(inline, index, query)) == sorted(set(hits) - tools)


def test_killed_between_any_two_transactions_it_ends_the_same(
    short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """50 random stops and crashes at boundaries, most runs stopped several times."""
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 20)
    monkeypatch.setattr(apsw, "connection_hooks", [without_syncing])
    whole = tmp_path / "whole.db"
    whole.write_bytes(short.read_bytes())
    asked = Counting(never=True)
    assert run(whole, stop=asked).finished
    total = asked.calls
    assert total > 40
    expected = rows(whole), state(whole), [found(whole, i, q) for i in INDEXES for q in QUERIES]
    dice = random.Random(4)
    kills, stages = 0, set()
    while kills < 50:
        path = tmp_path / f"killed-{kills}.db"
        path.write_bytes(short.read_bytes())
        while True:
            ends_at = dice.randrange(1, total)
            if dice.random() < 0.5:
                report = run(path, stop=Counting(ends_at))
                if report.finished:
                    break
            else:
                try:
                    run(path, stop=Counting(ends_at, crash=True))
                    break
                except CrashError:
                    pass
            kills += 1
            stages.add(tuple(step.kind for step in plan(str(path)).steps))
        check_sound(path)
        assert plan(str(path)).steps == ()
        ended = rows(path), state(path), [found(path, i, q) for i in INDEXES for q in QUERIES]
        assert ended[:2] == expected[:2]
        assert [sorted(hits) for hits in ended[2]] == [sorted(hits) for hits in expected[2]]
        path.unlink()
    assert len(stages) >= 3, stages


def without_syncing(connection: apsw.Connection) -> None:
    """No process here is killed by a power cut, and waiting for the disk takes most of the time."""
    connection.execute("PRAGMA synchronous = OFF")


class CrashError(Exception):
    """Something no code expects."""


class Counting:
    """A stop() that counts, and stops or crashes at a given call."""

    def __init__(self, at: int = 0, *, never: bool = False, crash: bool = False) -> None:
        self.calls, self._at, self._never, self._crash = 0, at, never, crash

    def __call__(self) -> bool:
        self.calls += 1
        if self._never or self.calls < self._at:
            return False
        if self._crash:
            raise CrashError
        return True


def test_rows_written_while_it_rests_are_indexed_too(inline: Path) -> None:
    """Between two chunks Hermes adds, changes and deletes rows, in and behind the gap."""
    turn = iter(range(10_000))

    def meanwhile(_: float) -> None:
        number = next(turn)
        connection = connect(inline)
        connection.execute(
            "INSERT INTO messages(session_id, role, content, timestamp)"
            " SELECT id, 'user', ?, 1 FROM sessions LIMIT 1",
            (f"added meanwhile {number}",),
        )
        low = number * 37 % 1_400
        connection.execute("UPDATE messages SET content = 'changed meanwhile' WHERE id = ?", (low,))
        connection.execute("UPDATE messages SET role = 'tool' WHERE id = ?", (low + 3,))
        connection.execute("DELETE FROM messages WHERE id = ?", (low + 7,))
        connection.close()

    assert optimize(str(inline), sleep=meanwhile).finished
    assert next(turn) > 5
    check_sound(inline)
    assert plan(str(inline)).steps == ()
    assert found(inline, BASE, "meanwhile")


def test_without_vacuum_the_free_pages_stay(inline: Path) -> None:
    report = run(inline, vacuum=False)
    assert report.finished
    assert not report.compacted
    again = plan(str(inline))
    assert [step.kind for step in again.steps] == ["compact"]
    assert plan(str(inline), vacuum=False).steps == ()
    assert run(inline).compacted


def test_progress_runs_from_start_to_end_of_each_kind(inline: Path) -> None:
    seen: list[Progress] = []
    run(inline, progress=seen.append)
    kinds = list(dict.fromkeys(each.kind for each in seen))
    assert kinds == ["index", "words", "clean", "compact"]
    for kind in kinds:
        of_kind = [each for each in seen if each.kind == kind]
        done = [each.done for each in of_kind]
        assert done == sorted(done)
        assert of_kind[-1].done == of_kind[-1].total
        assert of_kind[-1].remaining == 0
    assert Progress("index", 0, 10, 1.0).remaining is None
    assert Progress("index", 5, 10, 2.5).remaining == 2.5


def test_sparse_ids_and_an_empty_history(tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    HistoryWriter(empty).close()
    make_inline(empty)
    assert run(empty).finished
    check_sound(empty)
    sparse = tmp_path / "sparse.db"
    with HistoryWriter(sparse) as writer:
        writer.create_session(NewSession(id="s", source="cli", started_at=1.0))
        ids = writer.append_batch("s", [NewMessage(role="user", content="x")] * 5, 1.0)
    connection = connect(sparse)
    connection.execute("UPDATE messages SET id = id + 1000000000 WHERE id = ?", (ids[-1],))
    connection.execute("DELETE FROM messages WHERE id = ?", (ids[1],))
    connection.close()
    make_inline(sparse)
    assert run(sparse).finished
    check_sound(sparse)


def test_an_index_with_holes_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    demo.write_demo(path)
    connection = connect(path)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    connection.execute("DELETE FROM messages WHERE id = 5")
    connection.execute(
        "INSERT INTO messages(session_id, role, content, timestamp)"
        " SELECT id, 'user', 'unindexed', 1 FROM sessions LIMIT 1"
    )
    connection.close()
    assert {step.kind for step in plan(str(path)).steps} == {
        "convert", "index", "words", "clean", "compact",
    }  # fmt: skip
    assert run(path).finished
    check_sound(path)
    assert found(path, BASE, "unindexed")


def test_a_giant_row_is_a_chunk_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer:
        writer.create_session(NewSession(id="s", source="cli", started_at=1.0))
        texts = ["small", "word " * 200_000, "small again"]
        writer.append_batch("s", [NewMessage(role="user", content=text) for text in texts], 1.0)
    make_inline(path)
    steps: list[int] = []
    run(path, progress=lambda each: steps.append(each.done) if each.kind == "index" else None)
    assert steps == [2, 3]
    check_sound(path)


def test_files_of_the_run_are_gone_afterwards(inline: Path) -> None:
    run(inline)
    assert sorted(os.listdir(inline.parent)) == ["state.db"]
