"""Pager and editor in a real terminal: what is started there may fail, the application must not."""

from __future__ import annotations

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
