"""The doctor's report as a screen: read in a thread, again while an index is being rebuilt."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import get_current_worker

from hermes_tui.history.errors import HistoryError, Interrupted, QueryError
from hermes_tui.history.locate import Place
from hermes_tui.recall.health import Health, examine_place
from hermes_tui.recall.health_text import Section, sections, verdict
from hermes_tui.tui.drawing import one_line

AGAIN = 1.0
"""Seconds to the next look while an index is being rebuilt."""

GROUP = "doctor"
_LABEL_COLUMN = 30


class DoctorScreen(ModalScreen[None]):
    """Closed by Esc, q, Enter or D; `i` lets SQLite check the file, `r` looks again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,D,enter", "dismiss", show=False),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("space,pagedown", "page(1)", show=False),
        Binding("b,pageup", "page(-1)", show=False),
        Binding("i", "check", show=False),
        Binding("r", "look", show=False),
    ]

    class _Examined(Message):
        """A look has ended. error: why it found nothing, clean."""

        def __init__(self, health: Health | None, error: str = "") -> None:
            super().__init__()
            self.health = health
            self.error = error

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place
        self._integrity = False
        self.health: Health | None = None
        self._report = Static("Counting what the indexes hold …", markup=False)

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="doctor") as box:
            box.border_title = "doctor"
            box.border_subtitle = "i checks the file · r looks again · Esc closes"
            yield self._report

    def on_mount(self) -> None:
        """Look at once."""
        self.action_look()

    def action_look(self) -> None:
        """Examine the history again."""
        self.run_worker(
            partial(self._examine, self._integrity),
            group=GROUP,
            thread=True,
            exclusive=True,
            exit_on_error=False,
        )

    def action_check(self) -> None:
        """Examine it again, and let SQLite check the whole file."""
        self._integrity = True
        self._report.update("SQLite checks the whole file …")
        self.action_look()

    def _examine(self, integrity: bool) -> None:
        """Runs in a thread: only posts a message."""
        worker = get_current_worker()
        try:
            health = examine_place(
                self._place, integrity=integrity, stop=lambda: worker.is_cancelled
            )
        except Interrupted:
            return
        except (HistoryError, QueryError) as error:
            self.post_message(self._Examined(None, str(error)))
            return
        self.post_message(self._Examined(health))

    def on_doctor_screen__examined(self, event: _Examined) -> None:
        """Show the report, or why there is none."""
        if event.health is None:
            self._report.update(Text(f"The history cannot be examined: {one_line(event.error)}"))
            return
        self.health = event.health
        self._report.update(report(event.health))
        if event.health.markers.rebuild or event.health.markers.cjk_rebuild:
            self.set_timer(AGAIN, self.action_look)

    def action_scroll(self, step: int) -> None:
        """A line down or up."""
        self.query_one("#doctor", VerticalScroll).scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """A page down or up."""
        box = self.query_one("#doctor", VerticalScroll)
        box.scroll_relative(y=step * max(1, box.size.height - 1), animate=False)


def report(health: Health) -> Group:
    """The whole report, drawn as two columns under titles; the verdict first."""
    parts: list[RenderableType] = [
        Text(f" {verdict(health)}", "bold green" if health.healthy else "bold yellow"),
        Text(""),
    ]
    for section in sections(health):
        parts += _section(section)
    return Group(*parts)


def _section(section: Section) -> tuple[RenderableType, ...]:
    table = Table.grid(padding=(0, 2))
    longest = max((len(left) for left, _ in section.rows), default=0)
    table.add_column(width=min(_LABEL_COLUMN, longest + 1))
    table.add_column()
    for left, right in section.rows:
        table.add_row(Text(f" {one_line(left)}", "bold"), Text(one_line(right)))
    return (Text(section.title, "bold underline"), table, Text(""))
