"""A real terminal (tmux) puts its cursor where our widths say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from hermes_tui.text.clean import drawable

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


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_the_cursor_stands_where_it_should(tmp_path: Path) -> None:
    drawn = [drawable(grapheme) for grapheme in GRAPHEMES]
    texts, answers, script = (tmp_path / name for name in ("texts", "answers", "ask.py"))
    texts.write_text(json.dumps(drawn))
    script.write_text(ASK)
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        "TERM": "xterm-256color",
        "TMUX_TMPDIR": str(tmp_path),
    }

    def tmux(*arguments: str) -> None:
        command = ["tmux", "-f", "/dev/null", "-u", "-L", "widths", *arguments]
        subprocess.run(command, env=environment, check=True, timeout=60)

    ask = f"'{sys.executable}' '{script}' '{texts}' '{answers}'; tmux -L widths wait-for -S asked"
    tmux("new-session", "-d", "-x", "120", "-y", "36", ask, ";", "set", "remain-on-exit", "on")
    try:
        tmux("wait-for", "asked")
    finally:
        tmux("kill-server")
    columns = json.loads(answers.read_text())
    wrong = [(g, cell_len(d), c) for g, d, c in zip(GRAPHEMES, drawn, columns, strict=True)]
    assert [w for w in wrong if w[1] != w[2]] == []
