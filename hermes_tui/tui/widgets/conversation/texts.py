"""The texts of a message, ready to be wrapped: clean, and readable where they are JSON. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from hermes_tui.history.rows import Message
from hermes_tui.text.clean import clean_blocks, clean_line
from hermes_tui.text.readable import Readable, readable

Kind = Literal["text", "output", "call", "reasoning", "note"]
Pause = Callable[[], object]

NAME_LIMIT = 40
"""Characters shown of a role, a tool's name or a part's kind."""


class Text(NamedTuple):
    """A clean text to show. made: how JSON was made readable, when it was."""

    kind: Kind
    text: str
    made: Readable | None = None


def texts_of(message: Message, pause: Pause | None = None) -> Iterator[Text]:
    """The texts of a message in the order they are shown."""
    if message.reasoning:
        yield Text("reasoning", _cleaned(message.reasoning, pause))
    text = message.text
    if text:
        cleaned = _cleaned(text, pause)
        yield (
            _readable("output", cleaned, 0, pause)
            if message.role == "tool"
            else Text("text", cleaned)
        )
    for kind in message.attachments:
        yield Text("note", f"[{clean_line(kind, NAME_LIMIT)}]")
    calls = message.calls
    for call in calls:
        name = clean_line(f"⚙ {call.name or '?'}")
        line = f"{name}  {clean_line(call.arguments)}".rstrip(" ")
        yield _readable("call", line, len(name) + 2, pause)
    if not calls and (message.tool_calls_text or "").strip() not in ("", "[]", "null"):
        yield Text("call", "⚙ " + clean_line(message.tool_calls_text or ""))


def stored_text(message: Message) -> str:
    """What was said, as clean text in the form it is stored in; no reasoning."""
    kept = (text for text in texts_of(message) if text.kind not in ("note", "reasoning"))
    return "\n".join(text.made.source if text.made else text.text for text in kept)


def _cleaned(text: str, pause: Pause | None) -> str:
    """A text cleaned block by block. One that was clean is not copied: it may be huge."""
    same, pieces = 0, list[str]()
    for piece in clean_blocks(text):
        if not pieces and text.startswith(piece, same):
            same += len(piece)
        else:
            pieces.append(piece)
        if pause:
            pause()
    cleaned = text if same == len(text) else "".join((text[:same], *pieces))
    pieces.clear()  # of a huge message, nothing is held twice
    return cleaned.rstrip("\n")


def _readable(kind: Kind, text: str, start: int, pause: Pause | None) -> Text:
    """A text that may be JSON from `start` on."""
    made = readable(text, start, pause)
    return Text(kind, made.text if made else text, made)
