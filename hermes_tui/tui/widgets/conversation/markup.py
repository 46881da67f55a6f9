"""What is code and what is a link in a message: Markdown as it was written, with its parts told
apart. Nothing is hidden, so a link that calls itself something else gives itself away. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from heapq import merge
from typing import Literal, NamedTuple

LOOKED_AT = 1 << 18
"""Characters; a longer text is not looked through."""

_FENCE = re.compile(r"^ {0,3}(```|~~~)[^\n]*$", re.MULTILINE)
_INLINE = re.compile(r"`[^`\n]{1,200}`")
_NAMED = re.compile(r"\[([^\[\]\n]{1,200})\]\((?=https?://)")
# What stands before an @ is a user's name, however much it looks like a host.
_URL = re.compile(
    r"(https?://(?:[^\s/?#@<>\"'`()\[\]{}|\\]*+@)*+)"
    r"([^\s/?#@<>\"'`()\[\]{}|\\:,;]++)"
    r"([^\s<>\"'`()\[\]{}|\\]*)",
    re.IGNORECASE,
)
_TAIL = ".,;:!?。，、；：！？"  # ends a sentence rather than an address


class Look(NamedTuple):
    """A stretch of a text that is drawn in its own way."""

    start: int
    end: int
    style: Literal["fence", "code", "link", "host", "url"]


def looks(text: str) -> list[Look]:
    """Code, and outside of it links, in order; none overlaps another.

    fence, code: fenced and inline code. link: what a Markdown link calls itself. host, url: the
    host of an address, and the rest of it.
    """
    if len(text) > LOOKED_AT:
        return []
    code = list(_code(text)) if "`" in text or "~~~" in text else []
    if "://" not in text:
        return code
    return list(merge(code, _outside(_links(text), code)))


def _code(text: str) -> Iterator[Look]:
    start, fence, opened = 0, "", 0
    for match in _FENCE.finditer(text):
        if not fence:
            yield from _inline(text, start, match.start())
            fence, opened = match[1], match.start()
        elif match[0].strip() == fence:
            yield Look(opened, match.end(), "fence")
            fence, start = "", match.end()
    if fence:
        yield Look(opened, len(text), "fence")
    else:
        yield from _inline(text, start, len(text))


def _inline(text: str, start: int, end: int) -> Iterator[Look]:
    for match in _INLINE.finditer(text, start, end):
        yield Look(match.start(), match.end(), "code")


def _links(text: str) -> Iterator[Look]:
    names = (
        Look(*match.span(1), "link") for match in _NAMED.finditer(text) if "://" not in match[1]
    )
    return merge(names, _addresses(text))


def _addresses(text: str) -> Iterator[Look]:
    for match in _URL.finditer(text):
        end = match.start(2) + len(f"{match[2]}{match[3]}".rstrip(_TAIL))
        host = min(match.end(2), end)
        yield Look(*match.span(1), "url")
        if host > match.start(2):
            yield Look(match.start(2), host, "host")
        if end > host:
            yield Look(host, end, "url")


def _outside(links: Iterator[Look], code: list[Look]) -> Iterator[Look]:
    """The links that touch no code."""
    place = 0
    for link in links:
        while place < len(code) and code[place].end <= link.start:
            place += 1
        if place == len(code) or code[place].start >= link.end:
            yield link
