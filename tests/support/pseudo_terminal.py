"""A real pseudo-terminal with pyte as its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable

import pyte

PATIENCE = 60.0
"""Seconds until a test gives up on something that has to appear."""

# Queries and keyboard protocols that pyte would print as text.
_NOT_FOR_PYTE = re.compile(rb"\x1b\[[<>=?][0-9;]*(?:u|\$p)")


class Terminal:
    """A program in a terminal: keys go in, `text` is what stands on the screen."""

    def __init__(self, arguments: list[str], env: dict[str, str], columns: int, rows: int) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.bytes = b""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes = termios.tcgetattr(slave)
        self.slave = slave
        self._open = [slave, self._master]
        self.process = subprocess.Popen(
            arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=env,
            cwd=env["HOME"],
            start_new_session=True,
        )

    @property
    def text(self) -> str:
        """The screen as text. (pyte's own `display` fails on half of a wide character.)"""
        buffer, columns = self.screen.buffer, range(self.screen.columns)
        return "\n".join(
            "".join(buffer[y][x].data for x in columns) for y in range(self.screen.lines)
        )

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a window does."""
        self.screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)  # it is not the program's controlling terminal

    def send(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode())

    def read(self, seconds: float) -> bool:
        """Take what the program writes, waiting at most so long; False when nothing came."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self.bytes += data
        self._stream.feed(_NOT_FOR_PYTE.sub(b"", data))
        return bool(data)

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Read on until the condition holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"no {what} in:\n{self.text}"
            assert self.process.poll() is None or self.read(0.0), f"ended:\n{self.text}"
            self.read(0.1)

    def wait_text(self, *words: str) -> None:
        """Read on until all the words are on the screen."""
        self.wait_for(lambda: all(word in self.text for word in words), " ".join(words))

    def wait_exit(self) -> int:
        """Read on until the program has ended; its exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, "the program does not end"
            self.read(0.1)
        while self.read(0.1):
            pass
        return self.process.returncode

    def hang_up(self) -> None:
        """Close the terminal under the program."""
        for end in self._open:
            os.close(end)
        self._open.clear()

    def close(self) -> None:
        """End the program and close the terminal."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.hang_up()
