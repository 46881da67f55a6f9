"""What a conversation view knows: the session, where the reader is, the bodies at hand."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Literal

from textual.events import Resize
from textual.widget import Widget
from textual.worker import get_current_worker

from hermes_tui.text.wrap import LEAST_WIDTH
from hermes_tui.tui.widgets.conversation import events
from hermes_tui.tui.widgets.conversation.document import Body, Level, Spot
from hermes_tui.tui.widgets.conversation.layout import Layout, Position
from hermes_tui.tui.widgets.conversation.loader import Bodies, Context, Loader, Pool
from hermes_tui.tui.widgets.conversation.viewport import Viewport

Aim = Spot | Literal["end"] | None
"""Where in a message one goes: a character, its last line, or its first hit (None)."""
WINDOW = 5
MARGINS = 4
"""Columns that are not text: cursor mark, blank, blank, track."""
NARROW = 12
"""Below this many columns there are no margins."""
_GAP_EDGE = 4  # hidden messages fetched at each end of a gap that is near
_REWRAP_SECONDS = 0.010
_REWRAP_CHARACTERS = 20_000


class ConversationBase(Widget):
    """State and loading; moving and drawing are in the classes built on it."""

    Moved, Opened = events.Moved, events.Opened
    Failed, EdgeReached = events.Failed, events.EdgeReached

    def __init__(
        self,
        pool: Pool,
        *,
        now: Callable[[], float] = time.time,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._pool = pool
        self._now = now
        self._loader = Loader(pool, lambda batch: self.post_message(events.BodiesMade(batch)))
        self._generation = 0
        self._reason = ""
        self.session_id: str | None = None
        self.anchor_id: int | None = None
        self.window = WINDOW
        self._level: Level = "cut"
        self._forget()

    def _forget(self) -> None:
        """No session is on the screen."""
        self._reading: Context | None = None
        self._viewport: Viewport | None = None
        self._bodies = Bodies()
        self._own_levels: dict[int, Level] = {}
        self._hit_ids: tuple[int, ...] = ()
        self._hits: list[int] = []
        self._hit_set: frozenset[int] = frozenset()
        self._aim: tuple[int, Aim] | None = None
        self._frame: list[Position] | None = None

    # -- what others may ask

    @property
    def current_id(self) -> int | None:
        """The id of the message under the cursor; of the first hidden one on a gap."""
        if self._reading is None or self._viewport is None:
            return None
        return self._reading.outline.ids[self._viewport.cursor[0]]

    @property
    def position(self) -> int:
        """Number of the message under the cursor, from 1; 0 when nothing is open."""
        return self._viewport.cursor[0] + 1 if self._viewport else 0

    @property
    def total(self) -> int:
        """Messages in the session."""
        return len(self._reading.outline) if self._reading else 0

    @property
    def hit_count(self) -> int:
        """Hits in this session."""
        return len(self._hits)

    @property
    def hit_index(self) -> int:
        """Number of the hit at or before the cursor, from 1; 0 before the first."""
        return bisect_right(self._hits, self.position - 1) if self._viewport else 0

    @property
    def on_hit(self) -> bool:
        """Whether the message under the cursor is a hit."""
        return self.hit_index > 0 and self._hits[self.hit_index - 1] == self.position - 1

    def current_text(self) -> str:
        """The message under the cursor as clean text; '' on a gap and until it is loaded."""
        body = self._bodies.get(self._viewport.cursor[0]) if self._viewport else None
        return body.text() if body else ""

    @property
    def layout_of_session(self) -> Layout | None:
        """Which messages are shown, and how; None when nothing is open."""
        return self._viewport.layout if self._viewport else None

    def set_hits(self, ids: Iterable[int]) -> None:
        """Other messages match by now; nothing on the screen moves. ids: of any session."""
        self._hit_ids = tuple(ids)
        self.remeasure(self._place_hits)

    def _place_hits(self) -> None:
        """Find the hits among the messages of the session."""
        if self._reading is not None and self._viewport is not None:
            places = map(self._reading.outline.position, self._hit_ids)
            self._hit_set = frozenset(place for place in places if place is not None)
            self._hits = sorted(self._hit_set)
            self._viewport.layout.keep(self._hit_set)

    # -- bodies

    def level_of(self, index: int) -> Level:
        """The folding level of a message's tool parts."""
        level = self._own_levels.get(index, self._level)
        # A hit that one walks to is never hidden altogether.
        return "line" if level == "off" and index in self._hit_set else level

    def _store(self, bodies: dict[int, Body]) -> None:
        """Keep bodies and their heights."""
        if self._viewport is None:
            return
        needed = set(self._viewport.units_near(0, 0))
        for index, body in bodies.items():
            self._bodies.put(index, body, needed)
            self._viewport.layout.set_height(index, body.height(self.level_of(index)))

    def on_conversation_base_bodies_made(self, event: events.BodiesMade) -> None:
        """More bodies: draw them without moving the line under the eye."""
        event.stop()
        batch, viewport = event.batch, self._viewport
        if viewport is None or batch.context is not self._reading:
            return
        held = viewport.steady_line()
        self._store(batch.bodies)
        if held is not None:
            viewport.hold(*held)
        self._take_aim()
        if batch.failure:
            self.post_message(self.Failed(batch.failure))
        self.changed()

    def _want(self) -> None:
        """Ask the loader for what is on the screen, then for what is near it."""
        if self._viewport is None or self._reading is None:
            return
        layout, wanted = self._viewport.layout, []
        edges: list[int] = []
        for unit in self._viewport.units_near(self.size.height, 2 * self.size.height):
            if not layout.is_gap(unit):
                wanted.append(unit)
                continue
            gap = layout.gap(unit)
            edges.extend(range(max(gap.start, gap.end - _GAP_EDGE), gap.end))
            edges.extend(range(gap.start, min(gap.start + _GAP_EDGE, gap.end)))
        missing = [i for i in dict.fromkeys([*wanted, *edges]) if i not in self._bodies]
        if self._loader.want(self._reading, missing):
            self.run_worker(self._load, group="conversation-load", thread=True, exit_on_error=False)

    def _load(self) -> None:
        """The loading worker's thread."""
        worker = get_current_worker()
        self._loader.work(lambda: worker.is_cancelled)

    # -- keeping the place

    def changed(self) -> None:
        """Something that is drawn has changed."""
        if self._viewport is not None:
            self._viewport.settle()
        self._frame = None
        self._want()
        self._loader.pace.drawing()
        self.refresh()
        self.call_after_refresh(self._loader.pace.drawn)
        self.post_message(self.Moved())

    def go_to(
        self,
        index: int,
        *,
        row: int | None = None,
        spot: Aim = None,
        force: bool = False,
        reveal: bool = True,
    ) -> None:
        """Put a message on a screen row (None: the middle), at a spot in it or its first hit.

        A message in a gap is revealed; `force` reveals a rewound or tool one, too. Without
        `reveal` one arrives at the gap.
        """
        viewport = self._viewport
        if viewport is None:
            return
        layout = viewport.layout
        index = min(max(index, 0), layout.size - 1)
        unit = layout.unit_of(index)
        if reveal and layout.is_gap(unit) and (force or layout.gap(unit).folded):
            layout.reveal(index, force=force)
        unit = layout.unit_of(index)
        if row == 0:
            row = len(layout.above(unit))
        viewport.jump((unit, layout.bounds(unit)[1] - 1 if spot == "end" else 0), row)
        self._aim = (index, spot) if spot or index in self._hits else None
        self._take_aim()
        self.changed()

    def _take_aim(self) -> None:
        """Once the body is there, put the cursor on the line it was sent to."""
        viewport = self._viewport
        if self._aim is None or viewport is None:
            return
        index, spot = self._aim
        body = self._bodies.get(index)
        if body is None or viewport.cursor[0] != index:
            return
        self._aim = None
        if spot == "end":
            viewport.jump((index, viewport.layout.bounds(index)[1] - 1), viewport.height - 1)
            return
        spot = spot or body.first_hit()
        if spot is None:
            return
        line = body.parts[spot.part].wrapped.line_at(spot.offset)
        if not body.shows(self.level_of(index), spot.part, line):
            self._own_levels[index] = "full"
            viewport.layout.set_height(index, body.height("full"))
        viewport.cursor = index, body.row_of(self.level_of(index), spot)
        viewport.settle()

    def _spot(self) -> tuple[int, Spot] | None:
        """The character at the start of the cursor's line, to come back to it."""
        if self._viewport is None:
            return None
        unit, line = self._viewport.cursor
        body = self._bodies.get(unit)
        spot = body.spot(self.level_of(unit), line) if body else None
        return (unit, spot) if spot else None

    def _return_to(self, place: tuple[int, Spot] | None) -> None:
        """Put the cursor on the line that now holds a character."""
        if place is None or self._viewport is None:
            return
        unit, spot = place
        body = self._bodies.get(unit)
        if body is None:
            self._aim = place
        else:
            self._viewport.cursor = unit, body.row_of(self.level_of(unit), spot)

    def remeasure(self, change: Callable[[], object]) -> None:
        """Change folding levels; the character under the eye stays where it is."""
        place = self._spot()
        change()
        if self._viewport is not None:
            for index, body in self._bodies.items():
                self._viewport.layout.set_height(index, body.height(self.level_of(index)))
        self._return_to(place)
        self.changed()

    # -- size

    def _text_width(self) -> int:
        columns = self.size.width
        return max(columns - MARGINS if columns >= NARROW else columns, LEAST_WIDTH)

    def on_resize(self, event: Resize) -> None:
        """Another size: the character under the eye keeps its place."""
        if self._viewport is None or self._reading is None:
            return
        self._viewport.resize(self.size.height)
        if self._reading.width != self._text_width():
            self._change_width()
        self.changed()

    def _change_width(self) -> None:
        if self._reading is None or self._viewport is None:
            return
        place, width = self._spot(), self._text_width()
        self._reading = replace(self._reading, width=width)
        old, self._bodies = self._bodies, Bodies()
        # Small messages on the screen are wrapped at once, so that nothing flickers; the loader
        # makes the rest.
        units = self._viewport.units_near(0, 0)
        self._viewport.layout.forget_heights(width)
        until = time.monotonic() + _REWRAP_SECONDS
        for unit in sorted(units, key=lambda u: abs(u - self.position + 1)):
            body = old.get(unit)
            small = body and sum(len(p.text) for p in body.parts) < _REWRAP_CHARACTERS
            if body and small and time.monotonic() < until:
                self._store({unit: body.rewrapped(width)})
        self._return_to(place)
