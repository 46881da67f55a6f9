"""A comparison as lines for a terminal: ranks in columns, what moved, what only one has."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.recall.explain.compare import Column, Comparison, Row
from hermes_tui.recall.explain.showing import QUERY_CHARS, Kind, Line
from hermes_tui.text.clean import clean_line

CELL = 13
TITLE_CHARS = 60


def comparison_lines(comparison: Comparison) -> Iterator[Line]:
    """A table of ranks with the title behind, and what the columns have in common below."""
    yield Line(f"query      {clean_line(comparison.query, QUERY_CHARS)}", "key")
    yield Line("")
    yield Line(header_text(comparison), "head")
    for row in comparison.rows:
        yield Line(row_text(comparison, row), row_kind(row))
    if not comparison.rows:
        yield Line("  no column finds anything", "bad")
    yield Line("")
    for place, column in enumerate(comparison.columns):
        yield Line(column_text(comparison, place), "bad" if column.problem else "dim")


def header_text(comparison: Comparison) -> str:
    """The names of the columns over their ranks."""
    return "".join(f"{column.name[:CELL]:<{CELL}} " for column in comparison.columns).rstrip()


def row_text(comparison: Comparison, row: Row) -> str:
    """One lineage: its rank in each column, how far it moved, and its title."""
    cells = [cell_text(comparison, row, place) for place in range(len(comparison.columns))]
    title = clean_line(row.title or f"(no title) {row.root}", TITLE_CHARS)
    only = f"  only in {row.only}" if row.only else ""
    return "".join(f"{cell:<{CELL}} " for cell in cells) + f"{title}{only}"


def row_kind(row: Row) -> Kind:
    """Lineages that one column alone has stand out; those that all agree on recede."""
    if row.only:
        return "good"
    return "dim" if all(move == 0 for move in row.moves) else ""


def cell_text(comparison: Comparison, row: Row, place: int) -> str:
    """`2 ▲4`, `3 ▼1`, `5 =`, `7 new`, or `·` where a column does not have the lineage."""
    rank, move = row.ranks[place], row.moves[place]
    if rank is None:
        return "·"
    if place == 0:
        return str(rank)
    if move is None:
        return f"{rank} new"
    return f"{rank} =" if move == 0 else f"{rank} {'▲' if move > 0 else '▼'}{abs(move)}"


def column_text(comparison: Comparison, place: int) -> str:
    """A column's route, size, time, and what it has in common with the first."""
    column: Column = comparison.columns[place]
    if column.problem:
        return f"{column.name}: {clean_line(column.problem, QUERY_CHARS)}"
    total = len(column.cells)
    lineages = f"{total:,} lineage" + ("" if total == 1 else "s")
    text = f"{column.name}: {column.route}, {lineages}, {column.elapsed_ms:.0f} ms"
    if place:
        near, far = comparison.overlaps[place]
        first = comparison.columns[0].name
        text += (
            f"; in common with {first}: {near:.0%} of the first {comparison.limit}, "
            f"{far:.0%} of {comparison.depth}"
        )
    return text
