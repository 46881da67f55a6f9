"""The program as a process: pipes that close, disks that are full, locales without UTF-8."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A session longer than any pipe holds."""
    path = tmp_path / "state.db"
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        writer.create_session(NewSession(id="s", source="cli", started_at=1.0, title="数据 🐈"))
        turns = [NewMessage(role="user", content=f"{n} docker 数据 " * 50) for n in range(500)]
        writer.append_batch("s", turns, 2.0)
    return path


@pytest.fixture
def start(program: list[str], home: Path) -> Start:
    def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
        for stream in ("stdin", "stdout", "stderr"):
            options.setdefault(stream, subprocess.PIPE)
        extra = options.pop("environ", {})
        environ = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
        environ = {**environ, "PYTHONUTF8": "0", "LC_ALL": "C.UTF-8", **extra}
        return subprocess.Popen([*program, *map(str, arguments)], env=environ, **options)

    return start


def output(process: subprocess.Popen[bytes], stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    out, err = process.communicate(stdin)
    return process.returncode, out, err


def test_a_pipe_that_closes_in_the_middle(start: Start, db: Path) -> None:
    process = start("read", "--db", db, "s", stdin=subprocess.DEVNULL)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "数据 🐈\n".encode()
    process.stdout.close()
    with process.stderr as stderr:
        assert stderr.read() == b""
    assert process.wait() == 0


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("browse",), ("search", "docker"), ("read", "s")]
)
def test_a_pipe_that_nobody_reads(start: Start, db: Path, arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    place = () if arguments[0].startswith("-") else ("--db", db)
    process = start(arguments[0], *place, *arguments[1:], stdout=writing)
    os.close(writing)
    code, _, err = output(process)
    assert (code, err) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [("browse",), ("read", "s"), ("search", "--json", "docker")])
def test_a_disk_that_is_full(start: Start, db: Path, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        process = start(arguments[0], "--db", db, *arguments[1:], stdout=full)
    code, _, err = output(process)
    assert code == 2
    assert err == b"hermes-tui: the answer cannot be written: No space left on device.\n"


CLOSING = (
    "import os, sys; "
    "[os.close(int(n)) for n in sys.argv[1].split(',')]; "
    "os.execv(sys.executable, [sys.executable, '-m', 'hermes_tui', *sys.argv[2:]])"
)


@pytest.mark.skipif(os.name == "nt", reason="streams are closed as POSIX systems do it")
@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        ("0", ("browse",), 0),
        ("0", ("session-search", "-"), 0),
        ("1", ("browse",), 0),
        ("2", ("browse",), 0),
        ("0,1", ("docker",), 2),
        ("0,1,2", ("read", "nobody"), 2),
    ],
)
def test_closed_streams(
    db: Path, home: Path, closed: str, arguments: tuple[str, ...], code: int
) -> None:
    rest = arguments[1:] if arguments[0] != "docker" else ()
    done = subprocess.run(
        [sys.executable, "-c", CLOSING, closed, arguments[0], "--db", str(db), *rest],
        capture_output=True,
        check=False,
    )
    assert done.returncode == code
    assert b"Traceback" not in done.stderr


def test_lines_that_are_no_utf8(start: Start, db: Path) -> None:
    process = start("session-search", "--db", db, "-")
    code, out, err = output(process, b'{"query": "docker", "limit": 1}\n\xff\xfe\n{}\n')
    assert (code, err) == (1, b"")
    starts = [b'{"success": ', b'{"error": "T', b'{"success": ']
    assert [line[:12] for line in out.splitlines()] == starts


def test_each_line_is_answered_before_the_next_is_read(start: Start, db: Path) -> None:
    """A script may wait for an answer before it asks again."""
    process = start("session-search", "--db", db, "-")
    assert process.stdin is not None
    assert process.stdout is not None
    for query in (b"docker", b"nothing-of-this"):
        process.stdin.write(b'{"query": "%s"}\n' % query)
        process.stdin.flush()
        assert query in process.stdout.readline()
    assert output(process)[0] == 0


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_without_utf8(start: Start, db: Path, encoding: str) -> None:
    for arguments in (("browse",), ("read", "s"), ("search", "docker"), ("browse", "--json")):
        environ = {"PYTHONIOENCODING": encoding}
        process = start(arguments[0], "--db", db, *arguments[1:], environ=environ)
        code, out, err = output(process)
        assert (code, err) == (0, b"")
        assert ("数据".encode() in out) == (encoding == "utf-8")


def test_arguments_that_are_no_utf8(start: Start, db: Path) -> None:
    environ = {"LC_ALL": "C.UTF-8"}
    process = start("search", "--db", db, "--json", "docker", environ=environ)
    assert output(process)[0] == 0
    process = subprocess.Popen(
        [sys.executable, "-m", "hermes_tui", "search", "--db", str(db), b"\xff\xfedocker"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    code, _, err = output(process)
    assert (code, err) == (0, b"")


def test_the_script_and_the_module_are_the_same_program(start: Start, db: Path) -> None:
    script = Path(sys.executable).with_name("hermes-tui")
    if not script.exists():
        pytest.skip("the program is not installed, only imported")
    done = subprocess.run([script, "browse", "--db", db], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == output(start("browse", "--db", db))[:2]
