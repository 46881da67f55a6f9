"""Mouse selections: places that stay right while the heights above them change. Pure.

Textual knows a selection by two offsets (x, y). Here y is a unit and a line of it, and x a
character of that line's text, so what is copied is read from the messages and not from the screen.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.selection import Selection

from hermes_tui.tui.widgets.conversation.document import Body, Level
from hermes_tui.tui.widgets.conversation.layout import Layout
from hermes_tui.tui.widgets.conversation.loader import Bodies
from hermes_tui.tui.widgets.conversation.paint import gap_label, header

_SHIFT = 40
_ABOVE = 8  # rows over a header have negative numbers


def encode(unit: int, line: int) -> int:
    """The selection coordinate of a line; a later line has a larger one."""
    return (unit << _SHIFT) | (line + _ABOVE)


def decode(y: int) -> tuple[int, int]:
    """(unit, line) of a selection coordinate."""
    return y >> _SHIFT, (y & ((1 << _SHIFT) - 1)) - _ABOVE


def text_of(
    selection: Selection, layout: Layout, bodies: Bodies, level_of: Callable[[int], Level]
) -> str:
    """The clean text that a selection covers; hidden and unloaded messages are named instead."""
    low = (0, 0) if selection.start is None else decode(selection.start.y)
    high = (layout.size - 1, 1 << 30) if selection.end is None else decode(selection.end.y)
    start_x = selection.start.x if selection.start else 0
    end_x = selection.end.x if selection.end else None
    pieces: list[str] = []
    unit: int | None = layout.unit_of(min(low[0], layout.size - 1))
    while unit is not None and unit <= high[0]:
        first, first_x = (low[1], start_x) if unit == low[0] else (0, 0)
        last, last_x = (high[1], end_x) if unit == high[0] else (1 << 30, None)
        body = bodies.get(unit)
        if layout.is_gap(unit):
            pieces.append(gap_label(layout.gap(unit)))
        elif body is None:
            pieces.append("[not loaded]")
        else:
            pieces.append(_body_text(body, level_of(unit), (first, first_x), (last, last_x)))
        unit = layout.next_unit(unit)
    return "\n".join(pieces)


def _body_text(
    body: Body, level: Level, start: tuple[int, int], end: tuple[int, int | None]
) -> str:
    """What a selection covers of one message, from (row, character) to (row, character)."""
    texts = []
    first, last = max(start[0], 0), min(end[0], body.height(level) - 1)
    if first == 0:
        title = "".join(piece.text for piece in header(body, anchor=False)).rstrip()
        low = start[1] if start[0] == 0 else 0
        texts.append(title[low : end[1] if end[0] == 0 else None])
    row = max(first, 1)
    while row <= last:
        here = body.at(level, row)
        if here is None:
            break
        part, line = here
        folded = body.parts[part].placeholder(level)
        if folded:
            texts.append(folded)
            row += 1
            continue
        rows = min(body.parts[part].rows(level) - line, last - row + 1)
        texts.append(_part_text(body, part, line, line + rows - 1, row, start, end))
        row += rows
    return "\n".join(texts)


def _part_text(
    body: Body,
    part: int,
    line: int,
    last_line: int,
    row: int,
    start: tuple[int, int],
    end: tuple[int, int | None],
) -> str:
    """The text of some lines of a part, as it was written: wrapping leaves no trace."""
    wrapped = body.parts[part].wrapped
    low = wrapped.span(line)[0] + (start[1] if row == start[0] else 0)
    high = wrapped.shown(last_line)[1]
    if row + last_line - line == end[0] and end[1] is not None:
        high = min(high, wrapped.span(last_line)[0] + end[1])
    return wrapped.text[low:high]
