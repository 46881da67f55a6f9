"""optimize-storage beside other processes: killed for real, and next to a writer."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import apsw
import pytest
from old_form import check_sound, found, keep_first, make_inline, rows

from hermes_tui import demo
from hermes_tui.storage.fts import BASE
from hermes_tui.storage.optimize import optimize
from hermes_tui.storage.plan import plan

KILLS = 50
LONGEST_WAIT_MS = 250
RUNS = 3
SUPPORT = Path(__file__).parents[1] / "support"


def process(script: str, repo: Path, *arguments: object) -> subprocess.Popen[str]:
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join((str(repo), str(SUPPORT)))
    return subprocess.Popen(
        [sys.executable, str(SUPPORT / script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    demo.write_demo(path)
    make_inline(path)
    return path


@pytest.mark.figures
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is killed with SIGKILL")
def test_killed_at_random_moments_it_ends_the_same(old: Path, tmp_path: Path, repo: Path) -> None:
    keep_first(old, 400)
    folder = tmp_path / "killed"
    folder.mkdir()
    child = process("kill_optimize.py", repo, old, folder, 20260804, KILLS)
    output, _ = child.communicate(timeout=600)
    assert child.returncode == 0
    ends = [json.loads(line) for line in output.splitlines()]
    assert len(ends) == KILLS
    assert all(end["finished"] and end["same"] and end["left"] == 0 for end in ends)
    stopped = Counter(end["stopped"] for end in ends)
    print(f"optimize-storage killed {KILLS} times, always the same end: {dict(stopped)}")


@pytest.mark.figures
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_live_writer_hardly_waits(old: Path, repo: Path, tmp_path: Path, journal: str) -> None:
    """A busy machine may stop the process that holds the lock just then, so a run with a long
    wait is repeated; a lock that is held for too long is so in every run."""
    grow(old, journal)
    longest: list[float] = []
    while len(longest) < RUNS and min(longest, default=math.inf) > LONGEST_WAIT_MS:
        path = tmp_path / f"run-{len(longest)}.db"
        path.write_bytes(old.read_bytes())
        longest.append(optimize_beside_a_writer(path, repo, journal))
    assert min(longest) <= LONGEST_WAIT_MS, longest


def optimize_beside_a_writer(path: Path, repo: Path, journal: str) -> float:
    """The longest wait of the writer in milliseconds; whatever else must be so is checked."""
    before = len(rows(path)[1])
    end = path.with_suffix(".end")
    writer = process("busy_writer.py", repo, path, end)
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline().strip() == "ready"
        report = optimize(str(path), cjk=False)
        end.touch()
        output, _ = writer.communicate(timeout=60)
    finally:
        end.touch()
        writer.wait(timeout=60)
    heard = json.loads(output)
    waits = sorted(heard["waits"])
    print(described(journal, waits, report.seconds, report.size_before))
    assert report.finished
    assert heard["errors"] == []
    assert len(waits) > 20
    assert len(rows(path)[1]) == before + heard["written"]
    assert len(found(path, BASE, "liveneedle")) == heard["written"]
    assert plan(str(path), cjk=False, vacuum=False).steps == ()
    return float(waits[-1])


def grow(path: Path, journal: str) -> None:
    """Make the sample four times as large, so that there is something to wait for."""
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA journal_mode = {journal}").fetchall()
    columns = "session_id, role, content, tool_calls, tool_name, timestamp"
    for _ in range(2):
        connection.execute(f"INSERT INTO messages({columns}) SELECT {columns} FROM messages")
    connection.close()


def described(journal: str, waits: list[float], seconds: float, size: int) -> str:
    def at(share: float) -> float:
        return waits[min(len(waits) - 1, int(len(waits) * share))]

    return (
        f"{journal}: {len(waits)} writes beside optimize-storage ({size / 1e6:.1f} MB,"
        f" {seconds:.1f} s); waits in ms: median {at(0.5):.1f}, p95 {at(0.95):.1f},"
        f" p99 {at(0.99):.1f}, longest {waits[-1]:.1f}"
    )


def test_two_runs_at_once_share_the_work(old: Path, repo: Path) -> None:
    code = (
        "import sys; from hermes_tui.storage.optimize import optimize;"
        " print(optimize(sys.argv[1], vacuum=False).finished)"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(old)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(repo)},
        )
        for _ in range(2)
    ]
    ends = [child.communicate(timeout=120)[0].strip() for child in children]
    assert ends == ["True", "True"]
    # Each may have kept the CJK index from the other; what they share is the rest.
    assert optimize(str(old), vacuum=False).finished
    check_sound(old)
    assert plan(str(old), vacuum=False).steps == ()
