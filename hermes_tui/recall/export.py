"""Conversations written out as Markdown, HTML or JSON. Pure: yields clean text, piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from hermes_tui.history.locate import session_link
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Message, Session
from hermes_tui.recall.export_html import html_head, html_message, html_session, html_tail
from hermes_tui.text.clean import clean, clean_line

Form = Literal["markdown", "html", "json"]
FORMS: tuple[Form, ...] = ("markdown", "html", "json")
SUFFIX: dict[Form, str] = {"markdown": "md", "html": "html", "json": "json"}
NAMES: dict[Form, str] = {"markdown": "Markdown", "html": "HTML", "json": "JSON"}

_BATCH = 100
_ROLE_NAMES = {"user": "you", "assistant": "hermes"}


@dataclass(frozen=True, slots=True)
class Chapter:
    """A session, how it is tied to the one before, and which of its messages are written.

    whole: whether they are all of its messages. left_out: rewound ones that are not among them.
    """

    session: Session
    edge: str
    ids: Sequence[int]
    whole: bool
    left_out: int = 0


def chapter(
    history: History,
    session: Session,
    edge: str = "root",
    *,
    positions: tuple[int, int] | None = None,
    rewound: bool = False,
) -> Chapter:
    """What to write of a session. positions: [low, high) of its messages by their place in it;
    None for all. rewound: whether rewound messages are written, too.
    """
    outline = history.outline(session.id)
    low, high = positions or (0, len(outline))
    chosen = range(max(low, 0), min(high, len(outline)))
    kept = [outline.ids[i] for i in chosen if rewound or outline.visibility[i] != 2]
    whole = positions is None or len(chosen) == len(outline)
    return Chapter(session, edge, kept, whole, len(chosen) - len(kept))


def written(history: History, chapters: Sequence[Chapter], form: Form) -> Iterator[str]:
    """The document, in pieces."""
    title = title_of(chapters[0].session) if chapters else ""
    if form == "html":
        yield html_head(title)
    elif form == "json":
        yield '{"sessions": ['
    for place, part in enumerate(chapters):
        yield from _chapter(history, part, form, place)
    if form == "html":
        yield html_tail()
    elif form == "json":
        yield "\n]}\n"


def title_of(session: Session) -> str:
    """A session's title on one line, or a name made of its id."""
    return clean_line(session.title or "") or f"untitled {clean_line(session.id)}"


def _chapter(history: History, part: Chapter, form: Form, place: int) -> Iterator[str]:
    facts = facts_of(history, part)
    if form == "markdown":
        yield ("\n" if place else "") + _markdown_session(part.session, facts)
    elif form == "html":
        yield html_session(title_of(part.session), facts)
    else:
        head = json.dumps(session_json(history, part), ensure_ascii=False)
        yield ("," if place else "") + f'\n{head[:-1]}, "messages": ['
    first = True
    for start in range(0, len(part.ids), _BATCH):
        for message in history.messages(part.ids[start : start + _BATCH]):
            if form == "markdown":
                yield markdown_of(message)
            elif form == "html":
                yield html_message(message, heading_of(message))
            else:
                line = json.dumps(message_json(message), ensure_ascii=False)
                yield ("" if first else ",") + f"\n  {line}"
            first = False
    if form == "html":
        yield "</section>\n"
    elif form == "json":
        yield "\n]}"


def facts_of(history: History, part: Chapter) -> list[tuple[str, str]]:
    """(name, value) of what is said over a session's messages; clean text."""
    session = part.session
    facts = [
        ("link", clean_line(session_link(history.profile, session.id))),
        ("source", clean_line(session.source)),
        ("model", clean_line(session.model or "")),
        ("folder", clean_line(session.cwd or "")),
        ("started", moment(session.started_at)),
        ("continues by", "" if part.edge == "root" else part.edge),
        ("messages", f"{len(part.ids):,}" + ("" if part.whole else " of the session")),
    ]
    if part.left_out:
        facts.append(("left out", f"{part.left_out:,} rewound"))
    return [(name, value) for name, value in facts if value]


def moment(seconds: float | None) -> str:
    """Local date and time; '' when there is no usable one."""
    try:
        return f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M}" if seconds else ""
    except (ValueError, OverflowError, OSError):
        return ""


def heading_of(message: Message) -> str:
    """`you · 2026-05-31 12:04 · archived`."""
    name = _ROLE_NAMES.get(message.role, clean_line(message.role, 40) or "?")
    if message.role == "tool" and message.tool_name:
        name = f"{name} {clean_line(message.tool_name, 80)}"
    state = "" if message.visibility == "live" else message.visibility
    return " · ".join(part for part in (name, moment(message.timestamp), state) if part)


# -- Markdown


def _markdown_session(session: Session, facts: Sequence[tuple[str, str]]) -> str:
    lines = [f"# {title_of(session)}", "", *(f"- {name}: {value}" for name, value in facts)]
    return "\n".join(lines) + "\n"


def markdown_of(message: Message) -> str:
    """A message under a heading; tool output and calls are fenced."""
    blocks = [f"\n## {heading_of(message)}\n"]
    text = clean(message.text).rstrip("\n")
    if text:
        blocks.append((fenced(text) if message.role == "tool" else text) + "\n")
    blocks += [f"[{clean_line(kind, 40)}]\n" for kind in message.attachments]
    for call in message.calls:
        name = clean_line(call.name, 80) or "?"
        blocks.append(f"⚙ {name}\n\n{fenced(clean(call.arguments))}\n")
    return "\n".join(blocks)


def fenced(text: str) -> str:
    """Text in a fence longer than any run of backticks in it."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


# -- JSON


def session_json(history: History, part: Chapter) -> dict[str, Any]:
    """A session as JSON values; times are Unix seconds."""
    session = part.session
    return {
        "id": clean(session.id),
        "link": clean(session_link(history.profile, session.id)),
        "title": cleaned(session.title),
        "edge": part.edge,
        "parent": cleaned(session.parent_id),
        "source": clean(session.source),
        "model": cleaned(session.model),
        "cwd": cleaned(session.cwd),
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "end_reason": cleaned(session.end_reason),
        "whole": part.whole,
        "rewound_left_out": part.left_out,
    }


def message_json(message: Message) -> dict[str, Any]:
    """A message as JSON values, every text in it clean."""
    return {
        "id": message.id,
        "role": clean(message.role),
        "timestamp": message.timestamp,
        "visibility": message.visibility,
        "content": cleaned(message.content),
        "tool_name": cleaned(message.tool_name),
        "tool_call_id": cleaned(message.tool_call_id),
        "tool_calls": cleaned(message.tool_calls or message.tool_calls_text),
        "reasoning": cleaned(message.reasoning),
        "display_kind": cleaned(message.display_kind),
    }


def cleaned(value: Any) -> Any:
    """JSON values with every text, and every name, clean; numbers that JSON has no form for go."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(str(key)): cleaned(item) for key, item in value.items()}
    if isinstance(value, float) and not (float("-inf") < value < float("inf")):
        return None
    return value
