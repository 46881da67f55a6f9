"""Every row a query tree holds for: an index first, then a scan of what it cannot answer for.

The tree's meaning (recall/meaning.py) decides; an index is believed only for rows whose text it
holds as it is. The scan is cut into slices, so that it can be stopped and its findings shown
while it runs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.layout import Layout, Markers
from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.compile import (
    HIDING,
    base_match,
    bigram_match,
    necessary,
    tokens_match,
    trigram_match,
)
from hermes_tui.recall.coverage import Coverage, Kind, coverage
from hermes_tui.recall.meaning import Document, fields_of, matches
from hermes_tui.recall.outcome import Notice
from hermes_tui.recall.query import Node, Without, all_terms
from hermes_tui.recall.routes import Candidate, candidate_columns, decoded_candidates
from hermes_tui.recall.rowflags import SLICE_IDS, flags_of

VERIFY_FIRST = 400
"""Doubtful index rows read before the first answer is shown; the rest belong to the scan."""
SHOW_FIRST_SECONDS = 0.25
"""How long a scan looks before it shows what it has found; each next time twice as long."""


@dataclass(slots=True)
class Rows:
    """What has been found so far. scanned/to_scan: message ids covered by the scan, and to be."""

    found: dict[int, Candidate] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)
    complete: bool = False
    scanned: int = 0
    to_scan: int = 0
    by_scan: set[int] = field(default_factory=set)
    gaps: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(slots=True)
class _Search:
    history: History
    node: Node
    markers: Markers
    stop: Stop | None
    rows: Rows = field(default_factory=Rows)
    doubtful: list[Candidate] = field(default_factory=list)

    @property
    def layout(self) -> Layout:
        return self.history.layout


def find_rows(
    history: History, node: Node, markers: Markers, stop: Stop | None = None
) -> Iterator[Rows]:
    """Find every row the tree holds for, whatever its role, source or visibility.

    Yields the same Rows after the index has answered, whenever a scan has found more for a while,
    and at the end with `complete` true. Raises Interrupted when `stop` turns true.
    """
    run = _Search(history, node, markers, stop)
    known = _ask_index(run)
    run.rows.notices = known.notices
    _settle(run, run.doubtful[:VERIFY_FIRST])
    left = run.doubtful[VERIFY_FIRST:]
    yield run.rows
    for start in range(0, len(left), VERIFY_FIRST):
        _settle(run, left[start : start + VERIFY_FIRST])
    yield from _scan(run, known)
    run.rows.complete = True
    yield run.rows


def _ask_index(run: _Search) -> Coverage:
    """Put the index's rows into found or doubtful; the coverage says what is left to scan."""
    first: Coverage | None = None
    for kind, match, exact in questions(run.node, run.layout, run.markers):
        known = coverage(run.history, kind, run.markers)
        first = first or known
        if not known.usable:
            continue
        try:
            rows = run.history.rows(*_index_statement(run, kind, match, exact), run.stop)
        except (QueryError, DamagedError) as error:
            notice = Notice(
                "index_damaged",
                f"The search index cannot answer ({error}); messages are scanned instead.",
            )
            first = Coverage(kind, False, (), (notice,))
            continue
        for candidate, (*_, doubt) in decoded_candidates(run.history, rows):
            if doubt:
                run.doubtful.append(candidate)
            else:
                run.rows.found[candidate.message_id] = candidate
        return known
    fallback = coverage(run.history, "none", run.markers)
    return Coverage("none", False, fallback.gaps, first.notices if first else ())


def questions(node: Node, layout: Layout, markers: Markers) -> Iterator[tuple[Kind, str, bool]]:
    """(index, MATCH text, whether its rows may be believed) in the order to ask."""
    if not any(term.has_cjk for term in all_terms(node)):
        exact = base_match(node)
        match = exact or tokens_match(node)
        if match:
            yield "base", match, bool(exact)
        return
    served = not markers.cjk_stale and markers.cjk_rebuild is None
    if served and layout.cjk.servable:
        match = bigram_match(node)
        if match:
            yield "cjk", match, False
    match = trigram_match(node)
    if match and layout.trigram.servable:
        yield "trigram", match, False


def _index_statement(run: _Search, kind: Kind, match: str, exact: bool) -> tuple[str, list[object]]:
    layout = run.layout
    table = {"base": layout.base, "cjk": layout.cjk, "trigram": layout.trigram}[kind].name
    doubt = _doubt(run) if exact else "1"
    sql = (
        f"select {candidate_columns(layout, 'f.rank')}, {doubt} from {table} f "
        f"join messages m on m.id = f.rowid where f.{table} match ? order by f.rank"
    )
    return sql, [match]


def _doubt(run: _Search) -> str:
    """SQL that holds for a matched row whose indexed text is not just its readable text."""
    layout = run.layout
    parts = ["instr(m.content, char(0)) > 0"]
    if "tool_calls" in layout.message_columns:
        parts.append("m.tool_calls <> ''")
    if layout.base.form == "inline" and "tool_name" in layout.message_columns:
        parts.append("m.tool_name <> ''")  # an inline row's phrase may run into the tool's name
    if _has_not(run.node):
        # What NOT excludes may stand where the index does not see it: beside CJK, cut off.
        parts += ["octet_length(m.content) <> length(m.content)", "m.role = 'tool'"]
    return f"coalesce({' or '.join(parts)}, 0)"


def _has_not(node: Node) -> bool:
    if isinstance(node, Without):
        return True
    return any(_has_not(child) for child in getattr(node, "nodes", ()))


def _settle(run: _Search, candidates: list[Candidate]) -> set[int]:
    """Read doubtful rows and keep those the tree holds for; which those are."""
    wanted = {c.message_id: c for c in candidates if not _is_decided(run, c.message_id)}
    kept = set()
    for message in run.history.messages(list(wanted), run.stop):
        if matches(run.node, Document(fields_of(message))):
            run.rows.found[message.id] = wanted[message.id]
            kept.add(message.id)
        else:
            run.rows.refused.add(message.id)
    return kept


def _is_decided(run: _Search, message_id: int) -> bool:
    return message_id in run.rows.found or message_id in run.rows.refused


def _scan(run: _Search, known: Coverage) -> Iterator[Rows]:
    """Look at the rows of the gaps, newest first, slice by slice."""
    top = run.history.rows("select max(id) from messages")[0][0] or 0
    run.rows.gaps = tuple(gap.name for gap in known.gaps)
    run.rows.to_scan = top
    shown, wait = time.monotonic(), SHOW_FIRST_SECONDS
    for number in reversed(range(-(-top // SLICE_IDS))):
        for batch in _batches(run, known, number):
            run.rows.by_scan |= _settle(run, batch)
            if time.monotonic() - shown > wait:
                yield run.rows
                shown, wait = time.monotonic(), wait * 2
        run.rows.scanned = top - number * SLICE_IDS


def _batches(run: _Search, known: Coverage, number: int) -> Iterator[list[Candidate]]:
    """Rows of one slice's gaps that may match, in pieces small enough to read at once."""
    start = number * SLICE_IDS
    within = [start, start + SLICE_IDS]
    bits = flags_of(run.history).of_slice(run.history, number, run.stop)
    inside = _gap_ids(run, known, start, bits)
    condition, values = necessary(run.node, run.layout)
    select = f"select {candidate_columns(run.layout, '0.0')} from messages m where"
    plain = run.history.rows(
        f"{select} m.id > ? and m.id <= ? and ({condition})", [*within, *values], run.stop
    )
    likely = {c.message_id: c for c, _ in decoded_candidates(run.history, plain)}
    likely = {i: c for i, c in likely.items() if i in inside}
    # Rows whose match the condition cannot see are read whatever it says.
    hiding = [i for i in inside if bits[i - start - 1] & HIDING and i not in likely]
    unseen = [i for i in hiding if not _is_decided(run, i)]
    rows = run.history.rows_among(f"{select} m.id in (@ids)", unseen, stop=run.stop)
    likely |= {c.message_id: c for c, _ in decoded_candidates(run.history, rows)}
    todo = [c for i, c in sorted(likely.items(), reverse=True) if not _is_decided(run, i)]
    for place in range(0, len(todo), VERIFY_FIRST):
        yield todo[place : place + VERIFY_FIRST]


def _gap_ids(run: _Search, known: Coverage, start: int, bits: bytearray) -> set[int]:
    """The ids of a slice that the index cannot answer for."""
    if known.whole:
        return set(range(start + 1, start + SLICE_IDS + 1))
    flags = known.flags
    inside = {start + place + 1 for place, bit in enumerate(bits) if bit & flags}
    for gap in known.gaps:
        if gap.where:
            sql = f"select m.id from messages m where m.id > ? and m.id <= ? and ({gap.where})"
            values = [start, start + SLICE_IDS, *gap.params]
            inside.update(row[0] for row in run.history.rows(sql, values, run.stop))
    return inside
