"""The main screen: query bar, results, conversation.

It holds no query and no SQL: keys become actions, actions become questions to the service or
calls to the two panes, and answers come back as messages.
"""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.widgets import Input

from hermes_tui.text.clean import clean
from hermes_tui.tui import wording
from hermes_tui.tui.messages import Answered, SearchFailed
from hermes_tui.tui.screens.explained import Explained
from hermes_tui.tui.screens.help import HelpScreen
from hermes_tui.tui.searching import DEBOUNCE
from hermes_tui.tui.service import SORTS, Question

SLOW = 0.3
"""Seconds after which a search that still runs says so."""


class MainScreen(Explained, inherit_bindings=False):
    """Everything but help and palette."""

    _open_when_answered = False

    def on_mount(self) -> None:
        """Ask for the recent sessions, or for what the command line asked."""
        self.bar.fill(self._first_query)
        self.bar.focus()
        self.app.app_resume_signal.subscribe(self, self._drawn_anew)
        self._ask(Question(self.bar.value, current_session=self.as_session))

    # -- asking and answers -----------------------------------------------------------------

    @on(Input.Changed, "#query")
    def query_changed(self, event: Input.Changed) -> None:
        """Search for what stands in the query bar."""
        question = replace(self.searching.question, text=event.value)
        self._open_when_answered = False
        if question != self.searching.question:
            self._ask(question, delay=DEBOUNCE)

    def _ask(self, question: Question, *, delay: float = 0.0) -> None:
        self._slow = False
        self.searching.ask(question, delay=delay)
        self.set_timer(SLOW, self._notice_slowness)
        self._update_lines()

    def _notice_slowness(self) -> None:
        """Say that the search still runs. A timer of an earlier question is early: no harm."""
        if not self.searching.answered:
            self._slow = True
            self._update_lines()

    def on_answered(self, event: Answered) -> None:
        """Show an answer, unless a newer question was asked meanwhile."""
        place = self.searching.accept(event.generation)
        again = place == "again"
        if place == "stale" or (again and not event.outcome.complete):
            return
        self._error = ""
        before, self.outcome = self.outcome, event.outcome
        if event.outcome.complete:
            self.rest(event.outcome)
        if again and before is not None and before.lineages == event.outcome.lineages:
            self._update_lines()
            return
        reason = "" if event.outcome.lineages else wording.empty_text(event.question, event.outcome)
        self.results.show(
            event.outcome.lineages,
            reason,
            keep_cursor=place != "first" or self.inside,
            quiet=again and before is not None and before.query == event.outcome.query,
        )
        if place != "first":
            self.conversation.renew(event.outcome.lineages)
        self.mark_judged(event.question)
        self.results.border_title = "recent" if event.question.blank else "results"
        self._leave_empty_list()
        self._update_lines()
        if self._open_when_answered:
            self.action_open_from_query()

    def on_search_failed(self, event: SearchFailed) -> None:
        """Say what went wrong and leave the old results where they are."""
        place = self.searching.accept(event.generation)
        if place == "again":
            self.outdated()
        if place != "stale":
            self._open_when_answered = False
            self.complain(event.sentence)

    def _leave_empty_list(self) -> None:
        """The keyboard must not stay in a list that is no longer there."""
        if not self.results.list.hits and self.pane != "query":
            self.action_focus_query()

    # -- actions ----------------------------------------------------------------------------

    def action_open_from_query(self) -> None:
        """Open the entry under the cursor, as soon as the answer to what was typed is here."""
        self._open_when_answered = not self.searching.answered
        self.bar.remember()
        if self._open_when_answered:
            self.searching.hurry()
        elif self.results.list.current is not None:
            self.results.list.action_open()

    def action_cycle_sort(self) -> None:
        """Ask again in the next order."""
        question = self.searching.question
        following = SORTS[(SORTS.index(question.sort) + 1) % len(SORTS)]
        self._ask(replace(question, sort=following))

    def action_ask_again(self) -> None:
        """Ask the same again, of a history that may have grown; cursor and reader stay."""
        if self.searching.answered:
            self.searching.ask_again()
        else:
            self._ask(self.searching.question)
        self._drawn_anew()

    def _drawn_anew(self, *_: object) -> None:
        """Draw every cell: what stands on the terminal may be another program's."""
        self.app.screen.refresh(layout=True)

    def action_toggle_rewound(self) -> None:
        """Ask again, with the rewound messages or without."""
        question = self.searching.question
        self._ask(replace(question, rewound=not question.rewound))

    def action_help(self) -> None:
        """Show the help, the keys of this pane first."""
        self.app.push_screen(HelpScreen(self.pane, self.keymap))

    def action_copy_selection(self) -> None:
        """Copy what is selected with the mouse; without a selection, say how to quit."""
        selected = self.get_selected_text()
        if selected:
            self.copy(clean(selected), "Selection")
        else:
            self.frame.say("Ctrl+Q quits")
