"""A message made ready to draw: clean text, wrapped, with what is marked in it.

Pure, and slow for a huge message, so it runs in the loader's thread. A `Body` is a header and
parts; each part is one text with its own folding. Offsets everywhere count in the part's text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from sys import getsizeof
from typing import Literal, NamedTuple

from hermes_tui.history.rows import Message
from hermes_tui.text.clean import clean_line
from hermes_tui.text.readable import Readable
from hermes_tui.text.wrap import Wrapped, wrap
from hermes_tui.tui.widgets.conversation.markup import Look, looks
from hermes_tui.tui.widgets.conversation.texts import NAME_LIMIT, Kind, Pause, texts_of

Level = Literal["off", "line", "cut", "full"]
LEVELS: tuple[Level, ...] = ("cut", "full", "off", "line")
"""The order in which the tool key walks the folding levels."""
Span = tuple[int, int]
Highlight = Callable[[str], list[Span]]

CUT_LINES = 8
"""Lines of tool output shown at level `cut`."""
_OBJECTS, _SPAN = 1_000, 150  # bytes of a body's own objects, and of a span
_SUMMARY = re.compile(r"\[CONTEXT COMPACTION|\[CONTEXT SUMMARY\]:")
_FOLDING = ("output", "call", "reasoning")
_BLOCK = 1 << 18  # characters that are looked through at once for matches


class Part(NamedTuple):
    """One text of a message. looks: its code and links. hits: spans that match the query. Both
    are sorted and do not overlap their own kind.
    """

    kind: Kind
    wrapped: Wrapped
    looks: tuple[Look, ...]
    hits: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The whole clean text."""
        return self.wrapped.text

    def rows(self, level: Level) -> int:
        """Screen rows at a folding level; only tool calls, tool output and reasoning fold."""
        lines = len(self.wrapped)
        if self.kind not in _FOLDING or level == "full":
            return lines
        if self.kind == "reasoning":
            return 0 if level == "off" else 1
        if level == "cut":
            return lines if lines <= CUT_LINES + 1 else CUT_LINES + 1
        return 1 if level == "line" else 0

    def placeholder(self, level: Level) -> str:
        """What stands in one row for all of the part; '' when its lines are shown."""
        if self.kind != "reasoning" or level == "full":
            return ""
        return f"[reasoning, {len(self.text):,} characters]"


class Spot(NamedTuple):
    """A character of a message: which part, and where in its text."""

    part: int
    offset: int


@dataclass(slots=True)
class Body:
    """A message at one width. cost: bytes of memory it holds, about."""

    message_id: int
    role: str
    name: str
    timestamp: float | None
    visibility: str
    display_kind: str
    summary: bool
    parts: tuple[Part, ...]
    width: int
    cost: int = 0
    _rows: dict[Level, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cost = _OBJECTS + sum(
            getsizeof(p.text) + p.wrapped.octets + _SPAN * (len(p.looks) + len(p.hits))
            for p in self.parts
        )

    @property
    def foldable(self) -> bool:
        """Whether any part folds."""
        return any(part.kind in _FOLDING for part in self.parts)

    def _ends(self, level: Level) -> list[int]:
        """Rows up to the end of each part, header included."""
        ends = self._rows.get(level)
        if ends is None:
            total, ends = 1, []
            for part in self.parts:
                total += part.rows(level)
                ends.append(total)
            self._rows[level] = ends
        return ends

    def height(self, level: Level) -> int:
        """Rows with the header."""
        ends = self._ends(level)
        return ends[-1] if ends else 1

    def at(self, level: Level, row: int) -> tuple[int, int] | None:
        """(part, line of its text) on a row under the header; None for header and beyond.

        On the row that says what a cut leaves out, the line is the first one left out.
        """
        ends = self._ends(level)
        part = bisect_right(ends, row)
        if row < 1 or part >= len(ends):
            return None
        return part, row - (ends[part - 1] if part else 1)

    def is_rest(self, level: Level, part: int, line: int) -> bool:
        """Whether a row stands for the lines that `cut` leaves out."""
        shown = self.parts[part].rows(level)
        return level == "cut" and line == CUT_LINES and shown < len(self.parts[part].wrapped)

    def shows(self, level: Level, part: int, line: int) -> bool:
        """Whether a line of a part has a row of its own at a level."""
        rows = self.parts[part].rows(level)
        replaced = self.parts[part].placeholder(level) or self.is_rest(level, part, line)
        return line < rows and not replaced

    def spot(self, level: Level, row: int) -> Spot | None:
        """The first character on a row, to find it again at another width or level."""
        here = self.at(level, row)
        return here and Spot(here[0], self.parts[here[0]].wrapped.span(here[1])[0])

    def row_of(self, level: Level, spot: Spot) -> int:
        """The row that shows a character, or the nearest one when it is folded away."""
        ends = self._ends(level)
        if spot.part >= len(ends):
            return 0
        before = ends[spot.part - 1] if spot.part else 1
        rows = ends[spot.part] - before
        line = self.parts[spot.part].wrapped.line_at(spot.offset)
        return before + min(line, rows - 1) if rows else before - 1

    def first_hit(self) -> Spot | None:
        """The first match of the query."""
        for number, part in enumerate(self.parts):
            if part.hits:
                return Spot(number, part.hits[0][0])
        return None

    def text(self) -> str:
        """What was said, as clean text: no reasoning, and nothing that stands for other parts."""
        kept = (part.text for part in self.parts if part.kind not in ("note", "reasoning"))
        return "\n".join(kept)

    def rewrapped(self, width: int, pause: Pause | None = None) -> Body:
        """The same message at another width."""
        parts = tuple(p._replace(wrapped=wrap(p.text, width, pause)) for p in self.parts)
        return Body(
            *(self.message_id, self.role, self.name, self.timestamp, self.visibility),
            *(self.display_kind, self.summary, parts, width),
        )


def build(
    message: Message, width: int, highlight: Highlight | None = None, pause: Pause | None = None
) -> Body:
    """Clean, mark and wrap a message. `pause` is called often and may raise to stop."""
    parts = []
    for kind, text, made in texts_of(message, pause):
        searched = highlight if kind not in ("note", "reasoning") else None
        hits = tuple(_hits(text, made, searched, pause)) if searched else ()
        marked = tuple(looks(text)) if kind == "text" else ()
        parts.append(Part(kind, wrap(text, width, pause), marked, hits))
    is_tool = message.role == "tool"
    return Body(
        message_id=message.id,
        role=clean_line(message.role, NAME_LIMIT),
        name=clean_line(message.tool_name or "", NAME_LIMIT) if is_tool else "",
        timestamp=message.timestamp,
        visibility=message.visibility,
        display_kind=clean_line(message.display_kind or "", NAME_LIMIT),
        summary=_SUMMARY.match(message.text[:40]) is not None,
        parts=tuple(parts),
        width=width,
    )


def missing(message_id: int, role: str, width: int) -> Body:
    """What is shown for a message that was in the outline and is not there any more."""
    part = Part("note", wrap("[this message is no longer in the history]", width), (), ())
    return Body(
        message_id, clean_line(role, NAME_LIMIT), "", None, "live", "", False, (part,), width
    )


def _hits(
    text: str, made: Readable | None, highlight: Highlight, pause: Pause | None
) -> Iterator[Span]:
    """Matches in a text, as the index knows it: before it was made readable."""
    if made is None:
        yield from _matches(text, highlight, pause)
        return
    for span in _matches(made.source, highlight, pause):
        low, high = made.span(*span)
        if low < high:
            yield low, high


def _matches(text: str, highlight: Highlight, pause: Pause | None) -> Iterator[Span]:
    """Matches in a text; a huge one is looked through in blocks of whole lines."""
    start = 0
    while start < len(text):
        end = len(text)
        if end - start > _BLOCK:
            cut = text.find("\n", start + _BLOCK // 2)
            end = end if cut < 0 else cut + 1
        for low, high in highlight(text[start:end]):
            yield start + low, start + high
        start = end
        if pause:
            pause()
