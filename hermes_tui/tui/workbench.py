"""What the screen needs to explain an answer. Everything here reads the history: workers only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hermes_tui.history.reader import HistoryPool
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.asking import DEFAULT_LIMIT, agent_ask, arguments_of
from hermes_tui.recall.discovery import Ask
from hermes_tui.recall.explain.compare import COLUMNS, DEFAULT_COLUMNS, Comparison, compare
from hermes_tui.recall.explain.eye import Eye, agents_eye
from hermes_tui.recall.explain.report import report
from hermes_tui.recall.explain.targets import Target, message_target
from hermes_tui.recall.explain.verdict import Verdict
from hermes_tui.recall.explain.why import Explanation, why
from hermes_tui.recall.explain.whynot import why_not
from hermes_tui.recall.policy import HERMES, Policy
from hermes_tui.tui.service import Question, Sort

Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Subject:
    """What may be missing: a session, or one message of it."""

    session_id: str
    message_id: int | None = None


class Workbench:
    """Explains the answer to one question. All of it may raise HistoryError, and Interrupted.

    rules: those of the agent that is explained.
    """

    def __init__(self, pool: HistoryPool, question: Question, rules: Policy = HERMES) -> None:
        self.question, self.rules = question, rules
        self._pool = pool

    def ask(
        self,
        *,
        limit: int = DEFAULT_LIMIT,
        sort: Sort | None = None,
        roles: Sequence[str] = (),
        full_detail: bool = False,
    ) -> Ask:
        """The question as the agent would ask it."""
        order = sort or self.question.sort
        return agent_ask(
            self.question.text,
            limit=limit,
            sort=None if order == "relevance" else order,
            roles=roles,
            current_session=self.question.current_session,
            full_detail=full_detail,
        )

    def explanation(self, stop: Stop) -> Explanation:
        """Why the query finds what it finds."""
        return why(self._pool.get(), self.question.text, self.ask(), policy=self.rules, stop=stop)

    def verdict(self, subject: Subject, stop: Stop) -> Verdict | None:
        """Why the agent does not see something; None when it is not there any more."""
        history = self._pool.get()
        target = None
        if subject.message_id is not None:
            target = message_target(history, subject.message_id)
        else:
            session = history.session(subject.session_id)
            target = Target(session) if session else None
        if target is None:
            return None
        return why_not(
            history, self.question.text, target, self.ask(), policy=self.rules, stop=stop
        )

    def report(self, subject: Subject | None) -> str:
        """A bundle for a bug report: without content, without paths."""
        verdict = self.verdict(subject, lambda: False) if subject else None
        return report(self._pool.get(), self.explanation(lambda: False), verdict)

    def eye(
        self,
        *,
        limit: int,
        sort: Sort,
        roles: Sequence[str],
        stop: Stop,
        full_detail: bool = False,
    ) -> Eye:
        """What the agent is given for the question."""
        ask = self.ask(limit=limit, sort=sort, roles=roles, full_detail=full_detail)
        return agents_eye(
            self._pool.get(), arguments_of(ask), policy=self.rules, register=register, stop=stop
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """What is compared at first: the agent's rules, and everything."""
        agent = self.rules.name if self.rules.name in COLUMNS else DEFAULT_COLUMNS[0]
        return (agent, *DEFAULT_COLUMNS[1:])

    def comparison(self, columns: Sequence[str], stop: Stop) -> Comparison:
        """The question by several rules."""
        return compare(self._pool.get(), self.question.text, self.ask(), columns, stop=stop)
