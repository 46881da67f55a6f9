"""What the filters of a query can be given: the sources, tools, folders, titles there are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hermes_tui.history.reader import History
from hermes_tui.history.rows import text_of
from hermes_tui.history.statements import Stop
from hermes_tui.text.clean import clean_line

ROLES = ("user", "assistant", "tool", "system")
TOOL_ROWS = 50_000
"""The newest messages in which tools are looked for."""
MOST = 500
"""Values kept of a filter."""

Counted = tuple[tuple[str, int], ...]
"""Clean values, and how many sessions (for tools: messages) have them."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Values by how common they are; titles and session ids by how new they are."""

    sources: Counted = ()
    tools: Counted = ()
    cwds: Counted = ()
    titles: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    profile: str = ""


def read_vocabulary(history: History, stop: Stop | None = None) -> Vocabulary:
    """Read it. Raises Interrupted when `stop()` turns true."""
    sessions = sorted(
        history.families().sessions.values(), key=lambda s: (-(s.started_at or 0.0), s.id)
    )
    return Vocabulary(
        sources=_common(Counter(session.source for session in sessions)),
        tools=tools_used(history, stop),
        cwds=_common(Counter(session.cwd for session in sessions if session.cwd)),
        titles=_new([session.title for session in sessions]),
        sessions=_new([session.id for session in sessions]),
        profile=clean_line(history.profile),
    )


def tools_used(history: History, stop: Stop | None = None) -> Counted:
    """The tools whose output stands among the newest messages, the most used first."""
    if "tool_name" not in history.layout.message_columns:
        return ()
    rows = history.rows(
        "select cast(tool_name as blob), count(*) from (select tool_name from messages "
        f"order by id desc limit {TOOL_ROWS}) where tool_name is not null group by tool_name",
        stop=stop,
    )
    return _common(Counter({text_of(name) or "": count for name, count in rows}))


def _common(counts: Counter[str]) -> Counted:
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple((clean_line(name), count) for name, count in ranked[:MOST] if clean_line(name))


def _new(values: list[str | None]) -> tuple[str, ...]:
    lines = (clean_line(value) for value in values if value)
    return tuple(dict.fromkeys(line for line in lines if line))[:MOST]
