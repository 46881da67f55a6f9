"""How whole each search index of a history is, counted and never guessed.

What an index holds is counted in its docsize table: a count of the index itself succeeds even
when nothing can be found in it (schema history, 2.8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.layout import Index, Layout, Markers, Rebuild
from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.coverage import finds_samples, indexed_rows

Kind = Literal["base", "trigram", "cjk"]
Condition = Literal["whole", "none", "stale", "damaged", "rebuilding", "incomplete"]
KINDS: tuple[Kind, ...] = ("base", "trigram", "cjk")
EVENTS = ("insert", "delete", "update")


@dataclass(frozen=True, slots=True)
class IndexState:
    """One index. held: rows in it, None when that cannot be told; expected: rows there should be.

    rebuild: the deferred rebuild that has yet to fill it. finds: whether it finds sample words.
    """

    kind: Kind
    index: Index
    held: int | None
    expected: int
    rebuild: Rebuild | None = None
    stale: bool = False
    finds: bool = True

    @property
    def condition(self) -> Condition:
        """In one word; what is worse goes first."""
        if not self.index.present:
            return "none"
        if self.stale:
            return "stale"
        if not self.index.servable or not self.finds or self.held is None:
            return "damaged"
        if self.rebuild is not None:
            return "rebuilding"
        return "whole" if self.held == self.expected else "incomplete"


def index_states(history: History) -> tuple[IndexState, ...]:
    """The base, trigram and CJK index as they are now; cheap enough to be asked again and again."""
    layout, markers = history.layout, history.markers()
    return tuple(_state(history, kind, layout, markers) for kind in KINDS)


def index_of(layout: Layout, kind: Kind) -> Index:
    """The index of a kind."""
    return {"base": layout.base, "trigram": layout.trigram, "cjk": layout.cjk}[kind]


def _state(history: History, kind: Kind, layout: Layout, markers: Markers) -> IndexState:
    index = index_of(layout, kind)
    if not index.present:
        return IndexState(kind, index, None, 0)
    stale = markers.cjk_stale if kind == "cjk" else markers.fts_stale
    rebuild = markers.cjk_rebuild if kind == "cjk" else markers.rebuild
    held: int | None = None
    expected, finds = 0, False
    try:
        held, expected = indexed_rows(history, index)
        finds = not index.servable or stale or finds_samples(history, index, markers)
    except (QueryError, DamagedError):
        pass  # the index, or the view it is made from, is broken: that is what is told
    return IndexState(kind, index, held, expected, rebuild, stale, finds)


@dataclass(frozen=True, slots=True)
class Count:
    """Rows that an index lacks or has too many, one by one.

    awaiting: not in it because a rebuild has yet to reach them. missing: not in it although they
    should be. extra: in it although no message is there for them.
    """

    awaiting: int = 0
    missing: int = 0
    extra: int = 0


def count_rows(history: History, state: IndexState, stop: Stop | None = None) -> Count:
    """Compare an index with the messages row by row: equal numbers may hide different rows."""
    index = state.index
    if state.condition in ("none", "damaged"):
        return Count()
    source = f"{index.name}_src" if index.without_sources else "messages"
    role = "1" if index.tool_rows or index.without_sources else "m.role <> 'tool'"
    docsize = f"{index.name}_docsize"
    low, high = (state.rebuild.progress, state.rebuild.high_water) if state.rebuild else (0, 0)
    absent = (
        f"select count(*), coalesce(sum(m.id > ? and m.id <= ?), 0) from {source} m "
        f"where {role} and not exists (select 1 from {docsize} d where d.id = m.id)"
    )
    without, awaiting = history.rows(absent, (low, high), stop)[0]
    extra = history.rows(
        f"select count(*) from {docsize} d where not exists "
        f"(select 1 from {source} m where m.id = d.id and {role})",
        (),
        stop,
    )[0][0]
    return Count(int(awaiting), int(without) - int(awaiting), int(extra))


def triggers_missing(history: History, index: Index) -> tuple[str, ...]:
    """The events whose trigger an index lacks, so that it does not follow what is written."""
    if not index.present:
        return ()
    there = {
        name
        for (name,) in history.rows(
            "select cast(name as text) from sqlite_master where type = 'trigger'"
        )
    }
    return tuple(event for event in EVENTS if f"{index.name}_{event}" not in there)
