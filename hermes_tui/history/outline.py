"""The shape of a session without its texts: read whole, or at once where it is first looked at."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hermes_tui.history.layout import Layout
from hermes_tui.history.rows import Message, text_of
from hermes_tui.history.statements import Stop

SKETCH_FROM = 3_000
"""Messages from which it is worth it to read a part of a session's outline first."""
SKETCH_NEAR, SKETCH_ENDS = 250, 128
"""Messages on each side of a place, and at each end, that a sketch knows."""
_SLICE = 2_000  # rows turned into arrays at once: few enough never to hold a screen up
_ODD = 3
_VISIBILITY_CODE = {"live": 0, "archived": 1, "rewound": 2}
_UNKNOWN_OCTETS = 400


@dataclass(frozen=True, slots=True)
class Outline:
    """Every message of a session, light, in id order.

    Parallel arrays, index = position from 0: ids; octets (UTF-8 bytes of content and tool calls);
    roles; visibility (0 live, 1 archived, 2 rewound); timestamps (Unix seconds, 0 when odd).
    known: the positions, as ranges, of which all this was read; None for all. What is not known
    has its right id, no role, a middling size and no time, and counts as live.
    """

    session_id: str
    ids: array[int]
    octets: array[int]
    roles: Sequence[str]
    visibility: bytes
    timestamps: array[float]
    known: tuple[range, ...] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def position(self, message_id: int) -> int | None:
        """Where a message stands, from 0; None when it is not in this session."""
        place = bisect_left(self.ids, message_id)
        return place if place < len(self.ids) and self.ids[place] == message_id else None

    def knows(self, places: range) -> bool:
        """Whether all of these positions were read."""
        if self.known is None or not places:
            return True
        return any(places[0] in known and places[-1] in known for known in self.known)


class Rows(Protocol):
    """What is asked of a history."""

    @property
    def layout(self) -> Layout: ...  # noqa: D102
    def slices(  # noqa: D102
        self, sql: str, params: Sequence[Any], size: int, stop: Stop | None = None
    ) -> Iterator[list[tuple[Any, ...]]]: ...
    def messages(self, ids: Sequence[int]) -> list[Message]: ...  # noqa: D102


def read_outline(history: Rows, session_id: str, stop: Stop | None = None) -> Outline:
    """The outline of a session; reads no message text (octet_length skips it)."""
    sql = f"{_select(history.layout)} where m.session_id = ? order by m.id"
    found = _Columns(history.slices(sql, (session_id,), _SLICE, stop))
    return Outline(
        *(session_id, found.ids, found.octets, found.roles),
        *(found.visibility(history.messages), found.timestamps),
    )


def read_sketch(
    history: Rows, session_id: str, message_id: int | None, stop: Stop | None = None
) -> Outline | None:
    """An outline that knows every id, and more only near a message and at both ends.

    None for a session that is read as fast as a whole. message_id None: near the first.
    """
    ids = array("q")
    sql = "select m.id from messages m where m.session_id = ? order by m.id"
    for rows in history.slices(sql, (session_id,), _SLICE, stop):
        ids.extend([row[0] for row in rows])
    size = len(ids)
    if size < SKETCH_FROM:
        return None
    centre = 0 if message_id is None else bisect_left(ids, message_id)
    known = (
        range(SKETCH_ENDS),
        range(max(centre - SKETCH_NEAR, 0), min(centre + SKETCH_NEAR, size)),
        range(size - SKETCH_ENDS, size),
    )
    octets, times = array("I", [_UNKNOWN_OCTETS]) * size, array("d", [0.0]) * size
    roles, visibility = [""] * size, bytearray(size)
    for part in known:
        marks = ",".join("?" * len(part))
        sql = f"{_select(history.layout)} where m.id in ({marks}) order by m.id"
        found = _Columns(history.slices(sql, ids[part.start : part.stop], _SLICE, stop))
        if len(found.ids) != len(part):
            return None  # rows went between two statements
        here = slice(part.start, part.stop)
        octets[here], times[here] = found.octets, found.timestamps
        roles[here], visibility[here] = found.roles, found.visibility(history.messages)
    return Outline(session_id, ids, octets, roles, bytes(visibility), times, known)


class _Columns:
    """Rows of an outline, column by column: a session may have 100,000 of them."""

    def __init__(self, slices: Iterable[list[tuple[Any, ...]]]) -> None:
        self.ids, self.octets, self.timestamps = array("q"), array("I"), array("d")
        self.roles: list[str] = []
        self._states = bytearray()
        for rows in slices:
            if rows:
                ids, sizes, roles, states, times = zip(*rows, strict=True)
                self.ids.extend(ids)
                self.octets.extend(sizes)
                self.roles.extend(map(_role, roles))
                self._states.extend(states)
                self.timestamps.extend(times)

    def visibility(self, messages: Callable[[list[int]], list[Message]]) -> bytes:
        """The codes; those of odd flags as rows.visibility_of reads them."""
        states = self._states
        if _ODD in states:
            odd = [i for i, state in enumerate(states) if state == _ODD]
            told = {
                m.id: _VISIBILITY_CODE[m.visibility] for m in messages([self.ids[i] for i in odd])
            }
            for i in odd:
                states[i] = told.get(self.ids[i], 0)
        return bytes(states)


def _select(layout: Layout) -> str:
    """The columns of an outline."""
    columns = layout.message_columns
    octets = "coalesce(octet_length(m.content), 0)"
    if "tool_calls" in columns:
        octets += " + coalesce(octet_length(m.tool_calls), 0)"
    return (
        f"select m.id, {octets}, cast(m.role as blob), {_visibility_code(columns)}, "
        "case when typeof(m.timestamp) in ('real', 'integer') then m.timestamp else 0.0 end "
        "from messages m"
    )


def _visibility_code(columns: frozenset[str]) -> str:
    """SQL for 0 live, 1 archived, 2 rewound; _ODD for flags that are no whole numbers."""
    if "active" not in columns:
        return "0"
    compacted = "m.compacted" if "compacted" in columns else "0"
    whole = "in ('integer', 'null')"
    plain = f"typeof(m.active) {whole} and typeof({compacted}) {whole}"
    code = f"iif(coalesce(m.active, 1) <> 0, 0, iif(coalesce({compacted}, 0) <> 0, 1, 2))"
    # Nearly all rows are live; the first test spares them the others.
    return f"iif(m.active is 1, 0, iif({plain}, {code}, {_ODD}))"


_KNOWN_ROLES: dict[bytes, str] = {}


def _role(value: object) -> str:
    """A role as text; the few there are share one string each."""
    if not isinstance(value, bytes):
        return text_of(value) or ""
    known = _KNOWN_ROLES.get(value)
    if known is None:
        known = text_of(value) or ""
        if len(_KNOWN_ROLES) < 64:
            _KNOWN_ROLES[value] = known
    return known
