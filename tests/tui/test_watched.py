"""A history that somebody writes to while it is looked at, and going to another one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import HistoryPool
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession
from hermes_tui.tui import app as app_module
from hermes_tui.tui.app import run
from hermes_tui.tui.service import Question
from hermes_tui.tui.watching import Watch

NOW = 1_800_000_000.0


@pytest.fixture
def live(tmp_path: Path) -> Path:
    path = tmp_path / "live.db"
    with HistoryWriter(path) as writer:
        writer.create_session(NewSession(id="s1", source="cli", started_at=NOW))
        turns = [NewMessage(role="user", content=f"live says {n}") for n in range(1, 41)]
        writer.append_batch("s1", turns, NOW)
    return path


@pytest.fixture
def pool(live: Path) -> Iterator[HistoryPool]:
    pool = HistoryPool(Place(str(live), "default"))
    yield pool
    pool.close()


def write(path: Path, *texts: str) -> None:
    with HistoryWriter(path) as writer:
        writer.append_batch("s1", [NewMessage(role="user", content=t) for t in texts], NOW + 9)


async def looked(app, settle, pilot) -> None:
    app.main.look()
    await settle(pilot)


async def test_new_messages_appear_at_the_end_and_nothing_moves(
    make_app, live, settle, frame
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        await looked(app, settle, pilot)
        before = frame(app).splitlines()
        write(live, "new one", "new two", "new three")
        await looked(app, settle, pilot)
        after = frame(app).splitlines()
        assert "3 new · hit 1/1 · 6/43" in frame(app)
        moved = [(a, b) for a, b in zip(before, after, strict=True) if a[50:-3] != b[50:-3]]
        assert len(moved) == 1, "the heading alone is another"
        await pilot.press("G")
        await settle(pilot)
        assert "new three" in frame(app)
        assert "3 new" not in frame(app), "they have been seen"


async def test_the_recent_sessions_are_listed_again_under_a_cursor_that_stays(
    make_app, service, hit, live, settle, frame
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await looked(app, settle, pilot)
        await pilot.press("down", "j")
        await settle(pilot)
        service.hits = [hit(7, title="Brand new"), *service.hits]
        write(live, "x")
        await looked(app, settle, pilot)
        assert "Brand new" in frame(app)
        assert app.main.results.list.current.root == "s2"
        assert app.main.pane == "results"
        assert len(service.asked) == 2


async def test_an_answer_to_a_query_is_not_asked_again(make_app, service, live, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down")
        await settle(pilot)
        await looked(app, settle, pilot)
        asked = len(service.asked)
        write(live, "x")
        await looked(app, settle, pilot)
        assert len(service.asked) == asked


def test_a_watch_sees_commits_of_others_only_once(live: Path) -> None:
    watch = Watch(Place(str(live)))
    assert [watch.changed(), watch.changed()] == [False, False]
    write(live, "x")
    assert [watch.changed(), watch.changed()] == [True, False]
    watch.close()


def test_a_history_that_cannot_be_read_just_now(live: Path) -> None:
    def refuse(place: Place):
        raise HistoryError("not now")

    watch = Watch(Place(str(live)), refuse)
    assert not watch.changed()
    watch.close()


# -- profiles


@pytest.fixture
def homes(tmp_path: Path, beyond) -> Path:
    home = tmp_path / ".hermes"
    for place in (home, home / "profiles" / "work", home / "profiles" / "broken"):
        place.mkdir(parents=True)
        with HistoryWriter(place / "state.db") as writer:
            writer.create_session(NewSession(id="s1", source="cli", started_at=NOW))
    (home / "profiles" / "broken" / "state.db").write_bytes(b"no database" * 100)
    beyond.environ |= {"HOME": str(tmp_path)}
    return home


async def test_another_profile_is_chosen(make_app, homes, settle, frame) -> None:
    pool = HistoryPool(Place(str(homes / "state.db"), "default"))
    app = make_app(pool=pool)
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("down", "P")
        await settle(pilot)
        shown = frame(app)
        assert shown.index("▌ default") < shown.index("broken") < shown.index("work")
        await pilot.press("j", "enter")
        await settle(pilot)
        assert app.is_running, "a history that cannot be opened is not gone to"
        assert app._notifications
        await pilot.press("P", "j", "j", "enter")
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    assert app.return_value == Place(str(homes / "profiles/work/state.db"), "work")
    pool.close()


def test_the_program_goes_on_with_the_profile_that_was_chosen(
    live: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    other = tmp_path / "other.db"
    other.write_bytes(live.read_bytes())
    ran = []

    def fake_run(app) -> None:
        ran.append((app.main.pool.place.path, app.main._first_query))
        app.main.searching.question = Question("kept")
        app._return_value = Place(str(other), "other") if len(ran) == 1 else 7
        app._return_code = 7

    monkeypatch.setattr(app_module.HermesTui, "run", fake_run)
    assert run(Place(str(live)), query="first") == 7
    assert ran == [(str(live), "first"), (str(other), "kept")]
