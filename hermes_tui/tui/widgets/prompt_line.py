"""The line under a conversation where a text to find, or a place to go to, is typed."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from hermes_tui.tui.commands import bindings
from hermes_tui.tui.drawing import Piece
from hermes_tui.tui.messages import (
    PromptAccepted,
    PromptCancelled,
    PromptStepped,
    PromptTyped,
)
from hermes_tui.tui.widgets.clean_input import CleanInput
from hermes_tui.tui.widgets.one_line import OneLine

Kind = Literal["find", "go"]
_LABELS: dict[Kind, str] = {"find": "find ", "go": "go to "}


class PromptField(CleanInput):
    """Where it is typed."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("prompt"))

    def action_accept(self) -> None:
        """Do it."""
        self.post_message(PromptAccepted(self.value))

    def action_cancel(self) -> None:
        """Leave it."""
        self.post_message(PromptCancelled())

    def action_step(self, step: int) -> None:
        """The next match, or the one before."""
        self.post_message(PromptStepped(step))


class PromptLine(Horizontal):
    """Hidden until it is asked for. Posts the Prompt… messages."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.kind: Kind = "find"
        self.field = PromptField(compact=True, select_on_focus=False, id="prompt-field")
        self._label = OneLine(id="prompt-label")
        self._state = OneLine(id="prompt-state")
        self.display = False

    def compose(self) -> ComposeResult:
        """What is asked, the field, and how it goes."""
        yield self._label
        yield self.field
        yield self._state

    def ask(self, kind: Kind) -> None:
        """Take the keyboard. What was looked for before is there, selected."""
        if kind != self.kind:
            self.kind = kind
            self.field.value = ""
        self._label.put((Piece(f" {_LABELS[kind]}", "bold"),))
        self.tell("")
        self.display = True
        self.screen.set_focus(self.field)  # at once: what is typed ahead goes there
        self.field.action_select_all()
        if self.field.value:
            self.post_message(PromptTyped(self.field.value))

    def close(self) -> None:
        """Hide."""
        self.display = False

    def tell(self, text: str) -> None:
        """Say how it goes, at the right end (clean text)."""
        self._state.put((Piece(f" {text} ", "dim"),) if text else ())

    @property
    def told(self) -> str:
        """What it says at the right end."""
        return self._state.text.strip()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.display:
            self.post_message(PromptTyped(event.value))
