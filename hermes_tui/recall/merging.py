"""One list from two readings: what the agent is given, and everything that matches.

Each lineage carries its agent rank, or the rule that keeps the agent from seeing it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hermes_tui.history.layout import Markers
from hermes_tui.history.reader import History
from hermes_tui.recall.discovery import CRON, Discovery, Found
from hermes_tui.recall.filtering import Sieve
from hermes_tui.recall.lines import MAX_HITS, Lines
from hermes_tui.recall.matching import Sort
from hermes_tui.recall.outcome import Unseen, UnseenReason
from hermes_tui.recall.routes import Candidate, message_texts

_TIER_ORDER = {"": 0, "title": 1, "id": 1, "loose": 2, "substring": 3, "relaxed": 4}
# How far a row got through the agent's rules; the furthest row speaks for its lineage.
_STAGES: tuple[UnseenReason, ...] = (
    "not_matched",
    "index_incomplete",
    "query_unreadable",
    "hidden_source",
    "role_filter",
    "rewound",
    "beyond_scan",
    "current_lineage",
    "lost_in_lineage",
)
_STAGE = {reason: place for place, reason in enumerate(_STAGES)}


@dataclass(slots=True)
class _Family:
    """The matching rows of one lineage, best first, and how it was found otherwise."""

    root: str
    rows: list[Candidate] = field(default_factory=list)
    named: tuple[str, str] | None = None


def merge(
    history: History,
    reading: Discovery | None,
    rows: Mapping[int, Candidate],
    labels: Mapping[int, str],
    named: dict[str, str],
    markers: Markers,
    sieve: Sieve,
    *,
    sort: Sort | None = None,
    show_rewound: bool = False,
) -> list[Lines]:
    """Every lineage, the agent's first, each with its hits and its rank or reason.

    rows, named: what matches and passes the filters. labels: how each row was found.
    A lineage that only the agent's scan limit keeps out stands where the agent would have put it,
    before the scheduled sessions that crowded it out.
    """
    families = _families(history, rows, labels, named, sort, show_rewound)
    agent = _agent_lines(history, reading, families, labels, sieve) if reading else {}
    reasons = _Reasons(history, reading, markers)
    placed: list[tuple[tuple[float, ...], Lines]] = []
    for root, (place, line) in agent.items():
        cron = line.found.candidate is not None and line.found.candidate.source == CRON
        placed.append(((2 if cron else 0, place), line))
        families.pop(root, None)
    for family in families.values():
        line = _other_line(family, labels, reasons)
        placed.append((_order(family, line, labels, sort), line))
    placed.sort(key=lambda entry: entry[0])
    return [line for _, line in placed]


def _families(
    history: History,
    rows: Mapping[int, Candidate],
    labels: Mapping[int, str],
    named: dict[str, str],
    sort: Sort | None,
    show_rewound: bool,
) -> dict[str, _Family]:
    """Rows grouped by lineage before any limit."""
    roots = history.families().root
    grouped: dict[str, _Family] = {}
    for candidate in rows.values():
        if candidate.visibility == "rewound" and not show_rewound:
            continue
        root = roots(candidate.session_id)
        grouped.setdefault(root, _Family(root)).rows.append(candidate)
    for session_id, how in named.items():
        root = roots(session_id)
        family = grouped.setdefault(root, _Family(root))
        family.named = family.named or (session_id, how)
    for family in grouped.values():
        _drop_copies(history, family)
        family.rows.sort(key=lambda c: _best(c, labels, sort))
    return grouped


def _drop_copies(history: History, family: _Family) -> None:
    """Keep one of the rows that compaction repeated word for word: the live one, else the last."""
    if len(family.rows) > MAX_HITS or all(row.visibility == "live" for row in family.rows):
        return
    texts = message_texts(history, [row.message_id for row in family.rows])
    kept: dict[tuple[str, bytes], Candidate] = {}
    for row in sorted(family.rows, key=lambda r: (r.visibility == "live", r.message_id)):
        kept[row.role, texts.get(row.message_id, str(row.message_id).encode())] = row
    family.rows = list(kept.values())


def _best(candidate: Candidate, labels: Mapping[int, str], sort: Sort | None) -> tuple[float, ...]:
    tier = _TIER_ORDER[labels[candidate.message_id]]
    if sort is not None:
        time = candidate.timestamp if sort == "oldest" else -candidate.timestamp
        return (tier, time, candidate.rank)
    return (tier, candidate.rank, -candidate.timestamp)


def _agent_pieces(history: History, reading: Discovery, sieve: Sieve) -> dict[str, list[int]]:
    """The rows of each lineage that the agent found as pieces of words, in its order."""
    pieces: dict[str, list[int]] = {}
    if reading.matches.fallback:
        roots = history.families().root
        for row in sieve.rows({row.message_id: row for row in reading.rows}).values():
            pieces.setdefault(roots(row.session_id), []).append(row.message_id)
    return pieces


def _agent_lines(
    history: History,
    reading: Discovery,
    families: dict[str, _Family],
    labels: Mapping[int, str],
    sieve: Sieve,
) -> dict[str, tuple[int, Lines]]:
    """The agent's lineages by root, with their places; those after its limit say so."""
    lines = {}
    limit = reading.ask.limit
    pieces = _agent_pieces(history, reading, sieve)
    for place, found in enumerate(reading.found, start=1):
        family = families.get(found.root)
        passing = _passing(found, family, sieve)
        if passing is None:
            continue
        found = passing
        ids = [row.message_id for row in family.rows] if family else []
        own = found.candidate.message_id if found.candidate else None
        seen = place <= limit
        unseen = None if seen else Unseen("beyond_limit", f"place {place}, limit {limit}")
        rank = place if seen else None
        label = _agent_label(reading, found, own, ids, labels)
        if found.by_title and family and family.named and not family.rows:
            label = family.named[1]
        if label == "substring" and not ids:
            ids = pieces.get(found.root, [])
        line = Lines(found, tuple(ids[:MAX_HITS]), len(ids), rank, unseen, label)
        lines[found.root] = (place, line)
    return lines


def _passing(found: Found, family: _Family | None, sieve: Sieve) -> Found | None:
    """What speaks for a lineage of the agent under the filters: its own row if that passes."""
    if not sieve.filters.any:
        return found
    if not sieve.keep_session(found.session_id):
        return None
    row = found.candidate
    passes = sieve.rows({row.message_id: row}) if row else sieve.passing([found.session_id])
    if passes:
        return found
    if family is None:
        return None
    if family.rows:
        return Found(found.root, family.rows[0].session_id, family.rows[0])
    return Found(found.root, family.named[0] if family.named else found.session_id)


def _agent_label(
    reading: Discovery, found: Found, own: int | None, ids: list[int], labels: Mapping[int, str]
) -> str:
    """How a lineage of the agent's was found; "agent_only" when no row of it means the query."""
    if found.by_title:
        return "title"
    if own is not None and own in labels:
        return labels[own]
    if ids:
        return labels[ids[0]]
    return "substring" if reading.matches.fallback else "agent_only"


def _other_line(family: _Family, labels: Mapping[int, str], reasons: _Reasons) -> Lines:
    """A lineage the agent does not list."""
    ids = tuple(row.message_id for row in family.rows)
    if family.rows:
        best = family.rows[0]
        found = Found(family.root, best.session_id, best)
        label = labels[best.message_id]
        if family.named and label:
            label = family.named[1]
        unseen = reasons.of(family.rows)
    else:
        assert family.named is not None
        session_id, label = family.named
        found = Found(family.root, session_id)
        unseen = Unseen("not_matched", f"only its {label} matches")
    return Lines(found, ids[:MAX_HITS], len(ids), None, unseen, label)


def _order(
    family: _Family, line: Lines, labels: Mapping[int, str], sort: Sort | None
) -> tuple[float, ...]:
    """Where a lineage stands that the agent does not list."""
    unseen = line.unseen
    cron = bool(family.rows) and family.rows[0].source == CRON
    crowded_out = unseen is not None and unseen.reason == "beyond_scan" and not cron
    group = 1 if crowded_out else 3 if family.named else 5 if cron else 4
    if not family.rows:
        return (group, 0)
    return (group, *_best(family.rows[0], labels, sort))


class _Reasons:
    """Why the agent does not see a lineage: the rule that stopped its furthest row."""

    def __init__(self, history: History, reading: Discovery | None, markers: Markers) -> None:
        self.reading = reading
        self.markers = markers
        if reading is None:
            return
        self.hidden = set(reading.policy.hidden_sources)
        self.roles = set(reading.ask.roles)
        self.matched = {c.message_id for c in reading.matches.all}
        self.beyond = {c.message_id for c in reading.matches.beyond}
        self.own = {c.message_id for c in reading.own}
        self.beaten = {c.message_id for c in reading.beaten}

    def of(self, rows: Sequence[Candidate]) -> Unseen:
        """The reason for a lineage, from all its matching rows."""
        if self.reading is None:
            return Unseen("index_incomplete", "the agent's index is damaged")
        reasons = [self._of_row(row) for row in rows]
        return max(reasons, key=lambda unseen: _STAGE[unseen.reason])

    def _of_row(self, row: Candidate) -> Unseen:
        reading = self.reading
        assert reading is not None
        if row.message_id in self.own:
            return Unseen("current_lineage")
        if row.message_id in self.beaten:
            return Unseen("lost_in_lineage")
        if row.message_id in self.beyond:
            return Unseen("beyond_scan", f"the agent looks at {reading.policy.scan_rows} rows")
        if reading.matches.unreadable or not reading.matches.sanitised:
            return Unseen("query_unreadable")
        if row.source in self.hidden:
            return Unseen("hidden_source", row.source)
        if self.roles and row.role not in self.roles:
            return Unseen("role_filter", row.role)
        if row.visibility == "rewound":
            return Unseen("rewound")
        rebuild = self.markers.rebuild
        if rebuild and rebuild.progress < row.message_id <= rebuild.high_water:
            return Unseen("index_incomplete", f"rebuild at {rebuild.percent} %")
        return Unseen("not_matched", f"route {reading.matches.route}")
