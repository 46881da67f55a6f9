"""Bookmarks: messages a person wants to find again, in a small JSON file of the user's."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hermes_tui.text.clean import clean_line

FILE = "bookmarks.json"
TEXT_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A message. history: the path of its state.db. title, text: clean, to know it again.
    at: when it was set, Unix seconds.
    """

    history: str
    session_id: str
    message_id: int
    title: str
    text: str
    at: float


class BookmarksError(Exception):
    """The file cannot be read or written; str is a clean sentence."""


class Bookmarks:
    """Those of one history. The file is read each time: another window may have changed it."""

    def __init__(self, folder: Path, history: str) -> None:
        self._path = folder / FILE
        self._history = os.path.realpath(history)

    def all(self) -> tuple[Bookmark, ...]:
        """Those of this history, the newest first."""
        mine = (mark for mark in self._read() if mark.history == self._history)
        return tuple(sorted(mine, key=lambda mark: -mark.at))

    def toggle(self, session_id: str, message_id: int, title: str, text: str, at: float) -> bool:
        """Set a bookmark, or take it away; whether it is set now."""
        marks = self._read()
        here = [m for m in marks if (m.history, m.message_id) == (self._history, message_id)]
        if here:
            self._write(mark for mark in marks if mark not in here)
            return False
        title, text = clean_line(title, TEXT_LIMIT), clean_line(text, TEXT_LIMIT)
        self._write([*marks, Bookmark(self._history, session_id, message_id, title, text, at)])
        return True

    def _read(self) -> list[Bookmark]:
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            return [_bookmark(entry) for entry in stored["bookmarks"]]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BookmarksError(f"The bookmarks cannot be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            path = clean_line(str(self._path))
            raise BookmarksError(f"{path} holds no bookmarks that can be read.") from error

    def _write(self, marks: Iterable[Bookmark]) -> None:
        stored = {"version": 1, "bookmarks": [asdict(mark) for mark in marks]}
        beside = self._path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(json.dumps(stored, indent=1), encoding="utf-8")
            os.replace(beside, self._path)
        except OSError as error:
            raise BookmarksError(f"The bookmark cannot be kept: {error.strerror}.") from error


def _bookmark(entry: dict[str, Any]) -> Bookmark:
    """One entry; whatever is wrong with it is a ValueError, KeyError or TypeError."""
    return Bookmark(
        history=str(entry["history"]),
        session_id=str(entry["session_id"]),
        message_id=int(entry["message_id"]),
        title=clean_line(str(entry.get("title", "")), TEXT_LIMIT),
        text=clean_line(str(entry.get("text", "")), TEXT_LIMIT),
        at=float(entry.get("at", 0.0)),
    )
