"""Words cut for the CJK index: the Python twin of `native/fts5_cjk/cjk_unicode61.c`.

Facts 87 and 88: a word of unicode61 that holds CJK characters becomes overlapping pairs, one
token for a lone character, and separate words for what stands between. The same tokens and the
same byte offsets as the C tokenizer for any bytes (tests/native compares them): an index written
with one has to be readable with the other. One difference is out of reach: for broken UTF-8 that
FTS5 reads as a code point beyond Unicode, the C tokenizer passes on FTS5's broken bytes, and apsw
lets a Python tokenizer write only U+FFFD in their place. No text that can be typed finds either.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import cast

import apsw

Token = tuple[int, int, str]
"""Where a token begins and ends in the original text, in bytes, and its folded text."""
Words = Callable[[bytes, int, str | None], list[Token]]

# The list decides which tokens an index holds, so it is the one that existing indexes were
# written with, not a property of today's Unicode. It differs from the routing list in text/cjk.py.
_CJK = (
    "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff\uf900-\ufaff\U00020000-\U0002fa1f"
)
_RUN = re.compile(f"[{_CJK}]+")
# How every character above begins, as UTF-8 or as a shorter lead byte with too much behind it.
_MAYBE_CJK = re.compile(rb"[\xe1-\xff]|[\xc0-\xe0][\x80-\xbf]{2}")
# What FTS5 reads as one character: a lead byte takes all continuation bytes, however many.
_STORED_CHAR = re.compile(rb"[\xc0-\xff][\x80-\xbf]*|[\x00-\xbf]")
_LEAD_BITS = ((0xE0, 0x1F), (0xF0, 0x0F), (0xF8, 0x07), (0xFC, 0x03), (0xFE, 0x01), (0x100, 0))
_MARKS = range(0x300, 0x332)  # unicode61 drops some of them from a word, and changes none


def cjk_tokenizer(connection: apsw.Connection, arguments: list[str]) -> Words:
    """An FTS5 tokenizer for apsw: unicode61 with `arguments`, its words cut as above."""
    unicode61 = connection.fts5_tokenizer("unicode61", arguments)

    def tokenize(text: bytes, flags: int, locale: str | None) -> list[Token]:
        words = cast("list[Token]", unicode61(text, flags, locale))
        if _MAYBE_CJK.search(text) is None:
            return words
        tokens: list[Token] = []
        for word in words:
            if word[2].isascii() or _RUN.search(word[2]) is None:
                tokens.append(word)
            else:
                tokens += _cut(text, word)
        return tokens

    return tokenize


def _cut(text: bytes, word: Token) -> Iterator[Token]:
    """The tokens of one word that holds CJK characters."""
    shape, folded, bounds = _characters(text, word)
    done = 0
    for run in _RUN.finditer(shape):
        first, last = run.span()
        if first > done:
            yield bounds[done][0], bounds[first - 1][1], "".join(folded[done:first])
        if last - first == 1:
            yield (*bounds[first], folded[first])
        for left in range(first, last - 1):
            yield bounds[left][0], bounds[left + 1][1], folded[left] + folded[left + 1]
        done = last
    if done < len(shape):
        yield bounds[done][0], bounds[-1][1], "".join(folded[done:])


def _characters(text: bytes, word: Token) -> tuple[str, Sequence[str], list[tuple[int, int]]]:
    """A word character by character: what decides about cutting, the folded text, the bounds.

    Folding changes, drops or repairs characters one by one but never a CJK character, so a
    character's place follows from counting characters, not bytes.
    """
    start, end, folded = word
    original = text[start:end]
    is_even = len(original) == 3 * len(folded) and max(folded) < "\U00010000"
    if is_even and original.decode("utf-8", "replace") == folded:
        # Nearly every CJK word: three bytes for each character, nothing folded.
        return folded, folded, list(pairwise(range(start, end + 1, 3)))
    shape: list[str] = []
    pieces: list[str] = []
    bounds: list[tuple[int, int]] = []
    at = 0
    for match in _STORED_CHAR.finditer(original):
        code = _code(match.group())
        if code in _MARKS and folded[at : at + 1] != chr(code):  # dropped: it goes with its base
            if bounds:
                bounds[-1] = bounds[-1][0], start + match.end()
            continue
        size = _folded_size(code)
        shape.append(chr(code) if code <= sys.maxunicode else "\0")
        pieces.append(folded[at : at + size])
        bounds.append((start + match.start() if bounds else start, start + match.end()))
        at += size
    return "".join(shape), pieces, bounds


def _code(stored: bytes) -> int:
    """The code point that FTS5 reads from the bytes of one character, overlong ones included."""
    code = stored[0]
    if code >= 0xC0:
        code &= next(bits for above, bits in _LEAD_BITS if code < above)
    for byte in stored[1:]:
        code = (code << 6) + (byte & 0x3F)
    return code & 0xFFFFFFFF


def _folded_size(code: int) -> int:
    """How many characters apsw shows for one that FTS5 read as `code`.

    FTS5 writes code points beyond Unicode back as four bytes with the upper bits cut off; where
    that is no UTF-8, each byte becomes one U+FFFD.
    """
    if code <= sys.maxunicode:
        return 1
    return 1 if 0x10000 <= code & 0x1FFFFF <= sys.maxunicode else 4
