"""Rows of the conversation as segments; nothing here asks where the row stands on the screen.

Every character drawn has gone through `clean`, and through `expand` for its width. Each segment
carries where it comes from, so that a mouse selection can be read back from the original text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from hermes_tui.text.clean import stable
from hermes_tui.text.wrap import expand
from hermes_tui.tui.widgets.conversation.document import Body, Level, Part, Span
from hermes_tui.tui.widgets.conversation.layout import Gap
from hermes_tui.tui.widgets.conversation.markup import Look

_S = TypeVar("_S", Span, Look)
_start, _end = itemgetter(0), itemgetter(1)

Palette = Mapping[str, Style]
ROLE_NAMES = {"user": "you", "assistant": "hermes"}
_LOOKS: dict[str, str] = {"fence": "code"}  # drawn in a style of another name
_MOST_PER_CELL = 16  # thousands of combining marks on one letter would stall a terminal


class Piece(NamedTuple):
    """A stretch of a row. start: offset in the row's source where its first character stands."""

    text: str
    style: str
    start: int


def header(body: Body, *, anchor: bool, bookmark: bool = False) -> list[Piece]:
    """Role, time and what is special about a message."""
    name = stable(ROLE_NAMES.get(body.role, body.role) or "?")
    if body.name:
        name = f"{name} {stable(body.name)}"
    role = body.role if body.role in ("user", "assistant", "tool") else "system"
    marks = []
    if body.visibility != "live":
        marks.append(body.visibility)
    if body.summary:
        marks.append("compaction summary")
    if body.display_kind:
        marks.append(stable(body.display_kind))
    pieces = [(name, f"role-{role}"), (clock(body.timestamp), "dim")]
    if anchor:
        pieces.append(("◀ anchor", "anchor"))
    if marks:
        pieces.append((" · ".join(marks), "mark"))
    if bookmark:
        pieces.append(("★ bookmark", "anchor"))
    placed, start = [], 0
    for text, style in pieces:
        if text:
            placed.append(Piece(text + "  ", style, start))
            start += len(text) + 2
    return placed


def clock(timestamp: float | None) -> str:
    """Local hours and minutes; '' when the time is odd."""
    try:
        return datetime.fromtimestamp(timestamp).strftime("%H:%M") if timestamp else ""
    except (ValueError, OverflowError, OSError):
        return ""


def rule(label: str, width: int) -> str:
    """A thin line with a word in it."""
    return set_cell_size(f"── {label} " + "─" * width, width)


def day_label(day: date) -> str:
    """A date rule's label."""
    return f"{day:%a} {day.day} {day:%b %Y}"


def gap_label(gap: Gap) -> str:
    """What a gap row says."""
    said = []
    if gap.folded:
        said.append(f"{gap.folded:,} message{'s' * (gap.folded != 1)}")
    if gap.tools:
        said.append(f"{gap.tools:,} tool message{'s' * (gap.tools != 1)}")
    if gap.rewound and said:
        said.append(f"{gap.rewound:,} rewound hidden")
    if said:
        return f"┄ {' · '.join(said)} ┄"
    return f"{gap.rewound:,} rewound message{'s' * (gap.rewound != 1)} hidden"


def body_row(
    body: Body, level: Level, part_number: int, line: int, find: Iterable[Span] = ()
) -> tuple[list[Piece], str]:
    """(pieces, style of the whole row) of a line of a part."""
    part = body.parts[part_number]
    if body.is_rest(level, part_number, line):
        rest = len(part.wrapped) - line
        return [Piece(f"… {rest:,} more lines", "dim", 0)], ""
    folded = part.placeholder(level)
    if folded:
        return [Piece(folded, "dim", 0)], ""
    start, end = part.wrapped.shown(line)
    end = min(end, start + _MOST_PER_CELL * body.width)
    base = {"output": "output", "call": "call", "note": "dim", "reasoning": "reasoning"}.get(
        part.kind, ""
    )
    row_style = "code-row" if _in_fence(part, start, end) else ""
    pieces = list(_pieces(part, start, end, base, find))
    if level == "line" and part.kind in ("output", "call") and len(part.wrapped) > 1:
        pieces.append(Piece(" …", "dim", end - start))
    return pieces, row_style


def _in_fence(part: Part, start: int, end: int) -> bool:
    return any(
        look.style == "fence" and look.start <= start for look in _touching(part.looks, start, end)
    )


def _touching(spans: Sequence[_S], start: int, end: int) -> Sequence[_S]:
    """Those of many sorted spans that reach into [start, end]."""
    low = bisect_left(spans, start, key=_end)
    return spans[low : bisect_right(spans, end, lo=low, key=_start)]


def _pieces(part: Part, start: int, end: int, base: str, find: Iterable[Span]) -> Iterator[Piece]:
    """A line cut where its style changes; a match shows over code, a find over a match."""
    cuts, touched = {start, end}, _touching(part.looks, start, end)
    layers: list[tuple[int, int, str]] = [
        *((low, high, _LOOKS.get(look, look)) for low, high, look in touched),
        *((low, high, "match") for low, high in _touching(part.hits, start, end)),
        *((low, high, "find") for low, high in find),
    ]
    for low, high, _ in layers:
        cuts.update((max(low, start), min(high, end)))
    edges = sorted(cut for cut in cuts if start <= cut <= end)
    for low, high in pairwise(edges):
        over = [style for a, b, style in layers if a <= low and high <= b]
        yield Piece(part.text[low:high], over[-1] if over else base, low - start)


def strip_of(
    pieces: Iterable[Piece],
    palette: Palette,
    width: int,
    *,
    base: Style,
    y: int | None,
    selected: Span | None = None,
) -> Strip:
    """Pieces as exactly `width` cells. y: the selection coordinate, None for what is no text."""
    segments: list[Segment] = []
    column = 0
    for piece in pieces:
        style = base + palette[piece.style] if piece.style else base
        for text, start in _steady(piece):
            for run, at, marked in _split(text, start, selected):
                drawn = expand(run, column)
                shown = style + palette["selection"] if marked else style
                if y is not None:
                    shown = shown + Style(meta={"offset": (at, y)})
                # Textual counts the characters of a segment: every cell of a tab is the tab.
                segments.extend(Segment(d, shown) for d in (drawn if run == "\t" else (drawn,)))
                column += cell_len(drawn)
    return Strip(segments, column).adjust_cell_length(width, base)


def _steady(piece: Piece) -> Iterator[tuple[str, int]]:
    """A piece cut so that characters drawn and characters of the source count alike."""
    text = piece.text
    if len(stable(text)) == len(text) and "\t" not in text:
        yield text, piece.start
        return
    run = 0
    for index, character in enumerate(text):
        if character == "\t" or not stable(character):
            if index > run:
                yield text[run:index], piece.start + run
            yield character, piece.start + index
            run = index + 1
    if run < len(text):
        yield text[run:], piece.start + run


def _split(text: str, start: int, selected: Span | None) -> Iterator[tuple[str, int, bool]]:
    """A run cut at the ends of the selection."""
    if selected is None:
        yield text, start, False
        return
    low = min(max(selected[0] - start, 0), len(text))
    high = len(text) if selected[1] < 0 else min(max(selected[1] - start, low), len(text))
    for a, b, marked in ((0, low, False), (low, high, True), (high, len(text), False)):
        if b > a:
            yield text[a:b], start + a, marked
