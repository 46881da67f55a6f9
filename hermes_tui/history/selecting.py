"""The select lists of messages and sessions for a layout, and rows made from them.

Columns are named, never counted on: an old file lacks some, an upgraded one has them in another
order. Text is selected as a blob and decoded in rows.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hermes_tui.history.layout import Layout
from hermes_tui.history.rows import (
    Message,
    Session,
    decode_content,
    decode_tool_calls,
    integer_of,
    number_of,
    parse_json,
    text_of,
    visibility_of,
)

Sift = Callable[[bytes], bool]
"""Whether a stored text may hold what is looked for; see hermes_tui.text.sift."""

_MESSAGE_COLUMNS = (
    ("id", "plain", "null"),
    ("session_id", "text", "null"),
    ("role", "text", "null"),
    ("content", "text", "null"),
    ("timestamp", "number", "null"),
    ("tool_name", "text", "null"),
    ("tool_call_id", "text", "null"),
    ("tool_calls", "text", "null"),
    ("active", "number", "1"),
    ("compacted", "number", "0"),
    ("reasoning", "text", "null"),
    ("reasoning_content", "text", "null"),
    ("display_kind", "text", "null"),
)
_SESSION_COLUMNS = (
    ("id", "text", "null"),
    ("source", "text", "null"),
    ("model", "text", "null"),
    ("title", "text", "null"),
    ("parent_session_id", "text", "null"),
    ("started_at", "number", "null"),
    ("ended_at", "number", "null"),
    ("end_reason", "text", "null"),
    ("message_count", "number", "0"),
    ("archived", "number", "0"),
    ("hidden", "number", "0"),
    ("cwd", "text", "null"),
    ("last_activity_at", "number", "null"),
    ("model_config", "text", "null"),
)


def number_cell(cell: str) -> str:
    """SQL for a number that may be anything: a text there may be no UTF-8, so it comes as bytes."""
    return f"case typeof({cell}) when 'text' then cast({cell} as blob) else {cell} end"


def _select(alias: str, columns: tuple[tuple[str, str, str], ...], present: frozenset[str]) -> str:
    parts = []
    for name, kind, default in columns:
        cell = f"{alias}.{name}"
        if name not in present:
            parts.append(default)
        elif kind == "text":
            parts.append(f"cast({cell} as blob)")
        elif kind == "number":
            parts.append(number_cell(cell))
        else:
            parts.append(cell)
    return ", ".join(parts)


def message_select(layout: Layout) -> str:
    """`select … from messages m`, for message_from_row."""
    return f"select {_select('m', _MESSAGE_COLUMNS, layout.message_columns)} from messages m"


def session_select(layout: Layout) -> str:
    """`select … from sessions s`, for session_from_row."""
    return f"select {_select('s', _SESSION_COLUMNS, layout.session_columns)} from sessions s"


def message_from_row(row: tuple[Any, ...]) -> Message:
    """A Message from a row of message_select."""
    calls_text = text_of(row[7])
    return Message(
        id=row[0],
        session_id=text_of(row[1]) or "",
        role=text_of(row[2]) or "",
        content=decode_content(row[3]),
        timestamp=number_of(row[4]),
        tool_name=text_of(row[5]),
        tool_call_id=text_of(row[6]),
        tool_calls=decode_tool_calls(row[7]),
        visibility=visibility_of(row[8], row[9]),
        reasoning=text_of(row[10]) or text_of(row[11]),
        display_kind=text_of(row[12]) or None,
        tool_calls_text=calls_text,
    )


def passes(row: tuple[Any, ...], sift: Sift) -> bool:
    """Whether a row of message_select has tool calls, or a text that `sift` lets through.

    Calls are JSON: what is looked for may be escaped in them.
    """
    content, calls, reasoning = row[3], row[7], row[10] or row[11]
    return bool(calls) or any(text is not None and sift(text) for text in (content, reasoning))


def session_from_row(row: tuple[Any, ...]) -> Session:
    """A Session from a row of session_select."""
    config = _marks(text_of(row[13]))
    return Session(
        id=text_of(row[0]) or "",
        source=text_of(row[1]) or "",
        model=text_of(row[2]) or None,
        title=text_of(row[3]),
        parent_id=text_of(row[4]) or None,
        started_at=number_of(row[5]),
        ended_at=number_of(row[6]),
        end_reason=text_of(row[7]) or None,
        message_count=integer_of(row[8]),
        archived=integer_of(row[9]) != 0,
        hidden=integer_of(row[10]) != 0,
        cwd=text_of(row[11]) or None,
        last_activity_at=number_of(row[12]),
        branched_from=_mark(config, "_branched_from"),
        delegate_from=_mark(config, "_delegate_from"),
        reset_from=_mark(config, "_reset_from"),
    )


def _marks(model_config: str | None) -> dict[str, Any]:
    """The lineage marks of a model_config; {} for NULL, bad JSON, or none (schema history, 5)."""
    if not model_config or "_from" not in model_config:
        return {}
    try:
        decoded = parse_json(model_config)
    except ValueError:
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _mark(config: dict[str, Any], key: str) -> str | None:
    value = config.get(key)
    return str(value) if value is not None else None
