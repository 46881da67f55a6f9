"""Public bug reports about terminals: keys that come in pieces, ends of all kinds, colours."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from modes import modes_left

from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

SPOILED = """
import sys
from hermes_tui.tui.widgets.conversation import ConversationView

def fail(self, request):
    raise RuntimeError("\\x1b]0;spoiled\\x07 on purpose")

ConversationView.{where} = fail
from hermes_tui.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with HistoryWriter(path, cjk=False) as writer:
        for number in range(4):
            writer.create_session(
                NewSession(
                    id=f"s{number}", source="cli", started_at=1.78e9 + number, title=f"No {number}"
                )
            )
            writer.append(f"s{number}", NewMessage(role="user", content="a needle here"), 1.78e9)
    return path


def restored(output: bytes) -> bool:
    left = modes_left(output)
    off = all(left.get(mode, b"l") == b"l" for mode in (b"1049", b"1000", b"1003", b"1006"))
    return off and left[b"25"] == b"h"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(start, db: Path, number: signal.Signals) -> None:
    """F15."""
    terminal = start("--db", str(db))
    terminal.wait_text("recent sessions", "No 3")
    terminal.process.send_signal(number)
    assert terminal.wait_exit() == 128 + number
    assert restored(terminal.bytes)
    assert b"Traceback" not in terminal.bytes


def test_a_mistake_of_ours_leaves_the_terminal_as_it_was(start, db: Path) -> None:
    """F15: an exception nobody expected, in a handler; what is said stands under the old screen."""
    terminal = start("--db", str(db), script=SPOILED.format(where="open"))
    code = terminal.wait_exit()
    assert code != 0
    assert restored(terminal.bytes)
    tail = terminal.bytes.rpartition(b"\x1b[?1049l")[2].decode()
    assert "stopped because of a mistake in it" in tail
    assert "\x1b]0;" not in tail
    assert "Traceback" not in tail


def test_a_mistake_in_a_thread_is_said_or_ends_it(start, db: Path) -> None:
    """F15: the same in a worker."""
    terminal = start("--db", str(db), script=SPOILED.format(where="_read_session"))
    terminal.wait_text("recent sessions", "No 3")
    terminal.send("\x11")
    terminal.wait_exit()
    assert restored(terminal.bytes)
    assert b"Traceback" not in terminal.bytes
    assert b"\x1b]0;spoiled" not in terminal.bytes


@pytest.mark.parametrize("keys", [("\x1b", "[B"), ("\x1bOB",), ("\x1b[B",), ("\x1b[", "B")])
def test_an_arrow_that_comes_in_pieces_is_an_arrow(start, db: Path, keys: tuple[str, ...]) -> None:
    """F12: over a slow line ESC and the rest arrive apart; nothing is closed or cleared by it."""
    terminal = start("--db", str(db), "needle")
    terminal.wait_text("4 hits in 4 lineages", "▌ No 0")
    terminal.send("\x1b[B")
    terminal.wait_text("Enter open", "s sort")
    for part in keys:
        terminal.send(part)
        terminal.read(0.05)
    terminal.wait_text("▌ No 1")
    assert "needle" in terminal.screen.display[0]
    terminal.send("\x11")
    assert terminal.wait_exit() == 0


@pytest.mark.parametrize("term", ["xterm", "screen-256color", "linux", "vt100", "xterm-direct"])
def test_selection_and_match_need_no_colour(start, db: Path, term: str) -> None:
    """F22: whatever colours there are, the row has a mark and the match is bold or underlined."""
    terminal = start("--db", str(db), "needle", env={"TERM": term, "COLORTERM": ""})
    terminal.wait_text("4 hits in 4 lineages", "▌ No 0")
    rows = [(y, line) for y, line in enumerate(terminal.screen.display) if "a needle" in line]
    assert rows
    for y, line in rows:
        mark = terminal.screen.buffer[y][line.index("needle")]
        assert mark.bold
        assert mark.underscore
    assert sum("▌ No" in line for line in terminal.screen.display) == 1
    terminal.send("\x11")
    assert terminal.wait_exit() == 0


def test_a_dumb_terminal_is_told_so(start, db: Path) -> None:
    """F22: nothing is drawn where nothing can be drawn."""
    terminal = start("--db", str(db), "needle", env={"TERM": "dumb"})
    terminal.wait_exit()
    assert b"\x1b[" not in terminal.bytes
    assert terminal.bytes.strip()
