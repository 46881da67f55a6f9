"""The conversation pane with its prompt line: finding a text, going to a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual import on

from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.messages import (
    PromptAccepted,
    PromptCancelled,
    PromptStepped,
    PromptTyped,
)
from hermes_tui.tui.widgets.conversation.events import Opened
from hermes_tui.tui.widgets.pane_base import PaneBase
from hermes_tui.tui.widgets.reader import Reader
from hermes_tui.tui.wording import find_text, place_named


class ConversationPane(PaneBase):
    """What the main screen shows of a conversation."""

    def renew(self, found: Sequence[LineageHit]) -> None:
        """A newer answer: take over what it found in this lineage, and stay where one is."""
        hit = next((h for h in found if self.hit is not None and h.root == self.hit.root), None)
        if hit is None or self.hit is None or hit.hits == self.hit.hits:
            return
        self.hit = replace(self.hit, hits=hit.hits, matched=hit.matched, total=hit.total)
        self.view.set_hits(hit.hits)
        self.read_lineage()
        self.update_heading()

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
            self.screen.set_focus(self.view)
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
            self.screen.set_focus(self.view)
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
