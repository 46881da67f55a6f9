"""The plain and the JSON form of every view, for stdout: nothing in it acts on a terminal."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from hermes_tui.history.rows import Message, Session
from hermes_tui.recall.outcome import UNSEEN_TEXT, LineageHit, Outcome
from hermes_tui.text.clean import clean, clean_line
from hermes_tui.text.jsontext import json_text as json_text

TITLE_CHARS = 70
QUERY_CHARS = 100
SPEAKERS = {"user": "you", "assistant": "hermes"}


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """An answer in its documented form; `when` in Unix seconds."""
    return {
        "query": outcome.query,
        "policy": outcome.policy,
        "route": outcome.route,
        "elapsed_ms": round(outcome.elapsed_ms, 3),
        "lineages": [lineage_json(lineage) for lineage in outcome.lineages],
        "funnel": [dataclasses.asdict(step) for step in outcome.funnel],
        "notices": [dataclasses.asdict(notice) for notice in outcome.notices],
        "complete": outcome.complete,
    }


def lineage_json(lineage: LineageHit) -> dict[str, Any]:
    """One lineage of an answer."""
    unseen = lineage.unseen
    return {
        "rank": lineage.rank,
        "root": lineage.root,
        "session_id": lineage.session_id,
        "match_message_id": lineage.message_id,
        "matched": lineage.matched,
        "total": lineage.total,
        "hits": list(lineage.hits),
        "agent_rank": lineage.agent_rank,
        "unseen": None if unseen is None else {"reason": unseen.reason, "detail": unseen.detail},
        "title": lineage.title,
        "root_title": lineage.root_title,
        "when": lineage.when,
        "root_when": lineage.root_when,
        "source": lineage.source,
        "role": lineage.role,
        "snippet": lineage.snippet,
        "link": lineage.link,
        "label": lineage.label,
    }


def outcome_lines(outcome: Outcome) -> Iterator[str]:
    """An answer as text: a summary, notices, then three lines a lineage."""
    yield _summary(outcome)
    for notice in outcome.notices:
        how = " --rewound shows them, too." if notice.code == "rewound_hidden" else ""
        yield f"! {clean_line(notice.text)}{how}"
    for lineage in outcome.lineages:
        yield ""
        yield from lineage_lines(lineage)


def _summary(outcome: Outcome) -> str:
    """What was found, what of it the agent sees, and how long it took."""
    lineages, took = _count(len(outcome.lineages), "lineage"), f"{outcome.elapsed_ms:.0f} ms"
    if outcome.filters_only:
        query = clean_line(outcome.query, QUERY_CHARS)
        does = "passes" if len(outcome.lineages) == 1 else "pass"
        return f"{lineages} {does} {query} · session_search needs a word · {took}"
    hits = sum(lineage.matched for lineage in outcome.lineages)
    return (
        f"{outcome.route} · {_count(hits, 'hit')} in {lineages}"
        f" · the agent sees {outcome.agent_sees} · {took}"
    )


def lineage_lines(lineage: LineageHit) -> Iterator[str]:
    """One lineage as text."""
    title = clean_line(lineage.title or lineage.root_title or "(no title)", TITLE_CHARS)
    source = clean_line(lineage.source, 24)
    yield f"{lineage.rank:>3}. {title}  ·  {day(lineage.when)}  ·  {source}"
    if lineage.snippet:
        yield f"     {marked(lineage)}"
    parts = [f"[{lineage.matched}/{lineage.total}]"] if lineage.matched else []
    if lineage.agent_rank is not None:
        parts.append(f"agent #{lineage.agent_rank}")
    elif lineage.unseen is not None:
        detail = f" ({clean_line(lineage.unseen.detail, 80)})" if lineage.unseen.detail else ""
        parts.append(f"not seen: {UNSEEN_TEXT[lineage.unseen.reason]}{detail}")
    if lineage.label:
        parts.append(lineage.label)
    if lineage.root != lineage.session_id:
        root = clean_line(lineage.root_title or lineage.root, TITLE_CHARS)
        parts.append(f"goes on from {root}, {day(lineage.root_when)}")
    anchor = f" {lineage.message_id}" if lineage.message_id is not None else ""
    parts.append(f"{clean_line(lineage.link)}{anchor}")
    yield f"     {' · '.join(parts)}"


def marked(lineage: LineageHit) -> str:
    """The excerpt with its matches between `>` and `<`."""
    pieces, place = [], 0
    for start, end in lineage.marks:
        pieces += [lineage.snippet[place:start], ">", lineage.snippet[start:end], "<"]
        place = end
    pieces.append(lineage.snippet[place:])
    return clean_line("".join(pieces))


def session_head(session: Session, link: str, count: int) -> Iterator[str]:
    """Two lines over a conversation."""
    yield clean_line(session.title or "(no title)", TITLE_CHARS)
    yield (
        f"{clean_line(link)}  ·  {clean_line(session.source, 24)}  ·  {day(session.started_at)}"
        f"  ·  {_count(count, 'message')}"
    )


def message_lines(messages: Sequence[Message], anchor: int | None = None) -> Iterator[str]:
    """Messages as text: who, when, id; the words; calls and other parts named."""
    for message in messages:
        mark = "  <- anchor" if message.id == anchor else ""
        state = "" if message.visibility == "live" else f"  ({message.visibility})"
        yield ""
        yield f"[{message.id}] {speaker(message)}  {moment(message.timestamp)}{state}{mark}"
        text = clean(message.text)
        yield from (f"  {line}" for line in text.split("\n") if text)
        for call in message.calls:
            yield f"  * {clean_line(call.name, 60)} {clean_line(call.arguments, 400)}"
        for kind in message.attachments:
            yield f"  [{clean_line(kind, 40)}]"


def message_json(message: Message, anchor: int | None = None) -> dict[str, Any]:
    """One message, decoded; strings are as stored."""
    return {
        "id": message.id,
        "session_id": message.session_id,
        "role": message.role,
        "text": message.text,
        "timestamp": message.timestamp,
        "tool_name": message.tool_name,
        "tool_calls": [dataclasses.asdict(call) for call in message.calls],
        "attachments": list(message.attachments),
        "visibility": message.visibility,
        "anchor": message.id == anchor,
    }


def speaker(message: Message) -> str:
    """Who speaks, in the words of the screen."""
    if message.role == "tool":
        return f"tool {clean_line(message.tool_name or '', 40)}".rstrip()
    return SPEAKERS.get(message.role, clean_line(message.role, 24))


def day(timestamp: float | None) -> str:
    """A date as 2026-05-31; `?` for an odd one."""
    return _formatted(timestamp, "%Y-%m-%d")


def moment(timestamp: float | None) -> str:
    """A date and a time as 2026-05-31 14:05; `?` for an odd one."""
    return _formatted(timestamp, "%Y-%m-%d %H:%M")


def _formatted(timestamp: float | None, form: str) -> str:
    if timestamp is None:
        return "?"
    try:
        return datetime.fromtimestamp(timestamp).strftime(form)
    except (OverflowError, OSError, ValueError):
        return "?"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
