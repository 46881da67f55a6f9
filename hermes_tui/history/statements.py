"""Running one statement on a reader's connection: finished at once, interruptible, typed errors."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import apsw

from hermes_tui.history.errors import DamagedError, HistoryError, Interrupted, QueryError
from hermes_tui.text.clean import clean_line

Stop = Callable[[], bool]
CLOSE_WAIT = 1.0
"""Seconds that closing waits for a statement that has been interrupted."""
_BIGGEST = 2**63 - 1
POLL_EVERY_STEPS = 1_000
"""SQLite asks `stop` this often (virtual-machine steps): 0.2 ms, at no measurable cost."""


class Statements:
    """One connection's statements. Used by one thread at a time; interrupt() by any."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._running = threading.Lock()
        self._closed = False

    def rows(
        self, sql: str, params: Sequence[Any] = (), stop: Stop | None = None
    ) -> list[tuple[Any, ...]]:
        """Every row of `sql`, read to the end at once: an unfinished cursor blocks writers.

        Raises Interrupted when `stop` turns true, QueryError for what SQLite refuses,
        DamagedError for a damaged file and HistoryError for a locked one.
        """
        with self._running, self._ready(stop):
            return self.connection.execute(sql, [bindable(p) for p in params]).fetchall()

    def slices(
        self, sql: str, params: Sequence[Any], size: int, stop: Stop | None = None
    ) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of `sql` by the `size`, so that very many of them are never held at once.

        Read them to the end without waiting for anything. Raises what `rows` raises.
        """
        with self._running, self._ready(stop):
            cursor = self.connection.execute(sql, [bindable(p) for p in params])
            try:
                while rows := list(islice(cursor, size)):
                    yield rows
            finally:
                cursor.close(True)

    @contextmanager
    def _ready(self, stop: Stop | None) -> Iterator[None]:
        """The connection asks `stop`, and its errors are ours."""
        if self._closed:
            raise Interrupted
        if stop is not None:
            self.connection.set_progress_handler(lambda: bool(stop()), POLL_EVERY_STEPS)
        try:
            yield
        except apsw.InterruptError as error:
            raise Interrupted from error
        except (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.FormatError) as error:
            raise DamagedError(f"The history is damaged: {clean_line(str(error))}.") from error
        except apsw.BusyError as error:
            raise HistoryError(
                "The history is locked by another program. Try again when it has finished."
            ) from error
        except (apsw.Error, UnicodeDecodeError) as error:
            raise QueryError(clean_line(str(error))) from error
        finally:
            if stop is not None:
                self.connection.set_progress_handler(None)

    def interrupt(self) -> None:
        """End the running statement, from any thread; an idle connection is not affected."""
        if not self._closed:
            self.connection.interrupt()

    def close(self) -> None:
        """Close the connection, from any thread; what runs is ended, what comes is Interrupted.

        A statement that does not end in CLOSE_WAIT keeps the connection until it does.
        """
        self.interrupt()
        self._closed = True
        if self._running.acquire(timeout=CLOSE_WAIT):
            try:
                self.connection.close()
            finally:
                self._running.release()


_SURROGATE = re.compile("[\ud800-\udfff]")


def bindable(value: Any) -> Any:
    """`value` as SQLite can take it; nothing stored equals what has to be changed for that.

    Half surrogate pairs become U+FFFD, as Hermes stores them; whole numbers stay within 64 bits.
    """
    if isinstance(value, int):
        return max(-_BIGGEST - 1, min(value, _BIGGEST))
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value
