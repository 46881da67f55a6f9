"""A list over the screen from which one row is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from hermes_tui.tui.widgets.menu import Menu, Row


class ChoiceScreen(ModalScreen[int | None]):
    """Answers with the index of the row, or None. title: clean text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss_none", show=False),
    ]

    def __init__(self, title: str, rows: Sequence[Row], *, cursor: int = 0) -> None:
        super().__init__()
        self._title = title
        self.menu = Menu(rows, cursor=cursor, id="menu")

    def compose(self) -> ComposeResult:
        """A box with the rows."""
        with Vertical(id="choice") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("Enter chooses · Esc closes")
            yield self.menu

    def on_mount(self) -> None:
        """The keyboard is for the rows."""
        self.menu.focus()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        """Answer."""
        self.dismiss(event.index)

    def action_dismiss_none(self) -> None:
        """Close without an answer."""
        self.dismiss(None)
