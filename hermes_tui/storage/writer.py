"""Write sessions and messages as Hermes does: what the sample history and the tests are made of.

Every call is one transaction, so a reader never sees half of it; `batch()` makes many calls one.
Times are Unix seconds and always given by the caller.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hermes_tui.history.rows import Content
from hermes_tui.storage import encoding, opening
from hermes_tui.storage.errors import StorageError, sentences, shown

BATCH_STEP = 1e-6
"""Seconds between two rows of one batch, so that their order is also their time order."""

_MESSAGE_COLUMNS = (
    "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp",
    "token_count", "finish_reason", "reasoning", "observed", "api_content", "display_kind",
)  # fmt: skip
_INSERT_MESSAGE = (
    f"INSERT INTO messages ({', '.join(_MESSAGE_COLUMNS)})"
    f" VALUES ({', '.join('?' * len(_MESSAGE_COLUMNS))}) RETURNING id"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to be written. tool_calls: elements as `encoding.tool_call` makes them."""

    role: str
    content: Content = None
    tool_calls: Sequence[Mapping[str, Any]] = ()
    tool_name: str | None = None
    tool_call_id: str | None = None
    token_count: int | None = None
    finish_reason: str | None = None
    reasoning: str | None = None
    api_content: str | None = None
    display_kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """A session to be written.

    branched_from, delegate_from: the session ids Hermes notes in model_config for those edges.
    """

    id: str
    source: str
    started_at: float
    parent_id: str | None = None
    title: str | None = None
    model: str | None = None
    model_config: Mapping[str, Any] | None = None
    branched_from: str | None = None
    delegate_from: str | None = None
    system_prompt: str | None = None
    cwd: str | None = None
    user_id: str | None = None
    session_key: str | None = None
    chat_id: str | None = None
    chat_type: str | None = None

    def model_config_text(self) -> str | None:
        """The model_config cell with the edge markers in it; None when it would be empty."""
        config = dict(self.model_config or {})
        if self.branched_from is not None:
            config["_branched_from"] = self.branched_from
        if self.delegate_from is not None:
            config["_delegate_from"] = self.delegate_from
        return json.dumps(config) if config else None


class HistoryWriter:
    """One writing connection over the history at `path`, which is created when it is missing.

    cjk: give a new file the index for two-character words too, where the tokenizer is at hand;
    a program without the tokenizer can then not write to it. Raises StorageError; use it as a
    context manager or call close().
    """

    def __init__(self, path: Path | str, *, cjk: bool = False) -> None:
        self.path = str(path)
        self._db = opening.open_for_writing(self.path, create=True, cjk=cjk)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; every finished call is already in the file."""
        self._db.close()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make everything inside one transaction: all of it is written, or nothing."""
        with sentences(self.path), self._db:
            yield

    def create_session(self, new: NewSession) -> str:
        """Insert a session and return its id. Raises StorageError when the id is taken."""
        if self._exists(new.id):
            raise StorageError(f"There is already a session {shown(new.id)}.")
        if new.parent_id is not None:
            self._require(new.parent_id)
        values = {
            "id": new.id,
            "source": new.source,
            "started_at": new.started_at,
            "parent_session_id": new.parent_id,
            "model": new.model,
            "model_config": new.model_config_text(),
            "cwd": new.cwd,
            "user_id": new.user_id,
            "session_key": new.session_key,
            "chat_id": new.chat_id,
            "chat_type": new.chat_type,
        }
        with self.batch():
            if new.system_prompt is not None:
                values["system_prompt_hash"] = self._store_prompt(new.system_prompt)
            marks = ", ".join("?" * len(values))
            self._db.execute(
                f"INSERT INTO sessions ({', '.join(values)}) VALUES ({marks})",
                tuple(values.values()),
            )
            if new.title is not None:
                self.set_title(new.id, new.title)
        return new.id

    def append(self, session_id: str, message: NewMessage, at: float) -> int:
        """Add one message at time `at`; returns its id."""
        return self.append_batch(session_id, (message,), at)[0]

    def append_batch(self, session_id: str, messages: Sequence[NewMessage], at: float) -> list[int]:
        """Add messages, the first at time `at`, each BATCH_STEP after the one before."""
        self._require(session_id)
        with self.batch():
            ids = self._insert(session_id, messages, at)
            self._db.execute(
                "UPDATE sessions SET message_count = message_count + ?,"
                " tool_call_count = tool_call_count + ? WHERE id = ?",
                (len(messages), _calls(messages), session_id),
            )
        return ids

    def end_session(self, session_id: str, reason: str, at: float) -> None:
        """End a session; one that has ended keeps its first reason and time."""
        self._update("ended_at = ?, end_reason = ?", "ended_at IS NULL", session_id, at, reason)

    def reopen_session(self, session_id: str) -> None:
        """Take the end of a session back."""
        self._update("ended_at = NULL, end_reason = NULL", "1", session_id)

    def set_archived(self, session_id: str, archived: bool) -> None:
        """Put a session out of listings, or back; search finds it either way (fact 29)."""
        self._update("archived = ?", "1", session_id, int(archived))

    def set_pinned(self, session_id: str, pinned: bool) -> None:
        """Pin a session, or not."""
        self._update("pinned = ?", "1", session_id, int(pinned))

    def rewind(self, session_id: str, message_id: int) -> int:
        """Take back a live message and all live ones after it; returns how many rows that were.

        The rows stay in the file with active = 0. Counters of the session are not touched.
        """
        self._require(session_id)
        with self.batch():
            self._db.execute(
                "UPDATE messages SET active = 0 WHERE session_id = ? AND id >= ?"
                " AND ifnull(active, 1) <> 0",
                (session_id, message_id),
            )
            rewound = self._db.changes()
            if rewound:
                self._db.execute(
                    "UPDATE sessions SET rewind_count = rewind_count + 1 WHERE id = ?",
                    (session_id,),
                )
        return rewound

    def archive_and_compact(
        self, session_id: str, messages: Sequence[NewMessage], at: float
    ) -> list[int]:
        """Compact in place: live rows become archived, `messages` take their place.

        The session's counters then count the new rows only.
        """
        self._require(session_id)
        with self.batch():
            self._db.execute(
                "UPDATE messages SET active = 0, compacted = 1"
                " WHERE session_id = ? AND ifnull(active, 1) <> 0",
                (session_id,),
            )
            ids = self._insert(session_id, messages, at)
            self._db.execute(
                "UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?",
                (len(messages), _calls(messages), session_id),
            )
        return ids

    def set_title(self, session_id: str, title: str) -> str | None:
        """Name a session by Hermes' rules (fact 84); returns the title as stored.

        Raises StorageError when it is too long or another session bears it.
        """
        cleaned = encoding.clean_title(title)
        holder = self._db.execute(
            "SELECT id FROM sessions WHERE title = ? AND id <> ?", (cleaned, session_id)
        ).get
        if holder is not None:
            raise StorageError(f"The title {shown(cleaned)} belongs to session {shown(holder)}.")
        self._update("title = ?", "1", session_id, cleaned)
        return cleaned

    def next_title(self, title: str) -> str:
        """The title for a continuation: `Plan` is followed by `Plan #2`, then `Plan #3`."""
        base = encoding.title_base(title)
        escaped = base.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        taken = [
            encoding.title_number(found)
            for (found,) in self._db.execute(
                "SELECT title FROM sessions WHERE title = ? OR title LIKE ? ESCAPE '\\'",
                (base, f"{escaped} #%"),
            )
            if encoding.title_base(found) == base
        ]
        return f"{base} #{max(taken) + 1}" if taken else base

    def set_meta(self, key: str, value: str) -> None:
        """Store one row of state_meta."""
        with self.batch():
            self._db.execute(
                "INSERT INTO state_meta VALUES (?, ?)"
                " ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                (key, value),
            )

    def _insert(self, session_id: str, messages: Sequence[NewMessage], at: float) -> list[int]:
        ids = []
        for position, message in enumerate(messages):
            row = (
                session_id,
                message.role,
                encoding.encode_content(message.content),
                message.tool_call_id,
                encoding.encode_tool_calls(message.tool_calls),
                message.tool_name,
                at + position * BATCH_STEP,
                message.token_count,
                message.finish_reason,
                message.reasoning and encoding.encode_text(message.reasoning),
                0,
                message.api_content,
                message.display_kind,
            )
            ids.append(int(self._db.execute(_INSERT_MESSAGE, row).get))
        return ids

    def _store_prompt(self, prompt: str) -> str:
        digest = hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest()
        self._db.execute("INSERT OR IGNORE INTO system_prompts VALUES (?, ?)", (digest, prompt))
        return digest

    def _update(self, change: str, condition: str, session_id: str, *values: object) -> None:
        self._require(session_id)
        with self.batch():
            self._db.execute(
                f"UPDATE sessions SET {change} WHERE id = ? AND {condition}",
                (*values, session_id),
            )

    def _exists(self, session_id: str) -> bool:
        with sentences(self.path):
            row: Any = self._db.execute("SELECT 1 FROM sessions WHERE id = ?", (session_id,)).get
        return row is not None

    def _require(self, session_id: str) -> None:
        if not self._exists(session_id):
            raise StorageError(f"There is no session {shown(session_id)} in {shown(self.path)}.")


def _calls(messages: Sequence[NewMessage]) -> int:
    return sum(len(message.tool_calls) for message in messages)
