"""One query by several rules side by side: who ranks which lineage where."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hermes_tui.history.errors import HistoryError, QueryError
from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.discovery import Ask, Discovery, discover
from hermes_tui.recall.outcome import Route
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.policy import AGENT_ROLES, HERMES, HERMES_0_19, HERMES_0_21, THOROUGH, Policy
from hermes_tui.text.clean import clean_line

DEPTH = 10
"""Lineages of a column that are compared."""

DEFAULT_COLUMNS = ("agent", "thorough")


@dataclass(frozen=True, slots=True)
class Cell:
    """A lineage in a column. rank from 1; session and message: what speaks for it there."""

    rank: int
    root: str
    session_id: str
    message_id: int | None


@dataclass(frozen=True, slots=True)
class Column:
    """One set of rules. cells: the lineages it finds, best first.

    problem: why it cannot answer, a clean sentence. elapsed_ms: milliseconds of its search.
    """

    name: str
    route: str
    cells: tuple[Cell, ...]
    problem: str
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class Row:
    """A lineage across the columns. moves: ranks won against the first column (negative: lost).

    only: the name of the only column that has it at all, else ''.
    """

    root: str
    title: str | None
    source: str
    ranks: tuple[int | None, ...]
    moves: tuple[int | None, ...]
    only: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Columns side by side. rows: lineages among the first `depth` of any.

    overlaps: for each column, what it and the first one have in common (see `overlap`) among
    the first `limit`, and among the first `depth`.
    """

    query: str
    limit: int
    depth: int
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    overlaps: tuple[tuple[float, float], ...]


_Reader = Callable[[History, Ask, Stop | None], tuple[str, list[Cell], str]]


def compare(
    history: History,
    query: str,
    ask: Ask,
    columns: Sequence[str] = DEFAULT_COLUMNS,
    *,
    depth: int = DEPTH,
    stop: Stop | None = None,
) -> Comparison:
    """The same call by the rules of each column; the first is what the others are held against.

    Raises HistoryError for a column that there is not, Interrupted when `stop` turns true.
    """
    names = list(dict.fromkeys(_named(name) for name in columns)) or list(DEFAULT_COLUMNS)
    depth = max(depth, ask.limit)
    made = tuple(_column(history, query, ask, name, stop) for name in names)
    base = made[0]
    overlaps = tuple(
        (overlap(base, column, ask.limit), overlap(base, column, depth)) for column in made
    )
    return Comparison(query, ask.limit, depth, made, _rows(history, made, depth), overlaps)


def _named(name: str) -> str:
    wanted = _ALIASES.get(name.strip().lower(), name.strip().lower())
    if wanted not in COLUMNS:
        raise HistoryError(
            f"There is no column '{clean_line(name, 40)}'. Columns: {', '.join(COLUMNS)}."
        )
    return wanted


def _column(history: History, query: str, ask: Ask, name: str, stop: Stop | None) -> Column:
    started = time.perf_counter()
    reader = _thorough if name == THOROUGH.name else COLUMNS[name]
    try:
        asked = replace(ask, query=query) if name == THOROUGH.name else ask
        route, cells, problem = reader(history, asked, stop)
    except (HistoryError, QueryError) as error:
        route, cells, problem = "", [], str(error)
    took = (time.perf_counter() - started) * 1_000
    return Column(name, route, tuple(cells), problem, took)


def _by_policy(policy: Policy, **changes: object) -> _Reader:
    def read(history: History, ask: Ask, stop: Stop | None) -> tuple[str, list[Cell], str]:
        changed = replace(ask, **changes)  # type: ignore[arg-type]
        reading = discover(history, changed, policy, stop)
        return reading.matches.route, _cells(reading), _problem(reading)

    return read


def _cells(reading: Discovery) -> list[Cell]:
    return [
        Cell(
            rank,
            found.root,
            found.session_id,
            found.candidate.message_id if found.candidate else None,
        )
        for rank, found in enumerate(reading.found, start=1)
    ]


def _problem(reading: Discovery) -> str:
    if reading.matches.unreadable:
        return f"It cannot read the query: {clean_line(reading.matches.unreadable, 120)}."
    return ""


def _thorough(history: History, ask: Ask, stop: Stop | None) -> tuple[str, list[Cell], str]:
    """What this program finds; like its own search it looks in every role unless told."""
    outcome = search(
        history,
        ask.query,
        policy=THOROUGH,
        limit=ask.limit,
        sort=ask.sort,
        roles=None if ask.roles == AGENT_ROLES else ask.roles,
        current_session=ask.current_session,
        stop=stop,
    )
    cells = [Cell(hit.rank, hit.root, hit.session_id, hit.message_id) for hit in outcome.lineages]
    return outcome.route, cells, ""


def _forced(route: Route) -> _Reader:
    return _by_policy(HERMES, route=route)


COLUMNS: dict[str, _Reader] = {
    "agent": _by_policy(HERMES),
    "thorough": _thorough,
    "hermes-0.19": _by_policy(HERMES_0_19),
    "hermes-0.21": _by_policy(HERMES_0_21),
    "fts5": _forced("fts5"),
    "trigram": _forced("trigram"),
    "fts_cjk": _forced("fts_cjk"),
    "like_scan": _forced("like_scan"),
    "newest": _by_policy(HERMES, sort="newest"),
}
"""Every column by its name."""

_ALIASES = {"hermes": "agent", "hermes-2026-08": "agent"}


def overlap(first: Column, second: Column, at: int) -> float:
    """The share of lineages two columns have in common among their first `at`, 0 to 1.

    Of the longer of the two lists, so that a column that finds little is not taken for alike; two
    empty ones are alike.
    """
    one = {cell.root for cell in first.cells[:at]}
    other = {cell.root for cell in second.cells[:at]}
    longer = max(len(one), len(other))
    return len(one & other) / longer if longer else 1.0


def _rows(history: History, columns: Sequence[Column], depth: int) -> tuple[Row, ...]:
    """Lineages near the top of any column, in the order of the first that has them."""
    sessions = history.families().sessions
    ranked = [{cell.root: cell.rank for cell in column.cells} for column in columns]
    rows = []
    for root in dict.fromkeys(cell.root for column in columns for cell in column.cells[:depth]):
        ranks = tuple(known.get(root) for known in ranked)
        having = [c.name for c, rank in zip(columns, ranks, strict=True) if rank is not None]
        session = sessions.get(root)
        rows.append(
            Row(
                root,
                session.title if session else None,
                session.source if session else "",
                ranks,
                tuple(_moved(ranks[0], rank) for rank in ranks),
                having[0] if len(having) == 1 and len(columns) > 1 else "",
            )
        )
    return tuple(rows)


def _moved(base: int | None, rank: int | None) -> int | None:
    return None if base is None or rank is None else base - rank
