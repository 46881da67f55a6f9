"""Reading: from an entry of the results to its conversation, and what one does in there."""

from __future__ import annotations

from functools import partial

from textual import on

from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.messages import LineageRead, ResultChosen, ResultHighlighted
from hermes_tui.tui.screens.choice import ChoiceScreen
from hermes_tui.tui.screens.watched import Watched
from hermes_tui.tui.walking import place_of
from hermes_tui.tui.widgets.conversation.events import Failed, Opened
from hermes_tui.tui.widgets.lineage_drawing import row_of
from hermes_tui.tui.widgets.prompt_line import Kind
from hermes_tui.tui.widgets.reader import HitsEnd

PREVIEW_DELAY = 0.06
"""Seconds the results cursor rests before its conversation is loaded."""


class Reading(Watched, inherit_bindings=False):
    """The conversation that is open."""

    def watch_narrow(self) -> None:
        """With room for two panes, show the conversation beside its entry."""
        super().watch_narrow()
        if not self.narrow and self.conversation.hit is None and self.results.list.current:
            self._read(self.results.list.current)

    def on_result_highlighted(self, event: ResultHighlighted) -> None:
        """Load the conversation of the entry once the cursor rests on it.

        What somebody is reading is not taken away, and nothing is loaded that cannot be seen.
        """
        if self._preview is not None:
            self._preview.stop()
        if event.hit is None:
            self.conversation.clear("No conversation to show.")
        elif not self.inside and not self.narrow:
            self._preview = self.set_timer(PREVIEW_DELAY, partial(self._read, event.hit))

    def on_result_chosen(self, event: ResultChosen) -> None:
        """Open an entry and hand it the keyboard."""
        self._read(event.hit)
        self._go("conversation")

    def _read(self, hit: LineageHit) -> None:
        if self._preview is not None:
            self._preview.stop()
            self._preview = None
        self._open_marked(hit)
        self._update_lines()

    @on(Opened)
    def conversation_opened(self, event: Opened) -> None:
        """Say when the conversation is not as it was asked for."""
        self._reading_notice = event.notice
        self.show_bookmarks()
        self._update_lines()

    @on(Failed)
    def conversation_failed(self, event: Failed) -> None:
        """Say why a conversation could not be read."""
        self.conversation.forget()
        self.complain(event.sentence)

    # -- moving on and back -----------------------------------------------------------------

    def action_back(self) -> None:
        """One level back: conversation, results, query bar, an empty query."""
        if self.pane == "conversation" and self.conversation.end_find():
            return
        if self.pane == "conversation" and self.results.list.hits:
            self._go("results")
        elif self.pane != "query":
            self._go("query")
        else:
            self.bar.value = ""

    def action_leave(self) -> None:
        """From the conversation back to the results; from there, out."""
        if self.pane == "conversation" and self.results.list.hits:
            self._go("results")
        else:
            self.app.exit(0)

    def action_step_result(self, step: int) -> None:
        """Open the next or previous result; the keyboard stays where it is."""
        before = self.results.list.cursor
        self.results.list.cursor += step
        if self.results.list.cursor != before and self.results.list.current is not None:
            self._read(self.results.list.current)
        else:
            self.frame.say("This is the last result." if step > 0 else "This is the first result.")

    def on_hits_end(self, event: HitsEnd) -> None:
        """No session of the lineage has a further hit."""
        if not self.conversation.view.hit_count:
            self.frame.say("Nothing here was searched for: / finds a text.")
        else:
            which = "last" if event.direction > 0 else "first"
            self.frame.say(f"This is the {which} hit of the conversation.")

    def action_find(self) -> None:
        """Look for a text in the conversation."""
        self._ask_below("find")

    def action_go_to(self) -> None:
        """Ask for the number of a message, or a percent."""
        self._ask_below("go")

    def _ask_below(self, kind: Kind) -> None:
        """Open the prompt line; a remark would lie on it."""
        self.app.clear_notifications()
        self.conversation.prompt.ask(kind)

    # -- the lineage ------------------------------------------------------------------------

    @on(LineageRead)
    def lineage_known(self) -> None:
        """What can be done depends on it."""
        self._update_lines()

    def action_step_session(self, step: int) -> None:
        """Open the next or previous session of the lineage."""
        if not self.conversation.step_session(step):
            self.frame.say(
                "This is the last session." if step > 0 else "This is the first session."
            )

    def action_choose_session(self) -> None:
        """Show the lineage as a list and open what is chosen."""
        walk = self.conversation.walk
        here = place_of(walk, self.conversation.view.session_id) or 0
        rows = [row_of(walk, place, here, self.now()) for place in range(len(walk))]

        def chosen(place: int | None) -> None:
            if place is not None and place != here:
                self.conversation.go_to_stop(walk[place], "first hit")

        self.app.push_screen(ChoiceScreen("lineage", rows, cursor=here), chosen)
