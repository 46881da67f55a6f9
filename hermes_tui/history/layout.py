"""The layout of a history, read from `sqlite_master` and never from version numbers.

A schema version advances on any writable open while the indexes stay as they were, so only the
SQL of the tables says what they hold (schema history, 2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hermes_tui.history.errors import DamagedError, HistoryError, QueryError
from hermes_tui.history.rows import text_of

BASE, TRIGRAM, CJK = "messages_fts", "messages_fts_trigram", "messages_fts_cjk"
TOOL_CUT_CHARS = 8_192
"""Newer layouts index only this many characters of a tool row."""
NEWEST_KNOWN_SCHEMA = 30
_NEEDED_MESSAGES = frozenset({"id", "session_id", "role", "content", "timestamp"})
_NEEDED_SESSIONS = frozenset({"id", "source", "started_at"})

Form = Literal["none", "inline", "external", "external_cut", "unknown"]
Rows = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Index:
    """One FTS5 table of the file.

    form: how it holds its text. columns: its indexed columns. servable: a real MATCH works in
    this connection. problem: why not, '' when servable. tool_rows: whether role 'tool' is in it.
    without_sources: sources whose rows its view leaves out.
    """

    name: str
    form: Form
    columns: tuple[str, ...] = ()
    servable: bool = False
    problem: str = ""
    tool_rows: bool = False
    without_sources: frozenset[str] = frozenset()

    @property
    def present(self) -> bool:
        """Whether the file has the table at all."""
        return self.form != "none"


@dataclass(frozen=True, slots=True)
class Layout:
    """What the file holds: columns by name, and its three indexes."""

    message_columns: frozenset[str]
    session_columns: frozenset[str]
    base: Index
    trigram: Index
    cjk: Index
    schema_version: int | None
    has_state_meta: bool


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A deferred rebuild: rows with progress < id <= high_water are not in the index (fact 39)."""

    high_water: int
    progress: int

    @property
    def percent(self) -> int:
        """How far it is, 0 to 100."""
        return min(100, 100 * self.progress // self.high_water)


@dataclass(frozen=True, slots=True)
class Markers:
    """The state_meta rows that say what an index does not hold; they change while Hermes runs."""

    rebuild: Rebuild | None = None
    cjk_rebuild: Rebuild | None = None
    cjk_stale: bool = False
    fts_stale: bool = False
    tool_full_high_water: int | None = None
    optimize_available: bool = False
    storage_version: str = ""


def read_layout(rows: Rows) -> Layout:
    """Read the layout through `rows(sql, params)`. HistoryError when it is no Hermes history."""
    master = {name: (sql or "") for name, sql in rows(_MASTER, ())}
    if "messages" not in master or "sessions" not in master:
        raise HistoryError(
            "This database is not a Hermes history: it has no sessions and messages tables. "
            "Name Hermes' state.db with --db FILE."
        )
    messages = _columns(rows, "messages")
    sessions = _columns(rows, "sessions")
    version = _schema_version(rows, master)
    missing = sorted((_NEEDED_MESSAGES - messages) | (_NEEDED_SESSIONS - sessions))
    if missing:
        newer = version is not None and version > NEWEST_KNOWN_SCHEMA
        raise HistoryError(
            f"This history has a {'newer ' if newer else ''}layout that this program does not know "
            f"(schema {version if version is not None else 'unknown'}, without "
            f"{', '.join(missing)}). Update hermes-tui, or name another file with --db FILE."
        )
    return Layout(
        message_columns=messages,
        session_columns=sessions,
        base=_probed(rows, _base(master)),
        trigram=_probed(rows, _secondary(master, TRIGRAM)),
        cjk=_probed(rows, _secondary(master, CJK)),
        schema_version=version,
        has_state_meta="state_meta" in master,
    )


_MASTER = (
    "select cast(name as text), cast(sql as text) from sqlite_master "
    "where type in ('table', 'view')"
)


def _columns(rows: Rows, table: str) -> frozenset[str]:
    return frozenset(
        str(name) for (name,) in rows("select name from pragma_table_info(?)", (table,))
    )


def _schema_version(rows: Rows, master: Mapping[str, str]) -> int | None:
    if "schema_version" not in master:
        return None
    try:
        found = rows("select max(cast(version as integer)) from schema_version", ())
    except QueryError:
        return None
    return found[0][0] if found else None


def _base(master: Mapping[str, str]) -> Index:
    """The base index's form (schema history, 2.1)."""
    sql = master.get(BASE)
    if sql is None:
        return Index(BASE, "none")
    flat = _flat(sql)
    if "tool_name" not in flat:
        form: Form = "external" if "content='messages'" in flat else "inline"
        return Index(BASE, form, ("content",), tool_rows=True)
    columns = ("content", "tool_name", "tool_calls")
    if "messages_fts_src" in flat:
        return Index(BASE, "external_cut", columns, tool_rows=True)
    if "content='messages'" in flat:
        return Index(BASE, "external", columns, tool_rows=True)
    return Index(BASE, "unknown", columns, tool_rows=True, problem="its form is not known")


def _secondary(master: Mapping[str, str], name: str) -> Index:
    """The trigram or CJK index's form; its view says which rows it leaves out (2.3, 2.4)."""
    sql = master.get(name)
    if sql is None:
        return Index(name, "none")
    flat = _flat(sql)
    if "content='" not in flat:
        return Index(name, "inline", ("content",), tool_rows=True)
    columns = tuple(c for c in ("content", "tool_name", "tool_calls") if c in flat)
    view = _flat(master.get(f"{name}_src", ""))
    left_out = frozenset(s for s in ("cron", "subagent") if f"'{s}'" in view)
    return Index(
        name, "external", columns, tool_rows="'tool'" not in view, without_sources=left_out
    )


def _flat(sql: str) -> str:
    return "".join(sql.split()).replace('"', "'").lower()


def _probed(rows: Rows, index: Index) -> Index:
    """Run a real MATCH: counting rows succeeds even without the tokenizer (2.8)."""
    if index.form in ("none", "unknown"):
        return index
    try:
        rows(f"select rowid from {index.name} where {index.name} match ? limit 1", ('"zq"',))
    except (QueryError, DamagedError) as error:
        return _replace(index, False, str(error))
    return _replace(index, True, "")


def _replace(index: Index, servable: bool, problem: str) -> Index:
    return Index(
        index.name,
        index.form,
        index.columns,
        servable,
        problem,
        index.tool_rows,
        index.without_sources,
    )


def read_markers(rows: Rows, layout: Layout) -> Markers:
    """Read the markers afresh; they move while a rebuild runs (facts 39 and 40)."""
    if not layout.has_state_meta:
        return Markers()
    found = {
        text_of(key) or "": text_of(value)
        for key, value in rows(
            "select cast(key as blob), cast(value as blob) from state_meta where key like '%fts%'",
            (),
        )
    }
    return Markers(
        rebuild=_rebuild(found, "fts_rebuild"),
        cjk_rebuild=_rebuild(found, "fts_cjk_rebuild"),
        cjk_stale=_is_set(found.get("fts_cjk_stale")),
        fts_stale=_is_set(found.get("fts_stale")),
        tool_full_high_water=_integer(found.get("fts_tool_full_content_high_water")),
        optimize_available=_is_set(found.get("fts_optimize_available")),
        storage_version=found.get("fts_storage_version") or "",
    )


def _rebuild(found: Mapping[str, str | None], prefix: str) -> Rebuild | None:
    high_water = _integer(found.get(f"{prefix}_high_water"))
    if high_water is None or high_water <= 0:
        return None
    return Rebuild(high_water, max(0, _integer(found.get(f"{prefix}_progress")) or 0))


def _integer(value: str | None) -> int | None:
    try:
        return None if value is None else int(float(value))
    except (ValueError, OverflowError):
        return None


def _is_set(value: str | None) -> bool:
    return value not in (None, "", "0")
