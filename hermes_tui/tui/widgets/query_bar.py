"""The query bar: one line of text, with the queries of this run behind the up key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from hermes_tui.text.clean import clean_line
from hermes_tui.tui.commands import bindings
from hermes_tui.tui.completing import Offer
from hermes_tui.tui.messages import BarChanged, LeaveQuery
from hermes_tui.tui.widgets.clean_input import PASTE_LIMIT, CleanInput

HISTORY_LIMIT = 200


class QueryBar(CleanInput):
    """A compact Input. Posts Input.Changed as one types and LeaveQuery on the down key."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("query"))

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            placeholder="search the history",
            select_on_focus=False,
            compact=True,
            id=id,
        )
        self._past: list[str] = []
        self._place = 0
        self._draft = ""
        self.offers: Sequence[Offer] = ()
        """What may follow at the cursor; the first is what `complete` takes."""

    def fill(self, query: str) -> None:
        """Put a query in the bar, cleaned, with the cursor behind it."""
        self.value = clean_line(query, PASTE_LIMIT)
        self.cursor_position = len(self.value)

    def watch_selection(self) -> None:
        """The cursor has moved, or the text has changed."""
        self.post_message(BarChanged())

    def on_focus(self) -> None:
        """What may follow is offered here only."""
        self.post_message(BarChanged())

    def on_blur(self) -> None:
        """And not where nothing is typed."""
        self.post_message(BarChanged())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without an offer the key that takes one means what it means anywhere."""
        return action != "complete" or bool(self.offers)

    def action_complete(self) -> None:
        """Take the first offer."""
        offer = self.offers[0]
        self.value = offer.text
        self.cursor_position = offer.cursor

    def remember(self) -> None:
        """Put the query at the end of the past ones."""
        query = self.value.strip()
        if query and self._past[-1:] != [query]:
            self._past = [*(old for old in self._past if old != query), query][-HISTORY_LIMIT:]
        self._place = len(self._past)

    def action_older(self) -> None:
        """The query before; what is being typed is kept at the newest place."""
        if self._place >= len(self._past):
            self._place = len(self._past)
            self._draft = self.value
        if self._place > 0:
            self._place -= 1
            self.fill(self._past[self._place])

    def action_newer(self) -> None:
        """The newer query while walking through older ones, else on to the results."""
        if self._place >= len(self._past):
            self.post_message(LeaveQuery())
            return
        self._place += 1
        newest = self._place == len(self._past)
        self.fill(self._draft if newest else self._past[self._place])
