"""How Hermes encodes what goes into a message row and a session title (schema history, 5)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tui.history.rows import MULTIMODAL_PREFIX, Content
from hermes_tui.storage.errors import StorageError

TITLE_LIMIT = 100
"""The most characters a title may have (fact 84)."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_NUMBERED = re.compile(r"^(?P<base>.*?) #(?P<number>\d+)$", re.DOTALL)
# Dropped before white space is folded, so a vertical tab joins words and a newline parts them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc]"
)


def encode_text(text: str) -> str:
    """Text as SQLite can hold it: a lone surrogate becomes U+FFFD, as Hermes does since 0.19."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def encode_content(content: Content) -> str | None:
    """A content cell: text as it is; parts behind the NUL prefix as ASCII-escaped JSON."""
    if content is None:
        return None
    if isinstance(content, str):
        return encode_text(content)
    return MULTIMODAL_PREFIX + json.dumps(content)


def encode_tool_calls(calls: Sequence[Mapping[str, Any]]) -> str | None:
    """A tool_calls cell: an ASCII-escaped JSON list, NULL when there is no call."""
    return json.dumps([dict(call) for call in calls]) if calls else None


def tool_call(name: str, arguments: Mapping[str, Any], call_id: str) -> dict[str, Any]:
    """One call as a live agent stores it; its arguments are JSON inside a JSON string."""
    return {
        "id": call_id,
        "call_id": call_id,
        "response_item_id": f"fc_{call_id.removeprefix('call_')}",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(dict(arguments))},
    }


def clean_title(title: str) -> str | None:
    """A title by Hermes' rules (fact 84); None when nothing visible is left.

    Control and zero-width characters go, white space becomes single spaces. Raises StorageError
    when more than TITLE_LIMIT characters remain.
    """
    cleaned = " ".join(_INVISIBLE.sub("", encode_text(title)).split())
    if len(cleaned) > TITLE_LIMIT:
        raise StorageError(
            f"A title has at most {TITLE_LIMIT} characters; this one has {len(cleaned)}."
        )
    return cleaned or None


def title_base(title: str) -> str:
    """The title without its lineage number: `Plan #2` and `Plan` both have the base `Plan`."""
    match = _NUMBERED.match(title)
    return match["base"] if match else title


def title_number(title: str) -> int:
    """The lineage number of a title; 1 when it carries none."""
    match = _NUMBERED.match(title)
    return int(match["number"]) if match else 1
