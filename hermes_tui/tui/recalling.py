"""The real service: a history, read through recall."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History, HistoryPool
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.browse import recent
from hermes_tui.recall.highlight import highlighter
from hermes_tui.recall.outcome import LineageHit, Notice, Outcome
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.policy import AGENT_ROLES, policy_named
from hermes_tui.tui.service import Question, Spans

RECENT_LIMIT = 200
"""Sessions on the start screen."""


class RecallService:
    """Answers from its own connections, so that ending a search ends no reading."""

    def __init__(
        self, place: Place, *, policy_name: str = "hermes", current_session: str | None = None
    ) -> None:
        self._pool = HistoryPool(place, register=register)
        self._policy = policy_named(policy_name)
        self._current_session = current_session

    @property
    def roles(self) -> str:
        """The roles that are searched."""
        return "+".join(AGENT_ROLES)

    def answers(self, question: Question, stop: Callable[[], bool]) -> Iterator[Outcome]:
        """Search, or list the recent sessions when nothing is asked."""
        yield self._answer(question, stop)

    def _answer(self, question: Question, stop: Callable[[], bool]) -> Outcome:
        history = self._pool.get()
        if question.blank:
            started = time.perf_counter()
            rows = recent(history, RECENT_LIMIT, self._policy)
            took = (time.perf_counter() - started) * 1000
            notices = () if rows else (self._nothing_listed(history),)
            return Outcome("", self._policy.name, "empty", took, lineages=rows, notices=notices)
        return search(
            history,
            question.text,
            policy=self._policy,
            sort=None if question.sort == "relevance" else question.sort,
            current_session=self._current_session,
            stop=stop,
        )

    def _nothing_listed(self, history: History) -> Notice:
        held = len(history.families().sessions)
        if not held:
            return Notice("no_sessions", "This history has no sessions yet.")
        return Notice(
            "none_listed",
            f"None of its {held:,} sessions is listed: they are archived, delegated or hidden.",
        )

    def highlighter(self, query: str, hit: LineageHit, route: str) -> Callable[[str], Spans]:
        """The matches of a query in clean text, read as loosely as the hit was found."""
        return highlighter(query, route, hit.label)

    def interrupt(self) -> None:
        """End running statements."""
        self._pool.interrupt_all()

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()
