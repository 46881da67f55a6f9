"""The recent conversations: which sessions are listed, in what order, and as what (facts 71-76)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hermes_tui.history.lineage import Families
from hermes_tui.history.locate import session_link
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Session, number_of, text_of
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.recall.policy import HERMES, Policy
from hermes_tui.recall.view import LAST_ID, bookends, is_bookend
from hermes_tui.text.clean import clean_line

WORDS_CHARS = 160
WORDS_ROWS = 500
"""Rows of a list that get their first words; nobody reads on behind these."""
PREVIEW_CHARS = 60
_PREVIEW_READ = 63
_COMPRESSION = "compression"
# What Hermes puts around a skill that a user has called, and where the user's own words stand.
_SKILL = re.compile(r'\[IMPORTANT: The user has invoked the "([^"\n]{1,80})" skill')
_SKILL_ASKED = re.compile(r"instruction alongside the skill invocation:\s*(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation of the list: its first session, and the tip that it goes on in."""

    root: Session
    tip: Session
    last_active: float | None


def listed(history: History, policy: Policy = HERMES) -> list[Listed]:
    """Every listable conversation, the most recently active first, without previews."""
    families = history.families()
    latest = last_messages(history)

    def activity(session: Session) -> float:
        moments = [latest.get(session.id) or session.started_at or 0.0]
        if policy.activity_column and session.last_activity_at is not None:
            moments.append(session.last_activity_at)
        return max(moments)

    rows = []
    for session in families.sessions.values():
        if not is_listable(session, families, policy):
            continue
        chain = compression_chain(session, families)
        newest = max(activity(member) for member in chain)
        tip = compression_tip(session, families)
        order = (newest, session.started_at or 0.0, session.id)
        rows.append((order, Listed(session, tip, activity(tip))))
    rows.sort(key=lambda row: row[0], reverse=True)
    return [row for _, row in rows]


def is_listable(session: Session, families: Families, policy: Policy) -> bool:
    """Roots and branch children that are no delegates, not archived and of a shown source (72)."""
    if session.delegate_from is not None or session.archived:
        return False
    if session.source in policy.hidden_sources:
        return False
    return not session.parent_id or _is_branch(session, families)


def _is_branch(session: Session, families: Families) -> bool:
    if session.branched_from is not None:
        return True
    parent = families.sessions.get(session.parent_id or "")
    if parent is None or parent.end_reason != "branched":
        return False
    return (session.started_at or 0.0) >= (parent.ended_at or 0.0)


def _continuations(session: Session, families: Families) -> list[Session]:
    """The sessions a compressed one may go on in, the preferred one first (73)."""
    if session.end_reason != _COMPRESSION:
        return []
    children = [families.sessions[child] for child in families.children(session.id)]
    eligible = [
        child
        for child in children
        if child.branched_from is None and child.delegate_from is None and child.source != "tool"
    ]

    def preference(child: Session) -> tuple[int, float, str]:
        place = 0 if child.end_reason == _COMPRESSION else 1 if child.ended_at is None else 2
        return (place, -(child.started_at or 0.0), child.id)

    return sorted(eligible, key=preference)


def compression_tip(session: Session, families: Families) -> Session:
    """The session a compressed conversation goes on in today (73)."""
    seen = {session.id}
    while True:
        following = [s for s in _continuations(session, families) if s.id not in seen]
        if not following:
            return session
        session = following[0]
        seen.add(session.id)


def compression_chain(session: Session, families: Families) -> list[Session]:
    """The session and everything it was compressed into."""
    chain, queue, seen = [], [session], {session.id}
    while queue:
        member = queue.pop()
        chain.append(member)
        for child in _continuations(member, families):
            if child.id not in seen:
                seen.add(child.id)
                queue.append(child)
    return chain


def last_messages(history: History) -> dict[str, float]:
    """The time of each session's newest message, Unix seconds."""
    rows = history.rows(
        "select cast(session_id as blob), max(timestamp) from messages group by session_id"
    )
    found = {}
    for session_id, timestamp in rows:
        moment = number_of(timestamp)
        if moment is not None:
            found[text_of(session_id) or ""] = moment
    return found


def previews(history: History, session_ids: list[str]) -> dict[str, str]:
    """The beginning of each session's first user message, on one line (75); raw text."""
    rows = history.rows_among(
        "select cast(s.id as blob), (select cast(substr(replace(replace(m.content, "
        f"char(10), ' '), char(13), ' '), 1, {_PREVIEW_READ}) as blob) from messages m "
        "where m.session_id = s.id and m.role = 'user' and m.content is not null "
        "order by m.timestamp, m.id limit 1) from sessions s where s.id in (@ids)",
        session_ids,
    )
    found: dict[str, str] = {}
    for session_id, raw in rows:
        text = (text_of(raw) or "").strip()
        cut = text[:PREVIEW_CHARS] + "..." if len(text) > PREVIEW_CHARS else text
        found[text_of(session_id) or ""] = cut
    return found


def first_words(history: History, session_ids: list[str]) -> dict[str, str]:
    """What each session began with, for a person: no compaction text, and captions of images."""
    rows = history.rows_among(
        "select (select m.id from messages m where m.session_id = s.id and m.role = 'user' "
        "and octet_length(m.content) > 0 order by m.id limit 1), cast(s.id as blob) "
        "from sessions s where s.id in (@ids)",
        session_ids,
    )
    first = {row[0]: text_of(row[1]) or "" for row in rows if row[0] is not None}
    words = {}
    for message in history.messages(list(first)):
        if is_bookend(message):
            words[first[message.id]] = message.text
    for session_id in set(first.values()) - set(words):
        opening, _ = bookends(history, session_id, below=LAST_ID, above=LAST_ID, most=1)
        words[session_id] = opening[0].text if opening else ""
    return {session_id: said_words(text) for session_id, text in words.items()}


def said_words(text: str) -> str:
    """The beginning of a message on one line; of a skill's scaffolding, what the user asked."""
    skill = _SKILL.match(text)
    if skill is None:
        return clean_line(text, WORDS_CHARS)
    asked = _SKILL_ASKED.search(text)
    return clean_line(f"/{skill[1]} {asked[1] if asked else ''}", WORDS_CHARS)


def unlisted(history: History, policy: Policy = HERMES) -> dict[str, int]:
    """How many sessions the list leaves out, by what they are; continuations are not left out."""
    families = history.families()
    counts: dict[str, int] = {}
    for session in families.sessions.values():
        if is_listable(session, families, policy):
            continue
        if session.source in policy.hidden_sources:
            kind = "of hidden sources"
        elif session.delegate_from is not None:
            kind = "delegated"
        elif session.archived:
            kind = "archived"
        else:
            kind = "continuations"
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def recent(history: History, limit: int = 100, policy: Policy = HERMES) -> tuple[LineageHit, ...]:
    """The recent conversations as rows of the results pane: no hits, no agent rank."""
    return _rows(history, listed(history, policy)[:limit])


def passing_rows(
    history: History, session_ids: Iterable[str], *, oldest_first: bool = False
) -> tuple[LineageHit, ...]:
    """Sessions as such rows, whatever they are: one a lineage, the most recently active one."""
    families = history.families()
    latest = last_messages(history)
    newest: dict[str, tuple[float, str]] = {}
    for session_id in session_ids:
        started = families.sessions[session_id].started_at or 0.0
        active = (latest.get(session_id, started), session_id)
        root = families.root(session_id)
        newest[root] = max(active, newest.get(root, active))
    ranked = sorted(newest.items(), key=lambda pair: pair[1], reverse=not oldest_first)
    sessions = families.sessions
    return _rows(
        history,
        [Listed(sessions.get(root, sessions[i]), sessions[i], when) for root, (when, i) in ranked],
    )


def _rows(history: History, rows: Sequence[Listed]) -> tuple[LineageHit, ...]:
    texts = first_words(history, [row.tip.id for row in rows[:WORDS_ROWS]])
    families = history.families()
    walked = {row.root.id: [s for s, _ in families.walk(row.root.id)] for row in rows}
    counts = history.message_counts(sorted({s for members in walked.values() for s in members}))
    return tuple(
        LineageHit(
            rank=place,
            root=families.root(row.root.id),
            session_id=row.tip.id,
            message_id=None,
            hits=(),
            matched=0,
            total=sum(counts.get(s, 0) for s in walked[row.root.id]),
            agent_rank=None,
            unseen=None,
            title=row.tip.title,
            root_title=row.root.title,
            when=row.last_active,
            root_when=row.root.started_at,
            source=row.tip.source,
            role="",
            snippet=texts.get(row.tip.id, ""),
            marks=(),
            link=session_link(history.profile, row.tip.id),
        )
        for place, row in enumerate(rows, start=1)
    )
