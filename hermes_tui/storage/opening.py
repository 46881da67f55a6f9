"""Open a history for writing: only the sample, optimize-storage and tests do this."""

from __future__ import annotations

import os

import apsw

from hermes_tui.history import tokenizer
from hermes_tui.storage import repair, schema
from hermes_tui.storage.errors import StorageError, sentences, shown
from hermes_tui.storage.reading import objects_of, writable_layout

BUSY_TIMEOUT_MS = 5_000
"""How long a statement waits for another program's lock before it fails."""


def open_for_writing(path: str, *, create: bool = False, cjk: bool = False) -> apsw.Connection:
    """A writing connection to the history at `path`, which is repaired first where needed.

    create: make the file with the whole schema when it is missing or has no tables at all.
    cjk: give a new file the index for two-character words too, where its tokenizer is at hand; a
    program without the tokenizer, such as Hermes 0.19, can then not write to it. An index that is
    there without its tokenizer is retired with its stale mark, or our own writing would fail.
    Raises HistoryError when the file is no history, newer than what is known, or cannot be
    written.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    if not create and not os.path.exists(path):
        raise StorageError(f"There is no file {shown(path)}.")
    with sentences(path):
        connection = apsw.Connection(path, flags=flags)
        try:
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            words = tokenizer.register(connection) is not None
            _prepare(connection, path, create=create, words=words, cjk=cjk)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(
    connection: apsw.Connection, path: str, *, create: bool, words: bool, cjk: bool
) -> None:
    tables = {name for kind, name in objects_of(connection) if kind == "table"}
    if not tables and create:
        schema.create(connection, cjk=cjk and words)
    elif {"sessions", "messages"} <= tables:
        put_right(connection, path, words=words)
    else:
        raise StorageError(f"{shown(path)} is a database of something else, not a history.")
    connection.execute("PRAGMA foreign_keys = ON")


def put_right(connection: apsw.Connection, path: str, *, words: bool) -> list[repair.Repair]:
    """Repair what stands in the way of writing, one thing in each transaction; returns them.

    Looks without a lock first: a healthy file is not touched. words: whether the connection
    knows the tokenizer of the CJK index. Raises StorageError when a repair does not hold.
    """
    done: list[repair.Repair] = []
    while repair.find(connection, writable_layout(connection, path), tokenizer=words):
        with immediate(connection):
            # Looked at again under the lock: another program may have repaired it meanwhile.
            due = repair.find(connection, writable_layout(connection, path), tokenizer=words)
            if due and due[0] in done:
                raise StorageError(f"{shown(path)} could not be repaired: {due[0].what}.")
            repair.apply(connection, due[:1])
            done += due[:1]
    return done


class immediate:  # noqa: N801 - reads as a statement: with immediate(connection)
    """A transaction that takes the write lock at once, so that what it read stays true."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
        elif self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
