"""The doctor: what a history's indexes hold, what a search has to scan, and what to do about it.

Read-only, and never a guess: rows are counted, a MATCH is tried, and markers are read as they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.layout import Layout, Markers
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.rows import text_of
from hermes_tui.history.statements import Stop
from hermes_tui.history.tokenizer import Source, attach
from hermes_tui.recall.coverage import Coverage, Kind, coverage
from hermes_tui.recall.findings import Examined, Finding, findings
from hermes_tui.recall.index_state import count_rows, index_states, triggers_missing
from hermes_tui.recall.policy import HERMES
from hermes_tui.recall.query import parse_query
from hermes_tui.recall.routes import cjk_served, plans_for
from hermes_tui.recall.scanned import Scanned, count_scanned
from hermes_tui.recall.shapes import cjk_enabled
from hermes_tui.recall.thorough import questions
from hermes_tui.text.clean import clean_line

MAX_CHECK_LINES = 20

SHAPES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("words", "docker", ()),
    ("CJK, three characters or more", "数据库", ()),
    ("CJK, two characters", "容器", ()),
    ("CJK, a single character", "山", ()),
    ("CJK in tool output", "数据库", ("tool",)),
)
"""Query shapes that take different routes: what they are, an example, the roles asked for."""

_FTS_CHECK = re.compile(r"malformed inverted index for FTS5 table \S*?(messages_fts\w*)")


@dataclass(frozen=True, slots=True)
class Shape:
    """A query shape. route: which index gives the agent its answer, `like_scan` when none does,
    `empty` when it gets none. index: ours, `none` when every message is scanned. scanned: rows
    looked at beside the index. avoidable: whether an index of this history could answer it.
    """

    name: str
    example: str
    route: str
    index: Kind
    scanned: int
    avoidable: bool


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of the file and of the log beside it, and how much of the file is free pages."""

    file: int
    log: int
    free: int


@dataclass(frozen=True, slots=True)
class Health:
    """Everything the doctor says. integrity: the lines of quick_check, None when not asked for."""

    place: Place
    sizes: Sizes
    journal: str
    layout: Layout
    markers: Markers
    sessions: int
    source: Source
    examined: tuple[Examined, ...]
    scanned: Scanned
    shapes: tuple[Shape, ...]
    set_aside: int
    integrity: tuple[str, ...] | None
    findings: tuple[Finding, ...]

    @property
    def todo(self) -> tuple[Finding, ...]:
        """What asks for something to be done."""
        return tuple(finding for finding in self.findings if finding.advice)

    @property
    def remarks(self) -> tuple[Finding, ...]:
        """What is good to know."""
        return tuple(finding for finding in self.findings if not finding.advice)

    @property
    def healthy(self) -> bool:
        """Whether there is nothing to do."""
        return not self.todo


def examine_place(
    place: Place,
    *,
    integrity: bool = False,
    stop: Stop | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Health:
    """Open a history, examine it and close it. HistoryError when it cannot be read."""
    attached: list[Source] = []

    def register(connection: Any) -> str | None:
        attached.append(attach(connection, environ=environ))
        return attached[-1].kind

    with History.open(place, register=register) as history:
        return examine(history, attached[-1], integrity=integrity, stop=stop, environ=environ)


def examine(
    history: History,
    source: Source,
    *,
    integrity: bool = False,
    stop: Stop | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Health:
    """The health of an open history whose connection has the tokenizer of `source`.

    integrity: also let SQLite check the whole file. Reads every message once; Interrupted by
    `stop`.
    """
    layout, markers = history.layout, history.markers()
    examined = tuple(
        Examined(state, count_rows(history, state, stop), triggers_missing(history, state.index))
        for state in index_states(history)
    )
    # A stale index has lost its triggers on purpose.
    examined = tuple(
        Examined(each.state, each.count, ()) if each.state.stale else each for each in examined
    )
    known = _coverages(history, layout, markers, environ)
    scanned = count_scanned(history, list(known.values()), stop)
    set_aside = _set_aside(history)
    checked = quick_check(history, stop) if integrity else None
    found = findings(history.place, layout, markers, examined, source, set_aside)
    return Health(
        place=history.place,
        sizes=_sizes(history),
        journal=str(history.rows("pragma journal_mode")[0][0]),
        layout=layout,
        markers=markers,
        sessions=int(history.rows("select count(*) from sessions")[0][0]),
        source=source,
        examined=examined,
        scanned=scanned,
        shapes=_shapes(history, markers, known, scanned, environ),
        set_aside=set_aside,
        integrity=checked,
        findings=(*found, *_integrity_findings(checked)),
    )


def _coverages(
    history: History, layout: Layout, markers: Markers, environ: Mapping[str, str]
) -> dict[Kind, Coverage]:
    """What each index that is in use can answer for."""
    kinds: tuple[Kind, ...] = ("base", "trigram")
    if cjk_served(layout, markers, HERMES, enabled=cjk_enabled(environ)):
        kinds = (*kinds, "cjk")
    return {kind: _coverage(history, kind, markers) for kind in kinds}


def _coverage(history: History, kind: Kind, markers: Markers) -> Coverage:
    try:
        return coverage(history, kind, markers)
    except (QueryError, DamagedError):
        return coverage(history, "none", markers)


def _shapes(
    history: History,
    markers: Markers,
    known: Mapping[Kind, Coverage],
    scanned: Scanned,
    environ: Mapping[str, str],
) -> tuple[Shape, ...]:
    shapes = []
    for name, example, roles in SHAPES:
        plans = plans_for(
            example, roles, history.layout, markers, HERMES, cjk_enabled=cjk_enabled(environ)
        )
        route: str = plans[0].route
        if route == "fts5" and not history.layout.base.servable:
            route = "empty"
        index = _index_asked(history, example, markers, known)
        beside = scanned.beside.get(index, scanned.messages)
        # A scan is the agent's rule for single characters and for tool output, in any history.
        by_rule = route == "like_scan" and (bool(roles) or len(example) == 1)
        avoidable = route in ("like_scan", "empty") and not by_rule
        shapes.append(Shape(name, example, route, index, beside, avoidable))
    return tuple(shapes)


def _index_asked(
    history: History, example: str, markers: Markers, known: Mapping[Kind, Coverage]
) -> Kind:
    node = parse_query(example, now=0.0).node
    if node is not None:
        for kind, _, _ in questions(node, history.layout, markers):
            if kind in known and known[kind].usable:
                return kind
    return "none"


def _sizes(history: History) -> Sizes:
    page, free = (int(history.rows(f"pragma {p}")[0][0]) for p in ("page_size", "freelist_count"))
    return Sizes(_bytes(history.path), _bytes(f"{history.path}-wal"), page * free)


def _bytes(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _set_aside(history: History) -> int:
    """Tables of an old index that were set aside to be dropped (schema history, 2.7)."""
    sql = "select count(*) from sqlite_master where type = 'table' and name glob 'fts_v22_trash_*'"
    return int(history.rows(sql)[0][0])


def quick_check(history: History, stop: Stop | None = None) -> tuple[str, ...]:
    """What SQLite's quick_check says, `ok` or what is wrong; clean lines."""
    try:
        rows = history.rows(f"pragma quick_check({MAX_CHECK_LINES})", (), stop)
    except (QueryError, DamagedError) as error:
        return (clean_line(str(error), 300),)
    return tuple(clean_line(text_of(line) or "", 300) for (line,) in rows)


def _integrity_findings(checked: tuple[str, ...] | None) -> list[Finding]:
    """Damage that quick_check found.

    SQLite's check of a trigram index compares with how this SQLite would have made it, and
    complains about indexes that an older SQLite made, although they find what they should. Whether
    an index works is told by trying it.
    """
    found = []
    for line in checked or ():
        fts = _FTS_CHECK.search(line)
        if line == "ok":
            continue
        if fts and "trigram" in fts[1]:
            text = (
                f"SQLite's check does not accept {fts[1]}. That is so for every such index that an "
                "older SQLite wrote, and harms nothing while words are found in it."
            )
            found.append(Finding("integrity_remark", text))
        else:
            advice = "Restore a backup, or save what can be read with `sqlite3 FILE .recover`."
            if fts:
                advice = (
                    "Make the index anew: `hermes sessions optimize-storage`, or Hermes itself."
                )
            found.append(Finding("integrity", f"SQLite's check says: {line}", advice))
    return found
