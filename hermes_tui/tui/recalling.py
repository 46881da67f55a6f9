"""The real service: a history, read through recall."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History, HistoryPool
from hermes_tui.history.tokenizer import register
from hermes_tui.recall import pipeline
from hermes_tui.recall.browse import recent
from hermes_tui.recall.highlight import highlighter
from hermes_tui.recall.outcome import LineageHit, Notice, Outcome
from hermes_tui.recall.policy import AGENT_ROLES, HERMES, Policy, policy_named
from hermes_tui.recall.query import parse_query
from hermes_tui.recall.vocabulary import Vocabulary, read_vocabulary
from hermes_tui.tui.service import Question, Spans

RECENT_LIMIT = 200
"""Sessions on the start screen."""

DEFAULT_POLICY = "thorough"


def rules_of(policy_name: str) -> Policy:
    """The agent's rules to explain under a policy: its own, or those of today's Hermes."""
    policy = policy_named(policy_name)
    return HERMES if policy.everything else policy


class RecallService:
    """Answers from its own connections, so that ending a search ends no reading."""

    def __init__(
        self,
        place: Place,
        *,
        policy_name: str = DEFAULT_POLICY,
        current_session: str | None = None,
    ) -> None:
        self._pool = HistoryPool(place, register=register)
        self._policy = policy_named(policy_name)
        self._current_session = current_session

    def roles(self, text: str) -> str:
        """The roles that are searched: the agent's, or all, or what a filter names."""
        if not self._policy.everything:
            return "+".join(AGENT_ROLES)
        filters = parse_query(text, now=0.0).filters
        without = "".join(f" without {role}" for role in filters.not_roles)
        return ("+".join(filters.roles) or "all") + without

    def vocabulary(self, stop: Callable[[], bool]) -> Vocabulary:
        """What the filters of a query can be given."""
        return read_vocabulary(self._pool.get(), stop)

    def answers(self, question: Question, stop: Callable[[], bool]) -> Iterator[Outcome]:
        """Search, or list the recent sessions when nothing is asked."""
        history = self._pool.get()
        if question.blank:
            yield self._recent(history)
            return
        yield from pipeline.answers(
            history,
            pipeline.Question(
                question.text,
                self._policy,
                sort=None if question.sort == "relevance" else question.sort,
                current_session=question.current_session or self._current_session,
                show_rewound=question.rewound,
            ),
            stop=stop,
        )

    def _recent(self, history: History) -> Outcome:
        started = time.perf_counter()
        rows = recent(history, RECENT_LIMIT, self._policy)
        took = (time.perf_counter() - started) * 1000
        notices = () if rows else (_nothing_listed(history),)
        return Outcome("", self._policy.name, "empty", took, lineages=rows, notices=notices)

    def highlighter(self, query: str, hit: LineageHit, route: str) -> Callable[[str], Spans]:
        """The matches of a query in clean text, read as loosely as the hit was found."""
        return highlighter(query, route, hit.label)

    def interrupt(self) -> None:
        """End running statements."""
        self._pool.interrupt_all()

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


def _nothing_listed(history: History) -> Notice:
    held = len(history.families().sessions)
    if not held:
        return Notice("no_sessions", "This history has no sessions yet.")
    return Notice(
        "none_listed",
        f"None of its {held:,} sessions is listed: they are archived, delegated or hidden.",
    )
