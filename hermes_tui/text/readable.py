"""JSON that a program printed, as a person reads it.

What tools answer is stored as JSON, with a program's output or a file in one of its strings: one
line, with `\\n` where its lines ended. Here the escapes become what they stand for; everything else
stays in its place, so that a span of the source is a span of the text.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable

from hermes_tui.text.clean import clean

LIMIT = 1 << 18
"""Characters; longer JSON stays as it is: to take it apart holds it several times over."""
_PAUSE_EVERY = 1_000  # escapes
_STRING_OR_NEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|, (?=\{)')
_ESCAPE = re.compile(
    r"\\u001[bB]\[[0-?]*[ -/]*[@-~]"  # a colour
    r"|\\r\\n|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\."
)
_MEANT = frozenset('"\\/\n\t')  # what escapes other than \\u stand for
_PLAIN = {r"\n": "\n", r"\r": "\n", r"\r\n": "\n", r"\t": "\t", r"\"": '"', r"\\": "\\", r"\/": "/"}


class Readable:
    """text: what is shown. source: the clean JSON it was made of."""

    __slots__ = ("_behind", "_shown", "source", "text")

    def __init__(self, source: str, text: str, behind: array[int], shown: array[int]) -> None:
        self.source, self.text = source, text
        self._behind, self._shown = behind, shown  # offsets behind each escape, in both

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the source stands in the text."""
        return self._place(start), self._place(end)

    def _place(self, offset: int) -> int:
        after = bisect_right(self._behind, offset)
        place = offset
        if after:
            place = self._shown[after - 1] + offset - self._behind[after - 1]
        # Within an escape: behind the one character that is left of it.
        return min(place, self._shown[after]) if after < len(self._shown) else place


def readable(
    source: str, start: int = 0, pause: Callable[[], object] | None = None
) -> Readable | None:
    """Clean text that is JSON from `start` on, made readable; None when it is no JSON, or is plain.

    The text is as clean as the source. `pause` is called often and may raise to stop.
    """
    if source[start : start + 1] not in ("{", "[") or len(source) > LIMIT:
        return None
    listed = ", {" in source
    if ("\\" not in source and not listed) or not _is_json(source[start:]):
        return None
    lines = source
    if listed:
        lines = source[:start] + _STRING_OR_NEXT.sub(_on_its_own_line, source[start:])
    pieces: list[str] = []
    behind, shown = array("I"), array("I")
    last = place = 0
    for number, escape in enumerate(_ESCAPE.finditer(lines, start)):
        if pause and not number % _PAUSE_EVERY:
            pause()
        meant = _meant(escape[0])
        if meant is not None:
            pieces += lines[last : escape.start()], meant
            place += escape.start() - last + len(meant)
            last = escape.end()
            behind.append(last)
            shown.append(place)
    pieces.append(lines[last:])
    return Readable(source, "".join(pieces), behind, shown)


def may_reveal(stored: bytes, wanted: str) -> bool:
    """Whether `wanted` may be in the text that these bytes become once they are made readable,
    and not in the bytes themselves.
    """
    if stored[:1] not in (b"{", b"[") or len(stored) > 4 * LIMIT or b"\\" not in stored:
        return False
    return b"\\u" in stored or not _MEANT.isdisjoint(wanted)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, strict=False)  # cleaning makes new lines of some characters
    except (ValueError, RecursionError):
        return False
    return True


def _on_its_own_line(match: re.Match[str]) -> str:
    """Each object of a list, as long as before."""
    return match[0] if match[0][0] == '"' else ",\n"


def _meant(escape: str) -> str | None:
    """What an escape stands for; None for what must not be shown, or cannot."""
    plain = _PLAIN.get(escape)
    if plain is not None:
        return plain
    if escape[1] != "u":
        return None
    if "[" in escape:
        return ""
    try:
        character: str = json.loads(f'"{escape}"')
    except ValueError:
        return None
    return character if clean(character) == character else None
