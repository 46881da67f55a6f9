"""Sessions tied by parent_session_id: roots, edges and the tree of a lineage (facts 50, 72)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from hermes_tui.history.rows import Session

Edge = Literal["root", "compression", "reset", "branch", "delegate"]
RESET_REASONS = frozenset(
    {
        "session_reset",
        "session_switch",
        "idle",
        "daily",
        "suspended",
        "resume_pending_expired",
        "new_session",
    }
)
"""end_reason values after which a new session goes on in another context (fact 52, newest)."""


@dataclass(frozen=True, slots=True)
class LineageNode:
    """A session in its lineage. depth: edges below the root. messages: rows in the session."""

    session: Session
    edge: Edge
    depth: int
    messages: int


@dataclass(frozen=True, slots=True)
class Lineage:
    """The sessions tied to one root, parents before children, siblings by their start."""

    root: str
    nodes: tuple[LineageNode, ...]

    def index(self, session_id: str) -> int | None:
        """The place of a session among the nodes, or None."""
        for place, node in enumerate(self.nodes):
            if node.session.id == session_id:
                return place
        return None


class Families:
    """Parents and children of every session of a history; pure, built from one read."""

    def __init__(self, sessions: Mapping[str, Session]) -> None:
        self.sessions = sessions
        self._roots: dict[str, str] = {}
        self._children: dict[str, list[str]] = {}
        for session in sessions.values():
            if session.parent_id:
                self._children.setdefault(session.parent_id, []).append(session.id)
        for children in self._children.values():
            children.sort(key=lambda c: (sessions[c].started_at or 0.0, c))

    def root(self, session_id: str) -> str:
        """The top of the parent chain through every kind of edge, guarded against cycles.

        A parent id without a row becomes the root itself (fact 50).
        """
        known = self._roots.get(session_id)
        if known is not None:
            return known
        seen: list[str] = []
        visited: set[str] = set()
        current = session_id
        while current not in visited:
            visited.add(current)
            seen.append(current)
            session = self.sessions.get(current)
            if session is None or not session.parent_id or session.parent_id in visited:
                break
            current = session.parent_id
        top = seen[-1]
        self._roots[session_id] = top
        return top

    def children(self, session_id: str) -> list[str]:
        """Ids of the direct children, oldest first."""
        return self._children.get(session_id, [])

    def edge(self, session_id: str) -> Edge:
        """Why a session has its parent."""
        session = self.sessions[session_id]
        if not session.parent_id:
            return "root"
        parent = self.sessions.get(session.parent_id)
        if session.delegate_from or session.source in ("subagent", "kanban"):
            return "delegate"
        if session.branched_from or (parent is not None and parent.end_reason == "branched"):
            return "branch"
        if session.reset_from or (parent is not None and parent.end_reason in RESET_REASONS):
            return "reset"
        if parent is not None and parent.end_reason == "compression":
            return "compression"
        # Before 0.17 a delegate's child carried its parent's source and no mark; a parent that
        # was never ended, or ended for another reason, did not continue in its child.
        return "delegate" if parent is not None else "compression"

    def walk(self, root: str) -> Iterator[tuple[str, int]]:
        """(session id, depth) of a lineage, parents before children; a missing root is skipped."""
        stack = [(root, 0)]
        seen: set[str] = set()
        while stack:
            session_id, depth = stack.pop()
            if session_id in seen:
                continue
            seen.add(session_id)
            if session_id in self.sessions:
                yield session_id, depth
            stack.extend((child, depth + 1) for child in reversed(self.children(session_id)))
