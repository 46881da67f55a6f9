"""Leaving the terminal as it was when somebody else ends the program, or it has gone.

A signal that ends a program at once leaves the alternate screen and the mouse reports behind. And
a program without a controlling terminal gets no SIGHUP when its terminal closes, and reading a
closed terminal returns at once and for ever: the program would stay behind and spin.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import signal
import sys
from collections.abc import Callable

CHECK_EVERY = 2.0
"""Seconds between two looks at the terminal."""


def terminal_is_gone() -> bool:
    """Whether standard input was a terminal or pipe whose other end has been closed."""
    if not hasattr(select, "poll") or sys.__stdin__ is None:
        return False
    try:
        poll = select.poll()
        poll.register(sys.__stdin__.fileno(), select.POLLHUP | select.POLLERR)
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))
    except (OSError, ValueError):
        return True


def on_signals(leave: Callable[[int], object]) -> None:
    """Call `leave` with the exit code, 128 and the number, instead of ending at once.

    To be called in the running loop. Where signals cannot be handled so, nothing changes.
    """
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, leave, 128 + number)
