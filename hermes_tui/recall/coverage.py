"""Which rows an index cannot answer for, so that a scan can look at just those.

An index is trusted for a row only where its text is the row's text: not for JSON in tool calls,
text behind a NUL, words fused with CJK, cut tool output, rows not in it yet, or not any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.layout import Index, Markers, Rebuild
from hermes_tui.history.reader import History
from hermes_tui.recall.outcome import Notice
from hermes_tui.recall.rowflags import ACCENTED, ALL, CALLS, LONG, NUL, RESPELT, SWALLOWED, TOOL

Kind = Literal["base", "cjk", "trigram", "none"]
_SAMPLES = 4
# A word between blanks: every tokenizer keeps it whole.
_SAMPLE_WORD = re.compile(r"(?:^|\s)([A-Za-z]{3,20})(?=\s|$)")
NEARLY_EMPTY = 0.5
"""Below this share of its rows an index is not used at all."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Rows an index cannot answer for: what they are, and which: flags, or SQL on `messages m`.

    whole: every row. A row belongs to the gap if it has one of the flags, or `where` holds.
    """

    name: str
    flags: int = 0
    where: str = ""
    params: tuple[object, ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one index can answer for. usable: whether to ask it at all. gaps: the rest."""

    kind: Kind
    usable: bool
    gaps: tuple[Gap, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def flags(self) -> int:
        """The flags of all gaps."""
        return ALL if self.whole else _union(gap.flags for gap in self.gaps)

    @property
    def whole(self) -> bool:
        """Whether every row has to be scanned."""
        return any(gap.whole for gap in self.gaps)


def _union(flags: Iterable[int]) -> int:
    united = 0
    for bits in flags:
        united |= bits
    return united


EVERYTHING = Gap("every message", whole=True)
_SPECIAL = (Gap("images and other parts", NUL), Gap("tool calls", CALLS))


def coverage(history: History, kind: Kind, markers: Markers) -> Coverage:
    """The rows of a history that the base, CJK or trigram index cannot answer for."""
    layout = history.layout
    if kind == "none":
        return Coverage(kind, False, (EVERYTHING,))
    index = {"base": layout.base, "cjk": layout.cjk, "trigram": layout.trigram}[kind]
    problem = _unusable(history, index, markers)
    if problem is not None:
        return Coverage(kind, False, (EVERYTHING,), (problem,))
    gaps = [*_SPECIAL, *_not_indexed(history, index, markers)]
    if kind == "base":
        gaps.append(Gap("words beside CJK", RESPELT | SWALLOWED))
        if layout.base.form == "external_cut" or markers.tool_full_high_water is not None:
            gaps.append(Gap("long tool output", LONG))
    else:
        spelt = RESPELT | (ACCENTED if kind == "trigram" else 0)
        gaps.append(Gap("other spellings", spelt))
        gaps += _left_out(index)
    return Coverage(kind, True, tuple(gaps))


def _unusable(history: History, index: Index, markers: Markers) -> Notice | None:
    if not index.present:
        return Notice("index_missing", "This history has no such search index; all is scanned.")
    if not index.servable:
        return Notice(
            "index_damaged",
            f"The search index {index.name} cannot be read ({index.problem}); messages are "
            "scanned instead, which is slower.",
        )
    if markers.fts_stale and index.name != history.layout.cjk.name:
        return Notice(
            "index_stale",
            "Hermes marked its search index as stale after damage; messages are scanned instead.",
        )
    if not finds_samples(history, index, markers):
        return Notice(
            "index_damaged",
            f"The search index {index.name} is damaged: it does not find rows it should hold. "
            "Messages are scanned instead, which is slower.",
        )
    held, expected = indexed_rows(history, index)
    rebuild = _rebuild_of(history, index, markers)
    if held is not None and rebuild is None and held < expected * NEARLY_EMPTY:
        return Notice(
            "index_incomplete",
            f"The search index holds {held:,} of {expected:,} messages; all are scanned instead. "
            "`hermes-tui doctor` says what to do.",
        )
    return None


def finds_samples(history: History, index: Index, markers: Markers) -> bool:
    """Whether an index finds a word of most of a few plain rows that it should hold.

    A damaged index may answer with nothing instead of an error.
    """

    def look() -> bool:
        rebuild = _rebuild_of(history, index, markers)
        covered = (
            "1"
            if rebuild is None
            else f"not (m.id > {rebuild.progress} and m.id <= {rebuild.high_water})"
        )
        sql = (
            "select m.id, cast(substr(m.content, 1, 400) as blob) from messages m "
            f"where m.role in ('user', 'assistant') and {covered} "
            "and octet_length(m.content) between 4 and 20000 order by m.id"
        )
        asked = missed = 0
        for row_id, content in history.rows(f"{sql} desc limit {_SAMPLES}") + history.rows(
            f"{sql} limit {_SAMPLES}"
        ):
            word = _SAMPLE_WORD.search(content.decode("utf-8", "replace") if content else "")
            if word is None:
                continue
            asked += 1
            where = f"{index.name} match ? and rowid = ?"
            found = history.rows(
                f"select 1 from {index.name} where {where}", (f'"{word[1]}"', row_id)
            )
            missed += not found
        return missed * 2 <= asked

    if index.without_sources:
        return True  # which rows it holds depends on their sessions
    return history.memo(f"finds_samples {index.name}", look)


def _rebuild_of(history: History, index: Index, markers: Markers) -> Rebuild | None:
    return markers.cjk_rebuild if index.name == history.layout.cjk.name else markers.rebuild


def _not_indexed(history: History, index: Index, markers: Markers) -> list[Gap]:
    gaps = []
    rebuild = _rebuild_of(history, index, markers)
    if rebuild is not None:
        where, values = "m.id > ? and m.id <= ?", (rebuild.progress, rebuild.high_water)
        gaps.append(Gap("messages the rebuild has not reached", 0, where, values))
    held, expected = indexed_rows(history, index)
    if held is not None and held != expected:
        gaps.append(
            Gap(
                "messages missing from the index",
                where=f"not exists (select 1 from {index.name}_docsize d where d.id = m.id)",
            )
        )
    return gaps


def _left_out(index: Index) -> list[Gap]:
    """Rows that a view keeps from an index: tool output, and in newer layouts whole sources."""
    gaps = []
    if not index.tool_rows:
        gaps.append(Gap("tool output", TOOL))
    if index.without_sources:
        marks = ",".join("?" * len(index.without_sources))
        gaps.append(
            Gap(
                "scheduled and delegated sessions",
                0,
                f"m.session_id in (select id from sessions where source in ({marks}) "
                "or parent_session_id is not null)",
                tuple(sorted(index.without_sources)),
            )
        )
    return gaps


def indexed_rows(history: History, index: Index) -> tuple[int | None, int]:
    """(rows in the index, rows that should be in it); None where the index does not count.

    From the index's docsize table: counting the index itself succeeds even when it is unreadable.
    """

    def count() -> tuple[int | None, int]:
        where = "" if index.tool_rows else " where m.role <> 'tool'"
        if index.without_sources:
            source = f"{index.name}_src"
            expected = history.rows(f"select count(*) from {source}")[0][0]
        else:
            expected = history.rows(f"select count(*) from messages m{where}")[0][0]
        try:
            held = history.rows(f"select count(*) from {index.name}_docsize")[0][0]
        except (QueryError, DamagedError):
            return None, int(expected)
        return int(held), int(expected)

    return history.memo(f"indexed_rows {index.name}", count)
