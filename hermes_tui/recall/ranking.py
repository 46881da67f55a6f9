"""The rankings that are measured: the conversations that a route gives for a topic, best first.

An agent's ranking goes on behind its limit, so that recall can be seen; what the agent is given
is the first three of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from hermes_tui.history.errors import HistoryError, QueryError
from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.asking import agent_ask
from hermes_tui.recall.discovery import discover
from hermes_tui.recall.judge import Topic
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.policy import HERMES, POLICIES, THOROUGH, Policy
from hermes_tui.recall.query import parse_query

NEWEST = "newest"
"""The baseline: what the agent's rules find, the newest hit first."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Roots of lineages, best first, each once. problem: why there is no ranking, clean."""

    roots: tuple[str, ...] = ()
    problem: str = ""


def route_names() -> tuple[str, ...]:
    """Every route: the agents, newest rules first, then thorough and the baseline."""
    agents = [name for name, policy in POLICIES.items() if not policy.everything]
    return (*agents, THOROUGH.name, NEWEST)


def rank(
    history: History,
    topic: Topic,
    route: str,
    *,
    stop: Stop | None = None,
    environ: Mapping[str, str] | None = None,
) -> Ranking:
    """The ranking of one route. Raises Interrupted when `stop` turns true."""
    environ = os.environ if environ is None else environ
    make = _MAKERS.get(route, _agent)
    try:
        return Ranking(make(history, topic, route, stop, environ))
    except (HistoryError, QueryError) as error:
        return Ranking(problem=str(error))


def _agent(
    history: History, topic: Topic, route: str, stop: Stop | None, environ: Mapping[str, str]
) -> tuple[str, ...]:
    return _found(history, topic, POLICIES[route], stop, environ)


def _newest(
    history: History, topic: Topic, route: str, stop: Stop | None, environ: Mapping[str, str]
) -> tuple[str, ...]:
    return _found(history, replace(topic, sort="newest"), HERMES, stop, environ)


def _found(
    history: History,
    topic: Topic,
    policy: Policy,
    stop: Stop | None,
    environ: Mapping[str, str],
) -> tuple[str, ...]:
    """What an agent's rules find. It is not told the filters that only this program knows."""
    tree = parse_query(topic.query, now=time.time())
    if tree.filters.any and not tree.text:
        return ()
    ask = agent_ask(
        topic.query,
        sort=topic.sort,
        roles=topic.roles or (),
        current_session=topic.current_session,
        environ=environ,
    )
    return tuple(found.root for found in discover(history, ask, policy, stop).found)


def _thorough(
    history: History, topic: Topic, route: str, stop: Stop | None, environ: Mapping[str, str]
) -> tuple[str, ...]:
    outcome = search(
        history,
        topic.query,
        policy=THOROUGH,
        sort=topic.sort,
        roles=topic.roles or None,
        current_session=topic.current_session,
        show_rewound=topic.rewound,
        stop=stop,
        environ=environ,
    )
    return tuple(dict.fromkeys(lineage.root for lineage in outcome.lineages))


_Maker = Callable[
    [History, Topic, str, Stop | None, Mapping[str, str]],
    tuple[str, ...],
]
_MAKERS: dict[str, _Maker] = {THOROUGH.name: _thorough, NEWEST: _newest}
