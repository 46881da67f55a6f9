"""The tables and indexes of a Hermes history in its 2026-08 form, as data and as SQL.

The names and meanings are Hermes' (schema history, 1); a table is kept here as one line per
group of columns in a small notation, because the same data also says which columns an older
file lacks:

    name:type   t TEXT, i INTEGER, r REAL, with `!` for NOT NULL and `=value` for a default
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from hermes_tui.storage.fts import BASE, CJK, TRIGRAM, FtsIndex

SCHEMA_VERSION = 25
"""The newest schema_version row whose layout this package can write."""

_TYPES = {"t": "TEXT", "i": "INTEGER", "r": "REAL"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name and everything SQL says after the name."""

    name: str
    declaration: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table: columns in Hermes' order, and the constraints after them."""

    name: str
    columns: tuple[Column, ...]
    constraints: tuple[str, ...] = ()

    @property
    def sql(self) -> str:
        """The CREATE TABLE statement."""
        lines = [f"{column.name} {column.declaration}".rstrip() for column in self.columns]
        return f"CREATE TABLE {self.name} (\n  " + ",\n  ".join([*lines, *self.constraints]) + "\n)"


@dataclass(frozen=True, slots=True)
class Index:
    """One index on an ordinary table."""

    name: str
    table: str
    columns: str
    where: str = ""
    unique: bool = False

    @property
    def sql(self) -> str:
        """The CREATE INDEX statement."""
        kind = "UNIQUE INDEX" if self.unique else "INDEX"
        condition = f" WHERE {self.where}" if self.where else ""
        return f"CREATE {kind} {self.name} ON {self.table}({self.columns}){condition}"


def _columns(notation: str) -> Iterator[Column]:
    for word in notation.split():
        name, _, kind = word.partition(":")
        kind, has_default, default = kind.partition("=")
        declaration = _TYPES[kind[0]]
        if kind.endswith("*"):
            declaration += " PRIMARY KEY"
        if kind.endswith("!"):
            declaration += " NOT NULL"
        if has_default:
            declaration += f" DEFAULT {default}"
        yield Column(name, declaration)


def _table(name: str, notation: str, *constraints: str) -> Table:
    return Table(name, tuple(_columns(notation)), constraints)


_SESSIONS = """
    id:t* source:t! user_id:t session_key:t chat_id:t chat_type:t thread_id:t display_name:t
    origin_json:t expiry_finalized:i=0
    model:t model_config:t system_prompt:t system_prompt_hash:t parent_session_id:t
    started_at:r! ended_at:r end_reason:t
    message_count:i=0 tool_call_count:i=0 input_tokens:i=0 output_tokens:i=0
    cache_read_tokens:i=0 cache_write_tokens:i=0 reasoning_tokens:i=0
    cwd:t git_branch:t git_repo_root:t
    billing_provider:t billing_base_url:t billing_mode:t estimated_cost_usd:r actual_cost_usd:r
    cost_status:t cost_source:t pricing_version:t
    title:t last_activity_at:r last_activity_description:t last_activity_provenance:t
    api_call_count:i=0 handoff_state:t handoff_platform:t handoff_error:t
    compression_failure_cooldown_until:r compression_failure_error:t
    compression_fallback_streak:i!=0 compression_ineffective_count:i!=0
    profile_name:t rewind_count:i!=0 archived:i!=0 pinned:i!=0 last_read_at:r
"""

_MESSAGES = """
    role:t! content:t tool_call_id:t tool_calls:t tool_name:t effect_disposition:t timestamp:r!
    token_count:i finish_reason:t reasoning:t reasoning_content:t reasoning_details:t
    codex_reasoning_items:t codex_message_items:t platform_message_id:t observed:i=0
    active:i!=1 compacted:i!=0 api_content:t display_kind:t display_metadata:t
"""

_USAGE = """
    model:t! billing_provider:t!='' billing_base_url:t!='' billing_mode:t!='' task:t!=''
    api_call_count:i!=0 input_tokens:i!=0 output_tokens:i!=0 cache_read_tokens:i!=0
    cache_write_tokens:i!=0 reasoning_tokens:i!=0 estimated_cost_usd:r!=0 actual_cost_usd:r!=0
    cost_status:t cost_source:t first_seen:r last_seen:r
"""

_DELEGATIONS = """
    delegation_id:t* origin_session:t! origin_ui_session_id:t!='' parent_session_id:t state:t!
    dispatched_at:r! completed_at:r updated_at:r! event_json:t result_json:t
    delivery_state:t!='pending' delivery_attempts:i!=0 delivered_at:r owner_pid:i
    owner_started_at:i task_json:t delivery_claim:t delivery_claimed_at:r
"""

TABLES: tuple[Table, ...] = (
    _table("schema_version", "version:i!"),
    _table("state_meta", "key:t* value:t"),
    _table("system_prompts", "hash:t* prompt:t!"),
    _table(
        "sessions",
        _SESSIONS,
        "FOREIGN KEY (parent_session_id) REFERENCES sessions(id)",
        "FOREIGN KEY (system_prompt_hash) REFERENCES system_prompts(hash)",
    ),
    Table(
        "messages",
        (
            Column("id", "INTEGER PRIMARY KEY AUTOINCREMENT"),
            Column("session_id", "TEXT NOT NULL REFERENCES sessions(id)"),
            *_columns(_MESSAGES),
        ),
    ),
    Table(
        "session_model_usage",
        (
            Column("session_id", "TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE"),
            *_columns(_USAGE),
        ),
        (
            "PRIMARY KEY (session_id, model, billing_provider, billing_base_url,"
            " billing_mode, task)",
        ),
    ),
    _table(
        "gateway_routing",
        "scope:t!='' session_key:t! entry_json:t! updated_at:r!",
        "PRIMARY KEY (scope, session_key)",
    ),
    _table("compression_locks", "session_id:t* holder:t! acquired_at:r! expires_at:r!"),
    _table("async_delegations", _DELEGATIONS),
)

INDEXES: tuple[Index, ...] = (
    Index("idx_sessions_source", "sessions", "source"),
    Index("idx_sessions_source_id", "sessions", "source, id"),
    Index("idx_sessions_parent", "sessions", "parent_session_id"),
    Index("idx_sessions_started", "sessions", "started_at DESC"),
    Index("idx_sessions_session_key", "sessions", "session_key, started_at DESC"),
    Index(
        "idx_sessions_gateway_peer",
        "sessions",
        "source, user_id, chat_id, chat_type, thread_id, started_at DESC",
    ),
    Index("idx_sessions_handoff_state", "sessions", "handoff_state, started_at"),
    Index("idx_sessions_system_prompt_hash", "sessions", "system_prompt_hash"),
    Index("idx_sessions_title_unique", "sessions", "title", "title IS NOT NULL", unique=True),
    Index("idx_messages_session", "messages", "session_id, timestamp"),
    Index("idx_messages_session_id", "messages", "session_id, id"),
    Index("idx_messages_session_active", "messages", "session_id, active, timestamp"),
    Index("idx_messages_active_null", "messages", "active", "active IS NULL"),
    Index(
        "idx_messages_assistant_calls_by_session",
        "messages",
        "session_id",
        "role = 'assistant' AND tool_calls IS NOT NULL",
    ),
    Index(
        "idx_messages_platform_msg_id",
        "messages",
        "session_id, platform_message_id",
        "platform_message_id IS NOT NULL",
    ),
    Index("idx_session_model_usage_session", "session_model_usage", "session_id"),
    Index("idx_session_model_usage_model", "session_model_usage", "model"),
    Index("idx_compression_locks_expires", "compression_locks", "expires_at"),
    Index("idx_async_delegations_delivery", "async_delegations", "delivery_state, completed_at"),
)


def table(name: str) -> Table:
    """The table of this name; KeyError when Hermes has none."""
    for candidate in TABLES:
        if candidate.name == name:
            return candidate
    raise KeyError(name)


def create(connection: apsw.Connection, *, cjk: bool) -> None:
    """Write the whole schema into an empty database, in one transaction.

    `cjk` adds the index for two-character words; the connection must then know the tokenizer
    `cjk_unicode61`.
    """
    indexes: tuple[FtsIndex, ...] = (BASE, TRIGRAM, CJK) if cjk else (BASE, TRIGRAM)
    with connection:
        for new_table in TABLES:
            connection.execute(new_table.sql)
        for index in INDEXES:
            connection.execute(index.sql)
        for fts in indexes:
            for statement in fts.create_statements():
                connection.execute(statement)
        connection.execute("INSERT INTO schema_version VALUES (?)", (SCHEMA_VERSION,))
        connection.execute("INSERT INTO state_meta VALUES ('fts_storage_version', '1')")
