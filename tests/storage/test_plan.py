"""The plan of optimize-storage: it only looks, and what it promises about space holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.storage.errors import StorageError
from hermes_tui.storage.optimize import optimize
from hermes_tui.storage.pacing import LONGEST_REST, TARGET, Pace
from hermes_tui.storage.plan import plan

Copy = Callable[[str], Path]


def run(path: Path, **options: Any) -> Any:
    return optimize(str(path), sleep=lambda _: None, **options)


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
