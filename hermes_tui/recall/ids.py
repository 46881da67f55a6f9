"""Finding a session by what a person has of its id: a link, a part, a whole one (fact 83)."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Session, text_of
from hermes_tui.text.clean import clean_line

NEAR = 5


def sessions_like(history: History, part: str) -> list[Session]:
    """Sessions whose id contains `part`, case aside: exact first, then beginnings, then the rest.

    Within each, the newest first.
    """
    wanted = part.strip().lower()
    if not wanted:
        return []
    found = []
    for session in history.families().sessions.values():
        lower = session.id.lower()
        if wanted in lower:
            place = 0 if lower == wanted else 1 if lower.startswith(wanted) else 2
            found.append((place, -(session.started_at or 0.0), session.id, session))
    return [row[3] for row in sorted(found, key=lambda row: row[:3])]


def resolve_session(history: History, text: str) -> Session:
    """The session of an exact id, else of a unique part of one.

    Raises HistoryError that names near ids when there is none, or several.
    """
    exact = history.session(text)
    if exact is not None:
        return exact
    found = sessions_like(history, text)
    shown = clean_line(text, 80)
    if len(found) == 1:
        return found[0]
    if found:
        raise HistoryError(
            f"'{shown}' is part of {len(found):,} session ids: {_names(found)}. Give more of it."
        )
    ids = list(history.families().sessions)
    near = get_close_matches(text, ids[:20_000], n=NEAR, cutoff=0.5)
    hint = f" Near ids: {', '.join(clean_line(i, 80) for i in near)}." if near else ""
    raise HistoryError(
        f"There is no session '{shown}' in {clean_line(history.path)}.{hint} "
        "Another profile may have it, or Hermes may have deleted it."
    )


def _names(sessions: list[Session]) -> str:
    names = ", ".join(clean_line(session.id, 80) for session in sessions[:NEAR])
    return names + (", …" if len(sessions) > NEAR else "")


def near_message_ids(history: History, session_id: str, message_id: int) -> list[int]:
    """Up to four message ids of a session around one that is not in it."""
    below = history.rows(
        "select id from messages where session_id = ? and id < ? order by id desc limit 2",
        (session_id, message_id),
    )
    above = history.rows(
        "select id from messages where session_id = ? and id > ? order by id limit 2",
        (session_id, message_id),
    )
    return sorted(row[0] for row in [*below, *above])


def sessions_of(history: History, message_ids: Sequence[int]) -> dict[str, list[int]]:
    """Message ids by the session they are in; ids that are not there are left out."""
    found: dict[str, list[int]] = {}
    sql = "select cast(session_id as blob), id from messages where id in (@ids)"
    for session_id, message_id in history.rows_among(sql, message_ids):
        found.setdefault(text_of(session_id) or "", []).append(message_id)
    return found
