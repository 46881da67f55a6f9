"""Changing the filters of a typed query, and seeing which one is being typed. Pure.

What is a filter is decided as `query` decides it, on the same pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hermes_tui.recall.query import FILTERS, PIECE

_QUOTED = '"'


@dataclass(frozen=True, slots=True)
class Written:
    """A `name:value` in the text: [start, end), negated by a NOT before it."""

    start: int
    end: int
    name: str
    value: str
    negated: bool


def written(text: str) -> Iterator[Written]:
    """Every word of the form `name:value`, whether or not the name is a filter."""
    before = ""
    for match in PIECE.finditer(text):
        name, value = match[1], match[2]
        if name is None and match[5] and not match[5].startswith(_QUOTED):
            head, colon, tail = match[5].partition(":")
            if colon and tail and head.isascii() and head.isalpha():
                name, value = head, tail
        if name is not None:
            yield Written(match.start(), match.end(), name.lower(), value, before == "NOT")
        before = match[0]


def values_of(text: str, name: str) -> tuple[str, ...]:
    """The values that a filter has in the text, those behind a NOT left out."""
    found = (w for w in written(text) if w.name == name and not w.negated)
    return tuple(value for w in found for value in w.value.split(",") if value)


def with_filter(text: str, name: str, values: Sequence[str]) -> str:
    """The text with `name:` set to these values; without the filter when there are none.

    It stands where it stood, a new one at the end. What is behind a NOT stays as it is.
    """
    old = [w for w in written(text) if w.name == name and not w.negated]
    new = written_out(name, values) if values else ""
    for place, w in reversed(list(enumerate(old))):
        text = _replaced(text, w.start, w.end, new if place == 0 else "")
    if not old and new:
        text = f"{text.rstrip()} {new}"
    return text.strip()


def without_filters(text: str) -> str:
    """The text without any filter, and without the NOT before one."""
    for w in reversed(list(written(text))):
        if w.name in FILTERS and w.value:
            start = text.rindex("NOT", 0, w.start) if w.negated else w.start
            text = _replaced(text, start, w.end, "")
    return text.strip()


def _replaced(text: str, start: int, end: int, new: str) -> str:
    """Another text for [start, end); when it is none, a blank beside it goes, too."""
    if not new:
        end += text[end : end + 1] == " "
    return text[:start] + new + text[end:]


def written_out(name: str, values: Sequence[str]) -> str:
    """`name:value`, or `name:"a b"` where blanks ask for quotes."""
    value = ",".join(value.replace(_QUOTED, "") for value in values)
    plain = value and not any(character.isspace() for character in value)
    return f"{name}:{value}" if plain else f'{name}:"{value}"'


@dataclass(frozen=True, slots=True)
class Typing:
    """What stands at the cursor: [start, end) is the value, or its last part after a comma.

    name: the filter; '' while the name itself, [start, end), is being typed.
    """

    start: int
    end: int
    name: str
    beginning: str


def typing(text: str, cursor: int) -> Typing | None:
    """The filter that is being typed at the cursor; None on a word, or inside quotes that close."""
    start = cursor
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    if cursor < len(text) and not text[cursor].isspace():
        return None
    word = text[start:cursor]
    quote = text.rfind(_QUOTED, 0, cursor)
    if text.count(_QUOTED, 0, cursor) % 2:
        # Inside a quote that is open: `title:"home la`.
        start = quote
        while start > 0 and not text[start - 1].isspace():
            start -= 1
        word = text[start:cursor]
    name, colon, value = word.partition(":")
    if not (name.isascii() and name.isalpha()):
        return None
    if not colon:
        return Typing(start, cursor, "", name.lower())
    beginning = value.lstrip(_QUOTED)
    at = start + len(name) + 1
    if not value.startswith(_QUOTED) and "," in beginning:
        at = cursor - len(beginning.rpartition(",")[2])
        beginning = beginning.rpartition(",")[2]
    return Typing(at, cursor, name.lower(), beginning.lower())
