"""Rows of an answer: what each lineage is made of, and its texts; and the notices beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hermes_tui.history.locate import session_link
from hermes_tui.history.reader import History
from hermes_tui.recall.discovery import Discovery, Found
from hermes_tui.recall.highlight import Highlight, excerpt
from hermes_tui.recall.outcome import LineageHit, Notice, Unseen
from hermes_tui.recall.payload import rebuild_note
from hermes_tui.text.clean import clean_line

MAX_HITS = 1_000


@dataclass(frozen=True, slots=True)
class Lines:
    """What a row of the answer is made of, before it has its texts."""

    found: Found
    hits: tuple[int, ...]
    matched: int
    agent_rank: int | None
    unseen: Unseen | None
    label: str = ""


def agent_lines(history: History, reading: Discovery) -> list[Lines]:
    """The agent's lineages in its order; those after its limit carry that as their reason."""
    families = history.families()
    hits: dict[str, list[int]] = {}
    for row in reading.rows:
        hits.setdefault(families.root(row.session_id), []).append(row.message_id)
    lines = []
    limit = reading.ask.limit
    for place, found in enumerate(reading.found, start=1):
        own = hits.get(found.root, [])
        seen = place <= limit
        reason = None if seen else Unseen("beyond_limit", f"place {place}, limit {limit}")
        lines.append(
            Lines(
                found,
                tuple(own[:MAX_HITS]),
                len(own),
                place if seen else None,
                reason,
                "title" if found.by_title else "substring" if reading.matches.fallback else "",
            )
        )
    return lines


def lineage_hits(
    history: History, lines: Sequence[Lines], marks: Callable[[str], Highlight]
) -> list[LineageHit]:
    """Rows of the answer with titles, times, totals and excerpts.

    marks: what to mark in a row that was found by a reading of this label.
    """
    families = history.families()
    walked = {line.found.root: [s for s, _ in families.walk(line.found.root)] for line in lines}
    counts = history.message_counts(sorted({s for members in walked.values() for s in members}))
    ids = [i for line in lines if (i := _speaking(line)) is not None]
    messages = {message.id: message for message in history.messages(ids)}
    result = []
    for place, line in enumerate(lines, start=1):
        found = line.found
        session = families.sessions.get(found.session_id)
        root = families.sessions.get(found.root)
        message_id = _speaking(line)
        message = messages.get(message_id) if message_id is not None else None
        snippet, spans = excerpt(message, marks(line.label)) if message else ("", ())
        candidate = found.candidate
        source = session.source if session else candidate.source if candidate else ""
        result.append(
            LineageHit(
                rank=place,
                root=found.root,
                session_id=found.session_id,
                message_id=message_id,
                hits=line.hits,
                matched=line.matched,
                total=sum(counts.get(member, 0) for member in walked[found.root]),
                agent_rank=line.agent_rank,
                unseen=line.unseen,
                title=session.title if session else None,
                root_title=root.title if root else None,
                when=session.started_at if session else None,
                root_when=root.started_at if root else None,
                source=source,
                role=candidate.role if candidate else "session_title",
                snippet=snippet,
                marks=spans,
                link=session_link(history.profile, found.session_id),
                demoted=source == "cron",
                label=line.label,
            )
        )
    return result


def _speaking(line: Lines) -> int | None:
    """The message that speaks for a line: the hit, or the best one of a title match."""
    if line.found.candidate is not None:
        return line.found.candidate.message_id
    return line.hits[0] if line.hits else None


def agent_notices(reading: Discovery) -> list[Notice]:
    """What a person must know about the agent's answer."""
    matches = reading.matches
    notices = []
    if matches.unreadable:
        notices.append(
            Notice(
                "query_unreadable",
                "The agent gets an empty answer: its search engine cannot read this query "
                f"({clean_line(matches.unreadable, 120)}).",
            )
        )
    elif not matches.sanitised and reading.ask.query.strip():
        notices.append(
            Notice(
                "query_emptied",
                "Nothing is left of this query after the agent's clean-up, so it finds nothing. "
                "Add a word to look for.",
            )
        )
    if matches.rebuild:
        notices.append(Notice("index_rebuilding", str(rebuild_note(matches.rebuild)["note"])))
    if matches.route == "like_scan" and len(matches.sanitised.split()) > 1:
        notices.append(
            Notice(
                "scan_is_or",
                "The agent scans for these words one by one: a row with any of them counts, and "
                "NOT is ignored.",
            )
        )
    if len(matches.beyond):
        notices.append(
            Notice(
                "beyond_scan",
                f"The agent looks at {reading.policy.scan_rows} rows; "
                f"{len(matches.beyond):,} more match.",
            )
        )
    return notices
