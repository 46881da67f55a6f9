"""Stored text made safe to show: the only way from a history to the screen, clipboard or stdout.

A message may hold anything a program once printed. Drawn raw, its escape sequences retitle the
window, write the clipboard, move the cursor; its bidi controls reorder the line. Nothing here
interprets such bytes: sequences are removed whole, single control characters become visible.

The output of every function holds no escape or C1 character, no control character but newline and
tab, no bidi control, no byte order mark and no lone surrogate, and cleaning it again changes
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

# A string sequence (OSC, DCS, SOS, PM, APC) is removed whole when it ends on its own line;
# otherwise only its introducer goes and the rest stays readable, so a stray introducer cannot
# hide the remainder of a message. No alternative can run past another introducer or a newline:
# that keeps matching linear, and lets `clean_blocks` cut in front of either.
_BODY = r"[^\x07\x1b\r\n\x80-\x9f]*"
_SEQUENCE = re.compile(
    rf"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:{_BODY}(?:\x07|\x1b\\|\x9c))?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]"
)
_INTRODUCER = re.compile("[\x1b\x80-\x9f]")

_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x2070))
_SURROGATES = range(0xD800, 0xE000)


def _replacements() -> dict[int, str | None]:
    """What a character that must not be shown becomes; None drops it."""
    table: dict[int, str | None] = {code: chr(0x2400 + code) for code in range(0x20)}
    table |= dict.fromkeys(range(0x80, 0xA0))
    table |= dict.fromkeys((*_BIDI, 0xFEFF))
    table |= dict.fromkeys(_SURROGATES, "\N{REPLACEMENT CHARACTER}")
    table |= dict.fromkeys((0x0D, 0x85, 0x2028, 0x2029), "\n")
    table[0x7F] = "\N{SYMBOL FOR DELETE}"
    del table[0x09], table[0x0A]
    return table


def _class_of(codes: list[int]) -> str:
    """A regular expression class that matches exactly these characters."""
    return "[" + "".join(re.escape(chr(code)) for code in codes) + "]"


_REPLACE = _replacements()
_UNSAFE = re.compile(
    _class_of([code for code in _REPLACE if code not in _SURROGATES])[:-1] + "\ud800-\udfff]"
)


def _bytes_of(codes: list[int]) -> bytes:
    """A regular expression for the UTF-8 of characters outside ASCII, by their last byte."""
    last: dict[bytes, bytes] = {}
    for code in codes:
        encoded = chr(code).encode()
        last[encoded[:-1]] = last.get(encoded[:-1], b"") + encoded[-1:]
    return b"|".join(re.escape(head) + b"[" + re.escape(tail) + b"]" for head, tail in last.items())


_PLAIN_BYTES = bytes(code for code in range(0x80) if code not in _REPLACE)
_UNSAFE_BYTES = re.compile(
    b"[\0-\x7f]|" + _bytes_of([c for c in _REPLACE if c >= 0x80 and c not in _SURROGATES])
)

# Characters whose width terminals and rich disagree about (emoji presentation, keycap, skin tone,
# joiner, tags, soft hyphen) or that have none at all. Without them a line keeps its width.
_UNSTABLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u20e3\u3164"
    "\ufe00-\ufe0f\uffa0\ufff0-\ufffb\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]"
)
# Emoji newer than this Python's Unicode tables: rich may know one as wide where the terminal, as
# old as Python, draws nothing. It is shown as unknown.
_PICTURE = re.compile("[\U0001f000-\U0001ffff]")
_UNKNOWN = frozenset(chr(code) for code in range(0x1F000, 0x20000) if category(chr(code)) == "Cn")
_BREAKS = re.compile(r"[\n\t][\n\t ]*")
_BLOCK = 1 << 16


def clean(text: str) -> str:
    """`text` with nothing left in it that a terminal would act on; newlines and tabs are kept."""
    if not _UNSAFE.search(text):
        return text
    if _INTRODUCER.search(text):
        text = _SEQUENCE.sub("", text.replace("\x85", "\n"))
        if not _UNSAFE.search(text):  # nothing but colours, as in most tool output
            return text
    return text.replace("\r\n", "\n").translate(_REPLACE)


def is_clean_utf8(stored: bytes) -> bool:
    """Whether bytes, decoded as UTF-8 with replacement, are a text that `clean` leaves as it is."""
    odd = stored.translate(None, _PLAIN_BYTES)
    return not odd or _UNSAFE_BYTES.search(odd) is None


def strip_sequences(text: str) -> str:
    """`text` without its escape sequences and otherwise as it is: not yet safe to show."""
    return _SEQUENCE.sub("", text)


def clean_line(text: str, limit: int | None = None) -> str:
    """`text` cleaned and on one line: a run of newlines and tabs becomes one space.

    With `limit`, at most that many characters, the last one being `…` when something was cut.
    """
    if limit is not None and len(text) > 4 * limit + 64:
        # Enough to fill the line, unless it holds sequences, which may be of any length.
        start = text[: 4 * limit + 64]
        if not _INTRODUCER.search(start):
            line = _one_line(start)
            if len(line) > limit:
                return _cut(line, limit)
    line = _one_line(text)
    return line if limit is None else _cut(line, limit)


def _one_line(text: str) -> str:
    return _BREAKS.sub(" ", clean(text)).strip(" ")


def _cut(line: str, limit: int) -> str:
    return line if len(line) <= limit else line[: max(limit - 1, 0)] + "…"[:limit]


def drawable(text: str) -> str:
    """`text` cleaned, and without the characters that would move what stands to their right.

    Only for drawing: what is copied or exported comes from `clean`. Tabs are kept.
    """
    return stable(clean(text))


def stable(text: str) -> str:
    """Clean text without the characters that terminals draw in differing widths."""
    if text.isascii():
        return text
    return _PICTURE.sub(_known, _UNSTABLE.sub("", text))


def _known(picture: re.Match[str]) -> str:
    return "\N{REPLACEMENT CHARACTER}" if picture[0] in _UNKNOWN else picture[0]


def clean_blocks(text: str, size: int = _BLOCK) -> Iterator[str]:
    """`clean(text)` in pieces, so that no single step on a huge text takes long.

    Joined, the pieces are equal to `clean(text)`. A piece is about `size` characters long, unless
    a longer line with escape sequences in it offers no place to cut.
    """
    start = 0
    introducers = _INTRODUCER.search(text) is not None
    while len(text) - start > size:
        cut = _cut_place(text, start + size, introducers)
        yield clean(text[start:cut])
        start = cut
    yield clean(text[start:])


def _cut_place(text: str, at: int, introducers: bool) -> int:
    """The first position from `at` on where cutting does not change what is cleaned."""
    if not introducers:
        while text[at - 1 : at] == "\r":
            at += 1
        return at
    newline = text.find("\n", at)
    end = len(text) if newline < 0 else newline + 1
    escape = text.find("\x1b", at, end)
    while text[escape : escape + 2] == "\x1b\\":  # this one may end a sequence
        escape = text.find("\x1b", escape + 2, end)
    return end if escape < 0 else escape
