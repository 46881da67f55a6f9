"""What optimize-storage would do to a history, and the free space that takes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import apsw

from hermes_tui.history import tokenizer
from hermes_tui.history.layout import Layout
from hermes_tui.history.opening import open_readonly
from hermes_tui.storage import repair
from hermes_tui.storage.company import words_refusal
from hermes_tui.storage.errors import sentences
from hermes_tui.storage.fts import BASE, CJK, STALE_KEY, TRIGRAM, FtsIndex
from hermes_tui.storage.reading import (
    Objects,
    is_external,
    objects_of,
    rebuild_of,
    text_in_meta,
    trash_tables,
    writable_layout,
)

Kind = Literal["repair", "convert", "index", "words", "clean", "compact"]

# Bytes of index for each byte of indexed text, measured on English prose and code and rounded up.
_INDEX_SHARE = {BASE.name: 0.6, TRIGRAM.name: 4.0, CJK.name: 1.0}
_LOG_BYTES = 16 << 20
_COMPACT_FROM = 0.05
"""The share of free pages from which rewriting the file is worth its time."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to be done.

    what: a sentence for people. rows: how many rows it concerns. remakes: it puts a new, empty
    index in the place of what is there.
    """

    kind: Kind
    what: str
    rows: int = 0
    remakes: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done to `path`. All sizes are bytes.

    needed: free space beside the file; needed_temporary: in the folder SQLite uses for temporary
    files, when that is on another disk. tokenizer: 'c', 'python' or None. note: why something is
    not done that could be, or ''.
    """

    path: str
    steps: tuple[Step, ...]
    size: int
    needed: int
    free: int
    needed_temporary: int
    free_temporary: int
    temporary_folder: str
    tokenizer: str | None
    note: str = ""

    @property
    def fits(self) -> bool:
        """Whether there is room for all of it."""
        return self.needed <= self.free and self.needed_temporary <= self.free_temporary

    def has(self, kind: Kind) -> bool:
        """Whether a step of this kind is in it."""
        return any(step.kind == kind for step in self.steps)

    def remakes(self, kind: Kind) -> bool:
        """Whether a step of this kind puts a new, empty index in place."""
        return any(step.kind == kind and step.remakes for step in self.steps)


FreeSpace = Callable[[str], int]


def free_space(folder: str) -> int:
    """Free bytes for this user on the disk of `folder`."""
    return shutil.disk_usage(folder).free


def plan(path: str, *, cjk: bool = True, vacuum: bool = True, free: FreeSpace = free_space) -> Plan:
    """Look at the file, read-only, and say what optimize-storage would do to it.

    cjk: also make or rebuild the index for two-character words. vacuum: also give free pages
    back. Raises HistoryError when it is no history, or newer than what can be written.
    """
    opened = open_readonly(path)
    try:
        kind = tokenizer.register(opened.connection)
        with sentences(path):
            return plan_for(opened.connection, path, kind, cjk=cjk, vacuum=vacuum, free=free)
    finally:
        opened.connection.close()
        opened.cleanup()


def plan_for(
    connection: apsw.Connection,
    path: str,
    kind: str | None,
    *,
    cjk: bool,
    vacuum: bool,
    free: FreeSpace = free_space,
) -> Plan:
    """The plan as seen by an open connection; kind: the CJK tokenizer it knows."""
    layout = writable_layout(connection, path)
    repairs = repair.find(connection, layout, tokenizer=kind is not None)
    words, note = _allowed_words(connection, path, layout) if cjk and kind else ([], "")
    work = [*_base(connection, repairs), *words]
    steps = [*(Step("repair", f"repair: {each.what}") for each in repairs), *work]
    sizes = _Sizes.of(connection)
    if _leaves_trash(objects_of(connection), work):
        steps.append(Step("clean", "drop the parts of old indexes"))
    cleans = any(step.kind == "clean" for step in steps)
    if vacuum and (cleans or sizes.free_share > _COMPACT_FROM):
        steps.append(Step("compact", "rewrite the file without its free pages"))
    return _with_space(path, connection, steps, kind=kind, note=note, sizes=sizes, free=free)


def _allowed_words(
    connection: apsw.Connection, path: str, layout: Layout
) -> tuple[list[Step], str]:
    """The steps for the index of two-character words, or why there are none."""
    words = _words(connection)
    if not any(step.remakes for step in words):
        return words, ""  # its triggers are there already: filling it can hurt nobody
    refusal = words_refusal(path, layout.schema_version)
    return ([], refusal) if refusal else (words, "")


def _leaves_trash(objects: Objects, work: list[Step]) -> bool:
    """Whether there are, or will be, parts of old indexes to drop."""
    has_words = ("table", CJK.name) in objects
    replaced = any(step.kind == "convert" or (step.remakes and has_words) for step in work)
    return replaced or bool(trash_tables(objects))


def _with_space(
    path: str,
    connection: apsw.Connection,
    steps: list[Step],
    *,
    kind: str | None,
    note: str,
    sizes: _Sizes,
    free: FreeSpace,
) -> Plan:
    """The plan of these steps, with the space they need and what there is."""
    needed, temporary = _space(steps, sizes)
    folder = os.path.dirname(os.path.abspath(path))
    other = _temporary_folder()
    if _device(other) == _device(folder):
        needed, temporary = needed + temporary, 0
    return Plan(
        path=path,
        steps=tuple(steps),
        size=file_size(path),
        needed=needed,
        free=free(folder),
        needed_temporary=temporary,
        free_temporary=free(other),
        temporary_folder=other,
        tokenizer=kind,
        note=note,
    )


def file_size(path: str) -> int:
    """Bytes of a database and the log beside it."""
    return sum(os.path.getsize(part) for part in (path, f"{path}-wal") if os.path.exists(part))


def kept_bytes(connection: apsw.Connection) -> int:
    """Bytes of the file that are in use."""
    page, count, unused = _pages(connection)
    return page * (count - unused)


def _pages(connection: apsw.Connection) -> tuple[int, int, int]:
    """(bytes of a page, pages, free pages)."""
    page, count, unused = (
        int(str(connection.execute(f"PRAGMA {name}").get))
        for name in ("page_size", "page_count", "freelist_count")
    )
    return page, count, unused


def rows_in_index(connection: apsw.Connection, index: FtsIndex) -> tuple[int, int]:
    """(rows that should be in an index and are not, rows in it that should not be)."""
    docsize = f"{index.name}_docsize"
    missing = connection.execute(
        f"SELECT count(*) FROM {index.source} m WHERE NOT EXISTS"
        f" (SELECT 1 FROM {docsize} d WHERE d.id = m.id)"
    ).get
    extra = connection.execute(
        f"SELECT count(*) FROM {docsize} d WHERE NOT EXISTS"
        f" (SELECT 1 FROM {index.source} m WHERE m.id = d.id)"
    ).get
    return int(str(missing)), int(str(extra))


def _base(connection: apsw.Connection, repairs: list[repair.Repair]) -> list[Step]:
    """Steps for the base and trigram indexes, which share a rebuild."""
    objects = objects_of(connection)
    old = [i.name for i in (BASE, TRIGRAM) if not is_external(objects, i)]
    if any(each.restarts == BASE.markers for each in repairs):
        what = "make the indexes anew"
    elif old:
        what = f"convert {' and '.join(old)} to the form that keeps no second copy of the text"
    elif due := rebuild_of(connection, BASE.markers):
        left = _count(connection, due[1], due[0])
        return [Step("index", f"go on with a rebuild that has reached row {due[1]}", left)]
    else:
        wrong = [rows_in_index(connection, index) for index in (BASE, TRIGRAM)]
        if wrong == [(0, 0), (0, 0)]:
            return []
        missing = max(missing for missing, _ in wrong)
        what = f"make the indexes anew: {missing} rows are not in them"
    rows = _count(connection)
    return [Step("convert", what, rows, remakes=True), Step("index", "fill them", rows)]


def _words(connection: apsw.Connection) -> list[Step]:
    """Steps for the index of two-character words."""
    objects = objects_of(connection)
    if ("table", CJK.name) not in objects:
        what = "make the index for two-character words"
    elif is_stale(connection) or not is_external(objects, CJK):
        what = "make the stale index for two-character words anew"
    elif due := rebuild_of(connection, CJK.markers):
        left = _count(connection, due[1], due[0])
        return [Step("words", "fill the index for two-character words", left)]
    else:
        missing, extra = rows_in_index(connection, CJK)
        if not missing and not extra:
            return []
        what = f"make the index for two-character words anew: {missing} rows are not in it"
    return [Step("words", what, _count(connection), remakes=True)]


def is_stale(connection: apsw.Connection) -> bool:
    """Whether the CJK index carries its stale mark."""
    if ("table", "state_meta") not in objects_of(connection):
        return False
    return text_in_meta(connection, STALE_KEY) not in ("", "0")


def _count(connection: apsw.Connection, low: int = -1, high: int | None = None) -> int:
    found = connection.execute(
        "SELECT count(*) FROM messages WHERE id > ? AND id <= ifnull(?, id)", (low, high)
    ).get
    return int(str(found))


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Bytes in the file: all, free pages, and the text an index would hold."""

    total: int
    unused: int
    text: int
    text_without_tools: int

    @classmethod
    def of(cls, connection: apsw.Connection) -> _Sizes:
        page, count, unused = _pages(connection)
        size = " + ".join(
            f"ifnull(octet_length({c}), 0)" for c in ("content", "tool_name", "tool_calls")
        )
        text, bare = connection.execute(
            f"SELECT total({size}), total(CASE role WHEN 'tool' THEN 0 ELSE {size} END)"
            " FROM messages"
        ).get
        return cls(page * count, page * unused, int(text), int(bare))

    @property
    def free_share(self) -> float:
        return self.unused / self.total if self.total else 0.0


def _space(steps: list[Step], sizes: _Sizes) -> tuple[int, int]:
    """(bytes beside the file, bytes for temporary files) that the steps may take at most."""
    kinds = {step.kind for step in steps}
    grown = 0.0
    if "index" in kinds:
        grown += sizes.text * _INDEX_SHARE[BASE.name]
        grown += sizes.text_without_tools * _INDEX_SHARE[TRIGRAM.name]
    if "words" in kinds:
        grown += sizes.text_without_tools * _INDEX_SHARE[CJK.name]
    beside = max(0.0, grown - sizes.unused) + (_LOG_BYTES if kinds else 0)
    if "compact" not in kinds:
        return int(beside), 0
    # VACUUM writes the new file twice: as a temporary file, and back through the log.
    kept = sizes.total - sizes.unused + grown
    return int(max(beside, max(0.0, grown - sizes.unused) + kept)), int(kept)


def _temporary_folder() -> str:
    """Where SQLite puts temporary files, as far as that can be said from outside."""
    return os.environ.get("SQLITE_TMPDIR") or tempfile.gettempdir()


def _device(folder: str) -> int:
    try:
        return os.stat(folder).st_dev
    except OSError:
        return -1
