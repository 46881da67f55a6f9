"""The index for two-character words is made only where no running writer is hurt by it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from old_form import CJK, check_sound, connect, found, state

from hermes_tui import demo
from hermes_tui.storage import company, optimize
from hermes_tui.storage.company import words_refusal, writers_elsewhere
from hermes_tui.storage.plan import plan

Copy = Callable[[str], Path]
HOLD = (
    "import sqlite3, sys\n"
    "db = sqlite3.connect(sys.argv[1])\n"
    "db.execute('INSERT INTO messages(session_id, role, content, timestamp)"
    " SELECT id, ?, ?, 1 FROM sessions LIMIT 1', ('user', 'held'))\n"
    "db.commit()\n"
    "print('open', flush=True)\n"
    "sys.stdin.readline()\n"
    "db.execute('UPDATE messages SET content = ? WHERE content = ?', ('still writes', 'held'))\n"
    "db.commit()\n"
    "print('written', flush=True)\n"
)
linux = pytest.mark.skipif(
    not Path("/proc/self/fdinfo").is_dir(), reason="who holds a file is read from /proc"
)


@pytest.fixture
def beside() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Starts a writer without the tokenizer that keeps a file open until it is told to write."""
    children: list[subprocess.Popen[str]] = []

    def start(path: Path) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        children.append(child)
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        return child

    yield start
    for child in children:
        if child.poll() is None:
            child.communicate("\n", timeout=30)


@linux
@pytest.mark.parametrize("name", ["state-2026-08", "state-2026-08-cjk-stale"])
def test_a_running_writer_keeps_writing(
    name: str, copy_db: Copy, beside: Callable[[Path], subprocess.Popen[str]]
) -> None:
    file = copy_db(name)
    child = beside(file)
    report = optimize.optimize(str(file))
    assert "could not write messages any more" in report.note
    assert report.finished
    output, _ = child.communicate("\n", timeout=30)
    assert output == "written\n"
    ended = optimize.optimize(str(file))
    assert ended.note == ""
    assert "fts_cjk_stale" not in state(file)
    check_sound_but_old_trigram(file)
    assert found(file, CJK, '"容器"') == found(copy_db("state-2026-08-cjk"), CJK, '"容器"')


def check_sound_but_old_trigram(file: Path) -> None:
    """The trigram index of these files was written by another SQLite, which cuts otherwise."""
    connection = connect(file)
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    for name in ("messages_fts", "messages_fts_cjk"):
        connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('integrity-check', 1)")
    connection.close()


@linux
def test_only_writers_in_other_processes_count(
    copy_db: Copy, beside: Callable[[Path], subprocess.Popen[str]]
) -> None:
    file = copy_db("state-2026-08")
    mine = connect(file)
    mine.execute("SELECT count(*) FROM messages").fetchall()
    with file.open("rb"):
        assert writers_elsewhere(str(file)) is False
    mine.close()
    beside(file)
    assert writers_elsewhere(str(file)) is True
    assert writers_elsewhere(str(file.with_name("nowhere"))) is None


def test_a_hermes_that_does_not_know_the_index_does_not_get_it(copy_db: Copy) -> None:
    file = copy_db("state-0.19.0")
    report = optimize.optimize(str(file))
    assert report.finished
    assert "too old to know it" in report.note
    assert "too old" in plan(str(file)).note
    connection = connect(file)
    names = connection.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE '%cjk%'").get
    connection.close()
    assert names == 0


def test_where_hermes_has_the_tokenizer_it_may_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company, "writers_elsewhere", lambda path: True)
    home = tmp_path / "home"
    for path in (home / "state.db", home / "profiles" / "work" / "state.db"):
        path.parent.mkdir(parents=True, exist_ok=True)
        assert words_refusal(str(path), 25, {})
    (home / "lib").mkdir()
    (home / "lib" / "libfts5_cjk.so").touch()
    for path in (home / "state.db", home / "profiles" / "work" / "state.db"):
        assert words_refusal(str(path), 25, {}) == ""
        assert words_refusal(str(path), 22, {})
        assert words_refusal(str(path), 25, {"HERMES_FTS5_CJK_SO": str(home / "nowhere.so")})
    named = {"HERMES_FTS5_CJK_SO": str(home / "lib" / "libfts5_cjk.so")}
    assert words_refusal(str(tmp_path / "state.db"), 25, named) == ""
    monkeypatch.setattr(company, "writers_elsewhere", lambda path: None)
    assert words_refusal(str(tmp_path / "state.db"), 25, {})


def test_switched_off_it_is_neither_made_nor_retired(tmp_path: Path, copy_db: Copy) -> None:
    file = copy_db("state-2026-08")
    assert plan(str(file), cjk=False).steps == ()
    served = tmp_path / "served.db"
    demo.write_demo(served)
    assert optimize.optimize(str(served), cjk=False).finished
    assert "fts_cjk_stale" not in state(served)
    check_sound(served)


@linux
def test_a_large_file_is_not_rewritten_under_a_running_writer(
    tmp_path: Path,
    beside: Callable[[Path], subprocess.Popen[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "state.db"
    demo.write_demo(path)
    connection = connect(path)
    connection.execute("CREATE TABLE ballast AS SELECT randomblob(400000)")
    connection.execute("DROP TABLE ballast")
    for event in ("insert", "update", "delete"):  # the writer beside does not know the tokenizer
        connection.execute(f"DROP TRIGGER messages_fts_cjk_{event}")
    connection.execute("INSERT INTO state_meta VALUES ('fts_cjk_stale', '1')")
    connection.close()
    beside(path)
    monkeypatch.setattr(optimize, "COMPACT_BESIDE_WRITERS", 500_000)
    report = optimize.optimize(str(path), cjk=False)
    assert report.finished
    assert not report.compacted
    assert "would have to wait while" in report.note
    monkeypatch.setattr(optimize, "COMPACT_BESIDE_WRITERS", 10_000_000)
    assert optimize.optimize(str(path), cjk=False).compacted
