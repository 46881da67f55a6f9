"""The messages around a hit: windows by id, and the bookends outside them (facts 56 to 63)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hermes_tui.history.reader import History
from hermes_tui.history.rows import Content, Message
from hermes_tui.recall.policy import AGENT_ROLES, Policy
from hermes_tui.text.clean import strip_sequences

ANCHOR_WINDOW = 5
BOOKEND = 3
SUMMARY_STARTS = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
"""How a compaction summary begins (schema history, 5)."""
_LOOK_AT = 16
LAST_ID = (1 << 63) - 1
"""No message id is higher."""
_SPOKEN = "m.role in ('user', 'assistant') and length(m.content) > 0"


@dataclass(frozen=True, slots=True)
class Window:
    """Messages around an anchor, in id order. before/after: how many stand on each side."""

    messages: tuple[Message, ...]
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class AnchoredView:
    """What the agent is given for a hit: the window without tool rows, and the bookends."""

    opening: tuple[Message, ...]
    window: tuple[Message, ...]
    closing: tuple[Message, ...]
    before: int
    after: int


def is_summary(message: Message) -> bool:
    """Whether a message is the text a compaction left behind."""
    return message.text.lstrip().startswith(SUMMARY_STARTS)


def messages_around(
    history: History, session_id: str, message_id: int, window: int = ANCHOR_WINDOW
) -> Window | None:
    """The anchor and up to `window` rows on each side, by id, whatever their role and state (61).

    None when the message is not in that session.
    """
    upper = history.message_rows(
        "where m.session_id = ? and m.id <= ? order by m.id desc limit ?",
        (session_id, message_id, window + 1),
    )
    if not upper or upper[0].id != message_id:
        return None
    lower = history.message_rows(
        "where m.session_id = ? and m.id > ? order by m.id limit ?",
        (session_id, message_id, window),
    )
    return Window((*reversed(upper), *lower), len(upper) - 1, len(lower))


def anchored_view(
    history: History,
    session_id: str,
    message_id: int,
    *,
    window: int = ANCHOR_WINDOW,
    bookend: int = BOOKEND,
) -> AnchoredView | None:
    """The agent's view of a hit (62); None when the message is not in that session."""
    around = messages_around(history, session_id, message_id, window)
    if around is None:
        return None
    first, last = around.messages[0].id, around.messages[-1].id
    shown = tuple(m for m in around.messages if m.role in AGENT_ROLES or m.id == message_id)
    opening = history.message_rows(
        f"where m.session_id = ? and m.id < ? and {_SPOKEN} order by m.id limit ?",
        (session_id, first, bookend),
    )
    closing = history.message_rows(
        f"where m.session_id = ? and m.id > ? and {_SPOKEN} order by m.id desc limit ?",
        (session_id, last, bookend),
    )
    return AnchoredView(
        tuple(opening), shown, tuple(reversed(closing)), around.before, around.after
    )


def title_bookends(
    history: History, session_id: str, bookend: int = BOOKEND
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """First and last live messages, whatever their role, of a session found by its title (55)."""
    where = f"where m.session_id = ? and {live_condition(history)}"
    opening = history.message_rows(f"{where} order by m.id limit ?", (session_id, bookend))
    closing = history.message_rows(f"{where} order by m.id desc limit ?", (session_id, bookend))
    return tuple(opening), tuple(reversed(closing))


def is_bookend(message: Message) -> bool:
    """Whether a person would take this for a first or last word: said, live and no summary.

    Unlike the agent's bookends (62) this knows rewound rows, compaction text and images.
    """
    return (
        message.role in AGENT_ROLES
        and message.visibility == "live"
        and bool(message.text.strip() or message.attachments)
        and not is_summary(message)
    )


def bookends(
    history: History, session_id: str, below: int, above: int, most: int = BOOKEND
) -> tuple[list[Message], list[Message]]:
    """The first and last `most` real messages of a session, with ids < below and > above."""
    columns = "where m.session_id = ? and m.role in ('user', 'assistant') and"
    opening = f"{columns} m.id > ? and m.id < ? order by m.id limit {_LOOK_AT}"
    closing = f"{columns} m.id < ? and m.id > ? order by m.id desc limit {_LOOK_AT}"
    first = _real_ones(history, opening, session_id, 0, below, most)
    last = _real_ones(history, closing, session_id, LAST_ID, above, most)
    return first, last[::-1]


def _real_ones(
    history: History, tail: str, session_id: str, place: int, end: int, most: int
) -> list[Message]:
    """Walk from `place` towards `end`, a few rows at a time, until `most` real ones are found."""
    found: list[Message] = []
    while len(found) < most:
        rows = history.message_rows(tail, (session_id, place, end))
        found += [message for message in rows if is_bookend(message)]
        if len(rows) < _LOOK_AT:
            break
        place = rows[-1].id
    return found[:most]


def first_live_message(history: History, session_id: str) -> int | None:
    """The id of a session's first live message, or None (55)."""
    found = history.rows(
        f"select min(m.id) from messages m where m.session_id = ? and {live_condition(history)}",
        (session_id,),
    )
    return found[0][0] if found else None


def live_condition(history: History) -> str:
    """SQL for a live row of `messages m`; NULL counts as live, a missing column too."""
    has_active = "active" in history.layout.message_columns
    return "coalesce(m.active, 1) = 1" if has_active else "1"


def shaped(
    message: Message, policy: Policy, *, anchor: int | None = None, cap: int = 0
) -> dict[str, Any]:
    """A message as the tool's JSON has it: None values left out, content always there (63)."""
    content: Content = message.content
    if isinstance(content, str) and policy.strips_ansi and "\x1b" in content:
        content = strip_sequences(content)
    row: dict[str, Any] = {"id": message.id, "role": message.role, "content": content}
    for key, value in (
        ("timestamp", message.timestamp),
        ("tool_name", message.tool_name),
        ("tool_calls", message.tool_calls or None),
        ("tool_call_id", message.tool_call_id),
    ):
        if value is not None:
            row[key] = value
    if anchor is not None and message.id == anchor:
        row["anchor"] = True
    if cap and isinstance(content, str) and len(content) > cap:
        row["content"] = content[:cap] + "…"
        row["content_truncated"] = True
        row["original_content_chars"] = len(content)
    return row
