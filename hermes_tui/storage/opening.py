"""Open a history for writing: only the sample, optimize-storage and tests do this."""

from __future__ import annotations

import os

import apsw

from hermes_tui.history import tokenizer
from hermes_tui.storage import schema
from hermes_tui.storage.errors import StorageError, sentences, shown

BUSY_TIMEOUT_MS = 5_000
"""How long a statement waits for another program's lock before it fails."""


def open_for_writing(path: str, *, create: bool = False, cjk: bool = True) -> apsw.Connection:
    """A writing connection to the history at `path`.

    create: make the file with the whole schema when it is missing or has no tables at all.
    cjk: also make the index for two-character words, where its tokenizer is at hand.
    Raises StorageError when it is no history, or cannot be written.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    if not create and not os.path.exists(path):
        raise StorageError(f"There is no file {shown(path)}.")
    with sentences(path):
        connection = apsw.Connection(path, flags=flags)
        try:
            _prepare(connection, path, create=create, cjk=cjk)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: apsw.Connection, path: str, *, create: bool, cjk: bool) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.execute("PRAGMA foreign_keys = ON")
    tables = {
        str(name)
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    words = tokenizer.register(connection) if cjk else None
    if not tables and create:
        schema.create(connection, cjk=words is not None)
    elif not {"sessions", "messages"} <= tables:
        raise StorageError(f"{shown(path)} is a database of something else, not a history.")
