"""Where the units of a query stand, seen from one session or message: here, near, or nowhere.

When an index does not find a unit that a reader would, the stored text says why not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.reader import History
from hermes_tui.history.rows import text_of
from hermes_tui.history.statements import Stop
from hermes_tui.recall.compile import necessary
from hermes_tui.recall.explain.stored import State, stored_state
from hermes_tui.recall.explain.targets import Target
from hermes_tui.recall.explain.traces import Trace, stored_texts
from hermes_tui.recall.explain.units import Asked, Unit
from hermes_tui.recall.query import Term, make_term
from hermes_tui.recall.routes import like_token

READ_ALL = 400
"""A target with more messages is read only where a unit may stand."""
READ_MOST = 200
READ_AT_ONCE = 100


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
    names = {cell: text_of(cell) or "" for cell in {row[1] for row in found}}
    owners = {message_id: names[cell] for message_id, cell in found}
    own = frozenset(i for i, owner in owners.items() if owner == target.session.id)
    rows = own if target.message_id is None else own & {target.message_id}
    return Surroundings(target, rows, owners)


def unit_places(
    history: History, asked: Asked, around: Surroundings, stop: Stop | None = None
) -> list[UnitPlace]:
    """Every unit of the query, in order."""
    found = {
        unit: None if unit.idle else _rows_with(history, asked, unit, around, stop)
        for unit in asked.units
    }
    sought = [
        unit
        for unit, rows in found.items()
        if rows is not None and not unit.negative and not rows & around.rows
    ]
    seen = _look(history, asked, sought, around, stop)
    return [_place_of(unit, found[unit], seen.get(unit), around) for unit in asked.units]


def _place_of(
    unit: Unit, found: set[int] | None, seen: _Seen | None, around: Surroundings
) -> UnitPlace:
    if found is None:
        return UnitPlace(unit, frozenset(), 0, 0, "idle" if unit.idle else "unreadable")
    here = found & around.rows
    own = around.target.session.id
    session = sum(1 for i in found - here if around.owners[i] == own)
    lineage = len(found) - len(here) - session
    if seen is None:
        return UnitPlace(unit, frozenset(here), session, lineage, "here" if here else "missing")
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
    history: History, asked: Asked, units: Sequence[Unit], around: Surroundings, stop: Stop | None
) -> dict[Unit, _Seen]:
    """How units that the route does not find stand in the stored text."""
    terms: dict[Unit, Term] = {}
    for unit in units:
        term = make_term(unit.words, prefix=unit.prefix, phrase=unit.phrase)
        if term is not None:
            terms[unit] = term
    seen = dict.fromkeys(units, _Seen("missing"))
    for unit, ids in _worth_reading(history, terms, around, stop).items():
        for start in range(0, len(ids), READ_AT_ONCE):
            for message in history.messages(ids[start : start + READ_AT_ONCE], stop):
                state = _Seen(*stored_state(history, asked.plan, unit, terms[unit], message))
                if _ORDER.index(state.state) < _ORDER.index(seen[unit].state):
                    seen[unit] = state
    return seen


def _worth_reading(
    history: History, terms: Mapping[Unit, Term], around: Surroundings, stop: Stop | None
) -> dict[Unit, list[int]]:
    """The messages of the target that may hold anything of a term, newest first."""
    kept: dict[Unit, list[int]] = {unit: [] for unit in terms}
    if len(around.rows) > READ_ALL:
        return {unit: _likely(history, term, around, stop) for unit, term in terms.items()}
    traces = {unit: Trace(term, unit.words) for unit, term in terms.items()}
    ids = sorted(around.rows, reverse=True) if terms else []
    for start in range(0, len(ids), READ_AT_ONCE):
        texts = stored_texts(history, ids[start : start + READ_AT_ONCE], stop)
        for unit, trace in traces.items():
            kept[unit] += [i for i, *cells in texts if trace.may_be_in(*cells)]
    return kept


def _likely(history: History, term: Term, around: Surroundings, stop: Stop | None) -> list[int]:
    """The newest messages of a long session in which a term may stand."""
    condition, values = necessary(term, history.layout)
    found = history.rows(
        f"select m.id from messages m where m.session_id = ? and {condition} "
        "order by m.id desc limit ?",
        (around.target.session.id, *values, READ_MOST),
        stop,
    )
    return [row[0] for row in found]
