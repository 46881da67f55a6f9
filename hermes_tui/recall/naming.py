"""Finding a conversation by what it is called: a title in part and any case, an id, a link."""

from __future__ import annotations

from hermes_tui.history.locate import LINK_PREFIX, parse_link
from hermes_tui.history.reader import History
from hermes_tui.recall.ids import sessions_like
from hermes_tui.recall.meaning import Document, matches
from hermes_tui.recall.query import Query
from hermes_tui.text.fold import folded, tokenise

LEAST_ID = 6
"""Shorter parts of an id are words; ids are mostly digits."""
LEAST_SQUEEZED = 3
MOST = 50


def named_sessions(history: History, query: Query) -> dict[str, str]:
    """Session ids by how they were found: "id" for an id, a part of one or a link, else "title".

    Ids first, then titles, newest first.
    """
    found = dict.fromkeys(_by_id(history, query), "id")
    for session_id in _by_title(history, query):
        found.setdefault(session_id, "title")
    return dict(list(found.items())[:MOST])


def _by_id(history: History, query: Query) -> list[str]:
    text = query.text.strip()
    link = parse_link(text) if " " not in text else None
    if link is None:
        return []
    pasted = text.lower().startswith(LINK_PREFIX)
    if len(link.session_id) < LEAST_ID or not (pasted or any(map(str.isdigit, link.session_id))):
        return []
    if link.profile and not pasted and history.session(link.session_id) is None:
        return []  # a path such as gateway/run.py is no link unless its end is a session
    return [session.id for session in sessions_like(history, link.session_id)]


def _by_title(history: History, query: Query) -> list[str]:
    """Titles the tree holds for, or that hold the query when blanks and signs are left out."""
    if query.node is None:
        return []
    squeezed = _squeezed(query.text)
    rows = []
    for session in history.families().sessions.values():
        if not session.title:
            continue
        held = matches(query.node, Document([session.title])) or (
            len(squeezed) >= LEAST_SQUEEZED
            and not query.has_operators
            and squeezed in _squeezed(session.title)
        )
        if held:
            rows.append((-(session.started_at or 0.0), session.id))
    return [session_id for _, session_id in sorted(rows)]


def _squeezed(text: str) -> str:
    return "".join(token.text for token in tokenise(folded(text).text))
