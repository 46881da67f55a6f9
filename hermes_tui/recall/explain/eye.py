"""What the agent's eyes get: the very text of a session_search answer, and where it was cut.

Tokens are estimated, not counted: every CJK character is taken for one token and every four other
characters for one. Real tokenizers differ by model, by a third in either direction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hermes_tui.history.reader import History, Registrar
from hermes_tui.history.statements import Stop
from hermes_tui.recall.policy import HERMES, Policy
from hermes_tui.recall.shapes import Tool
from hermes_tui.text.jsontext import json_text

CHARACTERS_PER_TOKEN = 4
Place = Literal["bookend_start", "messages", "bookend_end"]
PLACES: tuple[Place, ...] = ("bookend_start", "messages", "bookend_end")


@dataclass(frozen=True, slots=True)
class Part:
    """One message of the answer. content: as the agent reads it, not clean.

    chars: characters of it that are given; original: how long it is stored, more when it was cut.
    calls: characters of its tool calls. hidden_before: messages of the session between the part
    before and this one that the agent is not given.
    """

    place: Place
    message_id: int
    role: str
    content: str
    chars: int
    original: int
    calls: int
    anchor: bool
    hidden_before: int

    @property
    def cut(self) -> bool:
        """Whether the agent gets only its beginning."""
        return self.original > self.chars


@dataclass(frozen=True, slots=True)
class Shown:
    """One result of the answer. hidden_after: messages behind the last part that are not given."""

    rank: int
    session_id: str
    title: str | None
    source: str
    role: str
    snippet: str
    parts: tuple[Part, ...]
    hidden_after: int
    chars: int


@dataclass(frozen=True, slots=True)
class Eye:
    """A whole answer. text: what session-search prints, character by character.

    chars: characters of `text`; tokens: estimated.
    """

    arguments: Mapping[str, Any]
    answer: Mapping[str, Any]
    text: str
    results: tuple[Shown, ...]
    chars: int
    tokens: int


def agents_eye(
    history: History,
    arguments: Mapping[str, Any],
    *,
    policy: Policy = HERMES,
    environ: Mapping[str, str] | None = None,
    register: Registrar | None = None,
    stop: Stop | None = None,
) -> Eye:
    """Call the agent's tool and take its answer apart. Interrupted when `stop` turns true."""
    tool = Tool(history, policy, register=register, stop=stop)
    if environ is not None:
        tool.environ = environ
    answer = tool(arguments)
    text = json_text(answer)
    results = answer.get("results") if answer.get("mode") == "discover" else None
    shown = tuple(_shown(history, n, entry, stop) for n, entry in enumerate(results or (), start=1))
    return Eye(dict(arguments), answer, text, shown, len(text), estimated_tokens(text))


def estimated_tokens(text: str) -> int:
    """About how many tokens a text costs a model."""
    wide = sum(1 for character in text if ord(character) >= _FIRST_WIDE)
    return wide + -(-(len(text) - wide) // CHARACTERS_PER_TOKEN)


_FIRST_WIDE = 0x1100
"""From here on (Hangul, kana, Han, emoji) a character is a token of its own, or nearly."""


def _shown(history: History, rank: int, entry: Mapping[str, Any], stop: Stop | None) -> Shown:
    outline = history.outline(str(entry["session_id"]), stop)
    parts: list[Part] = []
    last = -1
    for place, message in _messages(entry):
        position = outline.position(message["id"])
        hidden = max(0, position - last - 1) if position is not None else 0
        last = max(last, position if position is not None else last)
        parts.append(_part(place, message, hidden))
    return Shown(
        rank,
        str(entry["session_id"]),
        entry.get("title"),
        str(entry.get("source") or ""),
        str(entry.get("matched_role") or ""),
        str(entry.get("snippet") or ""),
        tuple(parts),
        max(0, len(outline) - last - 1),
        len(json_text(entry)),
    )


def _messages(entry: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    for place in PLACES:
        for message in entry.get(place) or ():
            yield place, message


def _part(place: Place, message: Mapping[str, Any], hidden: int) -> Part:
    content = message.get("content")
    text = content if isinstance(content, str) else _as_text(content)
    calls = message.get("tool_calls")
    original = int(message.get("original_content_chars") or len(text))
    given = len(text) - 1 if message.get("content_truncated") else len(text)
    return Part(
        place,
        int(message["id"]),
        str(message["role"]),
        text,
        given,
        original,
        len(_as_text(calls)) if calls else 0,
        bool(message.get("anchor")),
        hidden,
    )


def _as_text(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
