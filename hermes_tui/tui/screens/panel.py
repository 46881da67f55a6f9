"""A panel of lines over the screen that is made in a thread and may be made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, Literal

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.worker import get_current_worker

from hermes_tui.recall.explain.showing import Kind, Line
from hermes_tui.text.clean import drawable
from hermes_tui.text.wrap import LEAST_WIDTH, expand, wrap
from hermes_tui.tui.screens.lines import Lines

STYLES: dict[Kind, str] = {
    "": "",
    "head": "bold",
    "dim": "dim",
    "good": "green",
    "bad": "bold red",
    "key": "bold cyan",
}
"""How a kind of line is drawn; none says anything by its colour alone."""

CLOSES = "Esc closes"
BORDERS = 6
"""Columns of a box's border beside its keys."""

Wish = tuple[Literal["ask", "copy", "report", "open"], str]
"""What a panel ends with: a query to ask, a text to copy, a report, a session to open."""


def strips_of(lines: Iterable[Line], width: int) -> list[Strip]:
    """Clean lines, wrapped; what goes on is indented under what it belongs to."""
    strips = []
    for line in lines:
        style = Style.parse(STYLES[line.kind])
        strips += [Strip([Segment(text, style)]) for text in wrapped(line.text, width)]
    return strips


def wrapped(text: str, width: int) -> list[str]:
    """One line as many, each at most `width` cells."""
    text = drawable(text)
    first = wrap(text, width)
    head = text[slice(*first.shown(0))]
    if len(first) == 1:
        return [expand(head)]
    indent = min(len(text) - len(text.lstrip()) + 2, max(0, width // 2))
    rest = text[first.shown(1)[0] :]
    more = wrap(rest, max(LEAST_WIDTH, width - indent))
    tail = [expand(rest[slice(*more.shown(n))]) for n in range(len(more))]
    return [expand(head), *(" " * indent + line for line in tail)]


class Panel(ModalScreen[Wish | None]):
    """The box, its keys, and what it shows. Subclasses say what with `put`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "close", show=False),
        Binding("j,down", "move(1)", show=False),
        Binding("k,up", "move(-1)", show=False),
        Binding("space,pagedown,ctrl+d", "page(1)", show=False),
        Binding("b,pageup,ctrl+u", "page(-1)", show=False),
        Binding("g,home", "end(0)", show=False),
        Binding("G,end", "end(1)", show=False),
        Binding("y", "copy", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._keys = self._failure = ""
        self.lines = Lines(lambda width: [], id="lines")
        self.text = ""
        """What is shown, as text; set by the thread that made it."""

    def compose(self) -> ComposeResult:
        """A box with the lines."""
        with Vertical(id="text"):
            yield self.lines

    def on_mount(self) -> None:
        """The keyboard is for the lines."""
        self.lines.focus()

    def on_unmount(self) -> None:
        """Nobody waits for the lines any more."""
        self.workers.cancel_node(self.lines)

    def put(self, title: str, keys: str, make: Callable[[], Iterable[Line]]) -> None:
        """Show what `make` gives; it runs in a thread. title and keys: clean text."""
        self.head(title, keys)

        def render(width: int) -> list[Strip]:
            lines = list(make())
            self.text = "\n".join(line.text for line in lines)
            return strips_of(lines, width)

        self.lines.replace(render)

    def on_lines_made(self, event: Lines.Made) -> None:
        """Say why there is nothing to see."""
        if event.failure:
            self._failure = event.failure
            self.say(event.failure)

    def say(self, sentence: str) -> None:
        """Say something (clean text) where the keys are."""
        self.query_one("#text").border_subtitle = Content(sentence)

    def head(self, title: str, keys: str) -> None:
        """Name what is shown, and its keys (clean text)."""
        self.query_one("#text").border_title = Content(title)
        self._keys, self._failure = keys, ""
        self._tell_keys()

    def _tell_keys(self) -> None:
        width = self.query_one("#text").outer_size.width - BORDERS
        self.say(self._failure or fitting(self._keys, width))

    def on_resize(self) -> None:
        """Name as many keys as there is room for."""
        self.call_after_refresh(self._tell_keys)

    def action_close(self) -> None:
        """Close without a wish."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Close, and copy what is shown."""
        if self.text:
            self.dismiss(("copy", self.text))

    def action_move(self, rows: int) -> None:
        """A line down or up."""
        self.lines.move(rows)

    def action_page(self, step: int) -> None:
        """A page down or up."""
        self.lines.move(step * max(1, self.lines.size.height - 1))

    def action_end(self, last: int) -> None:
        """The end, or the beginning."""
        (self.lines.scroll_end if last else self.lines.scroll_home)(animate=False)


def fitting(keys: str, width: int) -> str:
    """The keys and how to close; the last ones are left out where there is no room for all."""
    parts = keys.split(" · ")
    while parts and cell_len(" · ".join([*parts, CLOSES])) > width:
        parts.pop()
    return " · ".join([*parts, CLOSES])


def cancelled() -> bool:
    """In a worker's thread: whether nobody waits for it any more."""
    return get_current_worker().is_cancelled
