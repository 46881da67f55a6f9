"""Why, the agent's eye, rules side by side and whose eyes, in the application."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

from hermes_tui.history.errors import Interrupted
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History, HistoryPool
from hermes_tui.recall.explain.showing import Line
from hermes_tui.recall.policy import HERMES_0_19, HERMES_0_21
from hermes_tui.recall.shapes import Tool
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession
from hermes_tui.tui.screens.compare import CompareScreen
from hermes_tui.tui.screens.panel import fitting, strips_of, wrapped
from hermes_tui.tui.screens.payload import PayloadScreen
from hermes_tui.tui.screens.why import WhyScreen
from hermes_tui.tui.service import Question
from hermes_tui.tui.workbench import Workbench

HOSTILE = "harbour \x1b[2J\x1b]52;c;Zm9v\x07[/bold][link=x] \u202e\x9b31m[x]"
START = 1_800_000_000.0


@pytest.fixture
def path(tmp_path):
    """Four sessions about a harbour; the third is long, the fourth hostile."""
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer:
        for number, texts in enumerate(
            (
                ["harbour fees", "the lighthouse"],
                ["harbour fees and lighthouse"],
                [f"harbour {'long ' * 1_200}", *(f"filler {n}" for n in range(30))],
                [HOSTILE],
            ),
            start=1,
        ):
            at = START - number * 86_400
            session = writer.create_session(
                NewSession(id=f"s{number}", source="cli", started_at=at, title=f"Talk {number}")
            )
            messages = [NewMessage(role="user", content=text) for text in texts]
            writer.append_batch(session, messages, at)
    return path


@pytest.fixture
def pool(path):
    pool = HistoryPool(Place(str(path), "default"))
    yield pool
    pool.close()


async def shown(pilot, frame):
    """The frame once the panel on top has what it was waiting for."""
    for _ in range(400):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        screen = pilot.app.screen
        lines = getattr(screen, "lines", None)
        ready = lines.strips if lines is not None else screen.comparison
        if ready:
            break
    await pilot.pause()
    return frame(pilot.app)


@pytest.fixture
def start(make_app, service, hit, settle):
    service.hits = [hit(n, message_id=None, hits=()) for n in (1, 2, 3, 4)]

    def start(query="harbour lighthouse"):
        return make_app(query=query)

    return start


async def test_w_says_why_not_the_result_and_then_why(start, frame, settle) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "w")
        drawn = await shown(pilot, frame)
        assert isinstance(app.screen, WhyScreen)
        assert "missing    session s1" in drawn
        assert "✗ match" in drawn
        assert "Ask for 'harbour OR lighthouse'" in drawn
        await pilot.press("w")
        drawn = await shown(pilot, frame)
        assert "Three questions first" in drawn
        assert "either: harbour OR lighthouse" in app.screen.text
        assert "o any word · p phrase" in drawn
        await pilot.press("escape")
        assert app.screen is app.main


async def test_the_advice_is_taken(start, frame, settle, service) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "w")
        await shown(pilot, frame)
        await pilot.press("t")
        await settle(pilot)
        assert service.asked[-1].text == "harbour OR lighthouse"
        assert app.main.bar.value == "harbour OR lighthouse"


async def test_the_or_and_the_phrase_are_one_key_away(start, frame, settle, service) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key, query in (("o", "harbour OR lighthouse"), ("p", '"harbour lighthouse"')):
            app.main.bar.fill("harbour lighthouse")
            await settle(pilot)
            await pilot.press("down", "w", "w")
            await shown(pilot, frame)
            await pilot.press(key)
            await settle(pilot)
            assert app.screen is app.main
            assert service.asked[-1].text == query


async def test_in_a_conversation_it_is_about_the_message(start, frame, settle) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "enter")
        await settle(pilot)
        await pilot.press("w")
        assert "missing    message 1 of session s1" in await shown(pilot, frame)


async def test_v_is_what_session_search_returns(start, frame, settle, path, monkeypatch) -> None:
    app = start("harbour")
    copied: list[str] = []
    async with app.run_test(size=(120, 60)) as pilot:
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        await settle(pilot)
        await pilot.press("down", "v")
        drawn = await shown(pilot, frame)
        assert isinstance(app.screen, PayloadScreen)
        assert "limit 3" in drawn
        await pilot.press("0", "s", "t")
        drawn = await shown(pilot, frame)
        assert "limit 10 · newest · user+assistant+tool" in drawn
        await pilot.press("y")
        await settle(pilot)
    with History.open(Place(str(path), "default")) as history:
        call = {"query": "harbour", "limit": 10, "sort": "newest"}
        answer = Tool(history)({**call, "role_filter": "user,assistant,tool"})
    (text,) = copied
    assert json.loads(text) == answer
    assert "\x1b" not in text


async def test_what_is_seen_is_not_called_missing(start, frame, settle) -> None:
    app = start("harbour")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "w")
        await shown(pilot, frame)
        box = app.screen.query_one("#text")
        assert str(box.border_title) == "seen · place 1 of 3"
        assert "seen       session s1" in app.screen.text
        assert "advice" not in str(box.border_subtitle)
        await pilot.press("w")
        await shown(pilot, frame)
        assert str(box.border_title) == "why"
        assert "any word" not in str(box.border_subtitle), "there is but one"
        await pilot.press("escape", "G", "k", "w")
        await shown(pilot, frame)
        box = app.screen.query_one("#text")
        assert str(box.border_title) == "why not"
        assert "missing    session s3" in app.screen.text


async def test_the_advice_is_offered_where_there_is_a_query_to_take(start, frame, settle) -> None:
    app = start("harbour fees zebra")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "w")
        await shown(pilot, frame)
        assert "t takes the advice" in str(app.screen.query_one("#text").border_subtitle)


async def test_detail_is_offered_where_it_does_something(start, frame, settle) -> None:
    app = start("harbour")
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        await pilot.press("down", "v")
        assert "detail" not in await shown(pilot, frame)
        before = app.screen.text
        await pilot.press("d")
        assert "knows no detail" in await shown(pilot, frame)
        assert app.screen.text == before
        await pilot.press("escape")
        app.main.rules = HERMES_0_21
        await pilot.press("v")
        assert "d detail" in await shown(pilot, frame)
        assert [r["detail"] for r in app.screen.eye.answer["results"]] == [
            "full",
            "compact",
            "compact",
        ]
        await pilot.press("d")
        assert "detail full" in await shown(pilot, frame)
        assert {r["detail"] for r in app.screen.eye.answer["results"]} == {"full"}


async def test_the_rules_of_an_older_hermes_explain_its_answer(start, frame, settle) -> None:
    app = start("arbou")
    app.main.rules = HERMES_0_19
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        await pilot.press("down", "w", "w")
        drawn = await shown(pilot, frame)
        assert "by the rules of hermes-0.19" in drawn
        assert "does not look for pieces of words" in drawn
        await pilot.press("escape", "c")
        assert "hermes-0.19   thorough" in await shown(pilot, frame)


class Held:
    """A tool's answer that does not come before `stop` says that nobody wants it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.stopped = threading.Event()

    def eye(self, real):
        def eye(bench, *, stop, **arguments):
            if arguments["limit"] != 3:
                return real(bench, stop=stop, **arguments)
            self.begun.set()
            while not stop():
                self.stopped.wait(0.001)
            self.stopped.set()
            raise Interrupted

        return eye


@pytest.mark.parametrize("key", ["5", "escape"])
async def test_a_slow_answer_ends_when_nobody_wants_it(
    start, frame, settle, monkeypatch, key
) -> None:
    held = Held()
    monkeypatch.setattr(Workbench, "eye", held.eye(Workbench.eye))
    app = start("harbour")
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        await pilot.press("down", "v")
        assert await asyncio.to_thread(held.begun.wait, 10)
        await pilot.press(key)
        assert await asyncio.to_thread(held.stopped.wait, 10)
        if key == "5":
            assert "limit 5" in await shown(pilot, frame)
            assert app.screen.eye.arguments["limit"] == 5


def test_a_call_of_the_tool_can_be_stopped(pool, monkeypatch) -> None:
    monkeypatch.setattr("hermes_tui.history.statements.POLL_EVERY_STEPS", 1)
    with pytest.raises(Interrupted):
        Workbench(pool, Question("harbour")).eye(
            limit=3, sort="relevance", roles=(), stop=lambda: True
        )


async def test_cuts_and_gaps_are_marked(start, frame, settle) -> None:
    app = start("harbour long")
    async with app.run_test(size=(120, 100)) as pilot:
        await settle(pilot)
        await pilot.press("down", "v")
        await shown(pilot, frame)
        text = app.screen.text
        assert "✂ cut here: 4,000 of 6,008 characters" in text
        assert "┄ 22 messages that the agent is not given ┄" in text
        assert "◀ hit" in text
        await pilot.press("r")
        await shown(pilot, frame)
        assert app.screen.text == app.screen.eye.text


async def test_c_puts_rules_side_by_side(start, frame, settle) -> None:
    app = start("harbour")
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "c")
        drawn = await shown(pilot, frame)
        assert isinstance(app.screen, CompareScreen)
        assert "agent         thorough" in drawn
        app.screen.comparison = None
        await pilot.press("9", "2")
        await settle(pilot)
        drawn = await shown(pilot, frame)
        assert "agent         newest" in drawn
        assert "1*agent" in drawn
        assert "2 thorough" in drawn
        assert "▲" in drawn
        root = app.screen.comparison.rows[0].root
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen is app.main
        assert app.main.conversation.view.session_id == root


async def test_as_the_agent_of_a_session(start, frame, settle, service) -> None:
    app = start("harbour")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "@")
        await settle(pilot)
        assert service.asked[-1].current_session == "s1"
        assert "as s1" in frame(app)
        await pilot.press("w")
        assert "the agent's current conversation" in await shown(pilot, frame)
        await pilot.press("escape", "@")
        await settle(pilot)
        assert service.asked[-1].current_session is None


async def test_a_report_is_copied(start, frame, settle, monkeypatch) -> None:
    app = start("harbour")
    copied: list[str] = []
    async with app.run_test(size=(120, 40)) as pilot:
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        await settle(pilot)
        await pilot.press("down", "W")
        await settle(pilot)
        await pilot.press("w")
        await shown(pilot, frame)
        await pilot.press("W")
        await settle(pilot)
    assert len(copied) == 2
    for text in copied:
        assert text.startswith("# session_search report")
        assert "## A session that is seen" in text
        assert "Talk" not in text
        assert "fees" not in text


async def test_nothing_hostile_is_drawn(start, frame, settle) -> None:
    app = start(HOSTILE)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for query in ("harbour", app.main.bar.value):
            app.main.bar.fill(query)
            await settle(pilot)
            app.main._go("results")
            for key in ("w", "v", "c"):
                await pilot.press(key)
                drawn = await shown(pilot, frame)
                assert not set("\x1b\x9b\x07\u202e") & set(drawn)
                await pilot.press("escape")
                await pilot.pause()


async def test_an_empty_answer_is_explained_from_the_query_bar(
    start, frame, settle, service
) -> None:
    app = start("harbour zebra")
    service.hits = []
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert app.main.pane == "query"
        assert "Ctrl+G why" in frame(app)
        await pilot.press("ctrl+g")
        await shown(pilot, frame)
        assert "without 'zebra' it would find" in app.screen.text
        await pilot.press("o")
        await settle(pilot)
        assert app.main.bar.value == "harbour OR zebra"


async def test_without_a_query_it_says_so(start, frame, settle) -> None:
    app = start("")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "w")
        await settle(pilot)
        assert app.screen is app.main


def test_the_keys_that_there_is_room_for_are_named() -> None:
    assert fitting("s order · t tools", 40) == "s order · t tools · Esc closes"
    assert fitting("s order · t tools", 24) == "s order · Esc closes"
    assert fitting("s order · t tools", 3) == "Esc closes"


@pytest.mark.parametrize("width", [80, 120])
async def test_how_to_close_a_panel_is_never_cut_off(start, frame, settle, width) -> None:
    app = start("harbour fees")
    app.main.rules = HERMES_0_21
    async with app.run_test(size=(width, 24)) as pilot:
        await settle(pilot)
        await pilot.press("down")
        for keys in ("v", "w", "ww"):
            await pilot.press(*keys)
            assert "Esc closes" in await shown(pilot, frame)
            await pilot.press("escape")


def test_lines_wrap_under_themselves() -> None:
    assert wrapped("  ✗ word  one two three four", 16) == [
        "  ✗ word  one",
        "    two three",
        "    four",
    ]
    assert wrapped("", 10) == [""]
    wide = wrapped("  容器网络入门容器网络入门", 9)
    assert all(len(line.strip()) <= 4 for line in wide)
    strips = strips_of([Line("a b", "bad"), Line("")], 20)
    assert [strip.text for strip in strips] == ["a b", ""]


@pytest.mark.parametrize("size", [(80, 24), (40, 10)])
@pytest.mark.parametrize("key", ["w", "v", "c"])
async def test_a_panel_takes_a_narrow_screen_whole(start, frame, settle, key, size) -> None:
    app = start()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("down", key)
        await shown(pilot, frame)
        box = app.screen.query_one("#compare" if key == "c" else "#text")
        assert (box.region.x, box.region.width) == (0, size[0])
