"""The sessions of a lineage in the order in which they are walked. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hermes_tui.history.lineage import Edge, Lineage, LineageNode

_CONTINUES: tuple[Edge, ...] = ("root", "compression", "reset")


@dataclass(frozen=True, slots=True)
class Stop:
    """A session of a lineage. label: `root`, `#2`, `branch`, `delegate`. parent: index of the
    parent among the stops, None for the first and for a session whose parent is not there.
    messages: rows in it. hits: ids of its messages that match, oldest first.
    """

    session_id: str
    label: str
    edge: Edge
    parent: int | None
    depth: int
    messages: int
    title: str | None
    started_at: float | None
    continued: bool
    hits: tuple[int, ...] = ()


Walk = tuple[Stop, ...]


def walk_of(lineage: Lineage, hits: Mapping[str, Sequence[int]]) -> Walk:
    """Every session: what continues a session right behind it, then what branches off it."""
    children: dict[str | None, list[LineageNode]] = {}
    known = {node.session.id for node in lineage.nodes}
    for node in lineage.nodes:
        parent = node.session.parent_id
        parent = parent if parent in known and node.depth else None
        children.setdefault(parent, []).append(node)
    stops: list[Stop] = []
    waiting: list[tuple[LineageNode, int | None, int, int]] = [
        (node, None, 0, 1) for node in reversed(children.get(None, []))
    ]
    seen: set[str] = set()
    while waiting:
        node, parent_place, depth, number = waiting.pop()
        session = node.session
        if session.id in seen:
            continue
        seen.add(session.id)
        here = len(stops)
        stops.append(
            Stop(
                session.id,
                _label(node.edge, number),
                node.edge,
                parent_place,
                depth,
                node.messages,
                session.title,
                session.started_at,
                session.end_reason == "compression",
                tuple(sorted(hits.get(session.id, ()))),
            )
        )
        offspring = children.get(session.id, [])
        aside = [c for c in offspring if c.edge not in _CONTINUES]
        onward = [c for c in offspring if c.edge in _CONTINUES]
        waiting += [(c, here, depth + 1, 1) for c in reversed(aside)]
        waiting += [(c, here, depth, number + 1) for c in reversed(onward)]
    return tuple(stops)


def _label(edge: Edge, number: int) -> str:
    if edge in ("branch", "delegate"):
        return edge
    return "root" if number == 1 else f"#{number}"


def place_of(walk: Walk, session_id: str | None) -> int | None:
    """Where a session stands in a walk."""
    return next((i for i, stop in enumerate(walk) if stop.session_id == session_id), None)


def beside(walk: Walk, session_id: str | None, step: int) -> Stop | None:
    """The next (1) or previous (-1) session of the walk."""
    here = place_of(walk, session_id)
    there = None if here is None else here + step
    return walk[there] if there is not None and 0 <= there < len(walk) else None


def onward(walk: Walk, session_id: str | None, direction: int) -> Stop | None:
    """The session that a compressed one goes on in (1), or that it came from (-1)."""
    here = place_of(walk, session_id)
    if here is None:
        return None
    if direction < 0:
        parent = walk[here].parent
        return walk[parent] if walk[here].edge == "compression" and parent is not None else None
    following = [stop for stop in walk if stop.parent == here and stop.edge == "compression"]
    return next((stop for stop in following if stop.continued), next(iter(following), None))


def with_hits(walk: Walk, session_id: str | None, step: int) -> Stop | None:
    """The nearest session that holds a hit, behind (1) or before (-1) this one."""
    here = place_of(walk, session_id)
    if here is None:
        return None
    rest = walk[here + 1 :] if step > 0 else walk[:here][::-1]
    return next((stop for stop in rest if stop.hits), None)
