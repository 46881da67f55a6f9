"""Rows of an answer: what each lineage is made of, and its texts; and the notices beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hermes_tui.history.locate import session_link
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Session
from hermes_tui.recall.browse import first_words
from hermes_tui.recall.discovery import Discovery, Found
from hermes_tui.recall.highlight import Highlight, excerpt
from hermes_tui.recall.meaning import Span
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


class Presenter:
    """Rows of an answer with titles, times, totals and excerpts.

    Kept for a whole search: an answer that grows has most of its rows already.
    marks: what to mark in a row that was found by a reading of this label.
    """

    def __init__(self, history: History, marks: Callable[[str], Highlight]) -> None:
        self.history, self.marks = history, marks
        self._totals: dict[str, int] = {}
        self._excerpts: dict[tuple[int, str], tuple[str, tuple[Span, ...]]] = {}
        self._words: dict[str, str] = {}

    def rows(self, lines: Sequence[Lines]) -> list[LineageHit]:
        """The lines as rows, ranked in the order given."""
        self._count(lines)
        self._read(lines)
        sessions = self.history.families().sessions
        return [self._row(place, line, sessions) for place, line in enumerate(lines, start=1)]

    def _count(self, lines: Sequence[Lines]) -> None:
        families = self.history.families()
        new = {line.found.root for line in lines} - set(self._totals)
        walked = {root: [s for s, _ in families.walk(root)] for root in new}
        counts = self.history.message_counts(sorted({s for m in walked.values() for s in m}))
        for root, members in walked.items():
            self._totals[root] = sum(counts.get(member, 0) for member in members)

    def _read(self, lines: Sequence[Lines]) -> None:
        wanted = {(i, line.label) for line in lines if (i := _speaking(line)) is not None}
        labels: dict[int, list[str]] = {}
        for message_id, label in wanted - set(self._excerpts):
            labels.setdefault(message_id, []).append(label)
        for message in self.history.messages(sorted(labels)):
            for label in labels[message.id]:
                self._excerpts[message.id, label] = excerpt(message, self.marks(label))
        named = {line.found.session_id for line in lines if _speaking(line) is None}
        self._words |= first_words(self.history, sorted(named - set(self._words)))

    def _row(self, place: int, line: Lines, sessions: Mapping[str, Session]) -> LineageHit:
        found, candidate = line.found, line.found.candidate
        session, root = sessions.get(found.session_id), sessions.get(found.root)
        message_id = _speaking(line)
        words = self._words.get(found.session_id, "")
        snippet, spans = self._excerpts.get((message_id or 0, line.label), (words, ()))
        source = session.source if session else candidate.source if candidate else ""
        return LineageHit(
            rank=place,
            root=found.root,
            session_id=found.session_id,
            message_id=message_id,
            hits=line.hits,
            matched=line.matched,
            total=self._totals[found.root],
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
            link=session_link(self.history.profile, found.session_id),
            demoted=source == "cron",
            label=line.label,
        )


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
                "Nothing is left of this query after the agent's clean-up, so the agent finds "
                "nothing. Add a word to look for.",
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
