"""The JSON twin of the agent's tool: `session_search(**args) -> dict`, shape told by the arguments.

Facts 43 to 82. Keys, order of shapes and sentences are the tool's, because programs read them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hermes_tui.history.errors import HistoryError, QueryError
from hermes_tui.history.locate import (
    LINK_PREFIX,
    list_profiles,
    profile_place,
    session_link,
)
from hermes_tui.history.reader import History, Registrar
from hermes_tui.history.rows import Session
from hermes_tui.history.statements import Stop
from hermes_tui.recall.browse import listed, previews
from hermes_tui.recall.dates import read_moment
from hermes_tui.recall.discovery import Ask
from hermes_tui.recall.payload import discovery_payload
from hermes_tui.recall.policy import AGENT_ROLES, HERMES, Policy
from hermes_tui.recall.times import when_text
from hermes_tui.recall.view import live_condition, messages_around, shaped

READ_WHOLE, READ_HEAD, READ_TAIL = 30, 20, 10
BROWSE_SPARE = 5
MAX_LIMIT, MAX_WINDOW = 10, 20
_OFF = frozenset({"0", "false", "off", "no"})

Answer = dict[str, Any]


@dataclass(slots=True)
class Tool:
    """session_search over one open history.

    Call it with the tool's arguments; it answers with the tool's JSON. Other profiles' histories
    are opened when an argument names one, and closed again. A search raises Interrupted when
    `stop` turns true.
    """

    history: History
    policy: Policy = HERMES
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    register: Registrar | None = None
    stop: Stop | None = None

    def __call__(self, arguments: Mapping[str, Any]) -> Answer:
        """Answer one call (43). A tool error is `{"error": …, "success": false}` (46)."""
        args = dict(arguments)
        profile, session_id = _split_profile(args.get("profile"), args.get("session_id"))
        args["session_id"] = session_id
        try:
            if not profile:
                return self._dispatch(self.history, args, "")
            # With a profile the guards for the caller's own session are off (81).
            args["current_session_id"] = None
            place = profile_place(profile, self.environ)
            if not os.path.exists(place.path):
                return _error(f"profile '{place.profile}' does not exist")
            with History.open(place, register=self.register) as other:
                return self._dispatch(other, args, profile)
        except (HistoryError, QueryError) as error:
            return _error(str(error))

    def _dispatch(self, history: History, args: Mapping[str, Any], profile: str) -> Answer:
        session_id = _text(args.get("session_id"))
        around = args.get("around_message_id")
        current = _text(args.get("current_session_id")) or None
        if session_id and around is not None:
            return self._scroll(history, session_id, around, args.get("window"), current)
        if session_id:
            return self._read(history, session_id, profile)
        limit = _clamped(args.get("limit"), 3, MAX_LIMIT)
        query = _text(args.get("query"), strip=False)
        if not query.strip():
            return self._browse(history, limit, current, profile)
        ask = Ask(
            query,
            limit=limit,
            sort=_sort(args.get("sort")),  # type: ignore[arg-type]
            roles=_roles(args.get("role_filter")),
            current_session=current,
            cjk_enabled=cjk_enabled(self.environ),
            full_detail=_text(args.get("detail")).lower() == "full",
        )
        if self.policy.date_filters:
            moments = {name: _text(args.get(name)) for name in ("after", "before")}
            read = {n: read_moment(text, now=time.time()) for n, text in moments.items() if text}
            for name, moment in read.items():
                if moment is None:
                    return _error(f"{name} is no date: write an ISO date, 7d, 24h or 2w")
            ask = replace(ask, after=read.get("after"), before=read.get("before"))
        link = self._linker(history, profile)
        return discovery_payload(history, ask, self.policy, link=link, stop=self.stop)

    def _linker(self, history: History, profile: str) -> Callable[[str], str] | None:
        if not self.policy.links:
            return None
        return lambda session_id: session_link(profile or history.profile, session_id)

    def _link(self, history: History, profile: str, session_id: str) -> Answer:
        linker = self._linker(history, profile)
        return {"link": linker(session_id)} if linker else {}

    def _scroll(
        self, history: History, session_id: str, around: object, window: object, current: str | None
    ) -> Answer:
        """Messages around one, with the guard and the rebind inside a lineage (64 to 66)."""
        message_id = _integer(around)
        if message_id is None:
            return _error("scroll requires integer around_message_id")
        width = _clamped(window, 5, MAX_WINDOW)
        owner = _owner(history, message_id)
        if current and self._in_own_context(history, session_id, owner, message_id, current):
            return _error(
                "scroll rejected: anchor lives in the current session lineage "
                "(already in your active context)"
            )
        if history.session(session_id) is None:
            return _error(f"session_id not found: {session_id}")
        found = messages_around(history, session_id, message_id, width)
        warning: Answer = {}
        if found is None and owner and owner != session_id:
            families = history.families()
            if families.root(owner) == families.root(session_id):
                found = messages_around(history, owner, message_id, width)
                warning["warning"] = (
                    f"around_message_id {message_id} lives in {owner} (child of {session_id}); "
                    "rebound transparently"
                )
                session_id = owner
        if found is None:
            return _error(f"around_message_id {message_id} not in session_id {session_id}")
        return {
            "success": True,
            "mode": "scroll",
            "session_id": session_id,
            "around_message_id": message_id,
            "session_meta": _meta(history.session(session_id)),
            "window": width,
            "messages": [shaped(m, self.policy, anchor=message_id) for m in found.messages],
            "messages_before": found.before,
            "messages_after": found.after,
            **warning,
        }

    def _in_own_context(
        self, history: History, session_id: str, owner: str | None, message_id: int, current: str
    ) -> bool:
        """Whether the anchor is still before the agent's eyes (64)."""
        families = history.families()
        guarded = owner or session_id if self.policy.scroll_guards_owner else session_id
        if families.root(guarded) != families.root(current):
            return False
        if not self.policy.scroll_guards_owner:
            return True
        rows = history.messages([message_id])
        visibility = rows[0].visibility if rows else "live"
        if visibility == "archived":
            return False
        owning = families.sessions.get(guarded)
        recalled = owning is not None and owning.end_reason in self.policy.recalled_after
        return not (recalled and visibility == "live")

    def _read(self, history: History, session_id: str, profile: str) -> Answer:
        """A session's live messages, the middle of a long one left out (67 to 69)."""
        session = history.session(session_id)
        if session is None:
            return self._read_elsewhere(history, session_id)
        messages = history.message_rows(
            f"where m.session_id = ? and {live_condition(history)} order by m.id", (session_id,)
        )
        count = len(messages)
        answer: Answer = {
            "success": True,
            "mode": "read",
            "session_id": session_id,
            **self._link(history, profile, session_id),
            "session_meta": _meta(session),
            "message_count": count,
            "truncated": count > READ_WHOLE,
        }
        if count > READ_WHOLE:
            messages = messages[:READ_HEAD] + messages[-READ_TAIL:]
            answer["message"] = (
                f"Session has {count} messages; showing first {READ_HEAD} + last {READ_TAIL}. "
                "Pass around_message_id (any id above) to scroll the middle."
            )
        answer["messages"] = [shaped(m, self.policy) for m in messages]
        return answer

    def _read_elsewhere(self, history: History, session_id: str) -> Answer:
        """A session that only another profile's history has: the first owner answers (69)."""
        for place in list_profiles(self.environ):
            if os.path.realpath(place.path) == os.path.realpath(history.path):
                continue
            try:
                with History.open(place, register=self.register) as other:
                    if other.session(session_id) is not None:
                        answer = self._read(other, session_id, place.profile)
                        return {**answer, "profile": place.profile}
            except (HistoryError, QueryError):
                continue
        return _error(f"session_id not found: {session_id}")

    def _browse(self, history: History, limit: int, current: str | None, profile: str) -> Answer:
        """The most recent conversations (71, 76)."""
        families = history.families()
        root = families.root(current) if current else None
        rows = [
            row
            for row in listed(history, self.policy)[: limit + BROWSE_SPARE]
            if row.tip.id not in (current, root)
            and row.root.id not in (current, root)
            and not row.root.parent_id
        ][:limit]
        texts = previews(history, [row.tip.id for row in rows])
        results = [
            {
                "session_id": row.tip.id,
                **self._link(history, profile, row.tip.id),
                "title": row.tip.title or None,
                "source": row.tip.source,
                "started_at": row.root.started_at,
                "last_active": row.last_active,
                "message_count": row.tip.message_count,
                "preview": texts.get(row.tip.id, ""),
            }
            for row in rows
        ]
        return {
            "success": True,
            "mode": "browse",
            "results": results,
            "count": len(results),
            "message": (
                f"Showing {len(results)} most recent sessions. Pass a query= to search, or "
                "session_id+around_message_id to scroll."
            ),
        }


def session_search(
    history: History,
    arguments: Mapping[str, Any],
    *,
    policy: Policy = HERMES,
    environ: Mapping[str, str] | None = None,
) -> Answer:
    """One call of the tool over an open history."""
    return Tool(history, policy, os.environ if environ is None else environ)(arguments)


def cjk_enabled(environ: Mapping[str, str]) -> bool:
    """Whether HERMES_CJK_FTS leaves the CJK index switched on (86)."""
    return environ.get("HERMES_CJK_FTS", "").strip().lower() not in _OFF


def _split_profile(profile: object, session_id: object) -> tuple[str, str]:
    """(profile, session id) after `profile/id` has been taken apart (78).

    Hermes fails on a pasted `@session:` link; here its prefix is taken off first.
    """
    name, identity = _text(profile), _text(session_id)
    if identity.lower().startswith(LINK_PREFIX):
        identity = identity[len(LINK_PREFIX) :].strip()
    head, slash, tail = identity.partition("/")
    if not slash or not tail.strip():
        return name, identity
    return name or head.strip(), tail.strip()


def _owner(history: History, message_id: int) -> str | None:
    """The id of the session that has a message."""
    rows = history.messages([message_id])
    return rows[0].session_id if rows else None


def _meta(session: Session | None) -> Answer:
    if session is None:
        return {"when": "unknown", "source": None, "model": None, "title": None}
    return {
        "when": when_text(session.started_at),
        "source": session.source,
        "model": session.model,
        "title": session.title,
    }


def _error(sentence: str) -> Answer:
    return {"error": sentence, "success": False}


def _text(value: object, *, strip: bool = True) -> str:
    text = "" if value is None else str(value)
    return text.strip() if strip else text


def _integer(value: object) -> int | None:
    try:
        return int(value)  # type: ignore[call-overload,no-any-return]
    except (TypeError, ValueError, OverflowError):
        return None


def _clamped(value: object, default: int, most: int) -> int:
    number = _integer(value)
    return max(1, min(most, default if number is None else number))


def _sort(value: object) -> str | None:
    name = _text(value).lower()
    return name if name in ("newest", "oldest") else None


def _roles(value: object) -> tuple[str, ...]:
    """A comma list, trimmed; nothing means the agent's own roles (45)."""
    names = value if isinstance(value, (list, tuple)) else _text(value).split(",")
    roles = tuple(str(name).strip() for name in names if str(name).strip())
    return roles or AGENT_ROLES
