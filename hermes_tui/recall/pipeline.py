"""From a query, a policy and a history to an Outcome: lineages, funnel and notices.

The agent's answer, the thorough list and the funnel are readings of one pass.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hermes_tui.history.locate import session_link
from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.discovery import Ask, Discovery, Found, discover
from hermes_tui.recall.highlight import Highlight, excerpt, highlighter
from hermes_tui.recall.matching import Sort
from hermes_tui.recall.outcome import LineageHit, Notice, Outcome, Unseen
from hermes_tui.recall.payload import rebuild_note
from hermes_tui.recall.policy import AGENT_ROLES, HERMES, Policy
from hermes_tui.recall.query import Query, parse_query
from hermes_tui.recall.shapes import cjk_enabled
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


def search(
    history: History,
    query: str,
    *,
    policy: Policy = HERMES,
    limit: int = 3,
    sort: Sort | None = None,
    roles: Sequence[str] | None = None,
    current_session: str | None = None,
    stop: Stop | None = None,
    environ: Mapping[str, str] | None = None,
) -> Outcome:
    """Search with an agent's policy: its answer, and what its limit cut off.

    limit: how many lineages the agent is given. Raises Interrupted when `stop` turns true.
    """
    started = time.perf_counter()
    ask = Ask(
        query,
        limit=max(1, limit),
        sort=sort,
        roles=tuple(roles) if roles else AGENT_ROLES,
        current_session=current_session,
        cjk_enabled=cjk_enabled(os.environ if environ is None else environ),
    )
    reading = discover(history, ask, policy, stop)
    tree = parse_query(query, now=time.time())
    lines = agent_lines(history, reading)
    marks = highlighter(tree, reading.matches.route)
    lineages = lineage_hits(history, lines, marks)
    notices = [*agent_notices(history, reading)]
    if not lineages and not notices:
        notices.append(no_match(tree, reading))
    return Outcome(
        query=query,
        policy=policy.name,
        route=reading.matches.route,
        elapsed_ms=(time.perf_counter() - started) * 1_000,
        lineages=tuple(lineages),
        funnel=tuple(reading.funnel),
        notices=tuple(notices),
        agent_limit=ask.limit,
        sanitised=reading.matches.sanitised,
    )


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


def lineage_hits(history: History, lines: Sequence[Lines], marks: Highlight) -> list[LineageHit]:
    """Rows of the answer with titles, times, totals and excerpts."""
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
        snippet, spans = excerpt(message, marks) if message else ("", ())
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


def agent_notices(history: History, reading: Discovery) -> list[Notice]:
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


def no_match(tree: Query, reading: Discovery) -> Notice:
    """Why an answer without a line is empty, from its funnel."""
    removed = {step.rule: step.removed for step in reading.funnel if step.removed > 0}
    matched = reading.funnel[0].left if reading.funnel else 0
    if tree.notices:
        return tree.notices[0]
    if not matched:
        return Notice("no_match", "No message of this history matches.")
    causes = {
        "hidden_source": "in sources the agent does not search",
        "role_filter": "in roles the agent does not search",
        "rewound": "rewound",
        "current_lineage": "in the current conversation",
    }
    parts = [f"{removed[rule]:,} {words}" for rule, words in causes.items() if rule in removed]
    return Notice(
        "all_removed", f"{matched:,} messages match, but none is left: {', '.join(parts)}."
    )


def with_ranks(lineages: Sequence[LineageHit]) -> list[LineageHit]:
    """Ranks from 1 in the order given."""
    return [replace(lineage, rank=place) for place, lineage in enumerate(lineages, start=1)]
