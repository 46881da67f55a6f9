"""The conversation pane: which session it is and where one stands, above the view itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from hermes_tui.history.reader import HistoryPool
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.commands import bindings
from hermes_tui.tui.drawing import Piece
from hermes_tui.tui.service import Spans
from hermes_tui.tui.widgets.conversation import ConversationView
from hermes_tui.tui.widgets.conversation.events import Moved, Opened
from hermes_tui.tui.widgets.one_line import OneLine
from hermes_tui.tui.widgets.results_drawing import root_of, title_of
from hermes_tui.tui.wording import position_text


class Conversation(ConversationView, inherit_bindings=False):
    """The view with the keys of the registry."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("conversation"))


class ConversationPane(Vertical):
    """A heading and the view. `hit` is the entry of the results that is shown."""

    def __init__(
        self,
        pool: HistoryPool,
        *,
        now: Callable[[], float],
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.border_title = "conversation"
        self.view = Conversation(pool, now=now, id="conversation")
        self.heading = OneLine(id="heading")
        self.hit: LineageHit | None = None
        self._asked: tuple[str, int | None, str] | None = None

    def compose(self) -> ComposeResult:
        """The heading above the view."""
        yield self.heading
        yield self.view

    def open(self, hit: LineageHit, query: str, highlight: Callable[[str], Spans] | None) -> None:
        """Show an entry at its hit; nothing happens when it is on view for this query already."""
        asked = (hit.session_id, hit.message_id, query)
        self.hit = hit
        if asked != self._asked:
            self._asked = asked
            self.view.open(
                hit.session_id, anchor=hit.message_id, hits=hit.hits, highlight=highlight
            )
        self.update_heading()

    def clear(self, reason: str) -> None:
        """Show no conversation, and why (clean text)."""
        self.hit = self._asked = None
        self.view.clear(reason)
        self.update_heading()

    def forget(self) -> None:
        """Let the next `open` load again, after one that failed."""
        self._asked = None

    @on(Moved)
    @on(Opened)
    def update_heading(self) -> None:
        """Say where one stands."""
        if self.hit is None:
            self.heading.put(())
            return
        view = self.view
        where = position_text(view.position, view.total, view.hit_index, view.hit_count)
        root = root_of(self.hit)
        title = Piece(title_of(self.hit), "bold")
        lead = (Piece(f"{root} ▸ ", "dim"), title) if root else (title,)
        self.heading.put(lead, (Piece(where, "dim"),))
