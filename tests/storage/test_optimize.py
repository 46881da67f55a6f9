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
    keep_first,
    make_inline,
    rows,
    state,
    tool_rows,
)

from hermes_tui import demo
from hermes_tui.storage import chunks
from hermes_tui.storage.errors import StorageError
from hermes_tui.storage.fts import BASE, CJK, TRIGRAM
from hermes_tui.storage.optimize import Progress, optimize
from hermes_tui.storage.pacing import LONGEST_REST, TARGET, Pace
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


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample in the form of Hermes 0.19: 1,500 messages, inline indexes."""
    path = tmp_path_factory.mktemp("old") / "state.db"
    demo.write_demo(path)
    make_inline(path)
    return path


@pytest.fixture(scope="module")
def short(old: Path) -> Path:
    """The same with 400 messages, for tests that run it a hundred times."""
    path = old.with_name("short.db")
    path.write_bytes(old.read_bytes())
    keep_first(path, 400)
    return path


@pytest.fixture
def inline(old: Path, tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    path.write_bytes(old.read_bytes())
    return path


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


def test_a_dry_run_writes_nothing(copy_db: Copy, inline: Path) -> None:
    for file in (inline, copy_db("state-2026-08-cjk-stale"), copy_db("state-2026-08-cjk-pending")):
        before = file.read_bytes()
        report = run(file, dry_run=True)
        assert not report.finished
        assert report.plan.steps
        assert report.plan.needed > 0
        assert file.read_bytes() == before
        assert [each.name for each in file.parent.glob(f"{file.name}-*")] == []


def test_without_free_space_it_refuses_and_says_how_much(inline: Path) -> None:
    before = inline.read_bytes()
    with pytest.raises(StorageError, match=r"needs up to [\d.]+ MB .* there are 1\.0 MB"):
        run(inline, free=lambda folder: 1_000_000)
    assert inline.read_bytes() == before
    needed = plan(str(inline)).needed
    without = plan(str(inline), vacuum=False).needed
    assert without < needed
    assert run(inline, vacuum=False, free=lambda folder: without).finished


def test_the_needed_space_is_enough(inline: Path) -> None:
    """The most the file and its log grew, watched at every pause, is within the promise."""
    promised = plan(str(inline)).needed
    start = inline.stat().st_size
    peak = 0

    def watch(_: float) -> None:
        nonlocal peak
        files = (inline, Path(f"{inline}-wal"), Path(f"{inline}-journal"))
        peak = max(peak, sum(each.stat().st_size for each in files if each.exists()) - start)

    optimize(str(inline), sleep=watch)
    assert 0 < peak <= promised


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


def test_the_pace_follows_the_clock() -> None:
    now, rests = [0.0], []
    pace = Pace(100, 10, 1_000, sleep=rests.append, clock=lambda: now[0])

    def work(seconds: float) -> None:
        pace.begin()
        now[0] += seconds
        pace.end()

    work(TARGET / 8)
    assert pace.size == 200
    work(TARGET * 2)
    assert pace.size == 100
    for _ in range(9):
        work(10.0)
    assert pace.size == 10
    assert rests[0] == pytest.approx(TARGET / 8)
    assert rests[-1] == LONGEST_REST


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
