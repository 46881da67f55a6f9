"""One history, open for reading: sessions, lineages, outlines and messages.

A History is one connection used by one thread at a time; HistoryPool hands every thread its own.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hermes_tui.history.errors import HistoryError, QueryError
from hermes_tui.history.layout import Layout, Markers, read_layout, read_markers
from hermes_tui.history.lineage import Edge, Families, Lineage, LineageNode
from hermes_tui.history.locate import Place
from hermes_tui.history.opening import open_readonly
from hermes_tui.history.rows import Message, Session, integer_of, text_of
from hermes_tui.history.selecting import (
    message_from_row,
    message_select,
    session_from_row,
    session_select,
)
from hermes_tui.history.statements import Statements, Stop

IDS_PER_STATEMENT = 500

T = TypeVar("T")
_VISIBILITY_CODE = {"live": 0, "archived": 1, "rewound": 2}
_ODD = 3
Registrar = Callable[[Any], str | None]


@dataclass(frozen=True, slots=True)
class Outline:
    """Every message of a session, light, in id order.

    Parallel arrays, index = position from 0: ids; octets (UTF-8 bytes of content and tool calls);
    roles; visibility (0 live, 1 archived, 2 rewound); timestamps (Unix seconds, 0 when odd).
    """

    session_id: str
    ids: array[int]
    octets: array[int]
    roles: tuple[str, ...]
    visibility: bytes
    timestamps: array[float]

    def __len__(self) -> int:
        return len(self.ids)

    def position(self, message_id: int) -> int | None:
        """Where a message stands, from 0; None when it is not in this session."""
        place = bisect_left(self.ids, message_id)
        return place if place < len(self.ids) and self.ids[place] == message_id else None


class History:
    """A state.db open read-only. Raises HistoryError with one sentence when it cannot be.

    shared: what connections to the same history have in common; a pool gives them one.
    """

    def __init__(self, place: Place, statements: Statements, cleanup: Callable[[], None]) -> None:
        self.path, self.profile, self.place = place.path, place.profile, place
        self.statements = statements
        self._cleanup = cleanup
        self.tokenizer: str | None = None
        self._layout: tuple[int, Layout] | None = None
        self.shared: dict[str, Any] = {}
        self._memo: tuple[int, dict[str, Any]] = (-1, {})

    @classmethod
    def open(cls, place: Place, *, register: Registrar | None = None) -> History:
        """Open a place. `register` adds the CJK tokenizer to the connection."""
        opened = open_readonly(place.path)
        history = cls(place, Statements(opened.connection), opened.cleanup)
        try:
            history.tokenizer = register(opened.connection) if register else None
            _ = history.layout
        except BaseException as error:
            history.close()
            if isinstance(error, QueryError):
                raise HistoryError(f"This history cannot be read: {error}.") from error
            raise
        return history

    def close(self) -> None:
        """Close the connection and remove a private copy, if one was needed."""
        self.statements.close()
        self._cleanup()

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def interrupt(self) -> None:
        """End the running statement, from any thread."""
        self.statements.interrupt()

    def rows(
        self, sql: str, params: Sequence[Any] = (), stop: Stop | None = None
    ) -> list[tuple[Any, ...]]:
        """Every row of a statement; see Statements.rows for what it raises."""
        return self.statements.rows(sql, params, stop)

    def data_version(self) -> int:
        """A number that changes when another process has committed."""
        return int(self.rows("pragma data_version")[0][0])

    @property
    def layout(self) -> Layout:
        """The layout, read again when somebody changed the schema."""
        version = int(self.rows("pragma schema_version")[0][0])
        if self._layout is None or self._layout[0] != version:
            self._layout = (version, read_layout(self.rows))
        return self._layout[1]

    def markers(self) -> Markers:
        """The rebuild and stale markers as they are now."""
        return read_markers(self.rows, self.layout)

    def memo(self, key: str, make: Callable[[], T]) -> T:
        """`make()`, kept until another process changes the file."""
        version = self.data_version()
        if self._memo[0] != version:
            self._memo = (version, {})
        known = self._memo[1]
        if key not in known:
            known[key] = make()
        value: T = known[key]
        return value

    def families(self) -> Families:
        """All sessions and their ties, read again only when the file has changed."""

        def read() -> Families:
            found = self.rows(session_select(self.layout))
            return Families({s.id: s for s in map(session_from_row, found)})

        return self.memo("families", read)

    def session(self, session_id: str) -> Session | None:
        """One session by its exact id."""
        found = self.rows(session_select(self.layout) + " where s.id = ?", (session_id,))
        return session_from_row(found[0]) if found else None

    def messages(self, ids: Sequence[int], stop: Stop | None = None) -> list[Message]:
        """Full rows in the order of `ids`; ids that are not there are left out."""
        found: dict[int, Message] = {}
        select = message_select(self.layout)
        for start in range(0, len(ids), IDS_PER_STATEMENT):
            chunk = list(ids[start : start + IDS_PER_STATEMENT])
            marks = ",".join("?" * len(chunk))
            for row in self.rows(f"{select} where m.id in ({marks})", chunk, stop):
                message = message_from_row(row)
                found[message.id] = message
        return [found[i] for i in ids if i in found]

    def message_rows(self, tail: str, params: Sequence[Any] = ()) -> list[Message]:
        """Full rows of `messages m` with a where/order/limit tail given by the caller."""
        return [
            message_from_row(row)
            for row in self.rows(f"{message_select(self.layout)} {tail}", params)
        ]

    def outline(self, session_id: str, stop: Stop | None = None) -> Outline:
        """The light shape of a session; reads no message text (octet_length skips it)."""
        columns = self.layout.message_columns
        octets = "coalesce(octet_length(m.content), 0)"
        if "tool_calls" in columns:
            octets += " + coalesce(octet_length(m.tool_calls), 0)"
        found = self.rows(
            f"select m.id, {octets}, cast(m.role as blob), {_visibility_code(columns)}, "
            "case when typeof(m.timestamp) in ('real', 'integer') then m.timestamp else 0.0 end "
            "from messages m where m.session_id = ? order by m.id",
            (session_id,),
            stop,
        )
        # Column by column: a session may have 100,000 rows, and this is what opening waits for.
        ids, sizes, roles, states, times = zip(*found, strict=True) if found else ((),) * 5
        return Outline(
            session_id,
            array("q", ids),
            array("q", sizes),
            tuple(map(_role, roles)),
            bytes(states if _ODD not in states else self._plain_states(ids, states)),
            array("d", times),
        )

    def _plain_states(self, ids: Sequence[int], states: Sequence[int]) -> list[int]:
        """The visibility codes with those of odd flags read as rows.visibility_of reads them."""
        odd = [i for i, state in zip(ids, states, strict=True) if state == _ODD]
        known = {m.id: _VISIBILITY_CODE[m.visibility] for m in self.messages(odd)}
        return [known.get(i, s) if s == _ODD else s for i, s in zip(ids, states, strict=True)]

    def message_counts(self, session_ids: Sequence[str]) -> dict[str, int]:
        """How many message rows each session really has (the stored counter drifts)."""
        counts: dict[str, int] = {}
        for start in range(0, len(session_ids), IDS_PER_STATEMENT):
            chunk = list(session_ids[start : start + IDS_PER_STATEMENT])
            marks = ",".join("?" * len(chunk))
            for session_id, count in self.rows(
                "select cast(session_id as blob), count(*) from messages "
                f"where session_id in ({marks}) group by session_id",
                chunk,
            ):
                counts[text_of(session_id) or ""] = integer_of(count)
        return counts

    def lineage(self, session_id: str) -> Lineage:
        """The whole lineage of a session, with the kind of every edge."""
        families = self.families()
        root = families.root(session_id)
        walked = list(families.walk(root))
        counts = self.message_counts([s for s, _ in walked])
        nodes = []
        for member, depth in walked:
            edge: Edge = families.edge(member)
            nodes.append(LineageNode(families.sessions[member], edge, depth, counts.get(member, 0)))
        return Lineage(root, tuple(nodes))


def _visibility_code(columns: frozenset[str]) -> str:
    """SQL for 0 live, 1 archived, 2 rewound; _ODD for flags that are no whole numbers."""
    if "active" not in columns:
        return "0"
    compacted = "m.compacted" if "compacted" in columns else "0"
    whole = "in ('integer', 'null')"
    plain = f"typeof(m.active) {whole} and typeof({compacted}) {whole}"
    code = f"iif(coalesce(m.active, 1) <> 0, 0, iif(coalesce({compacted}, 0) <> 0, 1, 2))"
    return f"iif({plain}, {code}, {_ODD})"


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


class HistoryPool:
    """A history for many threads: each gets its own connection, opened when first asked for."""

    def __init__(self, place: Place, *, register: Registrar | None = None) -> None:
        self.place = place
        self._register = register
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open: list[History] = []
        self._shared: dict[str, Any] = {}
        self._closed = False

    def get(self) -> History:
        """This thread's connection. Raises HistoryError when it cannot be opened."""
        history: History | None = getattr(self._local, "history", None)
        if history is None or self._closed:
            history = History.open(self.place, register=self._register)
            history.shared = self._shared
            with self._lock:
                if self._closed:
                    history.close()
                    raise HistoryError("The history has been closed.")
                self._open.append(history)
            self._local.history = history
        return history

    def interrupt_all(self) -> None:
        """End every running statement."""
        with self._lock:
            for history in self._open:
                history.interrupt()

    def close(self) -> None:
        """Interrupt and close every connection; later calls of get() fail."""
        self.interrupt_all()
        with self._lock:
            self._closed = True
            for history in self._open:
                history.close()
            self._open.clear()
