"""One history, open for reading: sessions, lineages, outlines and messages.

A History is one connection used by one thread at a time; HistoryPool hands every thread its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from hermes_tui.history.errors import HistoryError, QueryError
from hermes_tui.history.layout import Layout, Markers, read_layout, read_markers
from hermes_tui.history.lineage import Edge, Families, Lineage, LineageNode
from hermes_tui.history.locate import Place
from hermes_tui.history.opening import open_readonly
from hermes_tui.history.outline import Outline as Outline
from hermes_tui.history.outline import read_outline, read_sketch
from hermes_tui.history.rows import Message, Session, integer_of, text_of
from hermes_tui.history.selecting import (
    Sift,
    message_from_row,
    message_select,
    passes,
    session_from_row,
    session_select,
)
from hermes_tui.history.statements import Statements, Stop

IDS_PER_STATEMENT = 500
READING_CACHE_KIB = 512

T = TypeVar("T")
Registrar = Callable[[Any], str | None]


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

    def slices(
        self, sql: str, params: Sequence[Any], size: int, stop: Stop | None = None
    ) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a statement, `size` at a time: for very many; see Statements.slices."""
        return self.statements.slices(sql, params, size, stop)

    def rows_among(
        self,
        sql: str,
        ids: Sequence[int] | Sequence[str],
        *,
        before: Sequence[Any] = (),
        stop: Stop | None = None,
    ) -> list[tuple[Any, ...]]:
        """The rows of a statement with `@ids` in it, for any number of ids, a few hundred at once.

        before: values bound ahead of the ids.
        """
        found: list[tuple[Any, ...]] = []
        for start in range(0, len(ids), IDS_PER_STATEMENT):
            chunk = ids[start : start + IDS_PER_STATEMENT]
            marks = ",".join("?" * len(chunk))
            found += self.rows(sql.replace("@ids", marks), [*before, *chunk], stop)
        return found

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

    def messages(
        self, ids: Sequence[int], stop: Stop | None = None, sift: Sift | None = None
    ) -> list[Message]:
        """Full rows in the order of `ids`; ids that are not there are left out.

        sift: leave out, too, what has no tool calls and whose stored content and reasoning it does
        not let through.
        """
        rows = self.rows_among(
            f"{message_select(self.layout)} where m.id in (@ids)", ids, stop=stop
        )
        if sift is not None:
            rows = [row for row in rows if passes(row, sift)]
        found = {message.id: message for message in map(message_from_row, rows)}
        return [found[i] for i in ids if i in found]

    def message_rows(self, tail: str, params: Sequence[Any] = ()) -> list[Message]:
        """Full rows of `messages m` with a where/order/limit tail given by the caller."""
        return [
            message_from_row(row)
            for row in self.rows(f"{message_select(self.layout)} {tail}", params)
        ]

    def outline(self, session_id: str, stop: Stop | None = None) -> Outline:
        """The light shape of a session."""
        return read_outline(self, session_id, stop)

    def sketch(
        self, session_id: str, message_id: int | None = None, stop: Stop | None = None
    ) -> Outline | None:
        """The outline near a message and at both ends, at once; None: read it whole, it is short.

        None as a message stands for the first one of the session.
        """
        return read_sketch(self, session_id, message_id, stop)

    def message_counts(self, session_ids: Sequence[str]) -> dict[str, int]:
        """How many message rows each session really has (the stored counter drifts)."""
        rows = self.rows_among(
            "select cast(session_id as blob), count(*) from messages "
            "where session_id in (@ids) group by session_id",
            session_ids,
        )
        return {text_of(session_id) or "": integer_of(count) for session_id, count in rows}

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


class HistoryPool:
    """A history for many threads: each gets its own connection, opened when first asked for.

    cache_kib: pages kept by each connection, in KiB; None leaves it to SQLite (2 MB). Messages are
    read once and there are several threads, so reading them asks for READING_CACHE_KIB.
    """

    def __init__(
        self, place: Place, *, register: Registrar | None = None, cache_kib: int | None = None
    ) -> None:
        self.place = place
        self._cache_kib = cache_kib
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
            if self._cache_kib is not None:
                history.rows(f"pragma cache_size=-{self._cache_kib}")
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
