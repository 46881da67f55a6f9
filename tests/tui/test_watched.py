"""A history that somebody writes to while it is looked at, and going to another one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import HistoryPool
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession
from hermes_tui.tui import app as app_module
from hermes_tui.tui.app import HermesTui, run
from hermes_tui.tui.recalling import RecallService
from hermes_tui.tui.screens.watched import LOOK_EVERY, rest_after
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


@pytest.fixture
def make_real(live: Path, pool: HistoryPool, monkeypatch: pytest.MonkeyPatch):
    """The application over the live history, searched for real."""
    monkeypatch.setattr("hermes_tui.tui.screens.main.DEBOUNCE", 0.0)
    monkeypatch.setattr("hermes_tui.tui.screens.reading.PREVIEW_DELAY", 0.001)
    service = RecallService(Place(str(live), "default"))

    def make(query: str) -> HermesTui:
        return HermesTui(service, pool, query=query, now=lambda: NOW, blink=False)

    yield make
    service.close()


def add_session(path: Path, name: str, *texts: str) -> None:
    with HistoryWriter(path) as writer:
        writer.create_session(NewSession(id=name, source="cli", started_at=NOW + 50, title=name))
        writer.append_batch(name, [NewMessage(role="user", content=t) for t in texts], NOW + 50)


async def test_an_answer_follows_what_is_written(make_real, live, settle, frame) -> None:
    app = make_real("live says 7")
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await looked(app, settle, pilot)
        await pilot.press("down", "enter", "k", "k")
        await settle(pilot)
        view = app.main.conversation.view
        assert "hit 1/1 · 7/40" in frame(app)
        before = frame(app).splitlines()
        write(live, "live says 7 times", "and more")
        add_session(live, "another", "live says 7, too")
        await looked(app, settle, pilot)
        after = frame(app)
        assert "another" in after
        assert "2 hits in 1 lineage" not in after
        assert "in 2 lineages" in after
        assert "2 new · hit 1/2 · 7/42" in after
        assert app.main.results.list.current.root == "s1"
        assert app.main.pane == "conversation"
        rows = zip(before, after.splitlines(), strict=True)
        assert sum(a[50:-3] != b[50:-3] for a, b in rows) <= 3, "heading and status alone"
        await pilot.press("n")
        await settle(pilot)
        assert view.position == 41
        assert "hit 2/2 · 41/42" in frame(app)


async def test_the_same_answer_moves_nothing(make_app, service, live, settle, monkeypatch) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down", "j")
        await settle(pilot)
        await looked(app, settle, pilot)
        asked, shown = len(service.asked), []
        monkeypatch.setattr(app.main.results, "show", lambda *a, **k: shown.append(a))
        monkeypatch.setattr(app.main.conversation, "open", lambda *a: shown.append(a))
        write(live, "x")
        await looked(app, settle, pilot)
        assert len(service.asked) == asked + 1
        assert service.asked[-1].text == "docker"
        await looked(app, settle, pilot)
        assert len(service.asked) == asked + 1, "once for one change"
        assert shown == []


async def test_an_entry_that_is_previewed_is_not_opened_again(
    make_app, service, hit, live, settle, monkeypatch
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down")
        await settle(pilot)
        await looked(app, settle, pilot)
        opened = []
        monkeypatch.setattr(app.main.conversation, "open", lambda *a: opened.append(a))
        service.hits = [hit(7), hit(1, message_id=9, hits=(9, 6)), *service.hits[1:]]
        write(live, "x")
        await looked(app, settle, pilot)
        assert app.main.results.list.current.root == "s1"
        assert app.main.results.list.cursor == 1
        assert app.main.conversation.view.hit_count == 2
        assert opened == []
        service.hits = [hit(7), *service.hits[2:]]
        write(live, "y")
        await looked(app, settle, pilot)
        assert [hit.root for hit, *_ in opened] == ["s7"], "what is gone makes room"


async def test_a_list_does_not_shrink_while_it_is_scanned_again(
    make_app, service, hit, live, settle
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down")
        await settle(pilot)
        await looked(app, settle, pilot)
        before, asked = app.main.results.list.hits, len(service.asked)
        service.hits, service.later = service.hits[:1], [hit(8)]
        write(live, "x")
        app.main.look()
        while len(service.asked) == asked:
            await pilot.pause()
        await pilot.pause()
        assert app.main.results.list.hits == before
        service.go_on.set()
        await settle(pilot)
        assert [hit.root for hit in app.main.results.list.hits] == ["s8", "s1"]


async def test_nobody_who_types_is_asked_over(make_app, service, live, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await looked(app, settle, pilot)
        service.hold = threading.Event()
        await pilot.press("d")
        while service.asked[-1].text != "d":
            await pilot.pause()
        write(live, "x")
        app.main.look()
        while app.main._looking:
            await pilot.pause()
        assert [question.text for question in service.asked] == ["", "d"]
        assert not service.stopped
        service.hold.set()
        await settle(pilot)
        await looked(app, settle, pilot)
        assert [question.text for question in service.asked] == ["", "d", "d"]


async def test_what_fails_when_asked_again_is_said_and_asked_once_more(
    make_app, service, live, settle, frame
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down")
        await settle(pilot)
        await looked(app, settle, pilot)
        service.error = HistoryError("The history is locked.")
        write(live, "x")
        await looked(app, settle, pilot)
        assert "! The history is locked." in frame(app)
        assert len(app.main.results.list.hits) == 6
        service.error = None
        await looked(app, settle, pilot)
        assert "locked" not in frame(app)


def test_a_slow_search_rests_before_it_is_asked_again() -> None:
    assert rest_after(3.0) == 0.0
    assert rest_after(10_000.0) > 10 * LOOK_EVERY


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
