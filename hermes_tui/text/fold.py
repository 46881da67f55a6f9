"""Text as a sequence of comparable tokens, with the places they came from.

A token is a whole word after unicode61 folding (case, accents), or one CJK character; letters
beside CJK are a word of their own. Full-width, half-width and decomposed forms equal their usual
ones. `glued` says that nothing stands between a token and the one before it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

CJK_RANGES = (
    "\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c"
    "\u3040-\u309f\u30a0-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0002fa1f\U00030000-\U000323af"
)
"""Han, kana, Hangul and their marks, as inside a character class."""
COMPAT_RANGES = "\u0300-\u036f\u1100-\u11ff\u3099\u309a\ua960-\ua97f\ud7b0-\ud7ff\uff01-\uffdc"
"""Characters that another spelling equals: widths, combining marks, Jamo."""

_MARKS = "\u0300-\u036f"
_TOKEN = re.compile(rf"(?P<cjk>[{CJK_RANGES}](?<=\w))|(?P<word>(?:[^\W_{CJK_RANGES}][{_MARKS}]*)+)")
_ASCII_WORD = re.compile(r"[0-9A-Za-z]+")
_COMPAT = re.compile(f"[{COMPAT_RANGES}]")
_CLUSTER = re.compile(
    "[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6]*[\u11a8-\u11ff\ud7cb-\ud7fb]*"
    f"|.[{_MARKS}\u3099\u309a\uff9e\uff9f]+|[\uff01-\uffdc]",
    re.DOTALL,
)


class Token(NamedTuple):
    """A folded token; start and end are offsets into the text it came from."""

    text: str
    start: int
    end: int
    cjk: bool
    glued: bool


def tokenise(text: str) -> list[Token]:
    """The tokens of `text`, in order."""
    if text.isascii():
        return _ascii_tokens(text)
    if _COMPAT.search(text) is None:
        return list(_tokens(text))
    usual, starts = usual_form(text)
    return [Token(t.text, starts[t.start], starts[t.end], t.cjk, t.glued) for t in _tokens(usual)]


def _ascii_tokens(text: str) -> list[Token]:
    return [
        Token(match.group().lower(), match.start(), match.end(), False, False)
        for match in _ASCII_WORD.finditer(text)
    ]


def _tokens(text: str) -> Iterator[Token]:
    last = -1
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        word = match.group()
        cjk = match.lastgroup == "cjk"
        yield Token(word if cjk else fold_word(word), start, end, cjk, start == last)
        last = end


def usual_form(text: str) -> tuple[str, list[int]]:
    """`text` with widths and decomposed forms replaced by the usual ones.

    The second value gives, for every character of the result (and its end), the offset in `text`.
    """
    pieces: list[str] = []
    starts: list[int] = []
    place = 0
    for match in _CLUSTER.finditer(text):
        plain = text[place : match.start()]
        pieces.append(plain)
        starts.extend(range(place, match.start()))
        usual = unicodedata.normalize("NFKC" if _is_width(match.group()) else "NFC", match.group())
        pieces.append(usual)
        starts.extend([match.start()] * len(usual))
        place = match.end()
    pieces.append(text[place:])
    starts.extend(range(place, len(text) + 1))
    return "".join(pieces), starts


def _is_width(cluster: str) -> bool:
    return any("\uff01" <= character <= "\uffdc" for character in cluster)


@lru_cache(maxsize=50_000)
def fold_word(word: str) -> str:
    """A word without case and without accents, as unicode61 folds it (remove_diacritics 1)."""
    if word.isascii():
        return word.lower()
    return "".join(_fold_character(character) for character in word)


def _fold_character(character: str) -> str:
    folded = character.casefold()
    if len(folded) != 1:  # unicode61 maps one code point to one
        folded = character.lower()
        folded = folded if len(folded) == 1 else character
    if unicodedata.combining(folded):
        return ""
    parts = unicodedata.normalize("NFD", folded)
    # remove_diacritics=1 takes a single mark off a Latin letter, and leaves all others alone.
    if len(parts) == 2 and parts[0].isascii() and unicodedata.combining(parts[1]):
        return parts[0].lower()
    return folded
