"""The classic miss: a word stands in a text, in a call's arguments or name, or in a tool's name.

Four markers, one in each place, have to be four hits; checked on whoever wrote the history.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hermes_tui.history.reader import History
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.policy import THOROUGH

CONTENT, ARGUMENT, FUNCTION, TOOL = (
    "contentneedle", "argumentneedle", "functionneedle", "toolneedle",
)  # fmt: skip

CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": FUNCTION, "arguments": '{"command": "run argumentneedle now"}'},
}

MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "user", "content": f"a {CONTENT} here"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "fine, resultneedle", "tool_name": TOOL, "tool_call_id": "call_1"},
)
"""A message of the user, a call, and its result."""


@dataclass(frozen=True)
class Hit:
    """The ids that a query hits, and the best lineage."""

    ids: list[int]
    best: LineageHit | None

    @property
    def marked(self) -> list[str]:
        """The marked parts of the excerpt, folded."""
        assert self.best is not None
        return [self.best.snippet[a:b].lower() for a, b in self.best.marks]


def hit(history: History, query: str, roles: tuple[str, ...] | None = None) -> Hit:
    """Everything that matches a query."""
    outcome = search(history, query, policy=THOROUGH, limit=50, roles=roles)
    assert outcome.complete
    assert not {line.label for line in outcome.lineages if line.hits} - {""}
    ids = sorted(message for line in outcome.lineages for message in line.hits)
    return Hit(ids, outcome.lineages[0] if outcome.lineages else None)


def check(history: History, session: str) -> None:
    """Four markers in MESSAGES of `session` are four hits, by `tool:` filter too."""
    said, asked, answered = history.outline(session).ids
    places = {CONTENT: said, ARGUMENT: asked, FUNCTION: asked, TOOL: answered}
    for word, message in places.items():
        found = hit(history, word)
        assert found.ids == [message], word
        assert found.best is not None
        assert found.best.message_id == message
        assert found.marked == [word], (word, found.best.snippet)
    for query, expected in {
        f"tool:{FUNCTION} {ARGUMENT}": [asked],
        f"tool:{FUNCTION} {FUNCTION}": [asked],
        f"tool:{TOOL} resultneedle": [answered],
        f"tool:{TOOL} {TOOL}": [answered],
        f"tool:{TOOL} {ARGUMENT}": [],
        f"tool:{FUNCTION} {CONTENT}": [],
    }.items():
        ids = [m for line in search(history, query, policy=THOROUGH).lineages for m in line.hits]
        assert ids == expected, query
    for tool in (FUNCTION, TOOL):
        (line,) = search(history, f"tool:{tool}", policy=THOROUGH).lineages
        assert line.session_id == session
