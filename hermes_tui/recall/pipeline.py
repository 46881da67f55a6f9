"""From a query, a policy and a history to an Outcome: lineages, funnel and notices.

The agent's answer, the thorough list and the funnel are readings of one pass.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hermes_tui.history.errors import DamagedError
from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop, bindable
from hermes_tui.recall.asking import agent_ask
from hermes_tui.recall.discovery import Ask, Discovery, discover
from hermes_tui.recall.filtering import Sieve
from hermes_tui.recall.highlight import Highlight, highlighter
from hermes_tui.recall.lines import Lines, Presenter, agent_lines, agent_notices
from hermes_tui.recall.matching import Sort
from hermes_tui.recall.merging import merge
from hermes_tui.recall.naming import named_sessions
from hermes_tui.recall.outcome import Notice, Outcome
from hermes_tui.recall.policy import HERMES, THOROUGH, Policy
from hermes_tui.recall.query import Query, parse_query
from hermes_tui.recall.tiers import Tiers, find_tiers

CAUSES = frozenset(
    {"nothing_to_find", "only_not", "query_emptied", "other_profile", "rewound_hidden"}
)
"""Codes of notices that say by themselves why an answer is empty."""


@dataclass(frozen=True, slots=True)
class Question:
    """A search as a person puts it.

    limit: how many lineages the agent is given. roles: only these; None is the agent's own
    roles for the agent, and every role for a thorough answer. show_rewound: rewound rows too.
    """

    query: str
    policy: Policy = THOROUGH
    limit: int = 3
    sort: Sort | None = None
    roles: tuple[str, ...] | None = None
    current_session: str | None = None
    show_rewound: bool = False


def search(
    history: History,
    query: str,
    *,
    policy: Policy = THOROUGH,
    limit: int = 3,
    sort: Sort | None = None,
    roles: Sequence[str] | None = None,
    current_session: str | None = None,
    show_rewound: bool = False,
    stop: Stop | None = None,
    environ: Mapping[str, str] | None = None,
) -> Outcome:
    """The whole answer to a query. Raises Interrupted when `stop` turns true."""
    question = Question(
        query,
        policy,
        max(1, limit),
        sort,
        tuple(roles) if roles else None,
        current_session,
        show_rewound,
    )
    return deque(answers(history, question, stop=stop, environ=environ), maxlen=1)[0]


def answers(
    history: History,
    question: Question,
    *,
    stop: Stop | None = None,
    environ: Mapping[str, str] | None = None,
) -> Iterator[Outcome]:
    """The answer as it grows: the index's first, then with what a scan finds, complete at last."""
    environ = os.environ if environ is None else environ
    # Half a surrogate pair, from a broken paste, becomes U+FFFD: the rest is still searched.
    run = _Run(history, question, bindable(question.query), environ, stop)
    if question.policy.everything:
        yield from run.thorough()
    else:
        yield run.agents(question.policy)


class _Run:
    """One search: what its answers have in common."""

    def __init__(
        self,
        history: History,
        question: Question,
        typed: str,
        environ: Mapping[str, str],
        stop: Stop | None,
    ) -> None:
        self.started = time.perf_counter()
        self.history, self.question, self.environ, self.stop = history, question, environ, stop
        self.typed = typed
        self.presenter: Presenter | None = None
        self.tree: Query = parse_query(typed, now=time.time())

    def ask(self) -> Ask:
        """The question as the agent would put it: without filters that only this program knows."""
        question = self.question
        return agent_ask(
            self.typed,
            limit=question.limit,
            sort=question.sort,
            roles=question.roles or (),
            current_session=question.current_session,
            environ=self.environ,
        )

    def agents(self, policy: Policy) -> Outcome:
        """The agent's reading alone."""
        reading = discover(self.history, self.ask(), policy, self.stop)
        lines = agent_lines(self.history, reading)
        notices = agent_notices(reading)
        return self._outcome(reading, lines, notices, complete=True)

    def thorough(self) -> Iterator[Outcome]:
        """Everything that matches, with the agent's reading beside it."""
        history = self.history
        reading, notices = self._reading()
        sieve = Sieve(history, self.tree.filters, self.question.roles or ())
        named = named_sessions(history, self.tree)
        if self.tree.node is None and self.tree.filters.any:
            named = dict.fromkeys(sieve.sessions(), "filter")
        markers = history.markers()
        for tiers in find_tiers(history, self.tree, markers, self.stop):
            lines = merge(
                history,
                reading,
                tiers,
                named,
                markers,
                sieve,
                sort=self.question.sort,
                show_rewound=self.question.show_rewound,
            )
            told = [*notices, *tiers.notices, *sieve.notices(), *self._scan_notices(tiers)]
            told += [*_looser(tiers), *_agent_only(lines)]
            yield self._outcome(reading, lines, told, complete=tiers.complete)

    def _reading(self) -> tuple[Discovery | None, list[Notice]]:
        """The agent's reading, or why there is none."""
        notices = list(self.tree.notices)
        if self.tree.filters.any and not self.tree.text:
            return None, notices
        try:
            reading = discover(self.history, self.ask(), HERMES, self.stop)
        except DamagedError as error:
            text = f"The agent's search fails here: {error} `hermes-tui doctor` says what to do."
            return None, [*notices, Notice("index_damaged", text)]
        return reading, [*notices, *agent_notices(reading)]

    def _scan_notices(self, tiers: Tiers) -> list[Notice]:
        """What was scanned beyond the index, how far, and what is held back."""
        notices = []
        if tiers.to_scan and (tiers.by_scan or not tiers.complete):
            share = min(100, 100 * tiers.scanned // tiers.to_scan)
            state = "" if tiers.complete else f", {share} % done"
            what = ", ".join(tiers.gaps)
            notices.append(
                Notice(
                    "scanned",
                    f"Scanned what no index covers ({what}{state}): {_hits(tiers.by_scan)} found.",
                )
            )
        rewound = sum(1 for row in tiers.rows.values() if row.visibility == "rewound")
        if rewound and not self.question.show_rewound:
            plural = "message matches" if rewound == 1 else "messages match"
            notices.append(
                Notice(
                    "rewound_hidden",
                    f"{rewound:,} rewound {plural} and stays hidden."
                    if rewound == 1
                    else f"{rewound:,} rewound {plural} and stay hidden.",
                )
            )
        return notices

    def _outcome(
        self,
        reading: Discovery | None,
        lines: list[Lines],
        notices: list[Notice],
        *,
        complete: bool,
    ) -> Outcome:
        route = reading.matches.route if reading else "empty"
        if self.presenter is None:
            self.presenter = Presenter(self.history, self._marks(route))
        lineages = self.presenter.rows(lines)
        if not lineages and complete and not any(n.code in CAUSES for n in notices):
            notices = [*notices, no_match(self.tree, reading)]
        return Outcome(
            query=self.question.query,
            policy=self.question.policy.name,
            route=route,
            elapsed_ms=(time.perf_counter() - self.started) * 1_000,
            lineages=tuple(lineages),
            funnel=tuple(reading.funnel) if reading else (),
            notices=tuple(notices),
            complete=complete,
            agent_limit=reading.ask.limit if reading else self.question.limit,
            sanitised=reading.matches.sanitised if reading else "",
        )

    def _marks(self, route: str) -> Callable[[str], Highlight]:
        known: dict[str, Highlight] = {}

        def marks(label: str) -> Highlight:
            if label not in known:
                known[label] = highlighter(self.tree, route, label)
            return known[label]

        return marks


def _hits(number: int) -> str:
    return "1 hit" if number == 1 else f"{number:,} hits"


def _looser(tiers: Tiers) -> list[Notice]:
    """That nothing matches as it was typed, and what is shown instead."""
    labels = set(tiers.labels.values())
    if labels == {"substring"}:
        text = "No message holds these as whole words; these hold them inside longer ones."
        return [Notice("substring", text)]
    if labels == {"relaxed"}:
        return [Notice("relaxed", "No message holds all of these words; these hold some of them.")]
    return []


def _agent_only(lines: Sequence[Lines]) -> list[Notice]:
    """Lineages that only the agent's reading finds, such as for words of the stored JSON."""
    only = sum(1 for line in lines if line.label == "agent_only")
    if not only:
        return []
    what = "1 lineage" if only == 1 else f"{only:,} lineages"
    return [
        Notice(
            "agent_only",
            f"The agent is given {what} that do not hold what was asked: its index also holds the "
            "stored form of messages, and its scans take any of the words.",
        )
    ]


def no_match(tree: Query, reading: Discovery | None) -> Notice:
    """Why an answer without a line is empty, from its funnel."""
    funnel = reading.funnel if reading else []
    removed = {step.rule: step.removed for step in funnel if step.removed > 0}
    matched = funnel[0].left if funnel else 0
    if tree.filters.any and tree.node is None:
        return Notice("no_match", "No session of this history passes these filters.")
    if tree.filters.any:
        return Notice("no_match", "Nothing that passes the filters matches these words.")
    if not matched:
        return Notice(
            "no_match",
            "No message of this history matches, not even in part. Try fewer or other words.",
        )
    causes = {
        "hidden_source": "in sources the agent does not search",
        "role_filter": "in roles the agent does not search",
        "rewound": "rewound",
        "current_lineage": "in the current conversation",
    }
    parts = [f"{removed[rule]:,} {words}" for rule, words in causes.items() if rule in removed]
    return Notice(
        "all_removed", f"{matched:,} messages match, but none is left: {', '.join(parts)}."
    )
