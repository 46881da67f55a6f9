"""Which messages of a session are shown, and how the lines of the view follow each other.

Pure: knows roles, times and heights of messages, never their text. A *unit* is a row group of the
view: a shown message, named by its index in the session, or a run of hidden ones (a gap), named by
the index of its first. A position is (unit, line): line 0 is a message's header, lines above it
(rules, the blank between messages) are negative. Positions are what is remembered; nothing counts
lines from the top of the session, so nothing has to be measured but what is near the screen.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol

Position = tuple[int, int]
Above = Literal["border", "opening", "closing", "date", "space"]
"""Rows over a header; `border` says from which session this one goes on."""

CHUNK = 20
"""Messages that open at once when a gap is scrolled into."""
_TALLEST_GUESS = 2_000
_SHOWN, _FOLDED, _REWOUND, _TOOL = range(4)
_STATE_OF_OPENED = bytes([_FOLDED, _SHOWN, *[_SHOWN] * 254])
REWOUND = 2
"""The code of a rewound message in an outline's visibility."""


class SessionShape(Protocol):
    """What the layout reads of an outline; see hermes_tui.history.reader.Outline."""

    @property
    def roles(self) -> Sequence[str]: ...  # noqa: D102

    @property
    def visibility(self) -> bytes: ...  # noqa: D102

    @property
    def timestamps(self) -> array[float]: ...  # noqa: D102

    @property
    def octets(self) -> array[int]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Gap:
    """A run of hidden messages [start, end) and why they are hidden."""

    start: int
    end: int
    folded: int
    rewound: int
    tools: int


class Layout:
    """The rows of one session; changes only through its methods."""

    def __init__(
        self,
        shape: SessionShape,
        *,
        anchor: int | None = None,
        opening: Iterable[int] = (),
        closing: Iterable[int] = (),
        window: int = 5,
        width: int = 80,
    ) -> None:
        self.shape = shape
        self.size = len(shape.roles)
        self.anchor = anchor
        self.opening, self.closing = tuple(opening), tuple(closing)
        self.window = window
        self.show_rewound = False
        self.show_tools = True
        self.borders = (False, False)
        self._kept: frozenset[int] = frozenset()
        self._width = max(width, 1)
        self._opened = bytearray(self.size)
        self._state = bytearray(self.size)
        self._forced: set[int] = set()
        self._tools: list[int] | None = None
        self._sort_out()
        self._heights = array("i", [-1]) * self.size
        if anchor is None:
            self.unfold_all()
        else:
            self.fold_all()

    # -- what is shown

    def fold_all(self) -> None:
        """Show the window around the anchor and the bookends, nothing else."""
        self._opened = bytearray(self.size)
        self._forced.clear()
        centre = self.anchor or 0
        low, high = self.window_around(centre)
        self._opened[low:high] = b"\1" * (high - low)
        for index in (*self.opening, *self.closing):
            self._opened[index] = 1
        if self.size:
            self._forced.add(centre)
        self._refresh()

    def unfold_all(self) -> None:
        """Show the whole session."""
        self._opened = bytearray(b"\1") * self.size
        self._refresh()

    def window_around(self, centre: int) -> tuple[int, int]:
        """[low, high) with `window` messages on each side, rewound ones counted only if shown."""
        low, high, left = centre, min(centre + 1, self.size), self.window
        while low > 0 and left:
            low -= 1
            left -= self.show_rewound or self.shape.visibility[low] != REWOUND
        left = self.window
        while high < self.size and left:
            left -= self.show_rewound or self.shape.visibility[high] != REWOUND
            high += 1
        return low, high

    def set_window(self, window: int) -> None:
        """Change how many messages stand around the anchor; a smaller one folds all again."""
        narrower, self.window = window < self.window, window
        if narrower:
            self.fold_all()
        elif self.size:
            self._open(*self.window_around(self.anchor or 0))

    def reveal(self, index: int, *, force: bool = False) -> None:
        """Show a message with the window around it; `force` shows also a rewound or tool one."""
        if self._state[index] == _SHOWN:
            return
        if force:
            self._forced.add(index)
        self._open(*self.window_around(index))

    def open_gap(self, unit: int, direction: int = 0, count: int | None = None) -> bool:
        """Open a gap, or `count` messages of it from its start (1) or end (-1).

        False when it holds nothing folded (only rewound or tool messages) and stays as it is.
        """
        gap = self.gap(unit)
        if not gap.folded:
            return False
        low, high = gap.start, gap.end
        if count is not None and direction > 0:
            high = min(high, low + count)
        elif count is not None:
            low = max(low, high - count)
        self._open(low, high)
        return True

    def force_gap(self, unit: int) -> None:
        """Show every message of a gap, rewound and tool messages too."""
        gap = self.gap(unit)
        self._forced.update(range(gap.start, gap.end))
        self._open(gap.start, gap.end)

    def keep(self, indexes: frozenset[int]) -> None:
        """Show these messages even if they are a tool's and those are not shown."""
        self._kept = indexes
        self._refresh()

    def set_shown(self, *, rewound: bool | None = None, tools: bool | None = None) -> None:
        """Show or hide all rewound messages, or all tool messages."""
        if rewound is not None:
            self.show_rewound = rewound
        if tools is not None:
            self.show_tools = tools
        self._refresh()

    def show_only(self, indexes: Iterable[int]) -> None:
        """Show these messages, whatever they are, and fold all others."""
        self._opened = bytearray(self.size)
        self._forced = set(indexes)
        for index in self._forced:
            self._opened[index] = 1
        self._refresh()

    def folds(self) -> tuple[bytes, frozenset[int]]:
        """What is open, to come back to it with `restore`."""
        return bytes(self._opened), frozenset(self._forced)

    def restore(self, folds: tuple[bytes, frozenset[int]]) -> None:
        """Open and close as it was; messages that came since then are shown."""
        opened, forced = folds
        self._opened = bytearray(opened) + b"\1" * (self.size - len(opened))
        self._forced = set(forced)
        self._refresh()

    def append(self, shape: SessionShape) -> None:
        """The session has grown: `shape` begins with the messages that were there."""
        added = len(shape.roles) - self.size
        self.shape, self.size = shape, len(shape.roles)
        self._opened.extend(b"\1" * added)
        self._heights.extend([-1] * added)
        self._sort_out()
        self._refresh()

    def _sort_out(self) -> None:
        """Which messages hide for what they are."""
        codes, self._tools = self.shape.visibility, None
        # A session may have 100,000 messages, and seldom has one of these.
        self._rewound = (
            [i for i, code in enumerate(codes) if code == REWOUND] if REWOUND in codes else []
        )

    def _tool_messages(self) -> list[int]:
        if self._tools is None:
            self._tools = [i for i, role in enumerate(self.shape.roles) if role == "tool"]
        return self._tools

    def _open(self, low: int, high: int) -> None:
        self._opened[low:high] = b"\1" * (high - low)
        self._refresh()

    def _refresh(self) -> None:
        state = bytearray(self._opened.translate(_STATE_OF_OPENED))
        forced = self._forced
        if not self.show_tools:
            for index in self._tool_messages():
                if not state[index] and index not in forced and index not in self._kept:
                    state[index] = _TOOL
        if not self.show_rewound:
            for index in self._rewound:
                if index not in forced:
                    state[index] = _REWOUND
        self._state = state

    # -- units

    def is_gap(self, unit: int) -> bool:
        """Whether a unit is a run of hidden messages."""
        return self._state[unit] != _SHOWN

    def unit_of(self, index: int) -> int:
        """The unit that holds a message: itself, or the gap it is hidden in."""
        return index if self._state[index] == _SHOWN else self._state.rfind(_SHOWN, 0, index) + 1

    def gap(self, unit: int) -> Gap:
        """The run of hidden messages that begins at `unit`."""
        end = self._state.find(_SHOWN, unit)
        end = self.size if end < 0 else end
        run = self._state[unit:end]
        return Gap(unit, end, run.count(_FOLDED), run.count(_REWOUND), run.count(_TOOL))

    def next_unit(self, unit: int) -> int | None:
        """The unit below, or None at the end."""
        after = self._state.find(_SHOWN, unit) if self.is_gap(unit) else unit + 1
        return after if 0 <= after < self.size else None

    def prev_unit(self, unit: int) -> int | None:
        """The unit above, or None at the beginning."""
        return self.unit_of(unit - 1) if unit > 0 else None

    def above(self, unit: int) -> tuple[Above, ...]:
        """The rows over a message's header, or over a gap, from the top."""
        if self.is_gap(unit):
            return ("border",) if self.borders[0] and unit == 0 else ()
        rows: list[Above] = ["border"] if self.borders[0] and unit == 0 else []
        if self.anchor is not None:
            if unit in self.opening[:1] and self._state.find(_FOLDED, unit, self.anchor) >= 0:
                rows.append("opening")
            elif unit in self.closing[:1] and self._state.find(_FOLDED, self.anchor, unit) >= 0:
                rows.append("closing")
        before = self._state.rfind(_SHOWN, 0, unit)
        day = self.day(unit)
        if day is not None and (before < 0 or self.day(before) != day):
            rows.append("date")
        if not rows and before == unit - 1 >= 0 and self.shape.roles[unit] != "tool":
            rows.append("space")
        return tuple(rows)

    def day(self, index: int) -> date | None:
        """The local day of a message; None when its time is odd."""
        seconds = self.shape.timestamps[index]
        try:
            return datetime.fromtimestamp(seconds).date() if seconds > 0 else None
        except (ValueError, OverflowError, OSError):
            return None

    # -- heights

    def height(self, unit: int) -> int:
        """Lines of a unit from its header on: measured, or guessed from its size."""
        if self.is_gap(unit):
            return 1
        known = self._heights[unit]
        if known > 0:
            return known
        guess = 1 + (self.shape.octets[unit] + self._width - 1) // self._width
        return min(guess, 10 if self.shape.roles[unit] == "tool" else _TALLEST_GUESS)

    def set_height(self, index: int, height: int) -> None:
        """A message has been measured: lines with its header."""
        self._heights[index] = max(height, 1)

    def is_measured(self, index: int) -> bool:
        """Whether the height of a message is known."""
        return self._heights[index] > 0

    def forget_heights(self, width: int) -> None:
        """The width has changed: every height is a guess again."""
        self._width = max(width, 1)
        self._heights = array("i", [-1]) * self.size

    def bounds(self, unit: int) -> tuple[int, int]:
        """[first, last + 1) of a unit's lines, with those above it and a border below it."""
        border = self.borders[1] and self.next_unit(unit) is None
        return -len(self.above(unit)), self.height(unit) + border

    def is_border_below(self, unit: int, line: int) -> bool:
        """Whether a line says in which session this one goes on."""
        return self.borders[1] and line == self.height(unit) and self.next_unit(unit) is None

    # -- positions

    def normal(self, position: Position) -> Position:
        """The nearest position that exists."""
        index = min(max(position[0], 0), self.size - 1)
        unit = self.unit_of(index)
        if unit != position[0]:
            return unit, 0
        low, high = self.bounds(unit)
        return unit, min(max(position[1], low), high - 1)

    def walk(self, start: Position, lines: int, *, opening: bool = False) -> tuple[Position, int]:
        """(position, lines walked) after going down (or up, when negative) from `start`.

        With `opening`, a gap on the way opens by `CHUNK` messages where it is entered.
        """
        direction = 1 if lines > 0 else -1
        unit, line = start
        left = abs(lines)
        while left:
            low, high = self.bounds(unit)
            room = high - 1 - line if direction > 0 else line - low
            if left <= room:
                return (unit, line + direction * left), abs(lines)
            line += direction * room
            left -= room
            following = self._neighbour(unit, direction, opening)
            if following is None:
                break
            unit = following
            low, high = self.bounds(unit)
            line = low if direction > 0 else high - 1
            left -= 1
        return (unit, line), abs(lines) - left

    def _neighbour(self, unit: int, direction: int, opening: bool) -> int | None:
        step = self.next_unit if direction > 0 else self.prev_unit
        following = step(unit)
        if following is None or not opening or not self.is_gap(following):
            return following
        return step(unit) if self.open_gap(following, direction, CHUNK) else following
