"""Where things stand in a conversation view, and what it has said."""

from __future__ import annotations

from typing import Any


def of_kind(app: Any, name: str) -> list[Any]:
    """Messages of a kind that the view has posted."""
    return [event for event in app.posted if type(event).__name__ == name]


def cursor_row(app: Any) -> int:
    """The row of the screen with the line under the eye."""
    return next(y for y, line in enumerate(app.lines()) if line.startswith("█"))


def line_with(app: Any, text: str) -> int:
    """The first row of the screen that holds a text."""
    return next(y for y, line in enumerate(app.lines()) if text in line)
