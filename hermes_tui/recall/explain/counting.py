"""How much each unit of a query matches alone, and what other readings of it would find.

Rows are always exact. Lineages are counted over the first LINEAGES_FROM rows of an index, so that
a word of every second message does not cost more than the search did. An index is asked once for
the rows of a unit; what units have in common is told from those, unless one has too many.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.reader import History
from hermes_tui.history.rows import text_of
from hermes_tui.history.statements import Stop
from hermes_tui.recall.explain.units import Asked, Node, holds, is_plain, leaves, without
from hermes_tui.recall.routes import Candidate, like_token

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


@dataclass(frozen=True, slots=True)
class _Rows:
    """What an index finds. ids: None when there are more than LINEAGES_FROM."""

    count: Count
    ids: frozenset[int] | None = None


_NONE = _Rows(Count(), frozenset())


class Counter:
    """Counts over the rows of one plan, before any rule.

    found: every row the plan matches, where a search has just read them; they are not read again.
    """

    def __init__(
        self,
        history: History,
        asked: Asked,
        stop: Stop | None = None,
        found: Sequence[Candidate] | None = None,
    ) -> None:
        self.history, self.asked, self.stop = history, asked, stop
        self._families = history.families()
        self._found = found
        self._owners: dict[int, object] = {}
        self._known: dict[str, _Rows | None] = {}
        if found is not None and asked.node is not None:
            lineages = len(self._roots(row.session_id for row in found))
            self._known[asked.match_text(asked.node)] = _Rows(Count(len(found), lineages))
        self._scanned: list[tuple[str, tuple[bool, ...], int]] | None = None

    def of_match(self, match: str) -> Count | None:
        """What MATCH text finds in the plan's index; None when the index cannot read it."""
        rows = self._rows(match)
        return rows.count if rows else None

    def of_node(self, node: Node) -> Count | None:
        """What a part of the expression finds."""
        if self.asked.plan.route == "like_scan":
            return self._of_scan(node)
        rows = self._rows_of(node)
        return rows.count if rows else None

    def of_phrase(self, phrase: str) -> Count | None:
        """What the units to be found match side by side, as `phrase`."""
        units = [self.asked.units[place] for place in self.asked.positive]
        words = [self._rows(unit.match) for unit in units if not unit.idle and is_plain(unit)]
        small = [rows.ids for rows in words if rows is not None and rows.ids is not None]
        if small and not frozenset.intersection(*small):
            return Count()
        return self.of_match(phrase)

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

    def _rows(self, match: str) -> _Rows | None:
        """The rows of MATCH text, read once; None when the index cannot read it."""
        if match not in self._known:
            try:
                self._known[match] = self._read(match)
            except (QueryError, DamagedError):
                self._known[match] = None
        return self._known[match]

    def _read(self, match: str) -> _Rows:
        table = self.asked.plan.table
        found = self.history.rows(
            "select m.id, cast(m.session_id as blob) from messages m join "
            f"(select rowid as id from {table} where {table} match ? limit ?) f on f.id = m.id",
            (match, LINEAGES_FROM + 1),
            self.stop,
        )
        self._owners.update(found)
        ids = frozenset(row[0] for row in found)
        count = self._count(ids)
        if count.rows <= LINEAGES_FROM:
            return _Rows(count, ids)
        sql = f"select count(*) from {table} where {table} match ?"
        rows = int(self.history.rows(sql, (match,), self.stop)[0][0])
        return _Rows(Count(rows, count.lineages, True))

    def _rows_of(self, node: Node) -> _Rows | None:
        """The rows of a part of the expression: told from those of its units, else read."""
        match = self.asked.match_text(node)
        if isinstance(node, int):
            return _NONE if self.asked.units[node].idle else self._rows(match)
        if match in self._known:
            return self._known[match]
        parts = [self._rows_of(child) for child in node.nodes]
        read = [part for part in parts if part is not None]
        if len(read) < len(parts):
            return None
        needed = {"AND": read, "NOT": read[:1]}.get(node.operator, [])
        if any(not part.count.rows for part in needed):
            return _NONE
        small = [part.ids for part in read if part.ids is not None]
        if len(small) < len(read):
            return self._rows(match)
        ids = small[0]
        if node.operator == "AND":
            ids = ids.intersection(*small)
        else:
            ids = ids.union(*small) if node.operator == "OR" else ids.difference(*small[1:])
        self._known[match] = _Rows(self._count(ids), ids)
        return self._known[match]

    def _count(self, ids: Collection[int]) -> Count:
        cells = set(map(self._owners.__getitem__, ids))
        return Count(len(ids), len(self._roots(text_of(cell) or "" for cell in cells)))

    def _of_scan(self, node: Node) -> Count:
        """From one scan for all tokens at once: rows by session and by the tokens they hold."""
        if self._scanned is None:
            self._scanned = _scan(self.history, self.asked, self._found, self.stop)
        rows = 0
        sessions = []
        for session_id, tokens, number in self._scanned:
            if holds(node, tokens.__getitem__):
                rows += number
                sessions.append(session_id)
        return Count(rows, len(self._roots(sessions)))

    def _roots(self, session_ids: Iterable[str]) -> set[str]:
        families = self._families
        return {families.root(s) for s in set(session_ids) if s in families.sessions}


def _scan(
    history: History, asked: Asked, found: Sequence[Candidate] | None, stop: Stop | None
) -> list[tuple[str, tuple[bool, ...], int]]:
    """(session, which tokens, rows that hold just these); of the rows found, else of all."""
    tokens = asked.plan.tokens
    if found is not None and len(tokens) == 1:
        return [(row.session_id, (True,), 1) for row in found]
    tests: list[str] = []
    values: list[str] = []
    for token in tokens:
        condition, patterns = like_token(token, history.layout)
        tests.append(f"coalesce({condition}, 0) as t{len(tests)}")
        values += patterns
    names = [f"t{place}" for place in range(len(tests))]
    if not names:
        return []
    among = ""
    if found is not None:
        among = "where m.id in (select value from json_each(?))"
        values.append(json.dumps([row.message_id for row in found]))
    # The limit keeps SQLite from merging the two selects and testing every row several times.
    inner = f"select m.session_id as s, {', '.join(tests)} from messages m {among} limit -1"
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
