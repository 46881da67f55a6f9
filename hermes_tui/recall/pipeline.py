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
from hermes_tui.recall.browse import passing_rows
from hermes_tui.recall.discovery import Ask, Discovery, discover
from hermes_tui.recall.emptiness import why_agents_empty, why_empty
from hermes_tui.recall.filtering import Sieve, role_named
from hermes_tui.recall.highlight import Highlight, highlighter
from hermes_tui.recall.lines import Lines, Presenter, agent_lines, agent_notices
from hermes_tui.recall.matching import Sort
from hermes_tui.recall.merging import merge
from hermes_tui.recall.naming import named_sessions
from hermes_tui.recall.outcome import LineageHit, Notice, Outcome
from hermes_tui.recall.policy import HERMES, THOROUGH, Policy
from hermes_tui.recall.query import Query, parse_query
from hermes_tui.recall.routes import Candidate
from hermes_tui.recall.tiers import Tiers, find_tiers
from hermes_tui.recall.unmet import unmet
from hermes_tui.text.clean import clean_line


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
        tuple(role_named(role) for role in roles) if roles else None,
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
        notices = self._left_out(policy)
        if self.tree.filters_only:
            return self._outcome(None, [], notices, complete=True)
        reading = discover(self.history, self.ask(), policy, self.stop)
        lines = agent_lines(self.history, reading)
        notices += agent_notices(reading)
        if not lines:
            notices += why_agents_empty(policy, reading, self.question.roles or (), notices)
        return self._outcome(reading, self._presented(reading, lines), notices, complete=True)

    def _left_out(self, policy: Policy) -> list[Notice]:
        """That an agent's rules know none of the filters."""
        if not self.tree.filters.any:
            return []
        text = f"Filters are left out by the rules of {policy.name}; only thorough applies them."
        if self.tree.filters_only:
            text += " No word is left to look for."
        return [Notice("filters_ignored", text)]

    def thorough(self) -> Iterator[Outcome]:
        """Everything that matches, with the agent's reading beside it."""
        history, question = self.history, self.question
        sieve = Sieve(
            history,
            self.tree.filters,
            question.roles or (),
            rewound=question.show_rewound,
            stop=self.stop,
        )
        if self.tree.filters_only:
            yield self._passing(sieve)
            return
        reading, notices = self._reading()
        named = named_sessions(history, self.tree)
        kept = set(sieve.passing(list(named)))
        named = {session_id: how for session_id, how in named.items() if session_id in kept}
        missing = [found.notice for found in unmet(sieve, self.environ, thoroughly=False)]
        markers = history.markers()
        for tiers in find_tiers(history, self.tree, markers, self.stop):
            rows = sieve.rows(tiers.rows)
            lines = merge(
                history,
                reading,
                rows,
                tiers.labels,
                named,
                markers,
                sieve,
                sort=question.sort,
                show_rewound=question.show_rewound,
            )
            told = [*notices, *tiers.notices, *self._scan_notices(tiers, rows)]
            told += [*_looser(tiers, lines), *_agent_only(self.tree, reading, lines)]
            if lines or not tiers.complete:
                told += missing
            else:
                told += why_empty(self.tree, tiers, sieve, told, self.environ)
            yield self._outcome(
                reading, self._presented(reading, lines), told, complete=tiers.complete
            )

    def _passing(self, sieve: Sieve) -> Outcome:
        """The sessions that pass filters alone: there is no word, so nothing is searched."""
        rows = passing_rows(
            self.history, sieve.sessions(), oldest_first=self.question.sort == "oldest"
        )
        notices = list(self.tree.notices)
        if rows:
            notices += [found.notice for found in unmet(sieve, self.environ, thoroughly=False)]
        else:
            notices += why_empty(self.tree, Tiers(), sieve, notices, self.environ)
        return self._outcome(None, rows, notices, complete=True)

    def _reading(self) -> tuple[Discovery | None, list[Notice]]:
        """The agent's reading, or why there is none."""
        notices = list(self.tree.notices)
        try:
            reading = discover(self.history, self.ask(), HERMES, self.stop)
        except DamagedError as error:
            text = f"The agent's search fails here: {error} `hermes-tui doctor` says what to do."
            return None, [*notices, Notice("index_damaged", text)]
        return reading, [*notices, *agent_notices(reading)]

    def _scan_notices(self, tiers: Tiers, rows: Mapping[int, Candidate]) -> list[Notice]:
        """What was scanned beyond the index, how far, and what is held back of the `rows`."""
        notices = []
        found = len(tiers.by_scan & rows.keys())
        if tiers.to_scan and (found or not tiers.complete):
            share = min(100, 100 * tiers.scanned // tiers.to_scan)
            state = "" if tiers.complete else f", {share} % done"
            what = ", ".join(tiers.gaps)
            text = f"Scanned what no index covers ({what}{state}): {_hits(found)} found."
            notices.append(Notice("scanned", text))
        rewound = sum(1 for row in rows.values() if row.visibility == "rewound")
        if rewound and not self.question.show_rewound:
            plural = "message matches and stays" if rewound == 1 else "messages match and stay"
            notices.append(Notice("rewound_hidden", f"{rewound:,} rewound {plural} hidden."))
        return notices

    def _presented(self, reading: Discovery | None, lines: Sequence[Lines]) -> Sequence[LineageHit]:
        """The lines with their texts."""
        if self.presenter is None:
            route = reading.matches.route if reading else "empty"
            self.presenter = Presenter(self.history, self._marks(route))
        return self.presenter.rows(lines)

    def _outcome(
        self,
        reading: Discovery | None,
        lineages: Sequence[LineageHit],
        notices: Sequence[Notice],
        *,
        complete: bool,
    ) -> Outcome:
        return Outcome(
            query=self.question.query,
            policy=self.question.policy.name,
            route=reading.matches.route if reading else "empty",
            elapsed_ms=(time.perf_counter() - self.started) * 1_000,
            lineages=tuple(lineages),
            funnel=tuple(reading.funnel) if reading else (),
            notices=tuple(notices),
            complete=complete,
            agent_limit=reading.ask.limit if reading else self.question.limit,
            sanitised=reading.matches.sanitised if reading else "",
            filters_only=self.tree.filters_only and self.question.policy.everything,
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


def _looser(tiers: Tiers, lines: Sequence[Lines]) -> list[Notice]:
    """That nothing matches as it was typed, and what is shown instead."""
    labels = {tiers.labels[i] for line in lines for i in line.hits if i in tiers.labels}
    if labels == {"substring"}:
        text = "No message holds these as whole words; these hold them inside longer ones."
        return [Notice("substring", text)]
    if labels == {"relaxed"}:
        return [Notice("relaxed", "No message holds all of these words; these hold some of them.")]
    return []


def _agent_only(tree: Query, reading: Discovery | None, lines: Sequence[Lines]) -> list[Notice]:
    """Lineages that only the agent's reading finds, such as for words of the stored JSON."""
    only = sum(1 for line in lines if line.label == "agent_only")
    if not only or reading is None:
        return []
    if tree.node is None:
        words = clean_line(reading.matches.sanitised, 80)
        text = f"The agent's clean-up makes '{words}' of this query, and that is what it finds."
        return [Notice("agent_only", text)]
    what = "1 lineage that does not" if only == 1 else f"{only:,} lineages that do not"
    return [
        Notice(
            "agent_only",
            f"The agent finds {what} hold what was asked: its index also holds the "
            "stored form of messages, and its scans take any of the words.",
        )
    ]
