"""How long a person waits: from the start to the list, and from a key to the screen.

    PYTHONPATH=.:tests/support python tests/benchmarks/screen.py [--sessions 1 1000 20000]

The real program in a real terminal, over histories of that many sessions with Chinese titles
(public case F08). A time runs until what the key is for stands on the screen, with what the
terminal itself takes to draw it; `floor` is that for a program that only echoes. Start-up includes
Python's own.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

from pseudo_terminal import Terminal

LIMITS = {"start": 1_000.0, "down": 50.0, "type": 50.0}
COLUMNS, ROWS = 120, 36
ECHO = """
import os, tty
tty.setraw(0)
while True:
    os.write(1, os.read(0, 99))
"""


def write(path: Path, sessions: int) -> None:
    """A history with one short message in each session."""
    with HistoryWriter(path) as writer, writer.batch():
        for number in range(sessions):
            at = 1.78e9 + number
            name = f"s{number:05}"
            title = f"会议 {number}"
            writer.create_session(NewSession(id=name, source="cli", title=title, started_at=at))
            writer.append(name, NewMessage(role="user", content=f"数据 report {number}"), at)


class Clock:
    """Milliseconds from an act until the screen is as it should be."""

    def __init__(self, command: list[str], home: str) -> None:
        env = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            **{"HOME": home, "HERMES_HOME": home, "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        }
        self.began = time.perf_counter()
        self.terminal = Terminal(command, env, COLUMNS, ROWS)

    def until(self, condition: Callable[[str], bool], what: str, since: float) -> float:
        self.terminal.wait_for(lambda: condition(self.terminal.text), what)
        return (time.perf_counter() - since) * 1e3

    def key(self, keys: str, condition: Callable[[str], bool] | None = None) -> float:
        """Time a key; without a condition, until anything has changed."""
        while self.terminal.read(0.05):
            pass
        before = self.terminal.text
        since = time.perf_counter()
        self.terminal.send(keys)
        return self.until(condition or (lambda text: text != before), repr(keys), since)

    def resize(self, columns: int) -> float:
        """Time another width, until the frame stands at its last column."""
        line = self.terminal.screen.buffer[ROWS // 2]
        since = time.perf_counter()
        self.terminal.resize(columns, ROWS)
        return self.until(lambda _: line[columns - 1].data in "│┃", "the frame", since)


def measure(path: Path, sessions: int, home: str) -> dict[str, float]:
    """All figures of one history; the middle of several where it can be done again."""
    last = f"会议 {sessions - 1}"

    def shows(text: str) -> bool:
        return last in text

    starts = []
    for _ in range(3):
        clock = Clock([sys.executable, "-m", "hermes_tui", "--db", str(path)], home)
        starts.append(clock.until(shows, "list", clock.began))
        if len(starts) < 3:
            clock.terminal.close()
    figures = {"start": statistics.median(starts)}
    figures["type"] = statistics.median([clock.key(letter) for letter in "repo"])
    clock.key("\x15")  # an empty query bar shows the list again
    clock.terminal.wait_for(lambda: shows(clock.terminal.text), "the list")
    clock.key("\x1b[B")
    if sessions > ROWS:
        figures["end"] = clock.key("G", lambda text: not shows(text))
        figures["home"] = clock.key("g", shows)
        downs = [clock.key("j") for _ in range(40)]
        figures["down"] = statistics.median(downs)
        figures["down_p95"] = sorted(downs)[int(len(downs) * 0.95)]
    resizes = []
    for columns in (80, 140, 120):
        resizes.append(clock.resize(columns))
    figures["resize"] = statistics.median(resizes)
    clock.terminal.close()
    return figures


def floor(home: str) -> float:
    """What the terminal and this script take."""
    clock = Clock([sys.executable, "-c", ECHO], home)
    clock.key("x")
    return statistics.median([clock.key(letter) for letter in "abcdefghi"])


def main() -> None:
    """Measure each size and print the table, with ratios to the first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, nargs="+", default=[50, 1_000, 20_000])
    options = parser.parse_args()
    results: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as home:
        base = floor(home)
        for sessions in options.sessions:
            path = Path(home) / f"{sessions}.db"
            write(path, sessions)
            results[sessions] = measure(path, sessions, home)
    first = next(iter(results.values()))
    print(f"{'sessions':>10}" + "".join(f"{count:>20,}" for count in results))
    for name in first:
        cells = (f"{row[name]:12.1f} ({row[name] / first[name]:4.1f}x)" for row in results.values())
        print(f"{name:>10}" + "".join(cells))
    print(f"in ms; floor {base:.1f} ms")
    for name, limit in LIMITS.items():
        if any(row[name] > limit for row in results.values()):
            print(f"OVER: {name} takes more than {limit:.0f} ms")


if __name__ == "__main__":
    main()
