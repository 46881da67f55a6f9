"""What somebody names as missing: a session id or a part of one, a message id, a link, a title."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import LINK_PREFIX, parse_link
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Session
from hermes_tui.recall.ids import resolve_session, sessions_like
from hermes_tui.recall.naming import LEAST_ID
from hermes_tui.text.clean import clean_line

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Target:
    """A session, or one message of it."""

    session: Session
    message_id: int | None = None


def resolve_target(history: History, text: str) -> Target:
    """What `text` names. Raises HistoryError, with what is near, when it is nothing or several."""
    wanted = text.strip()
    if not wanted:
        raise HistoryError(
            "Nothing is named as missing: give a session id, a message id, a link or a title."
        )
    link = parse_link(wanted)
    if wanted.lower().startswith(LINK_PREFIX) and link is not None:
        if link.profile and history.profile and link.profile.lower() != history.profile.lower():
            raise HistoryError(
                f"That link is of profile '{clean_line(link.profile, 40)}', and the agent searches "
                "only its own profile's history. Open it with --profile."
            )
        return Target(resolve_session(history, link.session_id))
    exact = history.session(wanted) or (history.session(link.session_id) if link else None)
    if exact is not None:
        return Target(exact)
    if wanted.isdecimal() and wanted.isascii():
        found = message_target(history, int(wanted))
        if found is not None:
            return found
    if len(wanted) >= LEAST_ID and " " not in wanted and sessions_like(history, wanted):
        return Target(resolve_session(history, wanted))
    return Target(_titled(history, wanted))


def message_target(history: History, message_id: int) -> Target | None:
    """One message with its session; None when there is no such message."""
    rows = history.messages([message_id])
    session = history.session(rows[0].session_id) if rows else None
    return Target(session, message_id) if session else None


def _titled(history: History, wanted: str) -> Session:
    """The only session with this title, or with these words in it."""
    lower = wanted.lower()
    titled = [s for s in history.families().sessions.values() if s.title]
    same = [s for s in titled if (s.title or "").lower() == lower]
    found = same or [s for s in titled if lower in (s.title or "").lower()]
    if len(found) == 1:
        return found[0]
    shown = clean_line(wanted, 60)
    if not found:
        raise HistoryError(
            f"Nothing in this history is named '{shown}': no session id, message id or title. "
            "`hermes-tui browse` lists sessions."
        )
    names = ", ".join(clean_line(s.id, 60) for s in found[:SHOWN])
    more = ", …" if len(found) > SHOWN else ""
    raise HistoryError(f"{len(found):,} sessions have '{shown}' in their title: {names}{more}.")
