"""The only place where a database value becomes text.

Text columns are selected as blobs (`cast(x as blob)`) and decoded here with replacement, because
SQLite hands out whatever bytes a TEXT cell holds and one bad byte must not lose a query.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

MULTIMODAL_PREFIX = "\x00json:"
"""How Hermes marks content that is not a plain string: this, then JSON."""

MAX_NESTING = 100
"""Levels of lists and objects that stored JSON may have; Hermes writes about five."""

Visibility = Literal["live", "archived", "rewound"]
Content = str | list[Any] | dict[str, Any] | None


def text_of(value: object) -> str | None:
    """A cell as text: None stays None, bytes are decoded with U+FFFD for what is not UTF-8."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return str(value)


def number_of(value: object) -> float | None:
    """A timestamp cell as Unix seconds; None when it is missing or no number at all."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def integer_of(value: object, default: int = 0) -> int:
    """A counter or flag cell as int; `default` when it is NULL or no number."""
    number = number_of(value)
    if number is None or number != number or number in (float("inf"), float("-inf")):
        return default
    return int(number)


def visibility_of(active: object, compacted: object) -> Visibility:
    """Live, archived by compaction, or rewound; NULL `active` counts as 1 (schema history, 1)."""
    if integer_of(active, default=1) != 0:
        return "live"
    return "archived" if integer_of(compacted) != 0 else "rewound"


def parse_json(text: str) -> Any:
    """`json.loads` for text from anywhere: whatever is wrong with it is a ValueError.

    That includes a value nested deeper than MAX_NESTING, which could not be written out again.
    """
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    level = [value]
    for _ in range(MAX_NESTING):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return value
    raise ValueError("nested too deeply")


def decode_content(value: object) -> Content:
    """A content cell as Hermes' readers see it: a string, or the JSON behind the NUL prefix.

    JSON that cannot be read stays the raw string (schema history, 5).
    """
    text = text_of(value)
    if text is None or not text.startswith(MULTIMODAL_PREFIX):
        return text
    try:
        decoded = parse_json(text[len(MULTIMODAL_PREFIX) :])
    except ValueError:
        return text
    return decoded if isinstance(decoded, (list, dict, str)) else text


def content_parts(content: Content) -> tuple[str, tuple[str, ...]]:
    """(joined text parts, kinds of the other parts) of decoded content."""
    if content is None:
        return "", ()
    if isinstance(content, str):
        return content, ()
    texts: list[str] = []
    others: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part, dict):
            others.append(str(part.get("type") or "part"))
        else:
            others.append(type(part).__name__)
    return "\n".join(texts), tuple(others)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call in an assistant turn. `arguments` is readable text, never escaped twice."""

    name: str
    arguments: str
    call_id: str


def decode_tool_calls(value: object) -> list[Any]:
    """The tool_calls cell as a list; [] when it is NULL, broken or no list (schema history, 5)."""
    text = text_of(value)
    if not text:
        return []
    try:
        decoded = parse_json(text)
    except ValueError:
        return []
    return decoded if isinstance(decoded, list) else []


def tool_calls_of(decoded: list[Any]) -> tuple[ToolCall, ...]:
    """Readable calls from the decoded list; elements of an unknown form become their JSON."""
    calls = []
    for element in decoded:
        if not isinstance(element, dict):
            calls.append(ToolCall("", json.dumps(element, ensure_ascii=False), ""))
            continue
        function = element.get("function")
        function = function if isinstance(function, dict) else element
        calls.append(
            ToolCall(
                name=str(function.get("name") or ""),
                arguments=_readable(function.get("arguments")),
                call_id=str(element.get("id") or element.get("call_id") or ""),
            )
        )
    return tuple(calls)


def _readable(arguments: object) -> str:
    """Arguments as text; JSON inside a string is re-written without \\u escapes."""
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        try:
            parsed = parse_json(arguments)
        except ValueError:
            return arguments
        return arguments if isinstance(parsed, str) else json.dumps(parsed, ensure_ascii=False)
    return json.dumps(arguments, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One row of `messages`.

    id: its row id. timestamp: Unix seconds, None when odd. content: as decoded (string, or the
    list of parts of a multimodal message). tool_calls: the decoded JSON list. visibility: live,
    archived (by compaction) or rewound. All strings are as stored: clean them before they are
    shown.
    """

    id: int
    session_id: str
    role: str
    content: Content
    timestamp: float | None
    tool_name: str | None
    tool_call_id: str | None
    tool_calls: list[Any]
    visibility: Visibility
    reasoning: str | None
    display_kind: str | None
    tool_calls_text: str | None = None

    @property
    def text(self) -> str:
        """The text parts, joined by newlines; '' when there are none."""
        return content_parts(self.content)[0]

    @property
    def attachments(self) -> tuple[str, ...]:
        """Kinds of the parts that are not text, such as `image_url`."""
        return content_parts(self.content)[1]

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls in readable form."""
        return tool_calls_of(self.tool_calls)


@dataclass(frozen=True, slots=True)
class Session:
    """One row of `sessions`. Times are Unix seconds; counts are as Hermes stored them."""

    id: str
    source: str
    model: str | None
    title: str | None
    parent_id: str | None
    started_at: float | None
    ended_at: float | None
    end_reason: str | None
    message_count: int
    archived: bool
    hidden: bool
    cwd: str | None
    last_activity_at: float | None
    branched_from: str | None
    delegate_from: str | None
    reset_from: str | None
