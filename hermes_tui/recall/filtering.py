"""What the filters of a query let through: source, role, tool, title, cwd, session, dates."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.history.lineage import Families
from hermes_tui.history.reader import IDS_PER_STATEMENT, History
from hermes_tui.history.rows import Message, Session, text_of
from hermes_tui.history.statements import Stop
from hermes_tui.recall.outcome import Notice
from hermes_tui.recall.query import Filters
from hermes_tui.recall.routes import Candidate
from hermes_tui.text.clean import clean_line
from hermes_tui.text.fold import folded

ROLE_NAMES = {"you": "user", "me": "user", "hermes": "assistant", "agent": "assistant"}
"""The screen's words for a role, beside Hermes' own."""


class Sieve:
    """Filters over the rows and sessions of a history."""

    def __init__(self, history: History, filters: Filters, roles: Sequence[str] = ()) -> None:
        self.history = history
        self.filters = filters
        self.families: Families = history.families()
        self.roles = {ROLE_NAMES.get(r, r) for r in (*filters.roles, *roles)}
        self.not_roles = {ROLE_NAMES.get(r, r) for r in filters.not_roles}
        self._sessions: dict[str, bool] = {}

    def keep(self, candidate: Candidate) -> bool:
        """Whether a row's role and time are let through."""
        filters = self.filters
        role = candidate.role.lower()
        if (self.roles and role not in self.roles) or role in self.not_roles:
            return False
        if filters.after is not None and candidate.timestamp < filters.after:
            return False
        return filters.before is None or candidate.timestamp < filters.before

    def keep_session(self, session_id: str) -> bool:
        """Whether a session's source, title, folder, id and profile are let through."""
        known = self._sessions.get(session_id)
        if known is None:
            session = self.families.sessions.get(session_id)
            known = session is not None and self._keeps(session)
            self._sessions[session_id] = known
        return known

    def _keeps(self, session: Session) -> bool:
        filters = self.filters
        source = session.source.lower()
        if filters.sources and source not in filters.sources:
            return False
        if source in filters.not_sources:
            return False
        if filters.titles and not _holds(session.title, filters.titles):
            return False
        if filters.cwds and not _holds(session.cwd, filters.cwds):
            return False
        if filters.sessions and not _names(session, filters.sessions, self.families):
            return False
        return not filters.profiles or self.history.profile.lower() in filters.profiles

    def thin(self, rows: dict[int, Candidate], stop: Stop | None = None) -> dict[int, Candidate]:
        """The rows of the tools asked for: their output, and the calls to them."""
        if not self.filters.tools:
            return rows
        ids = list(rows)
        kept = {}
        for start in range(0, len(ids), IDS_PER_STATEMENT):
            for message in self.history.messages(ids[start : start + IDS_PER_STATEMENT], stop):
                if _uses(message, self.filters.tools):
                    kept[message.id] = rows[message.id]
        return kept

    def sessions(self) -> list[str]:
        """Sessions that a query of nothing but filters names, the newest first."""
        kept = [s for s in self.families.sessions.values() if self.keep_session(s.id)]
        kept.sort(key=lambda s: (-(s.started_at or 0.0), s.id))
        wanted = self._with_rows()
        return [s.id for s in kept if wanted is None or s.id in wanted]

    def _with_rows(self) -> set[str] | None:
        """Sessions with a row of the roles, tools and times asked for; None when none is asked."""
        filters = self.filters
        conditions: list[str] = []
        values: list[object] = []
        for roles, operator in ((self.roles, "in"), (self.not_roles, "not in")):
            if roles:
                conditions.append(f"m.role {operator} ({','.join('?' * len(roles))})")
                values += sorted(roles)
        for moment, operator in ((filters.after, ">="), (filters.before, "<")):
            if moment is not None:
                conditions.append(f"m.timestamp {operator} ?")
                values.append(moment)
        for tool in filters.tools:
            name = tool.rstrip("*").replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            conditions.append("(m.tool_name like ? escape '\\' or m.tool_calls like ? escape '\\')")
            values += [f"{name}%", f'%"{name}%']
        if not conditions:
            return None
        found = self.history.rows(
            "select distinct cast(m.session_id as blob) from messages m "
            f"where {' and '.join(conditions)}",
            values,
        )
        return {text_of(row[0]) or "" for row in found}

    def notices(self) -> list[Notice]:
        """What a filter asks for that this history cannot have."""
        profile = self.history.profile.lower()
        others = [p for p in self.filters.profiles if p != profile]
        if not others:
            return []
        named = clean_line(", ".join(others), 80)
        here = f"'{clean_line(profile)}'" if profile else "outside any profile"
        return [
            Notice(
                "other_profile",
                f"This history is {here}; open profile {named} with --profile to search it.",
            )
        ]


def _holds(text: str | None, parts: Sequence[str]) -> bool:
    if not text:
        return False
    whole = folded(text).text
    return any(folded(part).text in whole for part in parts)


def _names(session: Session, parts: Sequence[str], families: Families) -> bool:
    """Whether a session, or the root of its lineage, has one of these id parts."""
    ids = (session.id.lower(), families.root(session.id).lower())
    return any(part in name for part in parts for name in ids)


def _uses(message: Message, tools: Sequence[str]) -> bool:
    names = [message.tool_name or "", *(call.name for call in message.calls)]
    lower = [name.lower() for name in names if name]
    return any(name.startswith(tool.rstrip("*")) for tool in tools for name in lower)
