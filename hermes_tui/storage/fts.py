"""The three full-text indexes of a history: their tables, views and triggers as data.

All are external-content FTS5 tables over content, tool_name and tool_calls. The trigram and the
CJK index leave tool rows out, through a view. Triggers keep them current, but stay away from the
rows a rebuild has yet to copy: while the pair of markers (high water H, progress P) stands in
state_meta, rows with P < id <= H belong to the rebuild alone (schema history, 2 and 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Event = Literal["insert", "delete", "update"]
EVENTS: tuple[Event, ...] = ("insert", "delete", "update")
TEXT_COLUMNS = ("content", "tool_name", "tool_calls")
TOKENIZER = "cjk_unicode61"
STALE_KEY = "fts_cjk_stale"


@dataclass(frozen=True, slots=True)
class Markers:
    """The state_meta keys of one rebuild: rows up to `high` are due, up to `progress` done."""

    high: str
    progress: str


BASE_MARKERS = Markers("fts_rebuild_high_water", "fts_rebuild_progress")
CJK_MARKERS = Markers("fts_cjk_rebuild_high_water", "fts_cjk_rebuild_progress")


@dataclass(frozen=True, slots=True)
class FtsIndex:
    """One full-text index.

    tokenizer: '' for FTS5's default. tool_rows: whether rows of role `tool` are in it. markers:
    the rebuild it belongs to (base and trigram share one).
    """

    name: str
    tokenizer: str
    tool_rows: bool
    markers: Markers

    @property
    def source(self) -> str:
        """What the index reads its text from: the table, or the view without tool rows."""
        return "messages" if self.tool_rows else f"{self.name}_src"

    @property
    def view_sql(self) -> str | None:
        """The CREATE VIEW statement of the source; None when it is the table itself."""
        if self.tool_rows:
            return None
        columns = ", ".join(("id", "role", *TEXT_COLUMNS))
        return f"CREATE VIEW {self.source} AS SELECT {columns} FROM messages WHERE role <> 'tool'"

    @property
    def table_sql(self) -> str:
        """The CREATE VIRTUAL TABLE statement."""
        options = [*TEXT_COLUMNS, f"content='{self.source}'", "content_rowid='id'"]
        if self.tokenizer:
            options.append(f"tokenize='{self.tokenizer}'")
        return f"CREATE VIRTUAL TABLE {self.name} USING fts5({', '.join(options)})"

    def trigger_name(self, event: Event) -> str:
        """The trigger that keeps this index current after `event`."""
        return f"{self.name}_{event}"

    def trigger_sql(self, event: Event) -> str:
        """The CREATE TRIGGER statement for one event."""
        row = "new" if event == "insert" else "old"
        conditions = [] if self.tool_rows or event == "update" else [f"{row}.role <> 'tool'"]
        if event == "update":
            changed = " OR ".join(f"old.{c} IS NOT new.{c}" for c in self.watched)
            conditions.append(f"({changed})")
        conditions.append(self._outside_rebuild(row))
        body = []
        if event != "insert":
            body.append(self._entry("old"))
        if event != "delete":
            body.append(self._entry("new"))
        of = f" OF {', '.join(self.watched)}" if event == "update" else ""
        return (
            f"CREATE TRIGGER {self.trigger_name(event)} AFTER {event.upper()}{of} ON messages\n"
            f"WHEN {' AND '.join(conditions)}\n"
            f"BEGIN\n  {'; '.join(body)};\nEND"
        )

    @property
    def watched(self) -> tuple[str, ...]:
        """The columns whose change concerns the index; role only where it decides membership."""
        return TEXT_COLUMNS if self.tool_rows else (*TEXT_COLUMNS, "role")

    def create_statements(self) -> Iterator[str]:
        """View, table and triggers, in the order they must be made."""
        if self.view_sql:
            yield self.view_sql
        yield self.table_sql
        for event in EVENTS:
            yield self.trigger_sql(event)

    def copy_sql(self) -> str:
        """Index every row with :low < id <= :high, as one statement."""
        columns = ", ".join(TEXT_COLUMNS)
        return (
            f"INSERT INTO {self.name}(rowid, {columns}) SELECT id, {columns} FROM {self.source}"
            " WHERE id > :low AND id <= :high ORDER BY id"
        )

    def _entry(self, row: Literal["old", "new"]) -> str:
        """One change of the index: FTS5's delete command with the old text, or the new text."""
        command = f"{self.name}, " if row == "old" else ""
        word = "'delete', " if row == "old" else ""
        columns = ", ".join(TEXT_COLUMNS)
        values = ", ".join(f"{row}.{column}" for column in ("id", *TEXT_COLUMNS))
        role = "" if self.tool_rows else f" WHERE {row}.role <> 'tool'"
        return f"INSERT INTO {self.name}({command}rowid, {columns}) SELECT {word}{values}{role}"

    def _outside_rebuild(self, row: str) -> str:
        return (
            f"({row}.id > {_marker(self.markers.high)}"
            f" OR {row}.id <= {_marker(self.markers.progress)})"
        )


def _marker(key: str) -> str:
    """A state_meta number as an SQL expression; -1 when there is no such row."""
    return f"ifnull((SELECT cast(value AS INTEGER) FROM state_meta WHERE key = '{key}'), -1)"


BASE = FtsIndex("messages_fts", "", True, BASE_MARKERS)
TRIGRAM = FtsIndex("messages_fts_trigram", "trigram", False, BASE_MARKERS)
CJK = FtsIndex("messages_fts_cjk", TOKENIZER, False, CJK_MARKERS)
