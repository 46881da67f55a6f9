"""The sample as plain data, so that Hermes and we can each write it into a file of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import markers

from hermes_tui.demo import write_demo
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.rows import parse_json
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

Plain = dict[str, Any]
MARKED = "20260630_235959_needle"
"""The session with the four markers."""
_SENTINEL = "\x00json:"


def plain_sample(folder: Path) -> Plain:
    """The sessions and messages of the sample, and a session with the four markers."""
    path = folder / "sample.db"
    write_demo(path)
    with History.open(Place(str(path))) as history:
        sessions = [
            {
                "id": session.id,
                "source": session.source,
                "title": session.title,
                "parent_id": session.parent_id,
                "model": session.model,
                "model_config": _config(history, session.id),
                "started_at": session.started_at,
                "end_reason": session.end_reason,
            }
            for session in sorted(
                history.families().sessions.values(), key=lambda s: (s.started_at or 0, s.id)
            )
        ]
        messages = [_message(history, row) for row in history.message_rows("order by m.id")]
    sessions.append(
        {**sessions[0], "id": MARKED, "title": "Needles", "parent_id": None, "end_reason": None}
    )
    last = max(message["timestamp"] for message in messages)
    for fields in markers.MESSAGES:
        last += 1
        messages.append(
            {"session_id": MARKED, "rewound": False, "timestamp": last, "fields": dict(fields)}
        )
    return {"sessions": sessions, "messages": messages}


def _config(history: History, session_id: str) -> Any:
    (text,) = history.rows("select model_config from sessions where id = ?", (session_id,))[0]
    return None if text is None else parse_json(text)


def _message(history: History, message: Any) -> Plain:
    """A message as it was given to the writer; archived ones are live here."""
    sql = "select content, tool_calls, tool_name, tool_call_id from messages where id = ?"
    content, calls, tool_name, call_id = history.rows(sql, (message.id,))[0]
    if isinstance(content, str) and content.startswith(_SENTINEL):
        content = parse_json(content.removeprefix(_SENTINEL))
    fields: Plain = {"role": message.role, "content": content}
    if calls:
        fields["tool_calls"] = parse_json(calls)
    if tool_name:
        fields |= {"tool_name": tool_name, "tool_call_id": call_id}
    return {
        "session_id": message.session_id,
        "rewound": message.visibility == "rewound",
        "timestamp": message.timestamp,
        "fields": fields,
    }


def write_ours(plain: Plain, path: Path) -> None:
    """Write the history with our writer, without the index Hermes 0.19 does not know."""
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        for session in plain["sessions"]:
            fields = {k: v for k, v in session.items() if k != "end_reason"}
            writer.create_session(NewSession(**fields))
        rewound: dict[str, int] = {}
        for message in plain["messages"]:
            session_id = message["session_id"]
            if not message["rewound"] and session_id in rewound:
                writer.rewind(session_id, rewound.pop(session_id))
            new = NewMessage(**message["fields"])
            written = writer.append(session_id, new, message["timestamp"])
            if message["rewound"]:
                rewound.setdefault(session_id, written)
        for session_id, first in rewound.items():
            writer.rewind(session_id, first)
        for session in plain["sessions"]:
            if session["end_reason"]:
                writer.end_session(session["id"], session["end_reason"], session["started_at"] + 1)
