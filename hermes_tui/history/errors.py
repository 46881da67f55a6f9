"""What can go wrong with a history, as sentences a person can act on."""

from __future__ import annotations


class HistoryError(Exception):
    """A history that cannot be read or used; str() is one clear sentence for the user."""


class QueryError(Exception):
    """A statement that SQLite refused: a MATCH that is not one, a missing tokenizer or table."""


class DamagedError(HistoryError):
    """SQLite found the file, or one of its indexes, damaged while reading."""


class Interrupted(Exception):  # noqa: N818 - an event, not a failure
    """A statement was stopped because nobody waits for its answer any more."""
