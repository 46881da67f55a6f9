"""How much each unit of a query matches alone, and what other readings of it would find.

Rows are always exact. Lineages are counted over the first LINEAGES_FROM rows of an index, so that
a word of every second message does not cost more than the search did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.reader import History
from hermes_tui.history.rows import text_of
from hermes_tui.history.statements import Stop
from hermes_tui.recall.explain.units import Asked, Node, holds, leaves, without
from hermes_tui.recall.routes import like_token

LINEAGES_FROM = 1_000


@dataclass(frozen=True, slots=True)
class Count:
    """Rows, and the lineages they stand in; at_least: there may be more lineages."""

    rows: int = 0
    lineages: int = 0
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class UnitCount:
    """A unit alone, and the query without it.

    alone: None when the index cannot read the unit. without: None for the only unit, and where
    there is no expression to take it from.
    """

    text: str
    negative: bool
    idle: bool
    alone: Count | None
    without: Count | None


class Counter:
    """Counts over the rows of one plan, before any rule."""

    def __init__(self, history: History, asked: Asked, stop: Stop | None = None) -> None:
        self.history, self.asked, self.stop = history, asked, stop
        self._known: dict[str, Count | None] = {}
        self._scanned: list[tuple[str, tuple[bool, ...], int]] | None = None

    def of_match(self, match: str) -> Count | None:
        """What MATCH text finds in the plan's index; None when the index cannot read it."""
        if match not in self._known:
            try:
                self._known[match] = self._count(match)
            except (QueryError, DamagedError):
                self._known[match] = None
        return self._known[match]

    def _count(self, match: str) -> Count:
        table = self.asked.plan.table
        found = self.history.rows(
            "select cast(m.session_id as blob), count(*) from messages m join "
            f"(select rowid as id from {table} where {table} match ? limit ?) f on f.id = m.id "
            "group by m.session_id",
            (match, LINEAGES_FROM + 1),
            self.stop,
        )
        roots = self._roots(text_of(row[0]) or "" for row in found)
        rows = sum(row[1] for row in found)
        if rows <= LINEAGES_FROM:
            return Count(rows, len(roots))
        sql = f"select count(*) from {table} where {table} match ?"
        return Count(int(self.history.rows(sql, (match,), self.stop)[0][0]), len(roots), True)

    def of_node(self, node: Node) -> Count | None:
        """What a part of the expression finds."""
        if self.asked.plan.route == "like_scan":
            return self._of_scan(node)
        return self.of_match(self.asked.match_text(node))

    def unit_counts(self) -> tuple[UnitCount, ...]:
        """Every unit of the query, in order."""
        alone = [
            Count() if unit.idle else self.of_node(place)
            for place, unit in enumerate(self.asked.units)
        ]
        bad = {place for place, count in enumerate(alone) if count is None}
        return tuple(
            UnitCount(
                unit.text,
                unit.negative,
                unit.idle,
                alone[place],
                self._without(place) if not bad or place in bad else None,
            )
            for place, unit in enumerate(self.asked.units)
        )

    def _without(self, place: int) -> Count | None:
        """What is found when one unit had not been written."""
        node = self.asked.node
        if node is None or place not in set(leaves(node)):
            return None
        rest = without(node, place)
        return self.of_node(rest) if rest is not None else None

    def _of_scan(self, node: Node) -> Count:
        """From one scan for all tokens at once: rows by session and by the tokens they hold."""
        if self._scanned is None:
            self._scanned = _scan(self.history, self.asked, self.stop)
        rows = 0
        sessions = []
        for session_id, tokens, number in self._scanned:
            if holds(node, tokens.__getitem__):
                rows += number
                sessions.append(session_id)
        return Count(rows, len(self._roots(sessions)))

    def _roots(self, session_ids: Iterable[str]) -> set[str]:
        families = self.history.families()
        return {families.root(s) for s in session_ids if s in families.sessions}


def _scan(
    history: History, asked: Asked, stop: Stop | None
) -> list[tuple[str, tuple[bool, ...], int]]:
    tests: list[str] = []
    values: list[str] = []
    for token in asked.plan.tokens:
        condition, patterns = like_token(token, history.layout)
        tests.append(f"coalesce({condition}, 0) as t{len(tests)}")
        values += patterns
    names = [f"t{place}" for place in range(len(tests))]
    if not names:
        return []
    # The limit keeps SQLite from merging the two selects and testing every row several times.
    inner = f"select m.session_id as s, {', '.join(tests)} from messages m limit -1"
    rows: Sequence[tuple[object, ...]] = history.rows(
        f"select cast(s as blob), {', '.join(names)}, count(*) from ({inner}) "
        f"where {' or '.join(names)} group by s, {', '.join(names)}",
        values,
        stop,
    )
    return [
        (text_of(row[0]) or "", tuple(bool(cell) for cell in row[1:-1]), int(str(row[-1])))
        for row in rows
    ]
