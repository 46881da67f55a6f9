"""What the filters of a query let through: source, role, tool, title, cwd, session, dates."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.history.lineage import Families
from hermes_tui.history.reader import IDS_PER_STATEMENT, History
from hermes_tui.history.rows import Message, Session, text_of
from hermes_tui.history.statements import Stop
from hermes_tui.recall.filters import Filters
from hermes_tui.recall.routes import Candidate, escape_like
from hermes_tui.text.fold import folded

ROLE_NAMES = {"you": "user", "me": "user", "hermes": "assistant", "agent": "assistant"}
"""The screen's words for a role, beside Hermes' own."""


def role_named(name: str) -> str:
    """Hermes' own name of a role."""
    lower = name.lower()
    return ROLE_NAMES.get(lower, lower)


class Sieve:
    """Filters over the rows and sessions of a history. rewound: rewound rows count, too."""

    def __init__(
        self,
        history: History,
        filters: Filters,
        roles: Sequence[str] = (),
        *,
        rewound: bool = False,
        stop: Stop | None = None,
    ) -> None:
        self.history = history
        self.filters = filters
        self.families: Families = history.families()
        self.roles = {role_named(r) for r in (*filters.roles, *roles)}
        self.not_roles = {role_named(r) for r in filters.not_roles}
        self.any = filters.any or bool(self.roles)
        self.rewound = rewound
        self.stop = stop
        self._sessions: dict[str, bool] = {}

    def rows(self, rows: dict[int, Candidate]) -> dict[int, Candidate]:
        """The rows that pass every filter, rewound ones too."""
        if not self.any:
            return rows
        kept = {
            message_id: candidate
            for message_id, candidate in rows.items()
            if self._keep(candidate) and self.keep_session(candidate.session_id)
        }
        return self._thin(kept)

    def _keep(self, candidate: Candidate) -> bool:
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
        source, profile = session.source.lower(), self.history.profile.lower()
        families = self.families
        wanted = (
            not filters.sources or source in filters.sources,
            not filters.titles or holds(session.title, filters.titles),
            not filters.cwds or holds(session.cwd, filters.cwds),
            not filters.sessions or names(session, filters.sessions, families),
            not filters.profiles or profile in filters.profiles,
        )
        return all(wanted) and not (
            source in filters.not_sources
            or holds(session.title, filters.not_titles)
            or holds(session.cwd, filters.not_cwds)
            or names(session, filters.not_sessions, families)
            or profile in filters.not_profiles
        )

    def _thin(self, rows: dict[int, Candidate]) -> dict[int, Candidate]:
        """The rows of the tools asked for: their output, and the calls to them."""
        if not (self.filters.tools or self.filters.not_tools):
            return rows
        return {i: rows[i] for i in self._of_tools(list(rows))}

    def _of_tools(self, ids: Sequence[int]) -> list[int]:
        """The messages of the tools asked for, those of unwanted tools left out."""
        tools, without = self.filters.tools, self.filters.not_tools
        kept = []
        for start in range(0, len(ids), IDS_PER_STATEMENT):
            chunk = ids[start : start + IDS_PER_STATEMENT]
            for message in self.history.messages(chunk, self.stop):
                if (not tools or uses(message, tools)) and not (without and uses(message, without)):
                    kept.append(message.id)
        return kept

    def sessions(self) -> list[str]:
        """The sessions that a query of nothing but filters names."""
        return self.passing([s.id for s in self.families.sessions.values()])

    def passing(self, session_ids: Sequence[str]) -> list[str]:
        """Those of these sessions that pass, with a message of the roles, tools and times."""
        kept = [session_id for session_id in session_ids if self.keep_session(session_id)]
        conditions, values = self._row_conditions()
        if not conditions or not kept:
            return kept
        named = len(kept) < len(self.families.sessions) // 4
        found = self._with_rows(conditions, values, kept if named else None)
        return [session_id for session_id in kept if session_id in found]

    def _row_conditions(self) -> tuple[list[str], list[object]]:
        """SQL on `messages m` for roles and times, and for a row that may be of a tool."""
        filters = self.filters
        conditions: list[str] = []
        values: list[object] = []
        for roles, operator in ((self.roles, "in"), (self.not_roles, "not in")):
            if roles:
                conditions.append(f"lower(m.role) {operator} ({','.join('?' * len(roles))})")
                values += sorted(roles)
        for moment, operator in ((filters.after, ">="), (filters.before, "<")):
            if moment is not None:
                conditions.append(f"m.timestamp {operator} ?")
                values.append(moment)
        if filters.tools:
            condition, patterns = _may_use(self.history, filters.tools)
            conditions.append(condition)
            values += patterns
        elif filters.not_tools and not conditions:
            conditions.append("1")
        columns = self.history.layout.message_columns
        if conditions and not self.rewound and {"active", "compacted"} <= set(columns):
            conditions.append("(coalesce(m.active, 1) <> 0 or coalesce(m.compacted, 0) <> 0)")
        return conditions, values

    def _with_rows(
        self, conditions: list[str], values: list[object], sessions: list[str] | None
    ) -> set[str]:
        """Sessions (of these, or of all) with such a row; rows of tools are read to be sure."""
        read = bool(self.filters.tools or self.filters.not_tools)
        what = "m.id, cast(m.session_id as blob)" if read else "0, cast(m.session_id as blob)"
        sql = f"select {'' if read else 'distinct '}{what} from messages m where "
        sql += " and ".join(conditions)
        if sessions is None:
            rows = self.history.rows(sql, values, self.stop)
        else:
            sql += " and m.session_id in (@ids)"
            rows = self.history.rows_among(sql, sessions, before=values, stop=self.stop)
        named = [(row[0], text_of(row[1]) or "") for row in rows]
        return self._confirmed(named) if read else {session_id for _, session_id in named}

    def _confirmed(self, rows: list[tuple[int, str]]) -> set[str]:
        """The sessions of the rows that are of the tools; each is read until one row is."""
        waiting: dict[str, list[int]] = {}
        for message_id, session_id in rows:
            waiting.setdefault(session_id, []).append(message_id)
        found: set[str] = set()
        size = 1
        while waiting:
            # A row that may be of a tool nearly always is: one of each session first.
            asked = {i: s for s, ids in waiting.items() for i in ids[:size]}
            found |= {asked[i] for i in self._of_tools(list(asked))}
            waiting = {s: r for s, i in waiting.items() if s not in found and (r := i[size:])}
            size *= 4
        return found


def _may_use(history: History, tools: Sequence[str]) -> tuple[str, list[str]]:
    """SQL that holds for every row of these tools."""
    forms = {"tool_name": "{}%", "tool_calls": '%"{}%'}
    columns = [column for column in forms if column in history.layout.message_columns]
    parts = [f"m.{column} like ? escape '\\'" for _ in tools for column in columns]
    patterns = [
        forms[column].format(escape_like(tool.rstrip("*"))) for tool in tools for column in columns
    ]
    return f"({' or '.join(parts) or '0'})", patterns


def holds(text: str | None, parts: Sequence[str]) -> bool:
    """Whether a title or a folder has one of these parts, in any case."""
    if not text:
        return False
    whole = folded(text).text
    return any(folded(part).text in whole for part in parts)


def names(session: Session, parts: Sequence[str], families: Families) -> bool:
    """Whether a session, or the root of its lineage, has one of these id parts."""
    ids = (session.id.lower(), families.root(session.id).lower())
    return any(part in name for part in parts for name in ids)


def uses(message: Message, tools: Sequence[str]) -> bool:
    """Whether a message is the output of one of these tools or calls it."""
    used = [message.tool_name or "", *(call.name for call in message.calls)]
    lower = [name.lower() for name in used if name]
    return any(name.startswith(tool.rstrip("*")) for tool in tools for name in lower)
