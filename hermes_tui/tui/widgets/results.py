"""The results: one entry of three lines per lineage, drawn line by line.

Entries all have the same height, so a thousand of them cost arithmetic and not widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hermes_tui.recall.judge import Grade
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.commands import bindings
from hermes_tui.tui.drawing import Line
from hermes_tui.tui.messages import ResultChosen, ResultHighlighted
from hermes_tui.tui.widgets.results_drawing import (
    ENTRY_LINES,
    cut_line,
    entry_lines,
    judged_as,
)


class ResultsList(ScrollView, can_focus=True, inherit_bindings=False):
    """The list itself. Posts ResultHighlighted when the cursor moves, ResultChosen on Enter."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("results"))
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "results--title",
        "results--dim",
        "results--mark",
        "results--seen",
        "results--bar",
        "results--cut",
        "results--cursor",
    }

    cursor: var[int] = var(0, init=False)

    def __init__(self, *, now: Callable[[], float], id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._now = now
        self._hits: Sequence[LineageHit] = ()
        self._agent_sees = 0
        self._cut: int | None = None
        self._grades: Mapping[str, Grade] = {}
        self._drawn: dict[tuple[int, bool], tuple[Line, ...]] = {}
        self._drawn_width = -1

    @property
    def hits(self) -> Sequence[LineageHit]:
        """The entries on the list."""
        return self._hits

    @property
    def current(self) -> LineageHit | None:
        """The entry under the cursor."""
        return self._hits[self.cursor] if self._hits else None

    @property
    def cut_after(self) -> int | None:
        """How many entries stand above the cut line; None without a cut line."""
        return self._cut

    def show(
        self, hits: Sequence[LineageHit], *, keep_cursor: bool = False, quiet: bool = False
    ) -> None:
        """Replace the entries.

        keep_cursor: stay on the same lineage, on the same row of the screen, when it is still
        there. Otherwise the cursor and the view go to the top. quiet: say nothing of an entry
        that is of the lineage the cursor was on.
        """
        before = self.current
        row = self._top_of(self.cursor) - self.scroll_offset.y
        self._hits = tuple(hits)
        self._agent_sees, self._cut = _cut_place(self._hits)
        self._drawn.clear()
        self._resize_content()
        target = next((i for i, hit in enumerate(hits) if before and hit.root == before.root), None)
        self.set_reactive(ResultsList.cursor, target or 0 if keep_cursor else 0)
        kept = keep_cursor and target is not None
        self.scroll_to(
            y=max(0, self._top_of(self.cursor) - row) if kept else 0,
            animate=False,
            force=True,
            immediate=True,
        )
        self.refresh()
        if not (quiet and kept):
            self._announce()

    def mark(self, grades: Mapping[str, Grade]) -> None:
        """Show which entries were judged, by root or session id; with none, no entry is marked."""
        if grades != self._grades:
            self._grades = grades
            self._drawn.clear()
            self.refresh()

    def grade_of(self, hit: LineageHit) -> Grade | None:
        """The grade an entry was given."""
        grade = self._grades.get(hit.root)
        return self._grades.get(hit.session_id) if grade is None else grade

    # -- moving ---------------------------------------------------------------------------

    def validate_cursor(self, value: int) -> int:
        """Keep the cursor on an entry."""
        return max(0, min(value, len(self._hits) - 1))

    def watch_cursor(self) -> None:
        """Show the entry under the cursor and say that it changed."""
        self._reveal()
        self.refresh()
        self._announce()

    def action_line_down(self) -> None:
        """Next entry."""
        self.cursor += 1

    def action_line_up(self) -> None:
        """Previous entry."""
        self.cursor -= 1

    def action_page_down(self) -> None:
        """As many entries down as the pane shows."""
        self.cursor += self._page()

    def action_page_up(self) -> None:
        """As many entries up as the pane shows."""
        self.cursor -= self._page()

    def action_first(self) -> None:
        """First entry."""
        self.cursor = 0

    def action_last(self) -> None:
        """Last entry."""
        self.cursor = len(self._hits) - 1

    def action_open(self) -> None:
        """Choose the entry under the cursor."""
        if self.current is not None:
            self.post_message(ResultChosen(self.current))

    def on_click(self, event: events.Click) -> None:
        """A click goes to an entry; on the entry under the cursor it opens it."""
        index = self._entry_at(event.get_content_offset_capture(self).y + self.scroll_offset.y)
        if index is None:
            return
        if index == self.cursor and event.chain > 1:
            self.action_open()
        self.cursor = index

    def _page(self) -> int:
        return max(1, self.scrollable_content_region.height // ENTRY_LINES)

    def _announce(self) -> None:
        self.post_message(ResultHighlighted(self.current))

    # -- geometry -------------------------------------------------------------------------

    def _top_of(self, index: int) -> int:
        """First row of an entry."""
        return index * ENTRY_LINES + (self._cut is not None and index >= self._cut)

    def _entry_at(self, y: int) -> int | None:
        """The entry that a row belongs to; None for the cut line and below the end."""
        if self._cut is not None:
            cut_row = self._cut * ENTRY_LINES
            if y == cut_row:
                return None
            y -= y > cut_row
        index = y // ENTRY_LINES
        return index if 0 <= index < len(self._hits) else None

    def _resize_content(self) -> None:
        self.virtual_size = Size(
            self.scrollable_content_region.width, self._top_of(len(self._hits))
        )

    def _reveal(self) -> None:
        if self._hits:
            region = Region(0, self._top_of(self.cursor), 1, ENTRY_LINES)
            self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def on_resize(self) -> None:
        """Lay out again for the new width and keep the cursor on view."""
        self._resize_content()
        self._reveal()

    # -- drawing --------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One row of the pane."""
        width = self.scrollable_content_region.width
        row = y + self.scroll_offset.y
        index = self._entry_at(row)
        if index is not None:
            line = self._lines(index, width)[row - self._top_of(index)]
            return self._strip(line, width, index == self.cursor)
        if self._cut is not None and row == self._cut * ENTRY_LINES:
            return self._strip(cut_line(self._agent_sees, width), width, False)
        return Strip.blank(width, self.rich_style)

    def _lines(self, index: int, width: int) -> tuple[Line, ...]:
        """The drawn lines of an entry; kept until the entries, the width or the cursor change."""
        if width != self._drawn_width:
            self._drawn.clear()
            self._drawn_width = width
        key = (index, index == self.cursor)
        if key not in self._drawn:
            hit = self._hits[index]
            judged = judged_as(self.grade_of(hit)) if self._grades else None
            self._drawn[key] = entry_lines(hit, width, self._now(), key[1], judged)
        return self._drawn[key]

    def _strip(self, line: Line, width: int, selected: bool) -> Strip:
        base = self.rich_style
        if selected:
            base += self.get_component_rich_style("results--cursor", partial=True)
        segments = [Segment(piece.text, base + self._style(piece.style)) for piece in line]
        return Strip(segments).adjust_cell_length(width, base)

    def _style(self, name: str) -> Style:
        if not name:
            return Style.null()
        return self.get_component_rich_style(f"results--{name}", partial=True)


def _cut_place(hits: Sequence[LineageHit]) -> tuple[int, int | None]:
    """(lineages in the agent's answer, entries above the cut line or None for no line).

    There is a line only where entries that the agent does not see follow.
    """
    seen = [index for index, hit in enumerate(hits) if hit.agent_rank is not None]
    place = seen[-1] + 1 if seen else 0
    follows = any(hit.unseen is not None for hit in hits[place:])
    return len(seen), place if follows else None
