"""What makes a row hard for an index, noted once per row and kept for the life of a history.

The notes do not depend on a query: whether a row has tool calls, text behind a NUL, words that
unicode61 fused with a neighbour, or another spelling of usual characters. They are made slice by
slice, when a scan first comes by.
"""

from __future__ import annotations

import re
import threading

from hermes_tui.history.reader import History
from hermes_tui.history.rows import text_of
from hermes_tui.history.statements import Stop
from hermes_tui.text.fold import CJK_RANGES, COMPAT_RANGES

SLICE_IDS = 5_000
"""Message ids in a slice: small enough to stop between two, large enough to read in one go."""

NUL = 1
CALLS = 2
ACCENTED = 4
SWALLOWED = 8
RESPELT = 16
ESCAPED = 32
TOOL = 64
LONG = 128
ALL = 255

# What unicode61 takes for a letter although it is none, so that it swallows a word beside it:
# CJK, private use, and symbols younger than its tables.
_SWALLOWING = re.compile(
    f"[{CJK_RANGES}\u20b6-\u20cf\u2300-\u23ff\u2b00-\u2bff\ue000-\uf8ff\U0001f000-\U0010ffff]"
)
# Letters that fold to ASCII ones, which LIKE does not know.
_ACCENTS = re.compile("[\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\u212a\u212b]")
_RESPELT = re.compile(f"[{COMPAT_RANGES}]")
_SHORT_OF_CUT = 8_192


class RowFlags:
    """The notes on every row looked at so far; shared by all connections to one history."""

    def __init__(self) -> None:
        self._slices: dict[int, tuple[int, bytearray]] = {}
        self._lock = threading.Lock()

    def of_slice(self, history: History, number: int, stop: Stop | None = None) -> bytearray:
        """The flags of ids number*SLICE_IDS + 1 and on; rows added since are noted now."""
        start = number * SLICE_IDS
        with self._lock:
            seen, bits = self._slices.get(number, (start, bytearray(SLICE_IDS)))
        newest = history.rows(
            "select max(id) from messages where id > ? and id <= ?", (start, start + SLICE_IDS)
        )[0][0]
        if newest is None or newest <= seen:
            return bits
        bits = bytearray(bits)
        for message_id, bit in _read(history, seen, newest, stop):
            bits[message_id - start - 1] = bit
        with self._lock:
            self._slices[number] = (newest, bits)
        return bits


def flags_of(history: History) -> RowFlags:
    """The notes on a history, made when first asked for."""
    flags: RowFlags = history.shared.setdefault("row_flags", RowFlags())
    return flags


def _read(history: History, above: int, up_to: int, stop: Stop | None) -> list[tuple[int, int]]:
    has_calls = "tool_calls" in history.layout.message_columns
    calls = "cast(m.tool_calls as blob)" if has_calls else "null"
    rows = history.rows(
        f"select m.id, cast(m.content as blob), {calls}, m.role = 'tool' from messages m "
        "where m.id > ? and m.id <= ?",
        (above, up_to),
        stop,
    )
    return [(row[0], _bits(row[1], row[2], row[3])) for row in rows]


def is_respelt(text: str) -> bool:
    """Whether some letter of a text equals another one, so that its bytes do not tell its words."""
    return not text.isascii() and bool(_RESPELT.search(text) or _ACCENTS.search(text))


def _bits(content: bytes | None, calls: bytes | None, tool: int) -> int:
    bits = TOOL if tool else 0
    if calls:
        bits |= CALLS
        if b"\\u" in calls or not calls.isascii():
            bits |= ESCAPED
    if not content:
        return bits
    if isinstance(content, bytes):
        if b"\x00" in content:
            bits |= NUL
        if tool and len(content) > _SHORT_OF_CUT:
            bits |= LONG
        if content.isascii():
            return bits
    text = text_of(content) or ""
    if _RESPELT.search(text):
        bits |= RESPELT
    if _ACCENTS.search(text):
        bits |= ACCENTED
    if _SWALLOWING.search(text):
        bits |= SWALLOWED
    return bits
