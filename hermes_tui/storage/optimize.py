"""optimize-storage: bring an old or interrupted index into the current form, beside a live Hermes.

Everything is a chain of short transactions, each of which leaves a history that Hermes can use:
the old index is set aside and an empty one put in its place with the markers of a rebuild (a
reader fills the gap by scanning), the rows are copied in chunks, what was set aside is dropped in
pieces, and the file is rewritten without its free pages. The markers are Hermes' own, so a run
that was killed is continued by the next one, by this program or by Hermes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import apsw

from hermes_tui.history import tokenizer
from hermes_tui.storage.chunks import Sleep, Stopped, drop_trash, fill
from hermes_tui.storage.company import writers_elsewhere
from hermes_tui.storage.errors import StorageError, sentences, shown
from hermes_tui.storage.fts import BASE, CJK, TRIGRAM, FtsIndex
from hermes_tui.storage.opening import immediate, open_for_writing
from hermes_tui.storage.plan import (
    FreeSpace,
    Kind,
    Plan,
    file_size,
    free_space,
    is_stale,
    kept_bytes,
    plan,
    plan_for,
    rows_in_index,
)
from hermes_tui.storage.reading import is_external, objects_of, text_in_meta
from hermes_tui.storage.remake import remake

STORAGE_VERSION_KEY = "fts_storage_version"
AVAILABLE_KEY = "fts_optimize_available"
COMPACT_BESIDE_WRITERS = 2_000_000
"""Bytes that may be rewritten while another program has the file open: 0.1 s on a slow disk."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one kind of work is: `done` of `total` (message ids, or tables), after `seconds`."""

    kind: Kind
    done: int
    total: int
    seconds: float

    @property
    def rate(self) -> float:
        """Units a second; 0.0 before the first is done."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def remaining(self) -> float | None:
        """Seconds left at this rate; None while nothing can be said."""
        return (self.total - self.done) / self.rate if self.rate > 0 else None


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did. Sizes are bytes of the file and its log.

    finished: False when it was stopped, or was a dry run with something to do. indexed: rows
    copied into indexes. compacted: whether the file was rewritten. unindexed: rows that an index
    still lacks, by index. note: a sentence worth saying, or ''.
    """

    plan: Plan
    finished: bool
    size_before: int
    size_after: int
    seconds: float
    indexed: int = 0
    compacted: bool = False
    unindexed: tuple[tuple[str, int], ...] = ()
    note: str = ""


def optimize(
    path: str,
    *,
    dry_run: bool = False,
    vacuum: bool = True,
    cjk: bool = True,
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
    free: FreeSpace = free_space,
    sleep: Sleep = time.sleep,
) -> Report:
    """Do what `plan` says, or with `dry_run` only say it.

    `stop` is asked between transactions; the next run goes on where one stopped. Raises
    HistoryError when the file cannot be written or there is not enough free space.
    """
    made = plan(path, cjk=cjk, vacuum=vacuum, free=free)
    if dry_run or not made.steps:
        return Report(made, not made.steps, made.size, made.size, 0.0, note=made.note)
    _require_space(made)
    began = time.perf_counter()
    connection = open_for_writing(path)
    try:
        with sentences(path):
            run = _Run(connection, path, progress, stop, sleep)
            finished = run.all(cjk=cjk, vacuum=vacuum)
            unindexed = _unindexed(connection)
    finally:
        connection.close()
    return Report(
        made,
        finished,
        size_before=made.size,
        size_after=file_size(path),
        seconds=time.perf_counter() - began,
        indexed=run.indexed,
        compacted=run.compacted,
        unindexed=unindexed,
        note=f"{made.note} {run.note}".strip(),
    )


def _require_space(made: Plan) -> None:
    if made.fits:
        return
    lacks_beside = made.needed > made.free
    needed, free, where = (
        (made.needed, made.free, "beside the history")
        if lacks_beside
        else (made.needed_temporary, made.free_temporary, f"in {shown(made.temporary_folder)}")
    )
    hint = " `--no-vacuum` needs less." if made.has("compact") else ""
    raise StorageError(
        f"This needs up to {megabytes(needed)} of free space {where}, and there are"
        f" {megabytes(free)}. Nothing was changed.{hint}"
    )


def megabytes(octets: int) -> str:
    """Bytes for people: `12.3 MB`."""
    return f"{octets / 1e6:,.1f} MB"


class _Run:
    """One run over an open connection."""

    def __init__(
        self,
        connection: apsw.Connection,
        path: str,
        progress: Callable[[Progress], None],
        stop: Callable[[], bool],
        sleep: Sleep,
    ) -> None:
        self._db, self._path = connection, path
        self._progress, self._stop, self._sleep = progress, stop, sleep
        self._version_at_start = self._data_version()
        self.indexed = 0
        self.compacted = False
        self.note = ""

    def all(self, *, cjk: bool, vacuum: bool) -> bool:
        """Do everything; False when it was stopped before the end."""
        kind = tokenizer.register(self._db)
        try:
            self._convert(kind, cjk=cjk)
            self._fill((BASE, TRIGRAM), "index")
            if cjk and kind and self._words_are_sound():
                self._fill((CJK,), "words")
            drop_trash(self._db, self._reporter("clean"), self._stop, self._sleep)
        except Stopped:
            return False
        self._stamp()
        if vacuum and self._plan(kind, cjk=cjk, vacuum=True).has("compact"):
            if self._stop():
                return False
            self._compact()
        return True

    def _plan(self, kind: str | None, *, cjk: bool, vacuum: bool) -> Plan:
        return plan_for(self._db, self._path, kind, cjk=cjk, vacuum=vacuum)

    def _words_are_sound(self) -> bool:
        return is_external(objects_of(self._db), CJK) and not is_stale(self._db)

    def _convert(self, kind: str | None, *, cjk: bool) -> None:
        """Put new, empty indexes in the place of old, stale or incomplete ones."""
        made = self._plan(kind, cjk=cjk, vacuum=False)
        if made.remakes("convert"):
            self._remake(BASE)
        if made.remakes("words"):
            self._remake(CJK)

    def _remake(self, index: FtsIndex) -> None:
        if self._stop():
            raise Stopped
        with immediate(self._db):
            remake(self._db, index.markers)

    def _fill(self, indexes: tuple[FtsIndex, ...], kind: Kind) -> None:
        self.indexed += fill(self._db, indexes, self._reporter(kind), self._stop, self._sleep)

    def _reporter(self, kind: Kind) -> Callable[[int, int], None]:
        began = time.perf_counter()

        def report(done: int, total: int) -> None:
            self._progress(Progress(kind, done, total, time.perf_counter() - began))

        return report

    def _has_company(self) -> bool:
        """Whether another process writes: has the file open, or where that is hidden, wrote."""
        elsewhere = writers_elsewhere(self._path)
        return self._changed_by_others() if elsewhere is None else elsewhere

    def _changed_by_others(self) -> bool:
        return self._data_version() != self._version_at_start

    def _data_version(self) -> int:
        return int(str(self._db.execute("PRAGMA data_version").get))

    def _stamp(self) -> None:
        """Leave the marks Hermes leaves, so that it does not offer the same work again."""
        with immediate(self._db):
            if text_in_meta(self._db, STORAGE_VERSION_KEY) in ("", "0"):
                self._db.execute(
                    "INSERT OR REPLACE INTO state_meta VALUES (?, '1')", (STORAGE_VERSION_KEY,)
                )
            self._db.execute("DELETE FROM state_meta WHERE key = ?", (AVAILABLE_KEY,))

    def _compact(self) -> None:
        held = kept_bytes(self._db)
        if held > COMPACT_BESIDE_WRITERS and self._has_company():
            self.note = (
                "The file was not rewritten without its free pages, because another program has"
                f" it open for writing and would have to wait while {megabytes(held)} are copied."
                " Run this again when Hermes has ended; everything else is done."
            )
            return
        report = self._reporter("compact")
        report(0, 1)
        try:
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except (apsw.BusyError, apsw.LockedError):
            self.note = (
                "The file could not be rewritten without its free pages, because another program"
                " holds it. Run this again to do that; everything else is done."
            )
            return
        self.compacted = True
        report(1, 1)


def _unindexed(connection: apsw.Connection) -> tuple[tuple[str, int], ...]:
    objects = objects_of(connection)
    present = [i for i in (BASE, TRIGRAM, CJK) if is_external(objects, i)]
    return tuple((i.name, rows_in_index(connection, i)[0]) for i in present)
