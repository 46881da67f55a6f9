"""Where the reader is: a line under the eye, and its place on the screen.

Pure. The truth is (cursor, row): the position under the eye and the screen row it stands on. What
is drawn above and below follows from the layout, so loading, folding or resizing anything else
cannot move that line; only the two ends of the session can.
"""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.tui.widgets.conversation.layout import Layout, Position


class Viewport:
    """A screen of `height` rows over a layout that holds at least one message."""

    def __init__(self, layout: Layout, height: int) -> None:
        self.layout = layout
        self.height = max(height, 1)
        self.cursor: Position = layout.normal((0, 0))
        self.row = 0
        self._eye = 0  # the row the cursor comes back to after an end of the session moved it
        self.settle()

    def resize(self, height: int) -> None:
        """The screen has another height: the cursor keeps its share of it."""
        old, self.height = self.height, max(height, 1)
        if old != self.height:
            self.row = self.row * self.height // old
            self._eye = self._eye * self.height // old
        self.settle()

    def settle(self) -> None:
        """Make cursor and row possible again after the layout has changed."""
        walk = self.layout.walk
        self.cursor = self.layout.normal(self.cursor)
        row = min(max(self.row, 0), self.height - 1)
        top, self.row = walk(self.cursor, -row)
        wanted = self.height - 1 - self.row
        missing = wanted - walk(self.cursor, wanted)[1]
        if missing:
            self.row += walk(top, -missing)[1]

    def jump(self, position: Position, row: int | None = None) -> None:
        """Go to a position and put it on a screen row, by default the middle."""
        self.cursor = position
        self.row = self._eye = self.height // 2 if row is None else row
        self.settle()

    def show(self, position: Position, lines: int = 1) -> None:
        """Move the cursor to a position; the screen moves only if its lines would not be on it."""
        for place, here in enumerate(self.frame()):
            if here == position and place + min(lines, self.height // 2) <= self.height:
                self.cursor, self.row, self._eye = position, place, place
                return
        self.jump(position, self.height // 4)

    def step(self, lines: int) -> int:
        """Move the cursor by lines; the text follows once the cursor is on its usual row."""
        self.cursor, moved = self.layout.walk(self.cursor, lines, opening=True)
        if lines > 0 and self.row < self._eye:
            self.row = min(self.row + moved, self._eye)
        elif lines < 0 and self.row > self._eye:
            self.row = max(self.row - moved, self._eye)
        self.settle()
        return moved

    def scroll(self, lines: int) -> int:
        """Move the text by lines under a cursor that keeps its row; returns lines moved."""
        self.cursor, moved = self.layout.walk(self.cursor, lines, opening=True)
        self.settle()
        return moved

    def steady_line(self) -> tuple[Position, int] | None:
        """The line to hold while heights are measured, when the cursor's own is only a guess.

        (position, screen row) of the nearest line of a measured message; None when the cursor
        itself can be held.
        """
        unit = self.cursor[0]
        if self._is_sure(unit):
            return None
        sure = [(p, row) for row, p in enumerate(self.frame()) if self._is_sure(p[0])]
        return min(sure, key=lambda held: abs(held[1] - self.row), default=None)

    def hold(self, position: Position, row: int) -> None:
        """Keep a line on its screen row, and the cursor on its own."""
        wanted = self.row
        self.cursor, self.row = position, row
        self.settle()
        self.cursor, moved = self.layout.walk(self.cursor, wanted - self.row)
        self.row += moved if wanted > row else -moved
        self.settle()

    def _is_sure(self, unit: int) -> bool:
        return self.layout.is_gap(unit) or self.layout.is_measured(unit)

    def top(self) -> Position:
        """The first line on the screen."""
        return self.layout.walk(self.cursor, -self.row)[0]

    def frame(self) -> list[Position]:
        """The positions on the screen, from the top; fewer than rows in a short session."""
        return list(self.lines_from(self.top(), self.height))

    def lines_from(self, position: Position, count: int) -> Iterator[Position]:
        """Up to `count` positions from one on, downwards."""
        unit: int | None
        unit, line = position
        while count > 0 and unit is not None:
            high = self.layout.bounds(unit)[1]
            for here in range(line, min(high, line + count)):
                yield unit, here
            count -= high - line
            unit = self.layout.next_unit(unit)
            line = 0 if unit is None else self.layout.bounds(unit)[0]

    def units_near(self, above: int, below: int) -> list[int]:
        """Units on the screen, then those up to `below` lines under and `above` lines over it."""
        frame = self.frame()
        units = list(dict.fromkeys(unit for unit, _ in frame))
        for unit, reach, step in (
            (units[-1], below, self.layout.next_unit),
            (units[0], above, self.layout.prev_unit),
        ):
            following = step(unit)
            while following is not None and reach > 0:
                units.append(following)
                reach -= self.layout.height(following)
                following = step(following)
        return units
