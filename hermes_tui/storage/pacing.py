"""How much to do in one transaction, and how long to rest after it.

A live Hermes must get its turn: a transaction aims at TARGET seconds, measured rather than
counted because rows differ in size by a factor of ten thousand, and the pause after it is as long
as the transaction was.
"""

from __future__ import annotations

import time
from collections.abc import Callable

TARGET = 0.03
"""Seconds one transaction may hold the write lock, as a rule."""
REST = 1.0
"""Seconds of rest for each second of work."""
LONGEST_REST = 0.5


class Pace:
    """Adapts the size of a chunk, in units of the caller's choice, to what the last one took."""

    def __init__(
        self,
        start: float,
        least: float,
        most: float,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.size = start
        self._least, self._most = least, most
        self._sleep, self._clock = sleep, clock
        self._began = 0.0

    def begin(self) -> None:
        """A transaction starts now; call it when the lock is held, not when it is asked for."""
        self._began = self._clock()

    def end(self) -> None:
        """The transaction is over: rest, and choose the next size."""
        took = max(self._clock() - self._began, 1e-6)
        self.size *= min(2.0, max(0.25, TARGET / took))
        self.size = min(self._most, max(self._least, self.size))
        self._sleep(min(LONGEST_REST, took * REST))
