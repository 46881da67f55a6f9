"""Which stored rows cannot hold anything of a unit, told from their bytes.

Decoding, folding and taking apart every message of a session costs more than the search that is
explained; most of them hold nothing that is looked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.history.reader import History
from hermes_tui.history.rows import MULTIMODAL_PREFIX
from hermes_tui.history.statements import Stop
from hermes_tui.recall.compile import pieces, plain_part
from hermes_tui.recall.query import Term
from hermes_tui.recall.rowflags import is_respelt

_MULTIMODAL = MULTIMODAL_PREFIX.encode()
_VARIATION = (b"\xef\xb8\x8e", b"\xef\xb8\x8f")

Cell = bytes | None


def stored_texts(
    history: History, ids: Sequence[int], stop: Stop | None = None
) -> list[tuple[int, Cell, Cell, Cell]]:
    """(id, content, tool name, tool calls) of messages as they are stored, newest first."""
    columns = history.layout.message_columns
    cells = (
        f"cast(m.{column} as blob)" if column in columns else "null"
        for column in ("content", "tool_name", "tool_calls")
    )
    sql = f"select m.id, {', '.join(cells)} from messages m where m.id in (@ids)"
    rows = history.rows_among(sql, ids, stop=stop)
    return sorted(((i, *texts) for i, *texts in rows), reverse=True, key=lambda row: row[0])


class Trace:
    """Whether a term, its words one by one, or its text inside a word may be in a row."""

    def __init__(self, term: Term, words: str) -> None:
        needles = [text for text, _ in pieces(term)] if term.literal is None else [term.literal]
        plain = [part for needle in needles if (part := plain_part(needle))]
        self._needles = [part.lower().encode("utf-8", "replace") for part in plain]
        # Stand-ins and variation selectors are not compared as they are stored.
        self._blind = any(sign in words for sign in "\ufffd\ufe0e\ufe0f")
        self._literal = term.literal is not None
        # JSON writes these signs in a way of their own, and anything else as it is or as \u….
        self._as_in_json = all(p.isprintable() and not set(p) & {'"', "\\", "/"} for p in plain)

    def may_be_in(self, content: Cell, tool_name: Cell, tool_calls: Cell) -> bool:
        """False only when nothing of the term is in these stored texts."""
        content, name, calls = content or b"", tool_name or b"", tool_calls or b""
        return (
            self._blind
            or self._holds(b"\n".join((content, name, calls)))
            or content.startswith(_MULTIMODAL)  # JSON: anything may be escaped in it
            or self._may_hide(content)
            or self._may_hide(name)
            or (bool(calls) and (not self._as_in_json or b"\\u" in calls))
            or self._may_hide(calls)
        )

    def _holds(self, stored: bytes) -> bool:
        lower = stored.lower()
        return all(needle in lower for needle in self._needles)

    def _may_hide(self, stored: bytes) -> bool:
        """Whether a text may hold the needles in another spelling."""
        if stored.isascii():
            return False
        if self._literal and any(sign in stored for sign in _VARIATION):
            return True
        return is_respelt(stored.decode("utf-8", "replace"))
