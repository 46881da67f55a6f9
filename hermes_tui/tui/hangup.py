"""Noticing that the terminal has gone, where no signal says so.

A program without a controlling terminal gets no SIGHUP when its terminal closes, and reading a
closed terminal returns at once and for ever: the program would stay behind and spin.
"""

from __future__ import annotations

import select
import sys

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
