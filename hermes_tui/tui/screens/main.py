"""The main screen: query bar, results, conversation.

It holds no query and no SQL: keys become actions, actions become questions to the service or
calls to the two panes, and answers come back as messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Static

from hermes_tui.history.reader import HistoryPool
from hermes_tui.recall.outcome import LineageHit, Notice, Outcome
from hermes_tui.tui import wording
from hermes_tui.tui.commands import Pane, Situation, is_allowed
from hermes_tui.tui.frame import Frame, Told
from hermes_tui.tui.messages import (
    Answered,
    LeaveQuery,
    ResultChosen,
    ResultHighlighted,
    SearchFailed,
)
from hermes_tui.tui.screens.help import HelpScreen
from hermes_tui.tui.searching import DEBOUNCE, Searching
from hermes_tui.tui.service import SORTS, Question, SearchService
from hermes_tui.tui.widgets.conversation.events import Failed, Opened
from hermes_tui.tui.widgets.conversation_pane import ConversationPane
from hermes_tui.tui.widgets.query_bar import QueryBar
from hermes_tui.tui.widgets.results_pane import ResultsPane

NARROW = 100
"""Columns below which one pane shows at a time."""

SLOW = 0.3
"""Seconds after which a search that still runs says so."""

PREVIEW_DELAY = 0.06
"""Seconds the results cursor rests before its conversation is loaded."""


class MainScreen(Screen[None], inherit_bindings=False):
    """Everything but help and palette."""

    narrow: var[bool] = var(False)
    reading: var[bool] = var(False)

    def __init__(
        self,
        service: SearchService,
        pool: HistoryPool,
        *,
        now: Callable[[], float],
        query: str = "",
        place: str = "",
        keymap: dict[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.service = service
        self.keymap = keymap or {}
        self.searching = Searching(self, service)
        self.outcome: Outcome | None = None
        self.bar = QueryBar(id="query")
        self.frame = Frame(place=place, keymap=self.keymap)
        self.results = ResultsPane(now=now, id="results-pane")
        self.conversation = ConversationPane(pool, now=now, id="conversation-pane")
        self._first_query = query
        self._error = ""
        self._reading_notice = ""
        self._remarks: tuple[Notice, ...] = ()
        self._slow = False
        self._open_when_answered = False
        self._preview: Timer | None = None

    def compose(self) -> ComposeResult:
        """Query line, status, notices, the two panes, key hints."""
        with Horizontal(id="top"):
            yield Static("query ", id="label", markup=False)
            yield self.bar
            yield self.frame.state
        yield self.frame.status
        yield self.frame.notices
        with Horizontal(id="panes"):
            yield self.results
            yield self.conversation
        yield self.frame.hints

    def on_mount(self) -> None:
        """Ask for the recent sessions, or for what the command line asked."""
        self.bar.fill(self._first_query)
        self.bar.focus()
        self._ask(Question(self.bar.value))

    # -- what the registry's conditions read ------------------------------------------------

    @property
    def pane(self) -> Pane:
        """The pane that has the keyboard."""
        if self.focused is self.conversation.view:
            return "conversation"
        return "results" if self.focused is self.results.list else "query"

    @property
    def situation(self) -> Situation:
        """What decides which commands apply."""
        return Situation(
            pane=self.pane,
            query=self.bar.value,
            rows=len(self.results.list.hits),
            opened=self.conversation.hit is not None,
        )

    @property
    def busy(self) -> bool:
        """Whether an answer or a conversation is still to come."""
        return not self.searching.answered or self._preview is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let the registry decide whether one of this screen's actions applies."""
        return is_allowed("screen", action, self.situation)

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
        if place == "stale":
            return
        self._error = ""
        self.outcome = event.outcome
        reason = "" if event.outcome.lineages else wording.empty_text(event.question, event.outcome)
        stay = place == "further" or self.pane == "conversation"
        self.results.show(event.outcome.lineages, reason, keep_cursor=stay)
        self.results.border_title = "recent" if event.question.blank else "results"
        self._leave_empty_list()
        self._update_lines()
        if self._open_when_answered:
            self.action_open_from_query()

    def on_search_failed(self, event: SearchFailed) -> None:
        """Say what went wrong and leave the old results where they are."""
        if self.searching.accept(event.generation) != "stale":
            self._open_when_answered = False
            self.complain(event.sentence)

    def remark(self, sentence: str) -> None:
        """Show a remark (clean text) for as long as the program runs."""
        self._remarks = (*self._remarks, Notice("remark", sentence))
        self._update_lines()

    def complain(self, sentence: str) -> None:
        """Show an error (clean text) until the next answer."""
        self._error = sentence
        self._update_lines()

    def _leave_empty_list(self) -> None:
        """The keyboard must not stay in a list that is no longer there."""
        if not self.results.list.hits and self.pane != "query":
            self.action_focus_query()

    # -- reading ----------------------------------------------------------------------------

    def on_result_highlighted(self, event: ResultHighlighted) -> None:
        """Load the conversation of the entry once the cursor rests on it.

        What somebody is reading is not taken away, and nothing is loaded that cannot be seen.
        """
        if self._preview is not None:
            self._preview.stop()
        if event.hit is None:
            self.conversation.clear("No conversation to show.")
        elif self.pane != "conversation" and not self.narrow:
            self._preview = self.set_timer(PREVIEW_DELAY, partial(self._read, event.hit))

    def on_result_chosen(self, event: ResultChosen) -> None:
        """Open an entry and hand it the keyboard."""
        self._read(event.hit)
        self._go("conversation")

    def _read(self, hit: LineageHit) -> None:
        if self._preview is not None:
            self._preview.stop()
            self._preview = None
        query = self.outcome.query if self.outcome else ""
        blank = self.outcome is None or not query.strip()
        highlight = None if blank else self.service.highlighter(query, hit, self._route())
        self.conversation.open(hit, query, highlight)
        self._update_lines()

    def _route(self) -> str:
        return self.outcome.route if self.outcome else "empty"

    @on(Opened)
    def conversation_opened(self, event: Opened) -> None:
        """Say when the conversation is not as it was asked for."""
        self._reading_notice = event.notice
        self._update_lines()

    @on(Failed)
    def conversation_failed(self, event: Failed) -> None:
        """Say why a conversation could not be read."""
        self.conversation.forget()
        self.complain(event.sentence)

    # -- panes ------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """One pane or two."""
        self.narrow = event.size.width < NARROW

    def watch_narrow(self) -> None:
        """Mark the screen for the style sheet and show what there is room for."""
        self.set_class(self.narrow, "narrow")
        self._arrange()
        self._update_lines()
        if not self.narrow and self.conversation.hit is None and self.results.list.current:
            self._read(self.results.list.current)

    def watch_reading(self) -> None:
        """Show the pane that is used."""
        self._arrange()

    def _arrange(self) -> None:
        self.results.display = not (self.narrow and self.reading)
        self.conversation.display = self.reading or not self.narrow

    def on_descendant_focus(self) -> None:
        """Keep the hints right, and in a narrow terminal the pane with the keyboard on view."""
        self.reading = self.pane == "conversation"
        self._update_lines()

    def _go(self, pane: Pane) -> None:
        """Give the keyboard to a pane, showing it first: what is hidden cannot take focus."""
        self.reading = pane == "conversation"
        target = {
            "query": self.bar,
            "results": self.results.list,
            "conversation": self.conversation.view,
        }[pane]
        self.set_focus(target)

    def _open_panes(self) -> list[Pane]:
        """The panes that can take the keyboard now."""
        panes: list[Pane] = ["query"]
        if self.results.list.hits:
            panes.append("results")
        if self.conversation.hit is not None:
            panes.append("conversation")
        return panes

    # -- actions ----------------------------------------------------------------------------

    def action_focus_query(self) -> None:
        """To the query bar."""
        self._go("query")

    def action_next_pane(self, step: int = 1) -> None:
        """To the next pane, round and round."""
        panes = self._open_panes()
        here = panes.index(self.pane) if self.pane in panes else 0
        self._go(panes[(here + step) % len(panes)])

    def action_previous_pane(self) -> None:
        """To the pane before."""
        self.action_next_pane(-1)

    @on(LeaveQuery)
    def action_focus_results(self) -> None:
        """To the results, when there are any."""
        if self.results.list.hits:
            self.bar.remember()
            self._go("results")

    def action_open_from_query(self) -> None:
        """Open the entry under the cursor, as soon as the answer to what was typed is here."""
        self._open_when_answered = not self.searching.answered
        self.bar.remember()
        if self._open_when_answered:
            self.searching.hurry()
        elif self.results.list.current is not None:
            self.results.list.action_open()

    def action_back(self) -> None:
        """One level back: conversation, results, query bar, an empty query."""
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

    def action_cycle_sort(self) -> None:
        """Ask again in the next order."""
        question = self.searching.question
        following = SORTS[(SORTS.index(question.sort) + 1) % len(SORTS)]
        self._ask(replace(question, sort=following))

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
            self.app.copy_to_clipboard(selected)
        else:
            self.frame.say("Ctrl+Q quits")

    # -- lines ------------------------------------------------------------------------------

    def _update_lines(self) -> None:
        """Bring state, status, notices and hints up to date."""
        self.frame.tell(
            Told(
                question=self.searching.question,
                roles=self.service.roles(self.searching.question.text),
                outcome=self.outcome,
                situation=self.situation,
                error=self._error,
                notices=self._notices(),
                narrow=self.narrow,
                slow=self._slow and not self.searching.answered,
            )
        )

    def _notices(self) -> tuple[Notice, ...]:
        """Of the answer (an empty list shows them itself), of the conversation, of the start."""
        found = self.outcome.notices if self.outcome and self.outcome.lineages else ()
        reading = (Notice("reading", self._reading_notice),) if self._reading_notice else ()
        return (*found, *reading, *self._remarks)
