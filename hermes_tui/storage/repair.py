"""What a history lacks or has broken before anything is written to it, and putting it right.

`find` only looks; `apply` does it in one transaction. An index that has missed rows, because its
triggers were missing or wrong, is made anew, empty, and marked for a rebuild: the markers make a
reader fill the gap by scanning, and `optimize-storage` copies the rows later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import apsw

from hermes_tui.history.layout import Index, Layout
from hermes_tui.storage import schema, triggers
from hermes_tui.storage.fts import BASE, CJK, EVENTS, STALE_KEY, TRIGRAM, FtsIndex, Markers
from hermes_tui.storage.reading import Objects, flat, is_external, objects_of, text_in_meta
from hermes_tui.storage.remake import remake


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing to put right. what: a short phrase for people; sql: the statements that do it."""

    what: str
    sql: tuple[str, ...] = ()
    restarts: Markers | None = None


def find(connection: apsw.Connection, layout: Layout, *, tokenizer: bool) -> list[Repair]:
    """Everything to repair before writing; tokenizer: whether the CJK one is at hand."""
    objects = objects_of(connection)
    repairs = [*_tables(objects), *_columns(layout), *_indexes(connection, objects)]
    for index, found in ((BASE, layout.base), (TRIGRAM, layout.trigram)):
        repairs += _fts(objects, index, found)
    if not layout.cjk.present:
        if drops := _drop_triggers(objects, CJK):
            repairs.append(Repair(f"triggers of {CJK.name} are there without it", drops))
    else:
        stale = "state_meta" in _names(objects) and text_in_meta(connection, STALE_KEY)
        repairs += _cjk(objects, tokenizer=tokenizer, stale=stale not in ("", "0", False))
    return repairs


def apply(connection: apsw.Connection, repairs: list[Repair]) -> None:
    """Do all of it, in the transaction that is open."""
    for repair in repairs:
        for sql in repair.sql:
            _execute(connection, sql)
    for markers in {repair.restarts for repair in repairs if repair.restarts}:
        remake(connection, markers)


def _execute(connection: apsw.Connection, sql: str) -> None:
    try:
        connection.execute(sql)
    except apsw.ConstraintError:
        # Two sessions with one title: the unique index cannot be made, and which of the two
        # titles to change is for a person to say. Everything works without the index.
        if "UNIQUE INDEX" not in sql:
            raise


def _names(objects: Objects) -> set[str]:
    return {name for kind, name in objects if kind == "table"}


def _tables(objects: Objects) -> Iterator[Repair]:
    for table in schema.TABLES:
        if table.name not in _names(objects):
            yield Repair(f"table {table.name} is missing", (table.sql,))


def _columns(layout: Layout) -> Iterator[Repair]:
    present = {"messages": layout.message_columns, "sessions": layout.session_columns}
    for name, columns in present.items():
        for column in schema.table(name).columns:
            if column.name not in columns:
                yield Repair(
                    f"column {name}.{column.name} is missing",
                    (f"ALTER TABLE {name} ADD COLUMN {column.name} {column.declaration}",),
                )


@lru_cache(maxsize=1)
def _flat_indexes() -> dict[str, str]:
    return {index.name: flat(index.sql) for index in schema.INDEXES}


def _indexes(connection: apsw.Connection, objects: Objects) -> Iterator[Repair]:
    duplicates = _titles_twice(connection)
    for index in schema.INDEXES:
        found = objects.get(("index", index.name))
        if found is None:
            if not (index.unique and duplicates):
                yield Repair(f"index {index.name} is missing", (index.sql,))
        elif flat(found).replace("ifnotexists", "") != _flat_indexes()[index.name]:
            drop = f"DROP INDEX {index.name}"
            yield Repair(f"index {index.name} is not the one Hermes makes", (drop, index.sql))


def _titles_twice(connection: apsw.Connection) -> bool:
    found = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM pragma_table_info('sessions') WHERE name = 'title')"
    ).get
    return bool(found) and bool(
        connection.execute(
            "SELECT EXISTS (SELECT 1 FROM sessions WHERE title IS NOT NULL"
            " GROUP BY title HAVING count(*) > 1)"
        ).get
    )


def _fts(objects: Objects, index: FtsIndex, found: Index) -> Iterator[Repair]:
    """The base or trigram index: made when it is missing, its view and triggers checked."""
    if ("table", index.name) not in objects:
        yield Repair(f"index {index.name} is missing", restarts=index.markers)
        return
    if not found.servable and ("malformed" in found.problem or "corrupt" in found.problem):
        yield Repair(f"index {index.name} is damaged", restarts=index.markers)
        return
    external = is_external(objects, index)
    if external:
        yield from _view(objects, index)
    yield from _triggers(objects, index, inline=not external)


def _cjk(objects: Objects, *, tokenizer: bool, stale: bool) -> Iterator[Repair]:
    """The CJK index: retired where its tokenizer is missing, or every insert would fail."""
    drops = _drop_triggers(objects, CJK)
    if not tokenizer:
        if drops or not stale:
            mark = f"INSERT OR REPLACE INTO state_meta VALUES ('{STALE_KEY}', '1')"
            yield Repair("the tokenizer of messages_fts_cjk is missing", (*drops, mark))
    elif not stale and is_external(objects, CJK):
        yield from _view(objects, CJK)
        yield from _triggers(objects, CJK, inline=False)


def _view(objects: Objects, index: FtsIndex) -> Iterator[Repair]:
    if index.view_sql is None:
        return
    found = flat(objects.get(("view", index.source), ""))
    if found.replace("ifnotexists", "") != flat(index.view_sql):
        what = f"view {index.source} is missing or not the one the index was made from"
        if found:
            yield Repair(what, restarts=index.markers)
        else:
            yield Repair(what, (index.view_sql,))


def _triggers(objects: Objects, index: FtsIndex, *, inline: bool) -> Iterator[Repair]:
    names = [index.trigger_name(event) for event in EVENTS]
    found = [objects[("trigger", name)] for name in names if ("trigger", name) in objects]
    if triggers.are_sound(index, found, inline=inline):
        return
    what = f"triggers of {index.name} are missing or wrong"
    if not inline:
        yield Repair(what, restarts=index.markers)
        return
    # The old form is converted soon, and its text is its own: putting the triggers right is
    # enough. Often only the update trigger is meant, which fires on every change of a row.
    made = (triggers.expected(index, event, inline=True) for event in EVENTS)
    yield Repair(what, (*_drop_triggers(objects, index), *made))


def _drop_triggers(objects: Objects, index: FtsIndex) -> tuple[str, ...]:
    names = (index.trigger_name(event) for event in EVENTS)
    return tuple(f"DROP TRIGGER {name}" for name in names if ("trigger", name) in objects)
