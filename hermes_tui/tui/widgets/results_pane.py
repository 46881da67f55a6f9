"""The results pane: the list, or the reason why it is empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.widgets.results import ResultsList


class ResultsPane(Vertical):
    """Shows either entries or a text."""

    def __init__(self, *, now: Callable[[], float], id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.border_title = "results"
        self.list = ResultsList(now=now, id="results")
        self._reason = Static("", id="empty", markup=False)

    def compose(self) -> ComposeResult:
        """The list and the text, one of them hidden."""
        self._reason.display = False
        yield self.list
        yield self._reason

    def show(
        self,
        hits: Sequence[LineageHit],
        reason: str,
        *,
        keep_cursor: bool = False,
        quiet: bool = False,
    ) -> None:
        """Show entries; with none, `reason` (clean text)."""
        self.list.display = bool(hits)
        self._reason.display = not hits
        self._reason.update(Content("" if hits else reason))
        self.list.show(hits, keep_cursor=keep_cursor, quiet=quiet)
