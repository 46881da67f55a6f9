"""A list of lines to choose from, drawn line by line: nothing in it is read as markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hermes_tui.tui.drawing import Line, Piece, justified

Row = tuple[Line, Line]
"""What stands at the left and at the right of a row: clean text, Rich style definitions."""


class Menu(ScrollView, can_focus=True, inherit_bindings=False):
    """Posts Chosen on Enter, on space, and on a click on the row under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "step(1)", show=False),
        Binding("k,up", "step(-1)", show=False),
        Binding("pagedown,ctrl+d", "page(1)", show=False),
        Binding("pageup,ctrl+u", "page(-1)", show=False),
        Binding("g,home", "end(0)", show=False),
        Binding("G,end", "end(1)", show=False),
        Binding("enter,space", "choose", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"menu--cursor"}
    DEFAULT_CSS = """
    Menu { height: auto; & > .menu--cursor { background: $panel; text-style: bold; } }
    """

    cursor: var[int] = var(0, init=False)

    @dataclass
    class Chosen(Message):
        """A row was chosen; index: which one."""

        index: int

    def __init__(self, rows: Sequence[Row] = (), *, cursor: int = 0, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: Sequence[Row] = rows
        self.set_reactive(Menu.cursor, cursor)

    def on_mount(self) -> None:
        """Take the size of the rows."""
        self.show(self.rows)

    def show(self, rows: Sequence[Row]) -> None:
        """Replace the rows; the cursor stays on its place."""
        self.rows = rows
        self.virtual_size = Size(self.size.width, len(rows))
        self.cursor = self.validate_cursor(self.cursor)
        self._reveal()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as rows, for `height: auto`."""
        return len(self.rows)

    def validate_cursor(self, value: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(value, len(self.rows) - 1))

    def watch_cursor(self) -> None:
        """Show the row under the cursor."""
        self._reveal()
        self.refresh()

    def on_resize(self) -> None:
        """Keep the cursor on view."""
        self.virtual_size = Size(self.size.width, len(self.rows))
        self._reveal()

    def _reveal(self) -> None:
        if self.size.height:
            region = Region(0, self.cursor, 1, 1)
            self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def action_step(self, step: int) -> None:
        """A row down or up."""
        self.cursor += step

    def action_page(self, step: int) -> None:
        """A page down or up."""
        self.cursor += step * max(1, self.size.height - 1)

    def action_end(self, last: int) -> None:
        """The first row, or the last."""
        self.cursor = len(self.rows) - 1 if last else 0

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.rows:
            self.post_message(self.Chosen(self.cursor))

    def on_click(self, event: events.Click) -> None:
        """A click goes to a row; on the row under the cursor it chooses it."""
        row = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if row == self.cursor:
            self.action_choose()
        elif 0 <= row < len(self.rows):
            self.cursor = row

    def render_line(self, y: int) -> Strip:
        """One row."""
        cells, base = self.scrollable_content_region.width, self.rich_style
        row = y + self.scroll_offset.y
        if row >= len(self.rows):
            return Strip.blank(cells, base)
        here = row == self.cursor
        if here:
            base += self.get_component_rich_style("menu--cursor", partial=True)
        left, right = self.rows[row]
        mark = Piece("▌ " if here else "  ", "bold")
        line = (mark, *justified(left, right, max(0, cells - 3)))
        segments = [Segment(piece.text, base + Style.parse(piece.style)) for piece in line]
        return Strip(segments).adjust_cell_length(cells, base)
