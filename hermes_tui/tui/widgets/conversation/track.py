"""The column at the right: where in the session one is, and where the hits are. Pure."""

from __future__ import annotations

from collections.abc import Iterable

ANCHOR, HIT, HIT_HERE, THUMB, TRACK = "◆", "●", "◉", "█", "│"
BOOKMARK = "★"
BEFORE, AFTER = "▲", "▼"
"""At an end of the session where another one goes on."""


def rows_of(indexes: Iterable[int], total: int, height: int) -> set[int]:
    """Track rows on which messages of a session fall."""
    return {index * height // total for index in indexes} if total else set()


def thumb(first: int, last: int, total: int, height: int) -> range:
    """Track rows that stand for the messages on the screen; at least one."""
    if not total:
        return range(0)
    top = min(first * height // total, height - 1)
    return range(top, max((last + 1) * height // total, top + 1))


def column(
    height: int,
    total: int,
    shown: tuple[int, int],
    hits: set[int],
    anchor: int | None,
    bookmarks: Iterable[int] = (),
    *,
    borders: tuple[bool, bool] = (False, False),
) -> list[tuple[str, str]]:
    """(character, style) of each track row. hits: track rows, from `rows_of`; anchor and
    bookmarks: messages by their place. borders: whether another session goes on at either end.
    """
    marks = rows_of(bookmarks, total, height)
    on = thumb(*shown, total, height)
    anchors = rows_of(() if anchor is None else (anchor,), total, height)
    ends = {row for row, there in ((0, borders[0]), (height - 1, borders[1])) if there}
    rows = []
    for row in range(height):
        if row in anchors:
            rows.append((ANCHOR, "anchor"))
        elif row in marks:
            rows.append((BOOKMARK, "anchor"))
        elif row in hits:
            rows.append((HIT_HERE if row in on else HIT, "tick"))
        elif row in ends:
            rows.append((BEFORE if row == 0 else AFTER, "tick"))
        else:
            rows.append((THUMB, "thumb") if row in on else (TRACK, "track"))
    return rows
