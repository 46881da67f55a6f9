"""A long text over the screen, made for its width in a thread."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.worker import get_current_worker

from hermes_tui.text.wrap import LEAST_WIDTH
from hermes_tui.tui.rendering import Render
from hermes_tui.tui.widgets.conversation.loader import failure_of


class Lines(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws strips; they are made again when the width changes."""

    class Made(Message):
        """From the thread: the lines for a width. failure: a clean sentence instead."""

        def __init__(self, width: int, strips: list[Strip], failure: str = "") -> None:
            super().__init__()
            self.width, self.strips, self.failure = width, strips, failure

    def __init__(self, render: Render, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._make = render
        self._width = 0
        self.strips: list[Strip] = []

    def replace(self, render: Render) -> None:
        """Draw something else from now on, from its beginning."""
        self._make, self._width, self.strips = render, 0, []
        self.scroll_home(animate=False)
        if self.size.width:
            self.on_resize()

    def on_resize(self) -> None:
        """Make the lines for another width."""
        width = max(self.scrollable_content_region.width, LEAST_WIDTH)
        if width != self._width:
            self._width = width
            self.run_worker(
                partial(self._work, width), thread=True, exclusive=True, exit_on_error=False
            )

    def _work(self, width: int) -> None:
        """The worker's thread."""
        worker = get_current_worker()
        try:
            made = self.Made(width, self._make(width))
        except Exception as error:
            made = self.Made(width, [], failure_of(error))
        if not worker.is_cancelled:
            self.post_message(made)

    def on_lines_made(self, event: Made) -> None:
        """Show them."""
        if event.width == self._width:
            self.strips = event.strips
            self.virtual_size = Size(event.width, len(event.strips))
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """A row."""
        cells, row = self.scrollable_content_region.width, y + self.scroll_offset.y
        base = self.rich_style
        if row >= len(self.strips):
            return Strip.blank(cells, base)
        return self.strips[row].apply_style(base).adjust_cell_length(cells, base)

    def move(self, rows: int) -> None:
        """Scroll."""
        self.scroll_relative(y=rows, animate=False)


class LinesScreen(ModalScreen[bool]):
    """Answers whether its text is to be copied."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,M,R", "close(0)", show=False),
        Binding("y", "close(1)", show=False),
        Binding("j,down", "move(1)", show=False),
        Binding("k,up", "move(-1)", show=False),
        Binding("space,pagedown,ctrl+d", "page(1)", show=False),
        Binding("b,pageup,ctrl+u", "page(-1)", show=False),
        Binding("g,home", "end(0)", show=False),
        Binding("G,end", "end(1)", show=False),
    ]

    def __init__(self, title: str, render: Render) -> None:
        super().__init__()
        self._title = title
        self.lines = Lines(render, id="lines")

    def compose(self) -> ComposeResult:
        """A box with the text."""
        with Vertical(id="text") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("y copies · Esc closes")
            yield self.lines

    def on_mount(self) -> None:
        """The keyboard is for the text."""
        self.lines.focus()

    def on_lines_made(self, event: Lines.Made) -> None:
        """Say why there is nothing to see."""
        if event.failure:
            self.query_one("#text").border_subtitle = Content(event.failure)

    def action_close(self, copy: int) -> None:
        """Close, and copy or not."""
        self.dismiss(bool(copy))

    def action_move(self, rows: int) -> None:
        """A line down or up."""
        self.lines.move(rows)

    def action_page(self, step: int) -> None:
        """A page down or up."""
        self.lines.move(step * max(1, self.lines.size.height - 1))

    def action_end(self, last: int) -> None:
        """The end, or the beginning."""
        (self.lines.scroll_end if last else self.lines.scroll_home)(animate=False)
