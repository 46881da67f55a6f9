"""Read one state_meta row of a file that may be anything at all."""

from __future__ import annotations

import apsw

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.opening import open_readonly


def read_meta(path: str, key: str) -> str | None:
    """The value of `key`; None when the file is no history, or has no such row."""
    try:
        opened = open_readonly(path)
    except HistoryError:
        return None
    try:
        value = opened.connection.execute("SELECT value FROM state_meta WHERE key = ?", (key,)).get
    except apsw.Error:
        return None
    finally:
        opened.connection.close()
        opened.cleanup()
    return None if value is None else str(value)
