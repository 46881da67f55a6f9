"""How a lineage is written: on the strip over a conversation, and as a list. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.tui.ages import age
from hermes_tui.tui.drawing import Line, Piece, fit, one_line, width
from hermes_tui.tui.walking import Stop, Walk

_HERE = "bold reverse"
_LEAD = Piece("…", "dim")
_REST = Piece(" …", "dim")


def strip_line(walk: Walk, here: int, cells: int) -> Line:
    """`root 122 ▸ #2 59 ▸ #3 21 (2 hits)` in `cells` cells, the session that is open on view.

    When it is tight the kinds of edges go first, then the counts, then what is far away.
    """
    pieces = [piece for _, part in _strip(walk, here, cells) for piece in part]
    return fit(pieces, cells)


def stop_at(walk: Walk, here: int, cells: int, x: int) -> int | None:
    """The place in the walk of the session that the strip shows at cell `x`."""
    end = 0
    for place, part in _strip(walk, here, cells):
        end += width(part)
        if x < end:
            return place
    return None


Part = tuple[int | None, Sequence[Piece]]
"""A stretch of the strip, and the place of the session that it stands for."""


def _strip(walk: Walk, here: int, cells: int) -> list[Part]:
    for kinds, counts in ((True, True), (False, True), (False, False)):
        parts = [_stop(walk, place, here, kinds, counts) for place in range(len(walk))]
        if sum(width(part) for part in parts) <= cells:
            return list(enumerate(parts))
    return _around(parts, here, cells)


def _stop(walk: Walk, place: int, here: int, kinds: bool, counts: bool) -> list[Piece]:
    """One session with the sign of the edge before it."""
    stop = walk[place]
    pieces = [Piece(_sign(stop), "dim")] if place else []
    pieces.append(Piece(f" {stop.label} ", _HERE) if place == here else Piece(stop.label, "bold"))
    numbered = stop.label.startswith("#")
    said: list[str] = [stop.edge] if numbered and (kinds or stop.edge != "compression") else []
    if not numbered and stop.parent is not None and kinds:
        said.append(f"of {walk[stop.parent].label}")
    if counts or place == here:
        said.append(f"{stop.messages:,}")
    if said:
        pieces.append(Piece(f" {' '.join(said)}", "dim"))
    if stop.hits:
        pieces.append(Piece(f" ({hits_text(stop)})"))
    return pieces


def _sign(stop: Stop) -> str:
    return " ↳ " if stop.edge in ("branch", "delegate") else " ▸ "


def hits_text(stop: Stop) -> str:
    """`hit`, `3 hits`, or ''."""
    found = len(stop.hits)
    return "" if not found else "hit" if found == 1 else f"{found:,} hits"


def _around(parts: list[list[Piece]], here: int, cells: int) -> list[Part]:
    """As many sessions around `here` as there is room for."""
    low, high = here, here + 1
    room = cells - width(parts[here]) - width((_LEAD, _REST))
    while True:
        after = width(parts[high]) if high < len(parts) else cells
        before = width(parts[low - 1]) if low else cells
        if after <= room and (high - here <= here - low or before > room):
            room -= after
            high += 1
        elif before <= room:
            room -= before
            low -= 1
        else:
            break
    shown: list[Part] = [(place, parts[place]) for place in range(low, high)]
    lead: list[Part] = [(None, (_LEAD,))] if low else []
    rest: list[Part] = [(None, (_REST,))] if high < len(parts) else []
    return [*lead, *shown, *rest]


def row_of(walk: Walk, place: int, here: int, now: float) -> tuple[Line, Line]:
    """(left, right) of a session in a list: its place in the tree and title; counts and age."""
    stop = walk[place]
    indent = "  " * stop.depth + ("↳ " if stop.edge in ("branch", "delegate") else "")
    title = one_line(stop.title or "") or "untitled"
    kind = "" if stop.label == stop.edge else f" {stop.edge}"
    left = (
        Piece(f"{indent}{stop.label}", "bold reverse" if place == here else "bold"),
        Piece(kind, "dim"),
        Piece(f"  {title}"),
    )
    facts = [f"{stop.messages:,} messages", hits_text(stop), age(stop.started_at, now)]
    return left, (Piece(" · ".join(fact for fact in facts if fact), "dim"),)
