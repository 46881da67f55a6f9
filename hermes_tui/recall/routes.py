"""The routes of session_search: which index answers a sanitised query, and its candidates.

Facts 12 to 22 and 34 to 37. A route gives every row it matches as a light tuple; rules, limits
and snippets come later and elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hermes_tui.history.errors import QueryError
from hermes_tui.history.layout import BASE, CJK, TRIGRAM, Layout, Markers
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Visibility, number_of, text_of, visibility_of
from hermes_tui.history.statements import Stop
from hermes_tui.recall.outcome import Route
from hermes_tui.recall.policy import Policy
from hermes_tui.recall.sanitise import is_operator, split_tokens
from hermes_tui.text.cjk import count_cjk, has_cjk, has_lone_cjk

SNIPPET_TOKENS = 40
SNIPPET_CHARS = 120
SNIPPET_LEAD = 40
MARK_OPEN, MARK_CLOSE, ELLIPSIS = ">>>", "<<<", "..."
LEAST_TRIGRAM = 3
_UNIT = re.compile(r'"[^"]*"\*?|[^\s"]+')


class Candidate(NamedTuple):
    """A row that a route matched; rank is bm25 (lower is better), timestamp in Unix seconds."""

    message_id: int
    session_id: str
    rank: float
    timestamp: float
    role: str
    source: str
    visibility: Visibility


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to answer: an FTS table with its MATCH text, or a scan for tokens.

    column: the column that snippets are cut from, -1 for the one that matches best (34).
    """

    route: Route
    table: str = ""
    match: str = ""
    tokens: tuple[str, ...] = ()
    column: int = -1


def quoted_match(sanitised: str) -> str:
    """The MATCH text of the trigram and CJK routes: every token quoted, operators bare (15)."""
    return " ".join(
        token.upper() if is_operator(token) else '"' + token.replace('"', '""') + '"'
        for token in split_tokens(sanitised)
    )


def words_of(sanitised: str) -> list[str]:
    """The tokens without operators."""
    return [token for token in split_tokens(sanitised) if not is_operator(token)]


def scan_plan(sanitised: str) -> Plan:
    """The last resort: every token OR-ed, NOT ignored (16)."""
    return Plan("like_scan", tokens=tuple(words_of(sanitised)))


def trigram_eligible(sanitised: str) -> bool:
    """At least three CJK characters, and in every token that has any (12)."""
    counts = [count_cjk(token) for token in words_of(sanitised)]
    return sum(counts) >= LEAST_TRIGRAM and all(c == 0 or c >= LEAST_TRIGRAM for c in counts)


def plans_for(
    sanitised: str,
    roles: Sequence[str] | None,
    layout: Layout,
    markers: Markers,
    policy: Policy,
    *,
    cjk_enabled: bool = True,
) -> list[Plan]:
    """The ways to answer, in the order to try them; the next one is for an error (12)."""
    column = policy.snippet_column
    if not has_cjk(sanitised):
        return [Plan("fts5", BASE, sanitised, column=column)]
    wants_tool = "tool" in (roles or ())
    plans = []
    if not (wants_tool and policy.tool_role_scans):
        served = cjk_served(layout, markers, policy, enabled=cjk_enabled)
        if served and not has_lone_cjk(sanitised):
            plans.append(Plan("fts_cjk", CJK, quoted_match(sanitised)))
        if trigram_eligible(sanitised) and layout.trigram.servable:
            plans.append(Plan("trigram", TRIGRAM, quoted_match(sanitised), column=column))
    return [*plans, scan_plan(sanitised)]


def cjk_served(layout: Layout, markers: Markers, policy: Policy, *, enabled: bool) -> bool:
    """Whether messages_fts_cjk may answer: loaded, complete, and switched on (12, 86)."""
    whole = not markers.cjk_stale and markers.cjk_rebuild is None
    return policy.cjk_index and enabled and layout.cjk.servable and whole


def fallback_plans(
    sanitised: str,
    roles: Sequence[str] | None,
    layout: Layout,
    markers: Markers,
    policy: Policy,
    *,
    cjk_enabled: bool = True,
) -> list[Plan]:
    """What a Latin query without any match is tried on next (23, 25)."""
    if not policy.substring_fallback or has_cjk(sanitised) or "tool" in (roles or ()):
        return []
    plans = []
    if cjk_served(layout, markers, policy, enabled=cjk_enabled):
        plans.append(Plan("fts_cjk", CJK, quoted_match(sanitised)))
    words = words_of(sanitised)
    if words and all(len(w) >= LEAST_TRIGRAM for w in words) and layout.trigram.servable:
        plans.append(Plan("trigram", TRIGRAM, quoted_match(sanitised)))
    relaxed = relaxed_match(sanitised) if policy.relaxed_retry else ""
    if relaxed and layout.base.servable:
        plans.append(Plan("fts5", BASE, relaxed))
    return plans


def forced_plan(sanitised: str, route: Route) -> Plan:
    """The plan of one route, whether or not the query would take it."""
    if route == "fts5":
        return Plan("fts5", BASE, sanitised)
    if route in ("fts_cjk", "trigram"):
        return Plan(route, CJK if route == "fts_cjk" else TRIGRAM, quoted_match(sanitised))
    return scan_plan(sanitised)


def relaxed_match(sanitised: str) -> str:
    """The units of a query OR-ed, phrases whole; '' for a single one, or with OR or NOT (25)."""
    units = _UNIT.findall(sanitised)
    if len(units) < 2 or {"OR", "NOT"} & {unit.upper() for unit in units}:
        return ""
    return " OR ".join(unit for unit in units if not is_operator(unit))


def hidden_rows(history: History) -> frozenset[int]:
    """Ids of the rows that later rules never find: those of display_kind `hidden` (27)."""

    def read() -> frozenset[int]:
        if "display_kind" not in history.layout.message_columns:
            return frozenset()
        found = history.rows("select id from messages where display_kind = 'hidden'")
        return frozenset(row[0] for row in found)

    return history.memo("hidden_rows", read)


def candidates(history: History, plan: Plan, stop: Stop | None = None) -> list[Candidate]:
    """Every row a plan matches, in its own order: by bm25, or newest first for a scan.

    Raises QueryError when SQLite refuses the MATCH.
    """
    layout = history.layout
    if plan.route == "like_scan":
        where, params = like_any(plan.tokens, layout)
        return _rows_where(history, where, params, stop)
    sql = (
        f"select {candidate_columns(layout, 'f.rank')} from {plan.table} f "
        f"join messages m on m.id = f.rowid where f.{plan.table} match ? order by f.rank"
    )
    return _decoded(history, history.rows(sql, (plan.match,), stop))


def candidate_columns(layout: Layout, rank: str) -> str:
    """The select list of decoded_candidates; `rank` is an SQL expression."""
    active = "m.active" if "active" in layout.message_columns else "1"
    compacted = "m.compacted" if "compacted" in layout.message_columns else "0"
    return (
        f"m.id, cast(m.session_id as blob), {rank}, m.timestamp, cast(m.role as blob), "
        f"{active}, {compacted}"
    )


def like_any(tokens: Iterable[str], layout: Layout) -> tuple[str, list[str]]:
    """A condition: some token stands in some text column, ASCII case ignored (16)."""
    conditions, params = [], []
    for token in tokens:
        condition, values = like_token(token, layout)
        conditions.append(condition)
        params += values
    return " or ".join(conditions) or "0", params


def like_token(token: str, layout: Layout) -> tuple[str, list[str]]:
    """A condition: this token stands in some text column; `%` and `_` are literal (16)."""
    pattern = "%" + escape_like(token) + "%"
    columns = [c for c in ("content", "tool_name", "tool_calls") if c in layout.message_columns]
    condition = " or ".join(f"m.{column} like ? escape '\\'" for column in columns)
    return f"({condition})", [pattern] * len(columns)


def escape_like(text: str) -> str:
    """`text` so that LIKE with escape '\\' takes it literally."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _rows_where(
    history: History, where: str, params: Sequence[object], stop: Stop | None
) -> list[Candidate]:
    columns = candidate_columns(history.layout, "0.0")
    sql = f"select {columns} from messages m where {where} order by m.timestamp desc"
    return _decoded(history, history.rows(sql, params, stop))


def gap_candidates(
    history: History,
    terms: Sequence[str],
    above: int,
    up_to: int,
    stop: Stop | None = None,
) -> list[Candidate]:
    """Rows with above < id <= up_to in which every term stands, newest first (40)."""
    conditions, params = ["m.id > ?", "m.id <= ?"], [above, up_to]
    values: list[object] = list(params)
    for term in terms:
        condition, patterns = like_token(term, history.layout)
        conditions.append(condition)
        values += patterns
    return _rows_where(history, " and ".join(conditions), values, stop)


def decoded_candidates(
    history: History, rows: Iterable[tuple[Any, ...]]
) -> Iterator[tuple[Candidate, tuple[Any, ...]]]:
    """Candidates with their rows, of sessions that exist (the agent joins them).

    Each id and role is decoded once.
    """
    sessions = history.families().sessions
    names: dict[object, str] = {}

    def name(cell: object) -> str:
        known = names.get(cell)
        if known is None:
            known = names[cell] = text_of(cell) or ""
        return known

    for row in rows:
        message_id, session, rank, timestamp, role, active, compacted = row[:7]
        owner = sessions.get(name(session))
        if owner is None:
            continue
        visibility: Visibility = "live" if active == 1 else visibility_of(active, compacted)
        moment = number_of(timestamp) or 0.0
        yield (
            Candidate(message_id, owner.id, rank, moment, name(role), owner.source, visibility),
            row,
        )


def _decoded(history: History, rows: Iterable[tuple[Any, ...]]) -> list[Candidate]:
    return [candidate for candidate, _ in decoded_candidates(history, rows)]


def message_texts(history: History, ids: Sequence[int]) -> dict[int, bytes]:
    """The stored content of rows, as bytes, for telling copies apart."""
    sql = "select m.id, cast(m.content as blob) from messages m where m.id in (@ids)"
    return {row[0]: row[1] or b"" for row in history.rows_among(sql, ids)}


def snippets(history: History, plan: Plan, ids: Sequence[int]) -> dict[int, str | None]:
    """The agent's snippet of each row as this route makes it (34 to 37); raw, never cleaned."""
    if plan.route == "like_scan":
        first = plan.tokens[0] if plan.tokens else ""
        sql = (
            f"select m.id, cast(substr(m.content, max(1, instr(m.content, ?) - {SNIPPET_LEAD}),"
            f" {SNIPPET_CHARS}) as blob) from messages m where m.id in (@ids)"
        )
    else:
        first = plan.match
        sql = (
            f"select rowid, cast(snippet({plan.table}, {plan.column}, '{MARK_OPEN}', "
            f"'{MARK_CLOSE}', '{ELLIPSIS}', {SNIPPET_TOKENS}) as blob) from {plan.table} "
            f"where {plan.table} match ? and rowid in (@ids)"
        )
    try:
        rows = history.rows_among(sql, ids, before=(first,))
    except QueryError:
        return {}
    return {message_id: text_of(snippet) for message_id, snippet in rows}
