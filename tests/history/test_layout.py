"""The layout of every recorded database, and of forms that only occur in the wild."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.history.layout import Markers, Rebuild
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register

THREE = ("content", "tool_name", "tool_calls")
INLINE = ("inline", ("content",), True)
BASE = ("external", THREE, True)
CUT = ("external_cut", THREE, True)
V1 = ("external", THREE, False)
V2 = ("external", THREE[:2], False)
NONE = ("none", (), False)
OLD = frozenset[str]()
ACTIVE = frozenset({"active"})
BOTH = frozenset({"active", "compacted"})

# file -> (schema, base, trigram, cjk, visibility columns, markers)
FILES: dict[str, tuple[int, Any, Any, Any, frozenset[str], Markers]] = {
    "history-3k": (25, BASE, V1, V1, BOTH, Markers(storage_version="1")),
    "state-0.13.0": (11, INLINE, INLINE, NONE, OLD, Markers()),
    "state-0.14.0": (11, INLINE, INLINE, NONE, OLD, Markers()),
    "state-0.15.0": (13, INLINE, INLINE, NONE, OLD, Markers()),
    "state-0.16.0": (14, INLINE, INLINE, NONE, ACTIVE, Markers()),
    "state-0.17.0": (16, INLINE, INLINE, NONE, ACTIVE, Markers()),
    "state-0.18.2": (19, INLINE, INLINE, NONE, BOTH, Markers()),
    "state-0.19.0": (22, INLINE, INLINE, NONE, BOTH, Markers()),
    "state-0.13.0-upgraded-through-0.19.0": (22, INLINE, INLINE, NONE, BOTH, Markers()),
    "state-0.13.0-opened-by-2026-08": (
        25,
        INLINE,
        INLINE,
        NONE,
        BOTH,
        Markers(optimize_available=True),
    ),
    "state-0.19.0-opened-by-2026-08": (
        25,
        INLINE,
        INLINE,
        NONE,
        BOTH,
        Markers(optimize_available=True),
    ),
    "state-0.19.0-optimized-by-2026-08": (25, BASE, V1, NONE, BOTH, Markers(storage_version="1")),
    "state-0.19.0-midrebuild-by-2026-08": (
        25,
        BASE,
        V1,
        NONE,
        BOTH,
        Markers(rebuild=Rebuild(36, 10)),
    ),
    "state-2026-08": (25, BASE, V1, NONE, BOTH, Markers()),
    "state-2026-08-cjk": (25, BASE, V1, V1, BOTH, Markers(storage_version="1")),
    "state-2026-08-cjk-pending": (
        25,
        BASE,
        V1,
        V1,
        BOTH,
        Markers(cjk_rebuild=Rebuild(36, 0), storage_version="1"),
    ),
    "state-2026-08-cjk-stale": (
        25,
        BASE,
        V1,
        V1,
        BOTH,
        Markers(cjk_stale=True, storage_version="1"),
    ),
    "state-newest-reconstructed": (30, CUT, V2, NONE, BOTH, Markers(storage_version="3")),
    "state-newest-reconstructed-mixed-trigram-v1": (
        30,
        CUT,
        V1,
        NONE,
        BOTH,
        Markers(storage_version="3"),
    ),
    "state-newest-reconstructed-longtool-hidden": (
        30,
        CUT,
        V2,
        NONE,
        BOTH,
        Markers(storage_version="3"),
    ),
}


def test_the_table_names_every_recorded_database(shared: Path) -> None:
    assert {p.stem for p in (shared / "hermes" / "dbs").glob("*.db")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_layouts(copy_db: Callable[[str], Path], name: str) -> None:
    version, base, trigram, cjk, visibility, markers = FILES[name]
    with History.open(Place(str(copy_db(name))), register=register) as history:
        layout = history.layout
        for index, expected in (
            (layout.base, base),
            (layout.trigram, trigram),
            (layout.cjk, cjk),
        ):
            assert (index.form, index.columns, index.tool_rows) == expected, index
            assert index.servable == index.present
            assert index.problem == ""
        assert layout.schema_version == version
        assert layout.message_columns & BOTH == visibility
        assert ("hidden" in layout.session_columns) == (version == 30)
        assert layout.has_state_meta
        assert history.markers() == markers


@pytest.mark.parametrize("name", [n for n, row in FILES.items() if row[2] is V2])
def test_a_trigram_view_says_which_sources_it_leaves_out(
    copy_db: Callable[[str], Path], name: str
) -> None:
    with History.open(Place(str(copy_db(name)))) as history:
        assert history.layout.trigram.without_sources == {"cron", "subagent"}


def test_an_index_without_its_tokenizer_is_there_but_not_servable(
    copy_db: Callable[[str], Path],
) -> None:
    with History.open(Place(str(copy_db("state-2026-08-cjk")))) as history:
        cjk = history.layout.cjk
        assert cjk.present
        assert not cjk.servable
        assert "no such tokenizer" in cjk.problem


TABLES = (
    "create table sessions(id text primary key, source text, started_at real);"
    "create table messages(id integer primary key, session_id text, role text, content text, "
    "tool_name text, tool_calls text, timestamp real);"
)
DAMAGED = TABLES + "create virtual table messages_fts using fts5(content);"


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        (TABLES, "none"),
        (DAMAGED, "inline"),
        (TABLES + 'CREATE VIRTUAL TABLE "messages_fts" USING FTS5(\n content\n);', "inline"),
        (
            TABLES + "create virtual table messages_fts using "
            "fts5(content, content = 'messages', content_rowid='id');",
            "external",
        ),
        (
            TABLES + "create virtual table messages_fts using "
            'fts5(content, tool_name, tool_calls, content="messages", content_rowid="id");',
            "external",
        ),
        (
            TABLES + "create virtual table messages_fts using fts5(content, tool_name);",
            "unknown",
        ),
    ],
)
def test_forms_told_from_the_sql(
    tmp_path: Path, execute: Callable[..., Any], schema: str, form: str
) -> None:
    path = tmp_path / "state.db"
    execute(path, schema)
    with History.open(Place(str(path))) as history:
        assert history.layout.base.form == form
        assert history.layout.base.servable == (form in ("inline", "external"))
        assert history.layout.schema_version is None
        assert history.markers() == Markers()


def test_a_damaged_index_is_not_servable_and_the_rest_reads(
    tmp_path: Path, execute: Callable[..., Any]
) -> None:
    path = tmp_path / "state.db"
    execute(
        path,
        DAMAGED + "insert into messages_fts values('hello zq');"
        "insert into messages values(1, 's', 'user', 'hello', null, null, 1.0);"
        "update messages_fts_data set block = x'ffffffffff'",
    )
    with History.open(Place(str(path))) as history:
        assert not history.layout.base.servable
        assert history.layout.base.problem
        assert history.messages([1])[0].text == "hello"


def test_a_layout_that_changes_is_read_again(tmp_path: Path, execute: Callable[..., Any]) -> None:
    path = tmp_path / "state.db"
    execute(path, "pragma journal_mode=wal;" + TABLES)
    with History.open(Place(str(path))) as history:
        assert "active" not in history.layout.message_columns
        execute(path, "alter table messages add column active integer default 1")
        assert "active" in history.layout.message_columns


@pytest.mark.parametrize(
    ("rows", "markers"),
    [
        ({}, Markers()),
        ({"fts_rebuild_high_water": "0", "fts_rebuild_progress": "5"}, Markers()),
        ({"fts_rebuild_high_water": "-3"}, Markers()),
        ({"fts_rebuild_high_water": "36"}, Markers(rebuild=Rebuild(36, 0))),
        (
            {"fts_rebuild_high_water": "36", "fts_rebuild_progress": "-1"},
            Markers(rebuild=Rebuild(36, 0)),
        ),
        ({"fts_rebuild_high_water": "odd", "fts_stale": "1"}, Markers(fts_stale=True)),
        ({"fts_rebuild_high_water": "nan"}, Markers()),
        ({"fts_rebuild_high_water": "inf"}, Markers()),
        ({"fts_stale": "0", "fts_cjk_stale": ""}, Markers()),
        ({"fts_tool_full_content_high_water": "40"}, Markers(tool_full_high_water=40)),
        ({"fts_cjk_stale": b"1"}, Markers(cjk_stale=True)),
    ],
)
def test_markers(
    tmp_path: Path, execute: Callable[..., Any], rows: dict[str, Any], markers: Markers
) -> None:
    path = tmp_path / "state.db"
    execute(path, TABLES + "create table state_meta(key text primary key, value text)")
    for row in rows.items():
        execute(path, "insert into state_meta values(?, ?)", row)
    with History.open(Place(str(path))) as history:
        assert history.markers() == markers


def test_markers_that_are_no_utf8(tmp_path: Path, execute: Callable[..., Any]) -> None:
    path = tmp_path / "state.db"
    execute(
        path,
        TABLES + "create table state_meta(key text primary key, value text);"
        "insert into state_meta values('fts_stale', cast(x'ff' as text)), "
        "(cast(x'ff667473' as text), '1'), ('fts_rebuild_high_water', cast(x'fffe' as text))",
    )
    with History.open(Place(str(path))) as history:
        assert history.markers() == Markers(fts_stale=True)


@pytest.mark.parametrize(
    ("rebuild", "percent"),
    [(Rebuild(36, 10), 27), (Rebuild(1, 0), 0), (Rebuild(3, 3), 100), (Rebuild(3, 9), 100)],
)
def test_percent(rebuild: Rebuild, percent: int) -> None:
    assert rebuild.percent == percent
