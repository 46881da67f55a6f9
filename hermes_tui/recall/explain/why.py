"""Why a query finds what it finds: clean-up, route, rules, and each word on its own."""

from __future__ import annotations

import time
from dataclasses import dataclass

from hermes_tui.history.layout import Layout
from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.discovery import Ask, Discovery, discover
from hermes_tui.recall.explain.checklist import Check, checklist
from hermes_tui.recall.explain.counting import Count, Counter, UnitCount
from hermes_tui.recall.explain.funnel import FunnelLine, funnel_lines
from hermes_tui.recall.explain.routing import RouteNote, route_notes
from hermes_tui.recall.explain.units import Asked, Join, asked_by, either, phrase_query
from hermes_tui.recall.lines import agent_notices
from hermes_tui.recall.matching import index_asked
from hermes_tui.recall.outcome import Notice, Route
from hermes_tui.recall.policy import HERMES, Policy
from hermes_tui.recall.routes import Plan, plans_for
from hermes_tui.recall.view import first_live_message


@dataclass(frozen=True, slots=True)
class Variant:
    """Another way to put the query, and what it would find. count: None when it is not known."""

    query: str
    count: Count | None


@dataclass(frozen=True, slots=True)
class Given:
    """One lineage of the agent's answer. hits: its rows among those looked at.

    message_id: the hit; for a title match the first message, None without any.
    """

    rank: int
    session_id: str
    root: str
    message_id: int | None
    source: str
    role: str
    hits: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a query finds what it finds.

    query: as typed; asked: as the agent would ask it, without this program's filters; sanitised:
    after its clean-up. route: the one that answered. killer: the unit without which most would be
    found, when all together find nothing. either, phrase: the OR and the phrase version, None
    where they say nothing new. matched: rows of the first route. search_ms, elapsed_ms: of the
    search alone, and of everything, in milliseconds.
    """

    query: str
    asked: str
    sanitised: str
    policy: str
    ask: Ask
    route: Route
    routes: tuple[RouteNote, ...]
    funnel: tuple[FunnelLine, ...]
    units: tuple[UnitCount, ...]
    joined_by_and: bool
    killer: str
    either: Variant | None
    phrase: Variant | None
    checks: tuple[Check, ...]
    given: tuple[Given, ...]
    notices: tuple[Notice, ...]
    search_ms: float
    elapsed_ms: float


def why(
    history: History,
    query: str,
    ask: Ask,
    *,
    policy: Policy = HERMES,
    stop: Stop | None = None,
) -> Explanation:
    """Explain a query. Raises Interrupted when `stop` turns true, HistoryError as a search does."""
    started = time.perf_counter()
    reading = discover(history, ask, policy, stop)
    searched = time.perf_counter()
    layout, markers = history.layout, history.markers()
    asked = first_asked(history, reading)
    counter = _counter(history, layout, reading, asked, stop) if asked else None
    units = counter.unit_counts() if counter else ()
    killer = _killer(reading, units)
    return Explanation(
        query=query,
        asked=ask.query,
        sanitised=reading.matches.sanitised,
        policy=policy.name,
        ask=ask,
        route=reading.matches.route,
        routes=route_notes(reading, layout, markers),
        funnel=funnel_lines(reading),
        units=units,
        joined_by_and=_is_and(asked),
        killer=killer,
        either=_either(counter) if counter else None,
        phrase=_phrase(counter) if counter else None,
        checks=checklist(history, reading, units, killer, layout, markers),
        given=given_by(history, reading),
        notices=tuple(agent_notices(reading)),
        search_ms=(searched - started) * 1_000,
        elapsed_ms=(time.perf_counter() - started) * 1_000,
    )


def first_plan(history: History, reading: Discovery) -> Plan | None:
    """The plan the query was meant for: the first one run that could be read, else the first."""
    tried = reading.matches.tried
    if tried:
        return next((run.plan for run in tried if not run.error), tried[0].plan)
    sanitised = reading.matches.sanitised
    if not sanitised:
        return None
    return plans_for(
        sanitised,
        reading.ask.roles,
        history.layout,
        history.markers(),
        reading.policy,
        cjk_enabled=reading.ask.cjk_enabled,
    )[0]


def first_asked(history: History, reading: Discovery) -> Asked | None:
    """The units the query was meant to look for."""
    plan = first_plan(history, reading)
    return asked_by(plan, reading.matches.sanitised) if plan else None


def given_by(history: History, reading: Discovery) -> tuple[Given, ...]:
    """The agent's answer, a line for each lineage."""
    families = history.families()
    hits: dict[str, int] = {}
    for row in reading.rows:
        root = families.root(row.session_id)
        hits[root] = hits.get(root, 0) + 1
    given = []
    for rank, found in enumerate(reading.answer, start=1):
        candidate = found.candidate
        session = families.sessions.get(found.session_id)
        given.append(
            Given(
                rank,
                found.session_id,
                found.root,
                candidate.message_id
                if candidate
                else first_live_message(history, found.session_id),
                session.source if session else "",
                candidate.role if candidate else "session_title",
                hits.get(found.root, 0),
            )
        )
    return tuple(given)


def _counter(
    history: History, layout: Layout, reading: Discovery, asked: Asked, stop: Stop | None
) -> Counter | None:
    """What counts for the units; None when their index cannot be read at all."""
    index = index_asked(layout, asked.plan)
    if index is not None and not index.servable:
        return None
    runs = [run for run in reading.matches.tried if run.plan == asked.plan and not run.error]
    # Counted is what the index holds; of rows that are kept hidden, the search gives none.
    known = bool(runs) and not reading.policy.skips_hidden_rows
    return Counter(history, asked, stop, runs[0].all if known else None)


def _either(counter: Counter) -> Variant | None:
    node = either(counter.asked)
    return Variant(counter.asked.query_text(node), counter.of_node(node)) if node else None


def _phrase(counter: Counter) -> Variant | None:
    query = phrase_query(counter.asked)
    return Variant(query, counter.of_phrase(query)) if query else None


def _is_and(asked: Asked | None) -> bool:
    """Whether every unit has to be there, so that one of them can kill the rest."""
    node = asked.node if asked else None
    return isinstance(node, Join) and node.operator == "AND"


def _killer(reading: Discovery, units: tuple[UnitCount, ...]) -> str:
    """The unit that keeps the others from being found; '' when something is found, or none does."""
    runs = [run for run in reading.matches.tried if not run.error]
    if not runs or runs[0].all or len(units) < 2:
        return ""
    freed = [(unit.without.rows, unit.text) for unit in units if unit.without and not unit.negative]
    most = max(freed, default=(0, ""), key=lambda entry: entry[0])
    return most[1] if most[0] else ""
