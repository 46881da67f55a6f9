"""Triggers are judged by what they do, so Hermes' own wording passes and broken ones do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from hermes_tui.storage.fts import BASE, CJK, EVENTS, TRIGRAM, FtsIndex
from hermes_tui.storage.triggers import are_sound, expected


def in_file(path: Path, index: FtsIndex) -> list[str]:
    connection = apsw.Connection(str(path))
    try:
        return [
            str(connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).get)
            for name in map(index.trigger_name, EVENTS)
        ]
    finally:
        connection.close()


def ours(index: FtsIndex, *, inline: bool = False) -> list[str]:
    return [expected(index, event, inline=inline) for event in EVENTS]


@pytest.mark.parametrize("index", [BASE, TRIGRAM, CJK], ids=lambda index: index.name)
def test_those_of_hermes_and_ours_are_sound(
    index: FtsIndex, copy_db: Callable[[str], Path]
) -> None:
    assert are_sound(index, in_file(copy_db("state-2026-08-cjk"), index))
    assert are_sound(index, ours(index))


def test_the_old_form_has_its_own(copy_db: Callable[[str], Path]) -> None:
    opened = copy_db("state-0.19.0-opened-by-2026-08")
    for index in (BASE, TRIGRAM):
        assert are_sound(index, in_file(opened, index), inline=True)
        assert are_sound(index, ours(index, inline=True), inline=True)
        assert not are_sound(index, ours(index), inline=True)


def test_an_update_trigger_on_every_column_is_not_sound(copy_db: Callable[[str], Path]) -> None:
    assert not are_sound(BASE, in_file(copy_db("state-0.19.0"), BASE), inline=True)
    insert, delete, update = ours(BASE)
    head, body = update.split("BEGIN")
    broad = head.partition(" OF ")[0] + " ON messages BEGIN" + body
    assert not are_sound(BASE, [insert, delete, broad])


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("new.content", "new.tool_name"),
        ("'delete', ", ""),
        ("fts_rebuild_high_water", "fts_rebuild_nothing"),
        ("INSERT INTO messages_fts", "INSERT INTO elsewhere"),
        ("old.tool_calls IS NOT new.tool_calls", "0"),
    ],
)
def test_broken_ones_are_not_sound(wrong: str, right: str) -> None:
    broken = [sql.replace(wrong, right) for sql in ours(BASE)]
    assert broken != ours(BASE)
    assert not are_sound(BASE, broken)
    assert not are_sound(BASE, ours(BASE)[:2])
    assert not are_sound(TRIGRAM, ours(BASE))
