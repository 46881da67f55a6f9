"""What the main screen is made of: its widgets, which pane has the keyboard, what the lines say."""

from __future__ import annotations

from collections.abc import Callable

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from hermes_tui.history.reader import HistoryPool
from hermes_tui.recall.outcome import Notice, Outcome
from hermes_tui.tui.commands import Pane, Situation, is_allowed
from hermes_tui.tui.frame import Frame, Told
from hermes_tui.tui.messages import LeaveQuery
from hermes_tui.tui.screens.doctor import DoctorScreen
from hermes_tui.tui.searching import Searching
from hermes_tui.tui.service import SearchService
from hermes_tui.tui.widgets.conversation_pane import ConversationPane
from hermes_tui.tui.widgets.index_pill import IndexPill
from hermes_tui.tui.widgets.query_bar import QueryBar
from hermes_tui.tui.widgets.results_pane import ResultsPane

NARROW = 100
"""Columns below which one pane shows at a time."""


class Parts(Screen[None], inherit_bindings=False):
    """The panes and the lines around them; asking and reading are in the classes built on it."""

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
        self.now = now
        self.pool = pool
        self.outcome: Outcome | None = None
        self.bar = QueryBar(id="query")
        self.frame = Frame(place=place, keymap=self.keymap)
        self.pill = IndexPill(pool, id="index")
        self.results = ResultsPane(now=now, id="results-pane")
        self.conversation = ConversationPane(
            pool, now=now, keymap=self.keymap, id="conversation-pane"
        )
        self._first_query = query
        self._place = pool.place
        self._error = ""
        self._reading_notice = ""
        self._remarks: tuple[Notice, ...] = ()
        self._rebuild: Notice | None = None
        self._slow = False
        self._preview: Timer | None = None

    def compose(self) -> ComposeResult:
        """Query line, status, notices, the two panes, key hints."""
        with Horizontal(id="top"):
            yield Static("query ", id="label", markup=False)
            yield self.bar
            yield self.frame.state
        with Horizontal(id="answered"):
            yield self.frame.status
            yield self.pill
        yield self.frame.notices
        with Horizontal(id="panes"):
            yield self.results
            yield self.conversation
        yield self.frame.hints

    # -- what the registry's conditions read ------------------------------------------------

    @property
    def pane(self) -> Pane:
        """The pane that has the keyboard."""
        if self.focused is self.conversation.view:
            return "conversation"
        if self.focused is self.conversation.prompt.field:
            return "prompt"
        return "results" if self.focused is self.results.list else "query"

    @property
    def inside(self) -> bool:
        """Whether a conversation is being read, or looked through."""
        return self.pane in ("conversation", "prompt")

    @property
    def situation(self) -> Situation:
        """What decides which commands apply."""
        return Situation(
            pane=self.pane,
            query=self.bar.value,
            rows=len(self.results.list.hits),
            opened=self.conversation.hit is not None,
            sessions=len(self.conversation.walk),
            offers=bool(self.bar.offers),
            finding=self.conversation.prompt.kind == "find",
        )

    @property
    def busy(self) -> bool:
        """Whether an answer, a conversation or the first look at the index is still to come."""
        return not (self.searching.answered and self.pill.looked) or self._preview is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let the registry decide whether one of this screen's actions applies."""
        return is_allowed("screen", action, self.situation)

    def remark(self, sentence: str) -> None:
        """Show a remark (clean text) for as long as the program runs."""
        self._remarks = (*self._remarks, Notice("remark", sentence))
        self._update_lines()

    def complain(self, sentence: str) -> None:
        """Show an error (clean text) until the next answer."""
        self._error = sentence
        self._update_lines()

    def on_index_pill_changed(self, event: IndexPill.Changed) -> None:
        """Say how far a rebuild of the index is, as long as there is one."""
        self._rebuild = Notice("index_rebuilding", event.note)
        self._update_lines()

    def action_doctor(self) -> None:
        """Show how whole the search indexes are."""
        self.app.push_screen(DoctorScreen(self._place))

    # -- panes ------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """One pane or two."""
        self.narrow = event.size.width < NARROW

    def watch_narrow(self) -> None:
        """Mark the screen for the style sheet and show what there is room for."""
        self.set_class(self.narrow, "narrow")
        self.pill.short = self.narrow
        self._arrange()
        self._update_lines()

    def watch_reading(self) -> None:
        """Show the pane that is used."""
        self._arrange()

    def _arrange(self) -> None:
        self.results.display = not (self.narrow and self.reading)
        self.conversation.display = self.reading or not self.narrow

    def on_descendant_focus(self) -> None:
        """Keep the hints right, and in a narrow terminal the pane with the keyboard on view."""
        self.reading = self.inside
        self._update_lines()

    def _go(self, pane: Pane) -> None:
        """Give the keyboard to a pane, showing it first: what is hidden cannot take focus."""
        self.reading = pane in ("conversation", "prompt")
        target = {
            "query": self.bar,
            "results": self.results.list,
            "conversation": self.conversation.view,
            "prompt": self.conversation.prompt.field,
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

    def on_key(self) -> None:
        """What was said about the key before makes room for the hints again."""
        if self.frame.saying:
            self._update_lines()

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
                offers=self.bar.offers,
                slow=self._slow and not self.searching.answered,
            )
        )

    def _notices(self) -> tuple[Notice, ...]:
        """Of the answer (an empty list shows them itself), of the conversation, of the start."""
        found = self.outcome.notices if self.outcome and self.outcome.lineages else ()
        if self._rebuild is not None:  # newer than what the answer said
            found = tuple(notice for notice in found if notice.code != self._rebuild.code)
            found += (self._rebuild,) if self._rebuild.text else ()
        reading = (Notice("reading", self._reading_notice),) if self._reading_notice else ()
        return (*found, *reading, *self._remarks)
