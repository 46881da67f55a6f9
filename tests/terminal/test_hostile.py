"""Two hundred strings that act on terminals, in every place where content can appear: none acts."""

from __future__ import annotations

import base64
import re
import subprocess
from pathlib import Path

import pytest
from hostile import STRINGS, leaks, name_of, write_hostile

CLIPBOARD = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07")
FILE_NAME = "state\x1b[7150m\x1b]0;evil 7151\x07\u202e[bold]\x9b7152m.db"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / FILE_NAME
    write_hostile(path)
    return path


def calm(terminal) -> None:
    """Read on until nothing more is drawn for a while."""
    terminal.wait_for(lambda: not terminal.read(0.25), "calm")


def copies(output: bytes) -> list[str]:
    """What the program put on the clipboard."""
    return [base64.b64decode(found).decode() for found in CLIPBOARD.findall(output)]


def screens(output: bytes) -> str:
    """What came, without the clipboard sequences that are ours (their text is looked at alone)."""
    return CLIPBOARD.sub(b"", output).decode("utf-8", "surrogateescape")


def test_what_would_be_seen_if_it_came_through() -> None:
    """The test can fail: each string is recognised when it is written as it is."""
    harmless = [i for i, text in enumerate(STRINGS) if not leaks(text)]
    kinds = {i % 20 for i in harmless}
    assert kinds == {14, 15}, "markup and links act in toolkits and browsers, not in terminals"


def test_every_place_of_the_application(start, db: Path, tmp_path: Path) -> None:
    terminal = start("--db", str(db), env={"SSH_TTY": "x"})
    terminal.wait_text("recent sessions", "T ")
    terminal.send("\x1b[B")
    terminal.wait_text("Enter open", "f filters")
    for _ in range(16):  # the titles and sources of all sessions, with a preview of each
        terminal.send("jjj")
        calm(terminal)
    terminal.send("/")
    terminal.wait_text("↓ results")
    terminal.send("needle end\r")
    terminal.wait_text("anchor")
    for key in ("L", "\x1b", "R", "\x1b", "M", "\x1b", "t", "t", "y", "Y", "I", "r", "m"):
        terminal.send(key)
        calm(terminal)
    for key in ("e", "\r", "/evil", "\r", "\x1b", ":1\r", "w", "\x1b", "v", "\x1b", "x", "\x1b"):
        terminal.send(key)
        calm(terminal)
    terminal.send("\x11")
    assert terminal.wait_exit() == 0
    assert leaks(screens(terminal.bytes)) == []
    copied = copies(terminal.bytes)
    assert len(copied) >= 3
    for text in copied:
        assert leaks(text) == []
    written = [p for p in tmp_path.rglob("hermes*") if p.is_file()]
    assert written, "the export is there"
    for path in written:
        assert leaks(path.read_text("utf-8")) == []
        assert leaks(path.name) == []


def test_every_string_is_drawn(start, db: Path) -> None:
    """Walk through all two hundred messages of the session `all`."""
    terminal = start("--db", str(db), "needle end", columns=150, rows=50)
    terminal.wait_text("hits in 1 lineage")
    terminal.send("\r")
    terminal.wait_text("anchor")
    terminal.send("zRg")
    terminal.wait_text("no0 ")
    calm(terminal)
    seen: set[int] = set()

    def look() -> None:
        seen.update(int(found) for found in re.findall(r"no(\d+)", terminal.text))

    while "200/200" not in terminal.text:
        look()
        before = terminal.text
        terminal.send(" ")
        terminal.wait_for(lambda: terminal.text != before, "next page")  # noqa: B023
        calm(terminal)
    look()
    terminal.send("\x11")
    assert terminal.wait_exit() == 0
    assert leaks(screens(terminal.bytes)) == []
    assert sorted(set(range(200)) - seen) == []


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_command_line_into_a_terminal(start, db: Path, form: tuple[str, ...]) -> None:
    for command in (
        ("browse", "--limit", "50"),
        ("search", "--limit", "9", "needle"),
        ("read", "all"),
        ("read", name_of(1)),
        ("explain", "needle"),
    ):
        words = [*command[:1], "--db", str(db), *form, "--", *command[1:]]
        if command[0] == "browse" or "--limit" in command:
            words = [*command[:3], "--db", str(db), *form, *command[3:]]
        terminal = start(*words)
        terminal.wait_exit()
        output = terminal.bytes.decode("utf-8", "surrogateescape")
        assert output.strip()
        assert "Traceback" not in output
        assert leaks(output.replace("\r\n", "\n")) == [], command
        terminal.close()


def test_what_is_wrong_with_a_name_is_said_without_it_acting(program, tmp_path: Path) -> None:
    missing = tmp_path / f"missing{FILE_NAME}"
    for arguments in (["--db", str(missing)], ["search", "--db", str(missing), "x"], [STRINGS[5]]):
        done = subprocess.run([*program, *arguments], capture_output=True, timeout=60, check=False)
        assert done.returncode == 2
        assert leaks((done.stdout + done.stderr).decode()) == []
