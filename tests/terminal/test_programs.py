"""Pager and editor in a real terminal: what is started there may fail, the application must not."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        writer.create_session(NewSession(id="s1", source="cli", started_at=1.78e9, title="Talk"))
        writer.append_batch("s1", [NewMessage(role="user", content="a bridge")], 1.78e9)
    return path


@pytest.mark.parametrize(
    ("editor", "told"),
    [
        ("no-such-editor", "no-such-editor cannot be started"),
        ("false", "false ended with exit code 1"),
    ],
)
def test_an_editor_that_fails_leaves_the_application_alive(start, talk, editor, told) -> None:
    terminal = start("--db", str(talk), env={"EDITOR": editor, "VISUAL": ""})
    terminal.wait_text("recent sessions", "a bridge")
    terminal.send("\x1b[B")
    terminal.wait_text("q back or quit")
    terminal.send("O")
    terminal.wait_text(told)
    terminal.send("/")
    terminal.wait_text("F1 help")
    terminal.send("bridge")
    terminal.wait_text("query bridge", "1 hit in 1 lineage")
    terminal.send("\x11")
    assert terminal.wait_exit() == 0


A_SHELL = """
import fcntl, os, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # job control needs a terminal of its own
os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
"""


def test_ctrl_z_goes_to_the_shell_and_fg_comes_back(start, program, talk) -> None:
    shell = start(env={"PS1": "shell> "}, script=A_SHELL)
    shell.wait_text("shell>")
    shell.send(f"{shlex.join([*program, '--db', str(talk)])}\r")
    shell.wait_text("recent sessions", "F1 help")
    shell.send("\x1a")
    shell.wait_for(lambda: b"Stopped" in shell.bytes, "shell")
    assert b"\x1b[?1049l" in shell.bytes, "the terminal is the shell's"
    shell.screen.reset()
    shell.send("echo the $((20 + 1))st\r")
    shell.wait_text("the 21st")
    shell.send("fg\r")
    shell.wait_text("recent sessions", "F1 help")
    shell.send("bridge")
    shell.wait_text("query bridge", "1 hit in 1 lineage")
    shell.send("\x11")
    shell.wait_for(lambda: shell.bytes.rstrip().endswith(b"shell>"), "shell")


def test_ctrl_l_draws_everything_anew(start, talk) -> None:
    terminal = start("--db", str(talk))
    terminal.wait_text("recent sessions", "a bridge", "F1 help")
    terminal.screen.reset()  # as a message of another program would spoil it
    assert "recent sessions" not in terminal.text
    terminal.send("\x0c")
    terminal.wait_text("recent sessions", "a bridge", "F1 help")
