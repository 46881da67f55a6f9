"""From matching rows to lineages: cron demotion, dedupe, current lineage, titles, limit.

Facts 47 to 54. This is the agent's reading; what it leaves out is kept, with the rule that did.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hermes_tui.history.errors import QueryError
from hermes_tui.history.lineage import Families
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Session, text_of
from hermes_tui.history.statements import Stop
from hermes_tui.recall.matching import Matches, Request, Sort, match_messages
from hermes_tui.recall.outcome import FunnelStep, Route
from hermes_tui.recall.policy import AGENT_ROLES, Policy
from hermes_tui.recall.routes import Candidate, escape_like

CRON = "cron"
_TITLE_EDGES = "`'\""


@dataclass(frozen=True, slots=True)
class Ask:
    """One discovery call: what is asked, by whom. limit: 1 to 10 lineages.

    route: the only one to answer, for comparing; None lets the query decide, as the agent does.
    after, before: when sessions started, Unix seconds. full_detail: every result whole. Both
    count only for a policy that knows them (45, 56).
    """

    query: str
    limit: int = 3
    sort: Sort | None = None
    roles: tuple[str, ...] = AGENT_ROLES
    current_session: str | None = None
    cjk_enabled: bool = True
    route: Route | None = None
    after: float | None = None
    before: float | None = None
    full_detail: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A lineage of the answer: its root, and the row or the title that speaks for it."""

    root: str
    session_id: str
    candidate: Candidate | None = None

    @property
    def by_title(self) -> bool:
        """Whether the session's title matched instead of a message."""
        return self.candidate is None


@dataclass(slots=True)
class Discovery:
    """The agent's reading of a query.

    found: every lineage its rows name, in its order; the first `limit` are its answer.
    rows: the scanned rows after demotion. own: rows dropped as the current lineage's.
    beaten: rows whose lineage already had a better one.
    """

    ask: Ask
    policy: Policy
    matches: Matches
    found: list[Found] = field(default_factory=list)
    rows: list[Candidate] = field(default_factory=list)
    own: list[Candidate] = field(default_factory=list)
    beaten: list[Candidate] = field(default_factory=list)
    demoted: int = 0
    title: Found | None = None

    @property
    def answer(self) -> list[Found]:
        """What the agent is given."""
        return self.found[: self.ask.limit]

    @property
    def funnel(self) -> list[FunnelStep]:
        """Every rule in the agent's order: first messages, then lineages."""
        steps = list(self.matches.funnel)
        by_rows = len(self.found) - (1 if self.title else 0)
        left = len(self.rows) - len(self.own)
        steps.append(FunnelStep("current_lineage", len(self.own), left))
        steps.append(FunnelStep("lineage", left - by_rows, by_rows))
        if self.title:
            steps.append(FunnelStep("title", -1, by_rows + 1))
        shown = len(self.answer)
        steps.append(FunnelStep("limit", len(self.found) - shown, shown))
        return steps


def discover(history: History, ask: Ask, policy: Policy, stop: Stop | None = None) -> Discovery:
    """Run session_search's discovery up to the limit, keeping what each rule leaves out."""
    request = Request(
        ask.query,
        roles=ask.roles or None,
        exclude_sources=policy.hidden_sources,
        sort=ask.sort,
        limit=policy.scan_rows,
        cjk_enabled=ask.cjk_enabled,
        route=ask.route,
        only_sessions=_started_between(history, ask) if policy.date_filters else None,
    )
    matches = match_messages(history, request, policy, stop)
    families = history.families()
    reading = Discovery(ask, policy, matches)
    reading.rows, reading.demoted = demote_cron(matches.rows)
    current_root = families.root(ask.current_session) if ask.current_session else None
    title = title_match(history, ask.query, policy, current_root)
    seen: set[str] = set()
    if title is not None:
        reading.title = title
        reading.found.append(title)
        seen.add(title.root)
    for row in reading.rows:
        root = families.root(row.session_id)
        if in_live_context(row, root, current_root, families, ask.current_session, policy):
            reading.own.append(row)
        elif root in seen:
            reading.beaten.append(row)
        else:
            seen.add(root)
            reading.found.append(Found(root, row.session_id, row))
    return reading


def _started_between(history: History, ask: Ask) -> frozenset[str] | None:
    """The sessions that started in the time asked for; None when none was (32)."""
    if ask.after is None and ask.before is None:
        return None
    low = float("-inf") if ask.after is None else ask.after
    high = float("inf") if ask.before is None else ask.before
    sessions = history.families().sessions.values()
    return frozenset(s.id for s in sessions if low <= (s.started_at or 0.0) < high)


def demote_cron(rows: list[Candidate]) -> tuple[list[Candidate], int]:
    """Cron rows moved behind the rest, each part in its order (49); how many there are."""
    cron = [row for row in rows if row.source == CRON]
    return [row for row in rows if row.source != CRON] + cron, len(cron)


def in_live_context(
    row: Candidate,
    root: str,
    current_root: str | None,
    families: Families,
    current_session: str | None,
    policy: Policy,
) -> bool:
    """Whether the agent still has this row before its eyes, so that recall hides it (52)."""
    if current_root is None or root != current_root:
        return False
    if not policy.recalls_compacted:
        return True
    if row.visibility == "archived":
        return False
    if row.session_id == current_session:
        return True
    owner = families.sessions.get(row.session_id)
    return owner is None or owner.end_reason not in policy.recalled_after


def title_match(
    history: History, query: str, policy: Policy, current_root: str | None
) -> Found | None:
    """The session whose title is the query, or `query #n`, newest first (53, 54)."""
    wanted = query.strip().strip(_TITLE_EDGES).strip()
    if not wanted:
        return None
    session = session_titled(history, wanted)
    if session is None:
        return None
    families = history.families()
    root = families.root(session.id)
    top = families.sessions.get(root)
    if root == current_root or (top is not None and top.source in policy.hidden_sources):
        return None
    return Found(root, session.id)


def session_titled(history: History, title: str) -> Session | None:
    """A numbered continuation `title #n` if there is one, else the exact title; newest first."""
    if "title" not in history.layout.session_columns:
        return None
    for condition, value in (
        ("s.title like ? escape '\\'", escape_like(title) + " #%"),
        ("s.title = ?", title),
    ):
        try:
            rows = history.rows(
                f"select cast(s.id as blob) from sessions s where {condition} "
                "order by s.started_at desc limit 1",
                (value,),
            )
        except QueryError:
            continue
        if rows:
            return history.session(text_of(rows[0][0]) or "")
    return None
