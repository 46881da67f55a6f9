"""Where the units of a query stand, seen from one session or message: here, near, or nowhere.

When an index does not find a unit that a reader would, the stored text says why not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Message, text_of
from hermes_tui.history.statements import Stop
from hermes_tui.recall.compile import necessary
from hermes_tui.recall.explain.stored import State, stored_state
from hermes_tui.recall.explain.targets import Target
from hermes_tui.recall.explain.units import Asked, Unit
from hermes_tui.recall.query import Term, make_term
from hermes_tui.recall.routes import like_token

READ_ALL = 400
"""A target with more messages is read only where a unit may stand."""
READ_MOST = 200


@dataclass(frozen=True, slots=True)
class UnitPlace:
    """A unit, seen from the target.

    here, session, lineage: rows in the target, in the rest of its session, in the rest of its
    lineage. state: how it stands in the target. detail: what was seen, clean; fix: what to write
    instead, '' when nothing helps.
    """

    unit: Unit
    rows: frozenset[int]
    session: int
    lineage: int
    state: State
    detail: str = ""
    fix: str = ""

    @property
    def here(self) -> int:
        """Rows of the target that have it."""
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The messages a target is among. rows: of the target itself; owners: of its whole lineage."""

    target: Target
    rows: frozenset[int]
    owners: dict[int, str]


def surroundings(history: History, target: Target, stop: Stop | None = None) -> Surroundings:
    """Read which messages belong to a target's session and lineage."""
    families = history.families()
    members = [s for s, _ in families.walk(families.root(target.session.id))]
    if target.session.id not in members:
        members.append(target.session.id)
    sql = "select m.id, cast(m.session_id as blob) from messages m where m.session_id in (@ids)"
    found = history.rows_among(sql, members, stop=stop)
    owners = {row[0]: text_of(row[1]) or "" for row in found}
    own = frozenset(i for i, owner in owners.items() if owner == target.session.id)
    rows = own if target.message_id is None else own & {target.message_id}
    return Surroundings(target, rows, owners)


def unit_places(
    history: History, asked: Asked, around: Surroundings, stop: Stop | None = None
) -> list[UnitPlace]:
    """Every unit of the query, in order."""
    return [_place_of(history, asked, unit, around, stop) for unit in asked.units]


def _place_of(
    history: History, asked: Asked, unit: Unit, around: Surroundings, stop: Stop | None
) -> UnitPlace:
    if unit.idle:
        return UnitPlace(unit, frozenset(), 0, 0, "idle")
    found = _rows_with(history, asked, unit, around, stop)
    if found is None:
        return UnitPlace(unit, frozenset(), 0, 0, "unreadable")
    here = found & around.rows
    own = around.target.session.id
    session = sum(1 for i in found - here if around.owners[i] == own)
    lineage = len(found) - len(here) - session
    if here or unit.negative:
        return UnitPlace(unit, frozenset(here), session, lineage, "here" if here else "missing")
    seen = _look(history, asked, unit, around, stop)
    return UnitPlace(unit, frozenset(), session, lineage, seen.state, seen.detail, seen.fix)


def _rows_with(
    history: History, asked: Asked, unit: Unit, around: Surroundings, stop: Stop | None
) -> set[int] | None:
    """Rows of the lineage in which the route finds the unit; None when it cannot be read."""
    if not around.owners:
        return set()
    ends = (min(around.owners), max(around.owners))
    if asked.plan.route == "like_scan":
        condition, values = like_token(unit.text, history.layout)
        sql = f"select m.id from messages m where m.id between ? and ? and {condition}"
        return {r[0] for r in history.rows(sql, (*ends, *values), stop)} & around.owners.keys()
    table = asked.plan.table
    try:
        rows = history.rows(
            f"select rowid from {table} where {table} match ? and rowid between ? and ?",
            (unit.match, *ends),
            stop,
        )
    except (QueryError, DamagedError):
        return None
    return {row[0] for row in rows} & around.owners.keys()


@dataclass(frozen=True, slots=True)
class _Seen:
    state: State
    detail: str = ""
    fix: str = ""


_ORDER: tuple[State, ...] = (
    "not_indexed",
    "cut_off",
    "escaped",
    "beside_cjk",
    "respelt",
    "unmatched",
    "apart",
    "other_role",
    "inside_word",
    "missing",
)


def _look(
    history: History, asked: Asked, unit: Unit, around: Surroundings, stop: Stop | None
) -> _Seen:
    """How a unit that the route does not find stands in the stored text."""
    term = make_term(unit.words, prefix=unit.prefix, phrase=unit.phrase)
    if term is None:
        return _Seen("missing")
    best = _Seen("missing")
    for message in _readable(history, term, around, stop):
        seen = _Seen(*stored_state(history, asked.plan, unit, term, message))
        if _ORDER.index(seen.state) < _ORDER.index(best.state):
            best = seen
    return best


def _readable(
    history: History, term: Term, around: Surroundings, stop: Stop | None
) -> Iterator[Message]:
    ids: Sequence[int] = sorted(around.rows, reverse=True)
    if len(ids) > READ_ALL:
        condition, values = necessary(term, history.layout)
        found = history.rows(
            f"select m.id from messages m where m.session_id = ? and {condition} "
            "order by m.id desc limit ?",
            (around.target.session.id, *values, READ_MOST),
            stop,
        )
        ids = [row[0] for row in found]
    for start in range(0, len(ids), 100):
        yield from history.messages(ids[start : start + 100], stop)
