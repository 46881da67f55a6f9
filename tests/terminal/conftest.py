"""The program in a terminal of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hermes_tui

from pseudo_terminal import Terminal

PACKAGE = Path(hermes_tui.__file__).parents[1]
"""Where the program under test is imported from: the checkout, or where it was installed."""

Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path, program: list[str]) -> Iterator[Start]:
    """Start `python -m hermes_tui ...` in a terminal of its own."""
    running: list[Terminal] = []

    def run(
        *arguments: str,
        columns: int = 120,
        rows: int = 36,
        env: dict[str, str] | None = None,
        script: str = "",
    ) -> Terminal:
        """script: Python to run instead, which may spoil the program before it starts it."""
        whole = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "HERMES_HOME": str(tmp_path / "hermes"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONPATH": str(PACKAGE),
            "PYTHONSAFEPATH": "1",
            **(env or {}),
        }
        command = [sys.executable, "-c", script] if script else program
        terminal = Terminal([*command, *arguments], whole, columns, rows)
        running.append(terminal)
        return terminal

    yield run
    for terminal in running:
        terminal.close()
