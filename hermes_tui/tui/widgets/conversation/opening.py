"""What is read before a session is first painted: its outline, bookends and the anchor's window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from hermes_tui.history.reader import Outline
from hermes_tui.recall.view import is_bookend
from hermes_tui.tui.widgets.conversation.document import Body, Highlight
from hermes_tui.tui.widgets.conversation.layout import Layout
from hermes_tui.tui.widgets.conversation.loader import (
    Context,
    Reader,
    batch_of,
    bodies_of,
)

BOOKENDS = 3
"""Messages shown of each end of the session."""
_LOOK_AT = 16  # messages read at once while looking for bookends
_LOOKS = 8  # a session whose ends hold nothing but tool calls is not searched to its middle


@dataclass(frozen=True, slots=True)
class Request:
    """A session to open, as the widget was asked to."""

    generation: int
    session_id: str
    anchor: int | None
    hits: tuple[int, ...]
    highlight: Highlight | None
    width: int
    window: int


@dataclass(frozen=True, slots=True)
class Opened:
    """Everything the first paint needs. failure: a sentence; the rest is empty then."""

    request: Request
    context: Context | None = None
    layout: Layout | None = None
    bodies: dict[int, Body] | None = None
    failure: str = ""
    notice: str = ""


def open_session(reader: Reader, request: Request, pause: Callable[[], object]) -> Opened:
    """Read a session up to its first paint. `pause` is called often and may raise to stop.

    A long one is painted from a sketch, when that knows all that is shown.
    """
    sketch = reader.sketch(request.session_id, request.anchor)
    if sketch is not None:
        pause()
        opened = _open(reader, request, sketch, pause)
        if opened is not None:
            return opened
    outline = reader.outline(request.session_id)
    if not len(outline):
        if reader.session(request.session_id) is None:
            return Opened(request, failure="This session is not in the history.")
        return Opened(request, failure="This session has no messages.")
    opened = _open(reader, request, outline, pause)
    assert opened is not None  # a whole outline knows everything
    return opened


def _open(
    reader: Reader, request: Request, outline: Outline, pause: Callable[[], object]
) -> Opened | None:
    """None when this outline does not know what would be shown."""
    notice, anchor = "", None
    if request.anchor is not None:
        anchor = outline.position(request.anchor)
        if anchor is None:
            notice = f"Message {request.anchor} is not in this session."
    context = Context(outline, request.width, request.highlight)
    layout = Layout(outline, anchor=anchor, window=request.window, width=request.width)
    centre = anchor or 0
    low, high = layout.window_around(centre)
    if not outline.knows(range(low, high)):
        return None
    if anchor is not None:
        pause()
        opening = bookends(reader, outline, range(low))
        closing = bookends(reader, outline, range(len(outline) - 1, high - 1, -1))
        if opening is None or closing is None:
            return None
        layout.opening, layout.closing = opening, closing[::-1]
        layout.fold_all()
    near = sorted(range(low, high), key=lambda i: abs(i - centre))
    bodies = bodies_of(reader, context, list(batch_of(outline, near)), pause)
    return Opened(request, context, layout, bodies, notice=notice)


def bookends(reader: Reader, outline: Outline, places: range) -> tuple[int, ...] | None:
    """The first real messages among `places`: said, live, and no compaction text.

    None when they may lie where the outline was not read.
    """
    candidates = (
        i
        for i in places
        if outline.roles[i] in ("user", "assistant")
        and outline.visibility[i] == 0
        and outline.octets[i]
    )
    found: list[int] = []
    for _ in range(_LOOKS):
        chunk = list(islice(candidates, _LOOK_AT))
        real = {m.id for m in reader.messages([outline.ids[i] for i in chunk]) if is_bookend(m)}
        for index in chunk:
            if outline.ids[index] in real:
                found.append(index)
                if len(found) == BOOKENDS:
                    return _known(outline, places, index, tuple(found))
        if len(chunk) < _LOOK_AT:
            return _known(outline, places, None, tuple(found))
    return _known(outline, places, chunk[-1], tuple(found))


def _known(
    outline: Outline, places: range, last: int | None, found: tuple[int, ...]
) -> tuple[int, ...] | None:
    """What was found, if everything that was looked through (up to `last`) is known."""
    seen = places if last is None else places[: places.index(last) + 1]
    return found if outline.knows(seen) else None
