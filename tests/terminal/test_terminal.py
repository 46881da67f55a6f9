"""The program in a real terminal: it works, it leaves the terminal as it was, and no byte of a
history acts on it."""

from __future__ import annotations

import re
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from modes import modes_left

from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

STARTED = 1_780_000_000.0
ESC = "\x1b"

HOSTILE = (
    f"{ESC}[2J{ESC}]0;evil title\x07{ESC}]52;c;ZXZpbA==\x07{ESC}]8;;http://evil\x07link"
    f"{ESC}P1$r0m{ESC}\\ {ESC}[?1049l{ESC}[?1000h{ESC}c \x9b31m \x9d52;c;ZXZpbA==\x9c"
    " \u202erevo\u2066x \x00\x08\x7f [/] [bold] [@click=app.quit]x[/]"
)


def write_talks(path: Path) -> None:
    """Forty messages about a bridge, and a session whose every string is hostile."""
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        writer.create_session(
            NewSession(id="bridge", source="cli", started_at=STARTED, title="The lab bridge")
        )
        turns = [
            NewMessage(
                role="user" if turn % 2 else "assistant",
                content=f"step {turn} of the docker bridge" if turn == 20 else f"step {turn}",
            )
            for turn in range(1, 41)
        ]
        writer.append_batch("bridge", turns, STARTED)
        writer.create_session(
            NewSession(
                id=f"evil{HOSTILE}",
                source=f"cli{HOSTILE}",
                started_at=STARTED + 60,
                title="Evil",
                model=HOSTILE,
                cwd=HOSTILE,
            )
        )
        call = {"id": "c", "function": {"name": f"run{HOSTILE}", "arguments": HOSTILE}}
        bad = [
            NewMessage(role="user", content=f"docker {HOSTILE} tail"),
            NewMessage(role="assistant", content=HOSTILE, tool_calls=[call], reasoning=HOSTILE),
            NewMessage(
                role="tool", content=f"docker {HOSTILE}", tool_name=HOSTILE, tool_call_id="c"
            ),
        ]
        writer.append_batch(f"evil{HOSTILE}", bad, STARTED + 60)


@pytest.fixture
def talks(tmp_path: Path, execute: Callable[..., object]) -> Path:
    path = tmp_path / "state.db"
    write_talks(path)
    # The writer cleans titles, as Hermes does; an older Hermes did not.
    execute(path, "UPDATE sessions SET title = ? WHERE title = 'Evil'", (f"Evil {HOSTILE}",))
    return path


def test_search_open_scroll_quit_and_the_terminal_is_as_it_was(start, talks: Path) -> None:
    before = talks.read_bytes()
    terminal = start("--db", str(talks))
    terminal.wait_text("recent sessions", "The lab bridge")
    assert b"\x1b[?1049h" in terminal.bytes
    terminal.send("bridge")
    terminal.wait_text("1 hit in 1 lineage", "agent #1")
    terminal.send("\r")
    terminal.wait_text("anchor", "20/40", "step 20 of the docker bridge")
    terminal.send("G")
    terminal.wait_text("step 40")
    terminal.send("g")
    terminal.wait_text("step 1 ")
    terminal.send("a")
    terminal.wait_text("step 20 of the docker bridge")
    terminal.send("q")
    terminal.wait_text("Enter open", "s sort")
    terminal.send("q")
    assert terminal.wait_exit() == 0

    left = modes_left(terminal.bytes)
    assert left[b"1049"] == b"l", "the alternate screen is left"
    assert left[b"25"] == b"h", "the cursor is shown"
    assert left.get(b"7", b"h") == b"h", "lines wrap again"
    for mouse in (b"1000", b"1003", b"1015", b"1006", b"2004"):
        assert left.get(mouse, b"l") == b"l", f"mode {mouse.decode()} is off"
    assert termios.tcgetattr(terminal.slave) == terminal.modes
    assert b"Traceback" not in terminal.bytes
    assert talks.read_bytes() == before
    assert not list(talks.parent.glob("state.db-*"))


def test_nothing_in_a_history_acts_on_the_terminal(start, talks: Path) -> None:
    terminal = start("--db", str(talks), "docker")
    terminal.wait_text("Evil", "hits in 2 lineages")
    began = len(terminal.bytes)
    terminal.send("\x1b[B")  # down, to the results
    terminal.wait_text("Enter open", "s sort")
    terminal.send("G")
    terminal.wait_text("▌ Evil")
    terminal.send("\r")
    terminal.wait_text("1/3", "tail")
    for one_message in ("R", "M"):  # as it is stored, and rendered
        terminal.send(one_message)
        terminal.wait_text("━ message")
        terminal.send("\x1b")
        terminal.wait_for(lambda: "━ message" not in terminal.text, "closed panel")
    terminal.send("zR")
    terminal.send("J")
    terminal.wait_text("2/3")
    terminal.send("?")
    terminal.wait_text("In the conversation")
    terminal.send("\x11")
    assert terminal.wait_exit() == 0

    output = terminal.bytes
    for name, sequence in {
        "clipboard": b"\x1b]52",
        "title": b"evil title\x07",
        "link": b"\x1b]8;;http://evil",
        "device control": b"\x1bP1$r",
        "reset": b"\x1bc",
        "C1 CSI": b"\xc2\x9b",
        "C1 OSC": b"\xc2\x9d",
        "bidi override": b"\xe2\x80\xae",
        "bidi isolate": b"\xe2\x81\xa6",
        "NUL": b"\x00",
        "backspace": b"\x08",
        "DEL": b"\x7f",
    }.items():
        assert sequence not in output, name
    pointers = re.findall(rb"\x1b\]22;[a-z-]*\x07", output)
    assert output.count(b"\x07") == len(pointers), "the only bells end the shape of the pointer"
    assert b"\x1b[2J" not in output[began:]
    assert output.count(b"\x1b[?1049l") == 1
    assert b"Traceback" not in output


def test_a_narrow_terminal(start, talks: Path) -> None:
    terminal = start("--db", str(talks), "bridge", columns=60, rows=20)
    terminal.wait_text("results", "1 hit in 1 lineage")
    assert "conversation" not in terminal.text
    terminal.send("\r")
    terminal.wait_text("conversation", "20/40")
    terminal.send("\x1b")
    terminal.wait_text("results")
    terminal.send("\x11")
    assert terminal.wait_exit() == 0


def test_no_colour(start, talks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR leaves only grey; what matters is bold, underlined or a sign."""
    terminal = start("--db", str(talks), "bridge", env={"NO_COLOR": "1"})
    terminal.wait_text("1 hit in 1 lineage", "▌ The lab bridge")
    row, column = next(
        (row, line.index("docker bridge") + len("docker "))
        for row, line in enumerate(terminal.screen.display)
        if "docker bridge" in line
    )
    mark = terminal.screen.buffer[row][column]
    assert mark.data == "b"
    assert mark.bold
    assert mark.underscore
    for numbers in re.findall(rb"\x1b\[([0-9;]*)m", terminal.bytes):
        for red, green, blue in re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", numbers):
            assert red == green == blue
    terminal.send("\x11")
    assert terminal.wait_exit() == 0


def test_the_sample(start) -> None:
    terminal = start("--demo")
    terminal.wait_text("recent sessions", "Half a year")
    terminal.send("容器网络\r")
    terminal.wait_text("容器网络入门", "anchor", "n next hit")
    terminal.send("\x1b")
    terminal.wait_text("Enter open", "s sort")
    terminal.send("q")
    assert terminal.wait_exit() == 0


def test_it_does_not_stay_behind_when_its_terminal_goes(start, talks: Path) -> None:
    """Without a controlling terminal there is no SIGHUP: it must notice by itself."""
    terminal = start("--db", str(talks))
    terminal.wait_text("conversation")
    terminal.hang_up()
    assert terminal.process.wait(timeout=60) is not None
