"""The agent's message search: route, filters, order, rebuild gap and fallbacks.

One pass: every candidate of the route, then the policy's rules in memory, each counted. Facts 23
to 42.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hermes_tui.history.errors import QueryError
from hermes_tui.history.layout import BASE, CJK, TRIGRAM, Index, Layout, Markers, Rebuild
from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.outcome import FunnelStep, Route
from hermes_tui.recall.policy import Policy
from hermes_tui.recall.routes import (
    Candidate,
    Plan,
    candidates,
    cjk_served,
    fallback_plans,
    forced_plan,
    gap_candidates,
    hidden_rows,
    plans_for,
    snippets,
    trigram_eligible,
)
from hermes_tui.recall.sanitise import is_operator, sanitise
from hermes_tui.text.cjk import has_cjk, has_lone_cjk

Sort = Literal["newest", "oldest"]
_PHRASE_OR_WORD = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True)
class Request:
    """What to search: roles None means every role, sources None every source (28).

    limit None means no limit. sort None is by relevance. route: only this one answers, whatever
    the query is made of.
    """

    query: str
    roles: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    exclude_sources: tuple[str, ...] | None = None
    sort: Sort | None = None
    limit: int | None = 20
    offset: int = 0
    include_rewound: bool = False
    only_sessions: frozenset[str] | None = None
    cjk_enabled: bool = True
    route: Route | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """A plan that was run: every row it matched, how many the rules left, why it failed."""

    plan: Plan
    all: Sequence[Candidate] = ()
    left: int = 0
    error: str = ""


@dataclass(slots=True)
class Matches:
    """What the agent's message search gives.

    rows: the answer, in order. plan_of: which plan each row's snippet comes from. all: every
    candidate of the route that answered, before any rule. beyond: rows cut by the limit.
    unreadable: SQLite refused the query, which the agent answers with an empty list (9).
    tried: the plans that were run, in order.
    """

    sanitised: str
    route: Route = "empty"
    rows: list[Candidate] = field(default_factory=list)
    plan_of: dict[int, Plan] = field(default_factory=dict)
    all: list[Candidate] = field(default_factory=list)
    beyond: list[Candidate] = field(default_factory=list)
    funnel: list[FunnelStep] = field(default_factory=list)
    rebuild: Rebuild | None = None
    unreadable: str = ""
    fallback: bool = False
    tried: list[Tried] = field(default_factory=list)

    def snippets(self, history: History, ids: Collection[int]) -> dict[int, str | None]:
        """The raw snippet of each of these rows, made by the plan that matched it."""
        by_plan: dict[Plan, list[int]] = {}
        for message_id in ids:
            by_plan.setdefault(self.plan_of[message_id], []).append(message_id)
        found: dict[int, str | None] = {}
        for plan, members in by_plan.items():
            found |= snippets(history, plan, members)
        return found


def match_messages(
    history: History, request: Request, policy: Policy, stop: Stop | None = None
) -> Matches:
    """Run the agent's message search. Interrupted when `stop` turns true."""
    sanitised = sanitised_by(policy, request.query)
    matches = Matches(sanitised)
    if not sanitised:
        return matches
    layout, markers = history.layout, history.markers()
    matches.rebuild = markers.rebuild if policy.rebuild_gap else None
    plans = _first_plans(sanitised, request, layout, markers, policy)
    index = index_asked(layout, plans[0])
    if index is not None and not index.servable:
        matches.route = plans[0].route
        matches.unreadable = index.problem or "the history has no search index"
        return matches
    _run_first(history, plans, request, policy, matches, stop)
    if matches.unreadable:
        return matches
    if matches.rebuild:
        _fill_gap(history, matches.rebuild, request, policy, matches, stop)
    if not matches.rows and request.route is None:
        _fall_back(history, request, policy, matches, stop)
    return matches


def sanitised_by(policy: Policy, query: str) -> str:
    """The query after a policy's clean-up."""
    return sanitise(query, policy.special_characters, percent=policy.percent_is_special)


def index_asked(layout: Layout, plan: Plan) -> Index | None:
    """The index a plan asks; None for a scan."""
    return {BASE: layout.base, CJK: layout.cjk, TRIGRAM: layout.trigram}.get(plan.table)


def _first_plans(
    sanitised: str, request: Request, layout: Layout, markers: Markers, policy: Policy
) -> list[Plan]:
    if request.route is not None:
        return [forced_plan(sanitised, request.route)]
    return plans_for(
        sanitised, request.roles, layout, markers, policy, cjk_enabled=request.cjk_enabled
    )


def _fall_back(
    history: History, request: Request, policy: Policy, matches: Matches, stop: Stop | None
) -> None:
    """Try what is next for a query without any match; an error counts as nothing found (23)."""
    layout, markers = history.layout, history.markers()
    for plan in fallback_plans(
        matches.sanitised, request.roles, layout, markers, policy, cjk_enabled=request.cjk_enabled
    ):
        try:
            _take(history, plan, request, policy, matches, stop)
        except QueryError as error:
            matches.tried.append(Tried(plan, error=str(error)))
            continue
        if matches.rows:
            matches.fallback = True
            break


def _run_first(
    history: History,
    plans: Sequence[Plan],
    request: Request,
    policy: Policy,
    matches: Matches,
    stop: Stop | None,
) -> None:
    """The first plan that SQLite accepts answers; the base route has no second one (9, 12)."""
    for plan in plans:
        matches.route = plan.route
        try:
            _take(history, plan, request, policy, matches, stop)
        except QueryError as error:
            matches.tried.append(Tried(plan, error=str(error)))
            if plan.route == "fts5" or len(plans) == 1:
                matches.unreadable = str(error)
                return
            continue
        return


def _take(
    history: History,
    plan: Plan,
    request: Request,
    policy: Policy,
    matches: Matches,
    stop: Stop | None,
) -> None:
    """Run one plan and put its rows through the rules, counting what each removes."""
    found = candidates(history, plan, stop)
    found = _shown_rows(history, found, policy)
    scan = plan.route == "like_scan"
    kept, funnel = apply_rules(found, request, sees_rewound=scan and policy.scan_sees_rewound)
    ordered = kept if scan else in_order(kept, request.sort)  # a scan ignores sort (18)
    end = None if request.limit is None else request.offset + request.limit
    matches.all = found
    matches.rows = ordered[request.offset : end]
    matches.beyond = [] if end is None else ordered[end:]
    matches.funnel = funnel
    matches.plan_of = dict.fromkeys((c.message_id for c in found), plan)
    matches.route = plan.route
    matches.tried.append(Tried(plan, found, len(ordered)))
    if request.limit is not None:
        left = len(matches.rows)
        funnel.append(FunnelStep("scan_limit", len(ordered) - left, left))


def _shown_rows(history: History, found: list[Candidate], policy: Policy) -> list[Candidate]:
    """Without what later rules never find (27)."""
    hidden = hidden_rows(history) if policy.skips_hidden_rows else ()
    return [c for c in found if c.message_id not in hidden] if hidden else found


def apply_rules(
    found: Sequence[Candidate], request: Request, *, sees_rewound: bool = False
) -> tuple[list[Candidate], list[FunnelStep]]:
    """Source, role and visibility rules in that order; what each removed is counted (27, 28)."""
    steps = [FunnelStep("matched", 0, len(found))]
    kept = list(found)

    def keep(rule: str, wanted: list[Candidate]) -> None:
        nonlocal kept
        steps.append(FunnelStep(rule, len(kept) - len(wanted), len(wanted)))
        kept = wanted

    if request.sources is not None:
        keep("source_filter", [c for c in kept if c.source in request.sources])
    if request.only_sessions is not None:
        keep("date_filter", [c for c in kept if c.session_id in request.only_sessions])
    hidden = request.exclude_sources or ()
    keep("hidden_source", [c for c in kept if c.source not in hidden])
    roles = request.roles
    keep("role_filter", [c for c in kept if c.role in roles] if roles else kept)
    if not request.include_rewound and not sees_rewound:
        keep("rewound", [c for c in kept if c.visibility != "rewound"])
    return kept, steps


def in_order(found: list[Candidate], sort: Sort | None) -> list[Candidate]:
    """By relevance as given, or by time with relevance deciding between equals (30)."""
    if sort == "newest":
        return sorted(found, key=lambda c: (-c.timestamp, c.rank))
    if sort == "oldest":
        return sorted(found, key=lambda c: (c.timestamp, c.rank))
    return found


def _fill_gap(
    history: History,
    rebuild: Rebuild,
    request: Request,
    policy: Policy,
    matches: Matches,
    stop: Stop | None,
) -> None:
    """Append what a scan of the rows that are not indexed yet finds, if there is room (40)."""
    room = None if request.limit is None else request.limit - len(matches.rows)
    if room is not None and room <= 0:
        return
    terms = gap_terms(matches.sanitised)
    if not terms:
        return
    found = gap_candidates(history, terms, rebuild.progress, rebuild.high_water, stop)
    found = _shown_rows(history, found, policy)
    kept, _ = apply_rules(found, request)
    known = {c.message_id for c in matches.rows}
    added = [c for c in kept[:room] if c.message_id not in known]
    plan = Plan("like_scan", tokens=tuple(terms))
    matches.rows += added
    matches.plan_of |= dict.fromkeys((c.message_id for c in added), plan)
    if added:
        matches.funnel.append(FunnelStep("rebuild_gap", -len(added), len(matches.rows)))


def gap_terms(sanitised: str) -> list[str]:
    """The terms of a gap scan: quoted phrases whole, operators dropped, stars off (40)."""
    terms = []
    for match in _PHRASE_OR_WORD.finditer(sanitised):
        phrase, word = match.groups()
        term = (phrase if phrase is not None else word).replace("*", "").strip()
        if not term or (word and (is_operator(word) or word.upper() == "NEAR")):
            continue
        terms.append(term)
    return terms


def slow_log_path(history: History, request: Request, policy: Policy) -> str:
    """The path name Hermes writes into its slow log: by query shape alone (85)."""
    sanitised = sanitised_by(policy, request.query)
    if not sanitised:
        return "empty"
    if not has_cjk(sanitised):
        return "fts5"
    layout, markers = history.layout, history.markers()
    served = cjk_served(layout, markers, policy, enabled=request.cjk_enabled)
    if served and not has_lone_cjk(sanitised):
        return "fts_cjk"
    return "trigram" if trigram_eligible(sanitised) else "like_scan"
