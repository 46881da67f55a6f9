"""Text as a sequence of comparable tokens, with the places they came from.

A token is a whole word after unicode61 folding (case, accents), or one CJK character; letters
beside CJK are a word of their own. Full-width, half-width and decomposed forms equal their usual
ones. `glued` says that nothing stands between a token and the one before it.
"""

from __future__ import annotations

import re
import unicodedata
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

WORD_CHARACTER = rf"[^\W_{CJK_RANGES}]"
"""Regular expression for one character of a folded word."""

_MARKS = "\u0300-\u036f"
_MARK = re.compile(f"[{_MARKS}\u3099\u309a]")
_TOKEN = re.compile(rf"(?P<cjk>[{CJK_RANGES}](?<=\w))|(?P<word>{WORD_CHARACTER}+)")
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
    form = folded(text)
    tokens = []
    last = -1
    for match in _TOKEN.finditer(form.text):
        start, end = match.span()
        cjk = match.lastgroup == "cjk"
        tokens.append(Token(match.group(), form.place(start), form.place(end), cjk, start == last))
        last = end
    return tokens


class Folded(NamedTuple):
    """A text in the form it is compared in, and where its characters stood before.

    places: offsets into the original for every character and the end; None when nothing moved.
    """

    text: str
    places: list[int] | None

    def place(self, offset: int) -> int:
        """The offset in the original text of an offset in the folded one."""
        return offset if self.places is None else self.places[offset]


def folded(text: str) -> Folded:
    """`text` without case, accents and unusual spellings; words keep their borders."""
    if text.isascii():
        return Folded(text.lower(), None)
    if _COMPAT.search(text) is None:
        return Folded(text.translate(_FOLDS), None)
    usual, places = usual_form(text)
    return Folded(usual.translate(_FOLDS), places)


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
        usual = _usual_cluster(match.group())
        pieces.append(usual)
        starts.extend([match.start()] * len(usual))
        place = match.end()
    pieces.append(text[place:])
    starts.extend(range(place, len(text) + 1))
    return "".join(pieces), starts


@lru_cache(maxsize=4_096)
def _usual_cluster(cluster: str) -> str:
    """A character with its marks as one usual character; marks that fit none are dropped."""
    width = any("\uff01" <= character <= "\uffdc" for character in cluster)
    usual = unicodedata.normalize("NFKC" if width else "NFC", cluster)
    return usual[0] + _MARK.sub("", usual[1:]) if usual else ""


def _fold_character(character: str) -> str:
    """One character as unicode61 folds it (remove_diacritics 1): always to one character."""
    lower = character.casefold()
    if len(lower) != 1:  # unicode61 maps one code point to one
        lower = character.lower()
        lower = lower if len(lower) == 1 else character
    parts = unicodedata.normalize("NFD", lower)
    # remove_diacritics=1 takes a single mark off a Latin letter, and leaves all others alone.
    if len(parts) == 2 and parts[0].isascii() and unicodedata.combining(parts[1]):
        return parts[0].lower()
    return lower


class _Folds(dict[int, str]):
    """What each character folds to, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = character if 0xD800 <= code < 0xE000 else _fold_character(character)
        return self[code]


_FOLDS = _Folds()
