"""The index pill and the doctor's screen, over histories in every state."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.history.layout import Index, Rebuild
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import HistoryPool
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.index_state import IndexState
from hermes_tui.storage.optimize import optimize
from hermes_tui.tui.app import HermesTui
from hermes_tui.tui.screens.doctor import DoctorScreen
from hermes_tui.tui.widgets import index_pill
from hermes_tui.tui.widgets.index_pill import pill_text, rebuild_note

BASE = Index("messages_fts", "external", ("content",), servable=True, tool_rows=True)
TRIGRAM = Index("messages_fts_trigram", "external", ("content",), servable=True)
CJK = Index("messages_fts_cjk", "external", ("content",), servable=True)
NO_CJK = IndexState("cjk", Index("messages_fts_cjk", "none"), None, 0)


def states(**changes: Any) -> tuple[IndexState, ...]:
    """Whole indexes, and what is different about them."""
    whole = {
        "base": IndexState("base", BASE, 13_320, 13_320),
        "trigram": IndexState("trigram", TRIGRAM, 9_000, 9_000),
        "cjk": IndexState("cjk", CJK, 9_000, 9_000),
    }
    return tuple((whole | changes).values())


@pytest.mark.parametrize(
    ("found", "text", "short"),
    [
        (states(), "index ✓ 13,320/13,320", "index ✓"),
        (states(cjk=NO_CJK), "index ✓ 13,320/13,320", "index ✓"),
        (
            states(base=IndexState("base", BASE, 13_000, 13_320)),
            "index ! 13,000/13,320",
            "index !",
        ),
        (
            states(
                base=IndexState("base", BASE, 10, 36, Rebuild(36, 10)),
                trigram=IndexState("trigram", TRIGRAM, 9, 34, Rebuild(36, 10)),
            ),
            "index ↻ 27 % 10/36",
            "index !",
        ),
        (
            states(cjk=IndexState("cjk", CJK, 0, 34, Rebuild(36, 0))),
            "index ✓ 13,320/13,320 · cjk ↻ 0 % 0/34",
            "index !",
        ),
        (
            states(cjk=IndexState("cjk", CJK, 34, 34, stale=True)),
            "index ✓ 13,320/13,320 · cjk ! stale",
            "index !",
        ),
        (
            states(base=IndexState("base", BASE, 36, 36, finds=False)),
            "index ! damaged",
            "index !",
        ),
        (
            states(
                base=IndexState("base", Index("messages_fts", "none"), None, 0),
                trigram=IndexState("trigram", Index("messages_fts_trigram", "none"), None, 0),
            ),
            "index ! none · pieces ! none",
            "index !",
        ),
    ],
)
def test_what_the_pill_says(found: tuple[IndexState, ...], text: str, short: str) -> None:
    assert pill_text(found) == text
    assert pill_text(found, short=True) == short


def test_the_note_of_a_rebuild() -> None:
    assert rebuild_note(states()) == ""
    base = IndexState("base", BASE, 5_000, 13_320, Rebuild(13_320, 5_000))
    assert "37 %, 5,000 of 13,320 messages" in rebuild_note(states(base=base))
    cjk = IndexState("cjk", CJK, 0, 34, Rebuild(36, 0))
    assert rebuild_note(states(cjk=cjk)).startswith("The index of two-character words")


@pytest.fixture
def over(
    service: Any, copy_db: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], HermesTui]]:
    """The application over a recorded database; it looks at the index again very soon.

    Not at once: a pilot waits until nothing is going on, and that must come to be.
    """
    monkeypatch.setattr(index_pill, "REST_REBUILDING", 0.1)
    monkeypatch.setattr(index_pill, "REST", 0.1)
    monkeypatch.setattr("hermes_tui.tui.screens.doctor.AGAIN", 0.1)
    pools = []

    def make(name: str) -> HermesTui:
        pool = HistoryPool(Place(str(copy_db(name)), "default"), register=register)
        pools.append(pool)
        return HermesTui(service, pool, place="default", blink=False)

    yield make
    for pool in pools:
        pool.close()


async def test_the_pill_stands_in_the_header(over, frame) -> None:
    app = over("state-2026-08")
    async with app.run_test(size=(120, 20)) as pilot:
        while not app.main.pill.states:
            await pilot.pause()
        await pilot.pause()
        line = frame(app).splitlines()[1]
        assert line.rstrip().endswith("default index ✓ 36/36")
        await pilot.resize_terminal(70, 20)
        await pilot.pause()
        assert frame(app).splitlines()[1].rstrip().endswith("index ✓")


async def test_a_rebuild_is_followed_to_its_end(over, frame) -> None:
    app = over("state-0.19.0-midrebuild-by-2026-08")
    async with app.run_test(size=(120, 20)) as pilot:
        while "index ↻ 27 % 10/36" not in frame(app):
            await pilot.pause()
        while "being rebuilt: 27 %, 10 of 36 messages" not in frame(app):
            await pilot.pause()
        path = app.main.pill._pool.place.path
        assert optimize(path, sleep=lambda _: None).finished
        while "index ✓ 36/36" not in frame(app):
            await pilot.pause()
        await pilot.pause()
        assert "being rebuilt" not in frame(app)


async def test_an_answer_in_the_meantime_keeps_the_live_note(over, service, frame) -> None:
    from hermes_tui.recall.outcome import Notice

    service.notices = (Notice("index_rebuilding", "1 % of old news"), Notice("other", "and this"))
    app = over("state-0.19.0-midrebuild-by-2026-08")
    async with app.run_test(size=(120, 20)) as pilot:
        while "27 %, 10 of 36 messages" not in frame(app):
            await pilot.pause()
        assert "old news" not in frame(app)
        assert "and this" in frame(app)


async def wait_for_report(pilot: Any) -> DoctorScreen:
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, DoctorScreen)
    while screen.health is None:
        await pilot.pause()
    await pilot.pause()
    return screen


async def test_the_doctor_is_a_key_away(over, frame) -> None:
    app = over("state-2026-08-cjk-stale")
    async with app.run_test(size=(110, 50)) as pilot:
        await pilot.press("tab", "D")
        screen = await wait_for_report(pilot)
        shown = frame(app)
        assert "Something to do: 1 thing" in shown
        assert "34 of 34 rows · stale" in shown
        assert "hermes-tui tokenizer install" in shown
        assert "quick_check" not in shown
        screen.health = None
        await pilot.press("i")
        await wait_for_report(pilot)
        assert "quick_check  ok" in frame(app)
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.main


async def test_the_doctor_follows_a_rebuild(over, frame) -> None:
    app = over("state-0.19.0-midrebuild-by-2026-08")
    async with app.run_test(size=(110, 50)) as pilot:
        await pilot.press("tab", "D")
        await wait_for_report(pilot)
        assert "10 of 36 rows · being rebuilt, 27 %" in frame(app)
        assert optimize(app.main.pill._pool.place.path, sleep=lambda _: None).finished
        while "Healthy: nothing to do." not in frame(app):
            await pilot.pause()


async def test_the_doctor_says_what_cannot_be_read(over, frame) -> None:
    app = over("state-2026-08")
    async with app.run_test(size=(110, 40)) as pilot:
        path = Path(app.main.pill._pool.place.path)
        shutil.move(path, path.with_name("gone.db"))
        await pilot.press("tab", "D")
        while "The history cannot be examined" not in frame(app):
            await pilot.pause()
        assert app.is_running


async def test_scrolling_the_report(over) -> None:
    app = over("state-0.13.0")
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press("tab", "D")
        screen = await wait_for_report(pilot)
        box = screen.query_one("#doctor")
        await pilot.press("j", "j", "k")
        assert box.scroll_y == 1
        await pilot.press("space")
        assert box.scroll_y > 5
        await pilot.press("b", "b")
        assert box.scroll_y == 0
