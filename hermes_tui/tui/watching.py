"""Noticing that somebody has written to the history."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from hermes_tui.history.errors import HistoryError, QueryError
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History


class Watch:
    """One connection of its own: what SQLite says about changes holds for a connection only."""

    def __init__(self, place: Place, open_: Callable[[Place], History] = History.open) -> None:
        self._place = place
        self._open = open_
        self._history: History | None = None
        self._version: int | None = None

    def changed(self) -> bool:
        """Whether there was a commit since the last call. May block: workers only, one at a time.

        A history that cannot be read just now has not changed; it is opened again next time.
        """
        try:
            if self._history is None:
                self._history = self._open(self._place)
            version = self._history.data_version()
        except (HistoryError, QueryError):
            self.close()
            return False
        before, self._version = self._version, version
        return before is not None and before != version

    def close(self) -> None:
        """Give up the connection."""
        history, self._history, self._version = self._history, None, None
        if history is not None:
            with suppress(Exception):  # it may be what could not be read
                history.close()
