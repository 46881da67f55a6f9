"""A history opens as it was left: every WAL state, as the file's owner and as a stranger."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.opening import open_readonly

COUNT = "select count(*) from messages"

# A program that holds a history as Hermes might: it does one line of SQL a line of input, and
# answers each with one line, so that a test always knows what has happened.
WRITER = """
import sys, threading, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(int(sys.argv[2]))
for line in sys.stdin:
    order, _, rest = line.strip().partition(" ")
    if order == "die":
        import os
        os._exit(9)
    if order == "hold":
        connection.execute("begin exclusive").fetchall()
        threading.Timer(float(rest), lambda: connection.execute("commit").fetchall()).start()
        print("held", flush=True)
        continue
    try:
        rows = connection.execute(line).fetchall()
        print("ok", rows, flush=True)
    except apsw.Error as error:
        print("error", error, flush=True)
connection.close()
"""
SCHEMA = (
    "create table sessions(id text primary key, source text, started_at real); "
    "create table messages(id integer primary key, session_id text, role text, content text, "
    "timestamp real); insert into sessions values('s', 'cli', 1.0)"
)


class Writer:
    """Another process with the history open."""

    def __init__(self, path: Path, busy_ms: int = 5_000) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(busy_ms)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, line: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def add(self, count: int = 1) -> None:
        for _ in range(count):
            answer = self(
                "insert into messages(session_id, role, content, timestamp) "
                "values('s', 'user', 'a row', 1.0)"
            )
            assert answer.startswith("ok"), answer

    def leave(self) -> None:
        """End as a program should."""
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def die(self) -> None:
        """End without closing anything."""
        self("die")
        self.leave()


@pytest.fixture
def start() -> Iterator[Callable[..., Writer]]:
    """Starts writers and ends them all."""
    writers: list[Writer] = []

    def run(path: Path, mode: str = "wal", busy_ms: int = 5_000, rows: int = 2) -> Writer:
        is_new = not path.exists()
        writer = Writer(path, busy_ms)
        writers.append(writer)
        if is_new:
            writer(f"pragma journal_mode={mode}")
            writer(SCHEMA)
            writer("pragma wal_autocheckpoint=0")
            writer("pragma wal_checkpoint(truncate)")
            writer.add(rows)
        return writer

    yield run
    for writer in writers:
        writer.leave()


def count(path: Path) -> tuple[str, int]:
    """(how it was opened, rows it holds)."""
    opened = open_readonly(str(path))
    with closing(opened.connection) as connection:
        rows = int(connection.execute(COUNT).fetchall()[0][0])
    opened.cleanup()
    return opened.how, rows


def test_a_live_writer_is_read_while_it_writes(tmp_path: Path, start: Any) -> None:
    path = tmp_path / "state.db"
    writer = start(path)
    opened = open_readonly(str(path))
    with closing(opened.connection) as connection:
        assert opened.how == "live"
        assert connection.execute(COUNT).fetchall() == [(2,)]
        before = connection.execute("pragma data_version").fetchall()
        writer.add()
        assert connection.execute(COUNT).fetchall() == [(3,)]
        assert connection.execute("pragma data_version").fetchall() != before


def test_rows_a_crashed_writer_left_in_its_wal_are_read(tmp_path: Path, start: Any) -> None:
    path = tmp_path / "state.db"
    start(path).die()
    (tmp_path / "state.db-shm").unlink()
    before = path.read_bytes(), (tmp_path / "state.db-wal").read_bytes()
    assert before[1]
    assert count(path) == ("live", 2)
    assert (path.read_bytes(), (tmp_path / "state.db-wal").read_bytes()) == before


def test_a_crash_with_its_shared_memory_left_is_read(tmp_path: Path, start: Any) -> None:
    path = tmp_path / "state.db"
    start(path).die()
    assert (tmp_path / "state.db-shm").exists()
    assert count(path) == ("live", 2)


def test_a_clean_close_leaves_one_file_and_it_stays_as_it_is(tmp_path: Path, start: Any) -> None:
    path = tmp_path / "state.db"
    start(path).leave()
    assert [p.name for p in tmp_path.iterdir()] == ["state.db"]
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert count(path) == ("live", 2)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_copy_without_its_wal_opens_as_of_the_last_checkpoint(tmp_path: Path, start: Any) -> None:
    path = tmp_path / "state.db"
    start(path)
    copy = tmp_path / "copy.db"
    shutil.copyfile(path, copy)
    assert count(path) == ("live", 2)
    assert count(copy) == ("live", 0)


def test_a_history_in_delete_journal_mode_is_read(tmp_path: Path, start: Any) -> None:
    path = tmp_path / "state.db"
    start(path, "delete")
    assert count(path) == ("live", 2)
    assert [p.name for p in tmp_path.iterdir()] == ["state.db"]


def test_an_exclusive_lock_is_waited_for(tmp_path: Path, start: Any) -> None:
    path = tmp_path / "state.db"
    writer = start(path, "delete")
    assert writer("hold 0.3") == "held"
    assert count(path) == ("live", 2)


def test_a_lock_that_stays_is_a_sentence(
    tmp_path: Path, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.history.opening.BUSY_TIMEOUT_MS", 50)
    path = tmp_path / "state.db"
    writer = start(path, "delete")
    writer("begin exclusive")
    with pytest.raises(HistoryError, match=r"is locked by another program"):
        open_readonly(str(path))


def test_a_half_written_transaction_is_rolled_back_in_a_copy(tmp_path: Path, start: Any) -> None:
    path = tmp_path / "state.db"
    writer = start(path, "delete")
    writer("pragma cache_size=2")
    writer("begin")
    writer(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) insert into "
        "messages(session_id, role, content) select 's', 'user', hex(zeroblob(200)) from n"
    )
    writer.die()
    journal = tmp_path / "state.db-journal"
    before = path.read_bytes(), journal.read_bytes()
    assert before[1]
    assert count(path) == ("copy", 2)
    assert (path.read_bytes(), journal.read_bytes()) == before


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_an_idle_reader_lets_others_write(tmp_path: Path, start: Any, mode: str) -> None:
    """Case D07: a cursor that is not read to its end would hold a lock."""
    from hermes_tui.history.locate import Place
    from hermes_tui.history.reader import History

    path = tmp_path / "state.db"
    writer = start(path, mode, busy_ms=200, rows=50)
    with History.open(Place(str(path))) as history:
        assert history.session("s") is not None
        assert len(history.outline("s")) == 50
        assert len(history.messages([1, 2, 3])) == 3
        assert len(history.lineage("s").nodes) == 1
        history.markers()
        writer.add(3)
        checkpointed = writer("pragma wal_checkpoint(truncate)")
        assert checkpointed == ("ok [(0, 0, 0)]" if mode == "wal" else "ok [(0, -1, -1)]")
        assert len(history.outline("s")) == 53


# What a stranger does who may read a folder but not write to it. Root may write everywhere, so
# the process gives its rights up when it has them.
STRANGER = """
import json, os, sys, tempfile
import hermes_tui.history.opening as opening
import shutil, random, stat
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
tempfile.tempdir = sys.argv[2]
try:
    opened = opening.open_readonly(sys.argv[1])
    rows = opened.connection.execute("select count(*) from messages").fetchall()[0][0]
    opened.connection.close()
    kept = os.listdir(sys.argv[2])
    opened.cleanup()
    answer = [opened.how, rows, len(kept), len(os.listdir(sys.argv[2]))]
except opening.HistoryError as error:
    answer = ["error", str(error)]
print(json.dumps(answer))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that strangers can reach; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)
        os.chmod(name, 0o755)


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every file of a folder with its bytes; None for one that we may not read either."""
    return {p.name: p.read_bytes() if os.access(p, os.R_OK) else None for p in folder.iterdir()}


def ask_stranger(path: Path, tmp: Path) -> list[Any]:
    """What somebody gets who may not write in the folder of `path`, which stays as it was."""
    before = contents(path.parent)
    os.chmod(path.parent, 0o555)
    tmp.mkdir()
    os.chmod(tmp, 0o777)
    done = subprocess.run(
        [sys.executable, "-c", STRANGER, str(path), str(tmp)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert contents(path.parent) == before
    answer: list[Any] = json.loads(done.stdout)
    return answer


@pytest.fixture
def stranger(folder: Path) -> Iterator[Callable[[Path], list[Any]]]:
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield lambda path: ask_stranger(path, Path(name) / "tmp")


posix = pytest.mark.skipif(
    not hasattr(os, "setuid"), reason="rights are given up as POSIX systems do it"
)


@posix
def test_in_a_folder_that_cannot_be_written(folder: Path, start: Any, stranger: Any) -> None:
    path = folder / "state.db"
    start(path).leave()
    assert stranger(path) == ["immutable", 2, 0, 0]


@posix
def test_rows_of_a_crashed_writer_in_such_a_folder(folder: Path, start: Any, stranger: Any) -> None:
    path = folder / "state.db"
    start(path).die()
    (folder / "state.db-shm").unlink()
    how, rows, copies, left = stranger(path)
    assert (how, rows) == ("copy", 2)
    assert (copies, left) == (1, 0), "the private copy lives as long as it is read"


@posix
def test_rows_of_a_live_writer_in_such_a_folder(folder: Path, start: Any, stranger: Any) -> None:
    path = folder / "state.db"
    writer = start(path)
    how, rows, *_ = stranger(path)
    assert how in ("live", "copy")
    assert rows == 2
    os.chmod(folder, 0o755)
    writer.add()


@posix
def test_delete_journal_in_such_a_folder(folder: Path, start: Any, stranger: Any) -> None:
    path = folder / "state.db"
    start(path, "delete").leave()
    assert stranger(path)[:2] == ["live", 2]


@posix
def test_a_file_that_may_not_be_read(folder: Path, start: Any, stranger: Any) -> None:
    path = folder / "state.db"
    start(path).leave()
    path.chmod(0)
    kind, sentence = stranger(path)
    assert kind == "error"
    assert "Permission denied" in sentence
    assert str(path) in sentence


def test_a_folder_that_cannot_be_written_as_anybody(
    tmp_path: Path, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same choice where rights cannot be given up: SQLite is made to refuse."""
    import hermes_tui.history.opening as opening

    path = tmp_path / "state.db"
    writer = start(path)
    real = opening._connect

    def refuse(name: str, *, immutable: bool = False) -> apsw.Connection:
        if name == str(path) and not immutable:
            raise apsw.CantOpenError("unable to open database file")
        return real(name, immutable=immutable)

    monkeypatch.setattr(opening, "_connect", refuse)
    monkeypatch.setattr(opening.os, "access", lambda *_: False)
    assert count(path) == ("copy", 2)
    writer.leave()
    assert count(path) == ("immutable", 2)
    monkeypatch.setattr(opening.os, "access", lambda *_: True)
    with pytest.raises(HistoryError, match=r"^Cannot open .*unable to open database file"):
        open_readonly(str(path))


@pytest.mark.parametrize("name", ["sp ace.db", "q?mode=rw.db", "h#x.db", "50%25.db", "数据.db"])
def test_odd_file_names(tmp_path: Path, start: Any, name: str) -> None:
    start(tmp_path / name).leave()
    assert count(tmp_path / name) == ("live", 2)


def test_a_relative_name(tmp_path: Path, start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    start(tmp_path / "file:state.db").leave()
    monkeypatch.chdir(tmp_path)
    assert count(Path("file:state.db")) == ("live", 2)
