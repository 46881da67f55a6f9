"""A real terminal (tmux) puts its cursor where our widths say."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

import hermes_tui
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession
from hermes_tui.text.clean import drawable

PACKAGE = Path(hermes_tui.__file__).parents[1]

# Not here: Indic vowel signs that take a cell of their own in tmux and none in rich (क्षि).
GRAPHEMES = (
    *(
        "a",
        "é",
        "e\u0301",
        "会",
        "議",
        "ー",
        "한",
        "각",
        "\u1112\u1161\u11ab",
        "ｶ",
        "か\u3099",
        "Ａ",
        "①",
    ),
    *(
        "ⅷ",
        "─",
        "█",
        "▌",
        "⚙",
        "◀",
        "◆",
        "●",
        "┄",
        "✓",
        "✔",
        "✔️",
        "❤",
        "❤️",
        "⚠",
        "⚠️",
        "☎️",
        "1️⃣",
        "#️⃣",
    ),
    *(
        "👍",
        "👍🏽",
        "👩‍💻",
        "👨‍👩‍👧‍👦",
        "🏳️‍🌈",
        "🇩🇪",
        "🇯🇵",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "🚀",
        "🤖",
        "🧑‍🚀",
        "🫠",
        "\U0001fae9",
        "🥹",
    ),
    *(
        "⌚",
        "⏰",
        "☕",
        "⭐",
        "✨",
        "…",
        "—",
        "“",
        "€",
        "¥",
        "π",
        "Ж",
        "א",
        "ש",
        "ก็",
        "ที่",
        "\u200b",
        "\u00ad",
    ),
    *("\u2060", "\u3164", "𝒜", "𠀀", "﷽", "\ufffd", "␛", "‼️", "©️", "™", "㋿", "〰️", "↔️", "▶️", "◽"),
)

ASK = """
import json, sys, termios, tty
texts, answers = json.load(open(sys.argv[1])), []
tty.setraw(0)
for text in texts:
    sys.stdout.write("\\r\\x1b[2K" + text + "\\x1b[6n")
    sys.stdout.flush()
    answer = ""
    while not answer.endswith("R"):
        answer += sys.stdin.read(1)
    answers.append(int(answer[:-1].rpartition(";")[2]) - 1)
json.dump(answers, open(sys.argv[2], "w"))
"""


pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Tmux:
    """A server of its own, with one window of 120x36."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "PYTHONUTF8": "1",
            "TERM": "xterm-256color",
            "TMUX_TMPDIR": str(folder),
            **environment,
        }

    def __call__(self, *arguments: str) -> str:
        command = ["tmux", "-f", "/dev/null", "-u", "-L", "widths", *arguments]
        return subprocess.run(
            command, env=self._environment, check=True, timeout=60, capture_output=True, text=True
        ).stdout

    def run(self, command: str) -> None:
        keep = (";", "set", "remain-on-exit", "on")
        self("new-session", "-d", "-x", "120", "-y", "36", command, *keep)

    def screen(self) -> list[str]:
        return self("capture-pane", "-p").splitlines()

    def wait(self, condition: Callable[[list[str]], bool]) -> list[str]:
        """The screen once it is as wanted, and stands still."""
        end, before = time.monotonic() + 60, [""]
        while time.monotonic() < end:
            screen = self.screen()
            if condition(screen) and screen == before:
                return screen
            before = screen
            threading.Event().wait(0.1)
        raise AssertionError("\n".join(before))


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    tmux = Tmux(tmp_path, PYTHONPATH=str(PACKAGE), PYTHONSAFEPATH="1", COLORTERM="truecolor")
    yield tmux
    tmux("kill-server")


def columns_of(tmux: Tmux, drawn: list[str], folder: Path) -> list[int]:
    """Where tmux puts its cursor after each text."""
    texts, answers, script = (folder / name for name in ("texts", "answers", "ask.py"))
    texts.write_text(json.dumps(drawn))
    script.write_text(ASK)
    asked = "tmux -L widths wait-for -S asked"
    tmux.run(f"'{sys.executable}' '{script}' '{texts}' '{answers}'; {asked}")
    tmux("wait-for", "asked")
    columns: list[int] = json.loads(answers.read_text())
    return columns


def test_the_cursor_stands_where_it_should(tmux: Tmux, tmp_path: Path) -> None:
    drawn = [drawable(grapheme) for grapheme in GRAPHEMES]
    columns = columns_of(tmux, drawn, tmp_path)
    wrong = [(g, cell_len(d), c) for g, d, c in zip(GRAPHEMES, drawn, columns, strict=True)]
    assert [w for w in wrong if w[1] != w[2]] == []


def test_the_border_stands_in_one_column(tmux: Tmux, tmp_path: Path, program: list[str]) -> None:
    """In the application itself: a message of graphemes beside the right border of its pane."""
    path = tmp_path / "state.db"
    with HistoryWriter(path, cjk=False) as writer:
        writer.create_session(NewSession(id="s", source="cli", started_at=1.78e9, title="table"))
        table = "\n".join(f"<{i:02}{grapheme}>" for i, grapheme in enumerate(GRAPHEMES))
        writer.append(
            "s", NewMessage(role="user", content=f"needle {'talk ' * 70}\n{table}"), 1.78e9
        )
    columns = columns_of(tmux, [drawable(grapheme) for grapheme in GRAPHEMES], tmp_path)
    command = [*program, "--db", str(path), "needle"]
    tmux("respawn-window", "-k", shlex.join(command))
    tmux.wait(lambda screen: any("1 hit" in line for line in screen))
    tmux("send-keys", "Enter")
    screen = tmux.wait(lambda screen: any("anchor" in line for line in screen))
    seen: dict[int, int] = {}
    while len(seen) < len(GRAPHEMES):
        before = len(seen)
        for line in screen:
            found = re.search(r"<([0-9]{2})(.*?)>", line)
            if found is not None:
                number = int(found[1])
                assert line[-1] in "│┃", line
                seen[number] = len(line) - len(found[2]) + columns[number] - 1
        assert len(seen) > before, (sorted(seen), screen)
        if len(seen) < len(GRAPHEMES):
            last = max(seen)
            tmux("send-keys", "Space")
            screen = tmux.wait(lambda screen: not any(f"<{last - 9:02}" in x for x in screen))  # noqa: B023
    assert {number: column for number, column in seen.items() if column != 119} == {}
