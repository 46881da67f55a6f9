"""The query bar: one line of text, with the queries of this run behind the up key."""

from __future__ import annotations

import re
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widgets import Input

from hermes_tui.text.clean import clean, clean_line
from hermes_tui.tui.commands import bindings
from hermes_tui.tui.messages import LeaveQuery

PASTE_LIMIT = 4096
"""Characters that a paste may bring; more is no query, and the field would crawl."""

HISTORY_LIMIT = 200

_BREAKS = re.compile(r"[\n\t][\n\t ]*")


class QueryBar(Input):
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

    def _on_paste(self, event: events.Paste) -> None:
        """Join the lines, clean them and cut them; the stock field takes the first line raw.

        `prevent_default` keeps the base class from pasting a second time.
        """
        event.stop()
        event.prevent_default()
        text = _BREAKS.sub(" ", clean(event.text[: 4 * PASTE_LIMIT]).lstrip("\n"))
        self.replace(text[:PASTE_LIMIT], *self.selection)

    def fill(self, query: str) -> None:
        """Put a query in the bar, cleaned, with the cursor behind it."""
        self.value = clean_line(query, PASTE_LIMIT)
        self.cursor_position = len(self.value)

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
