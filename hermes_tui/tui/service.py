"""The seam between the screen and everything that reads a history.

Widgets hold a `SearchService` and never a connection. Tests give a fake one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from hermes_tui.recall.outcome import LineageHit, Outcome
from hermes_tui.recall.vocabulary import Vocabulary

Sort = Literal["relevance", "newest", "oldest"]
Spans = list[tuple[int, int]]

SORTS: tuple[Sort, ...] = ("relevance", "newest", "oldest")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. Blank text asks for the recent sessions. rewound: rewound rows count too.

    current_session: the session as whose agent it is asked.
    """

    text: str
    sort: Sort = "relevance"
    rewound: bool = False
    current_session: str | None = None

    @property
    def blank(self) -> bool:
        """True when nothing is searched for."""
        return not self.text.strip()


class SearchService(Protocol):
    """Answers questions. `answers` and `vocabulary` may block: workers only."""

    def roles(self, text: str) -> str:
        """The roles that a query is searched in, for the header: `user+assistant`."""

    def vocabulary(self, stop: Callable[[], bool]) -> Vocabulary:
        """What the filters of a query can be given. Raises as `answers` does."""

    def answers(self, question: Question, stop: Callable[[], bool]) -> Iterator[Outcome]:
        """The outcome, and after it fuller ones while a scan finds more; the last is complete.

        Raises Interrupted soon after `stop()` turns true, HistoryError when there is no answer.
        """

    def highlighter(self, query: str, hit: LineageHit, route: str) -> Callable[[str], Spans]:
        """A function from clean text to the spans that match."""

    def interrupt(self) -> None:
        """End running statements; from any thread."""

    def close(self) -> None:
        """Give up the connections."""
