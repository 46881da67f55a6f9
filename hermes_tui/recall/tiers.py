"""Exact matches first, then looser readings of the query, each row labelled with its own.

A token that carries its meaning in symbols means rows that hold it literally; its words come
after them ("loose"). Only when nothing matches: pieces of words ("substring"), then the words
OR-ed ("relaxed"); never for a query with OR or NOT.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from hermes_tui.history.layout import Markers
from hermes_tui.history.reader import IDS_PER_STATEMENT, History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.meaning import fields_of
from hermes_tui.recall.outcome import Notice
from hermes_tui.recall.query import Group, Node, Query, Term, Without
from hermes_tui.recall.routes import (
    LEAST_TRIGRAM,
    Candidate,
    candidate_columns,
    decoded_candidates,
    escape_like,
)
from hermes_tui.recall.thorough import Rows, find_rows
from hermes_tui.text.fold import folded

PIECE_ROWS = 2_000
"""Rows read when looking for pieces of words; a notice says so when there are more."""


@dataclass(slots=True)
class Tiers:
    """Rows by message id, with the label of the reading that found them ('' for exact).

    by_scan: those that no index has found.
    """

    rows: dict[int, Candidate] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    complete: bool = False
    scanned: int = 0
    to_scan: int = 0
    by_scan: set[int] = field(default_factory=set)
    gaps: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    def take(self, found: dict[int, Candidate], label: str) -> None:
        """Add rows that no closer reading has found."""
        for message_id, candidate in found.items():
            if message_id not in self.rows:
                self.rows[message_id] = candidate
                self.labels[message_id] = label


def find_tiers(
    history: History, query: Query, markers: Markers, stop: Stop | None = None
) -> Iterator[Tiers]:
    """Find rows reading by reading; yields the same Tiers as more is found, complete at last."""
    tiers = Tiers()
    if query.node is None:
        tiers.complete = True
        yield tiers
        return
    yield from _run(history, query.node, "", tiers, markers, stop)
    loose = loosened(query.node) if query.has_literals else None
    if loose is not None:
        yield from _run(history, loose, "loose", tiers, markers, stop)
    if not tiers.rows and not query.has_operators:
        tiers.take(_pieces(history, query, tiers, stop), "substring")
        relaxed = relaxed_node(loose or query.node)
        if not tiers.rows and relaxed is not None:
            yield from _run(history, relaxed, "relaxed", tiers, markers, stop)
    tiers.complete = True
    yield tiers


def _run(
    history: History,
    node: Node,
    label: str,
    tiers: Tiers,
    markers: Markers,
    stop: Stop | None,
) -> Iterator[Tiers]:
    rows = Rows()
    for rows in find_rows(history, node, markers, stop):
        tiers.take(rows.found, label)
        tiers.by_scan |= rows.by_scan
        tiers.scanned, tiers.to_scan, tiers.gaps = rows.scanned, rows.to_scan, rows.gaps
        tiers.notices = rows.notices
        if not rows.complete:
            yield tiers


def loosened(node: Node) -> Node | None:
    """The tree with the words of its literals in their place; None when nothing is left."""
    if isinstance(node, Term):
        if node.literal is None:
            return node
        return replace(node, literal=None) if node.tokens else None
    if isinstance(node, Without):
        wanted, unwanted = loosened(node.wanted), loosened(node.unwanted)
        if wanted is None or unwanted is None:
            return wanted
        return Without(wanted, unwanted)
    kept = [child for child in map(loosened, node.nodes) if child is not None]
    if not kept:
        return None
    return kept[0] if len(kept) == 1 else Group(node.operator, tuple(kept))


def relaxed_node(node: Node) -> Node | None:
    """The words of a query OR-ed, phrases whole; None for a single one."""
    if not isinstance(node, Group):
        return None
    return Group("OR", node.nodes)


def _pieces(
    history: History, query: Query, tiers: Tiers, stop: Stop | None
) -> dict[int, Candidate]:
    """Rows that hold every term inside longer words, case aside."""
    terms = [term.typed for term in query.terms]
    if not terms or any(len(term) < LEAST_TRIGRAM for term in terms):
        return {}
    layout = history.layout
    columns = [c for c in ("content", "tool_name", "tool_calls") if c in layout.message_columns]
    each = " or ".join(f"m.{column} like ? escape '\\'" for column in columns)
    values = [f"%{escape_like(term)}%" for term in terms for _ in columns]
    where = " and ".join(f"({each})" for _ in terms)
    sql = (
        f"select {candidate_columns(layout, '0.0')} from messages m where {where} "
        "order by m.id desc limit ?"
    )
    rows = history.rows(sql, [*values, PIECE_ROWS + 1], stop)
    found = {row[0]: candidate for candidate, row in decoded_candidates(history, rows)}
    if len(rows) > PIECE_ROWS:
        tiers.notices += (
            Notice(
                "substring_cut",
                f"Only the newest {PIECE_ROWS:,} rows with these pieces are looked at.",
            ),
        )
    wanted = [folded(term).text for term in terms]
    ids = list(found)
    kept = {}
    for start in range(0, len(ids), IDS_PER_STATEMENT):
        for message in history.messages(ids[start : start + IDS_PER_STATEMENT], stop):
            texts = [folded(text).text for text in fields_of(message)]
            if all(any(piece in text for text in texts) for piece in wanted):
                kept[message.id] = found[message.id]
    return kept
