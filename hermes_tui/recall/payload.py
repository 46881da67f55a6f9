"""The discovery answer as the agent's tool gives it (facts 42 and 55 to 60)."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from hermes_tui.history.layout import Rebuild
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Message
from hermes_tui.history.statements import Stop
from hermes_tui.recall.discovery import Ask, Discovery, Found, discover
from hermes_tui.recall.matching import Request, slow_log_path
from hermes_tui.recall.policy import Policy
from hermes_tui.recall.times import when_text
from hermes_tui.recall.view import (
    anchored_view,
    first_live_message,
    is_summary,
    shaped,
    title_bookends,
)
from hermes_tui.text.clean import clean_line

SLOW_MS = 1_000.0
SLOW_ENV = "HERMES_SEARCH_SLOW_MS"
_QUERY_IN_LOG = 200
_log = logging.getLogger("hermes_tui.recall")

Answer = dict[str, Any]
Linker = Callable[[str], str] | None


def discovery_payload(
    history: History, ask: Ask, policy: Policy, *, link: Linker = None, stop: Stop | None = None
) -> Answer:
    """Search and shape the answer: results, counts and the rebuild note."""
    started = time.perf_counter()
    reading = discover(history, ask, policy, stop)
    _log_if_slow(history, ask, policy, started, len(reading.matches.rows))
    return shape_discovery(history, reading, link=link)


def shape_discovery(history: History, reading: Discovery, *, link: Linker = None) -> Answer:
    """A reading as the tool's JSON (59)."""
    ask = reading.ask
    answer: Answer = {"success": True, "mode": "discover", "query": ask.query}
    if not reading.rows and reading.title is None:
        answer |= {"results": [], "count": 0, "message": "No matching sessions found."}
    else:
        chosen = reading.answer
        ids = [f.candidate.message_id for f in chosen if f.candidate is not None]
        texts = reading.matches.snippets(history, ids)
        entries = [_entry(history, reading, found, texts, link) for found in chosen]
        if reading.policy.compact_results:
            entries = [_detailed(entry, n, ask.full_detail) for n, entry in enumerate(entries)]
        results = [entry for entry in entries if entry is not None]
        answer |= {"results": results, "count": len(results), "sessions_searched": len(chosen)}
    if reading.matches.rebuild:
        answer["index_rebuild"] = rebuild_note(reading.matches.rebuild)
    return answer


def _detailed(entry: Answer | None, place: int, full: bool) -> Answer | None:
    """A result in the detail later rules give it: the first whole, others as their anchor (56)."""
    if entry is None or full or place == 0:
        return entry if entry is None else {**entry, "detail": "full"}
    anchor = [message for message in entry["messages"] if message.get("anchor")]
    compact = {"bookend_start": [], "messages": anchor, "bookend_end": [], "detail": "compact"}
    return {**entry, **compact}


def rebuild_note(rebuild: Rebuild) -> Answer:
    """What the tool says while the index is being rebuilt (42)."""
    return {
        "percent": rebuild.percent,
        "note": (
            f"The search index is rebuilding in the background ({rebuild.percent}% done, "
            f"{rebuild.progress:,} of {rebuild.high_water:,} messages). Results from older "
            "messages may be incomplete until it finishes."
        ),
    }


def _entry(
    history: History,
    reading: Discovery,
    found: Found,
    texts: Mapping[int, str | None],
    link: Linker,
) -> Answer | None:
    """One result; None when its view cannot be made, which the tool drops silently (60)."""
    policy = reading.policy
    root = history.families().sessions.get(found.root)
    head: Answer = {
        "session_id": found.session_id,
        "when": when_text(root.started_at if root else None),
        "source": root.source if root else "unknown",
        "model": (root.model if root else None) or "unknown",
        "title": root.title if root else None,
    }
    if found.candidate is None:
        body = _title_body(history, reading, found, head["title"])
    else:
        body = _hit_body(history, found, texts, policy)
    if body is None:
        return None
    if found.root != found.session_id:
        body["parent_session_id"] = found.root
    if link is not None:
        body["link"] = link(found.session_id)
    return head | body


def _hit_body(
    history: History, found: Found, texts: Mapping[int, str | None], policy: Policy
) -> Answer | None:
    candidate = found.candidate
    assert candidate is not None
    anchor = candidate.message_id
    view = anchored_view(history, found.session_id, anchor)
    if view is None:
        return None

    def bookend(messages: tuple[Message, ...]) -> list[Answer]:
        kept = [m for m in messages if not (policy.drops_summaries and is_summary(m))]
        return [shaped(m, policy, cap=policy.bookend_chars) for m in kept]

    return {
        "matched_role": candidate.role,
        "match_message_id": anchor,
        "snippet": texts.get(anchor),
        "bookend_start": bookend(view.opening),
        "messages": [
            shaped(m, policy, anchor=anchor, cap=policy.window_chars) for m in view.window
        ],
        "bookend_end": bookend(view.closing),
        "messages_before": view.before,
        "messages_after": view.after,
    }


def _title_body(
    history: History, reading: Discovery, found: Found, title: str | None
) -> Answer | None:
    """A title match: its first live message is the anchor, and nothing is cut (55)."""
    policy = reading.policy
    anchor = first_live_message(history, found.session_id)
    view = anchored_view(history, found.session_id, anchor) if anchor is not None else None
    opening, closing = title_bookends(history, found.session_id)
    return {
        "matched_role": "session_title",
        "match_message_id": anchor,
        "snippet": f"Session title matched: {title or reading.ask.query}",
        "bookend_start": [shaped(m, policy) for m in (view.opening if view else ()) or opening],
        "messages": [shaped(m, policy, anchor=anchor) for m in (view.window if view else ())],
        "bookend_end": [shaped(m, policy) for m in (view.closing if view else ()) or closing],
        "messages_before": view.before if view else 0,
        "messages_after": view.after if view else 0,
    }


def _log_if_slow(history: History, ask: Ask, policy: Policy, started: float, rows: int) -> None:
    """One INFO line for a search that took at least HERMES_SEARCH_SLOW_MS (85)."""
    elapsed = (time.perf_counter() - started) * 1_000
    if elapsed < slow_threshold(os.environ):
        return
    request = Request(ask.query, roles=ask.roles, cjk_enabled=ask.cjk_enabled)
    _log.info(
        "slow session search: path=%s elapsed=%.0fms rows=%s query=%r",
        slow_log_path(history, request, policy),
        elapsed,
        rows,
        clean_line(ask.query[:_QUERY_IN_LOG]),
    )


def slow_threshold(environ: Mapping[str, str]) -> float:
    """Milliseconds from which a search is slow: 1,000 unless the environment says otherwise."""
    try:
        return float(environ.get(SLOW_ENV, SLOW_MS))
    except ValueError:
        return SLOW_MS
