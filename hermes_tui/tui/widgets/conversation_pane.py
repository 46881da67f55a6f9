"""The conversation pane: which session it is and where one stands, the view, the prompt line."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from hermes_tui.history.reader import HistoryPool
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.drawing import Piece
from hermes_tui.tui.messages import (
    PromptAccepted,
    PromptCancelled,
    PromptStepped,
    PromptTyped,
)
from hermes_tui.tui.service import Spans
from hermes_tui.tui.widgets.conversation.events import Moved, Opened
from hermes_tui.tui.widgets.one_line import OneLine
from hermes_tui.tui.widgets.prompt_line import PromptLine
from hermes_tui.tui.widgets.reader import Reader
from hermes_tui.tui.widgets.results_drawing import root_of, title_of
from hermes_tui.tui.wording import find_text, place_named, position_text


class ConversationPane(Vertical):
    """A heading and the view. `hit` is the entry of the results that is shown."""

    def __init__(
        self,
        pool: HistoryPool,
        *,
        now: Callable[[], float],
        keymap: Mapping[str, str],
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.border_title = "conversation"
        self.view = Reader(pool, now=now, keymap=keymap, id="conversation")
        self.heading = OneLine(id="heading")
        self.prompt = PromptLine(id="prompt")
        self.hit: LineageHit | None = None
        self._asked: tuple[str, int | None, str] | None = None

    def compose(self) -> ComposeResult:
        """The heading above the view, the prompt below it."""
        yield self.heading
        yield self.view
        yield self.prompt

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

    # -- finding, and going to a number -----------------------------------------------------

    @on(Opened)
    def find_again(self) -> None:
        """Another session is on view: what is being typed is looked for in it, too."""
        if self.prompt.kind == "find" and self.prompt.field.has_focus:
            self.view.find(self.prompt.field.value)
        else:
            self._leave_prompt()

    def on_prompt_typed(self, event: PromptTyped) -> None:
        """Look for what is typed, as it is typed."""
        event.stop()
        if self.prompt.kind == "find":
            self.view.find(event.text)
        else:
            self.prompt.tell("")

    def on_prompt_stepped(self, event: PromptStepped) -> None:
        """Show the next match, or the one before."""
        event.stop()
        if self.prompt.kind == "find":
            (self.view.find_next if event.step > 0 else self.view.find_prev)()

    def on_prompt_accepted(self, event: PromptAccepted) -> None:
        """Stay at the match, or go to the place that is named."""
        event.stop()
        if self.prompt.kind == "go":
            self._go_to(event.text)
        elif self.view.find_count or not self.view.find_complete:
            self.view.commit_find()
            self.view.focus()
        else:
            self._leave_prompt()

    def on_prompt_cancelled(self, event: PromptCancelled) -> None:
        """Go back to where one was."""
        event.stop()
        self._leave_prompt()

    @on(Reader.FindChanged)
    def tell_find(self) -> None:
        """Say how many matches there are, and which one is shown."""
        view = self.view
        if self.prompt.kind == "find" and self.prompt.display:
            self.prompt.tell(
                find_text(view.find_text, view.find_index, view.find_count, view.find_complete)
            )

    def end_find(self) -> bool:
        """End a find that was committed; False when there is none."""
        if not self.view.find_text:
            return False
        self._leave_prompt()
        return True

    def _leave_prompt(self) -> None:
        self.view.cancel_find()
        if self.prompt.field.has_focus:
            self.view.focus()
        self.prompt.close()

    def _go_to(self, text: str) -> None:
        place = place_named(text)
        if place is None:
            self.prompt.tell("a number, or a percent: 40%")
            return
        if place.percent:
            self.view.go_to_percent(place.number)
        else:
            self.view.go_to_number(round(place.number))
        self._leave_prompt()
