"""Judging in the application: x and a digit, marks on the rows, the panel with the measures."""

from __future__ import annotations

import json
import threading

import pytest

from hermes_tui.history.locate import Place
from hermes_tui.recall.judge import Judgement, Judgements, Topic
from hermes_tui.tui.judging import Judging
from hermes_tui.tui.screens.judging import JudgingScreen

HOSTILE = "s3 \x1b[2J\x1b]52;c;Zm9v\x07[/bold] \u202e\x9b31m[x]"


@pytest.fixture
def store(tmp_path):
    return Judgements(tmp_path / "data" / "judgements.jsonl")


@pytest.fixture
def judging(small_history, store):
    return Judging(Place(str(small_history), "default"), store)


def kept(store):
    return [json.loads(line) for line in store.path.read_text().splitlines()]


async def test_x_and_a_digit_keep_a_judgement(
    make_app, judging, store, frame, settle, small_history
) -> None:
    before = small_history.read_bytes()
    app = make_app(judging=judging, query="s2 says")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "judged" not in frame(app)
        await pilot.press("down", "j", "x", "2")
        await settle(pilot)
        (line,) = kept(store)
        assert (line["query"], line["root"], line["session_id"]) == ("s2 says", "s2", "s2")
        assert (line["message_id"], line["grade"], line["arguments"]) == (18, 2, {})
        shown = frame(app)
        assert "[1/12] · judged right · agent #2" in shown
        assert shown.count("· unjudged ·") == 5
        assert app.screen.pane == "results"
        await pilot.press("j", "x", "0")
        await settle(pilot)
        assert "[1/12] · judged miss · agent #3" in frame(app)
        assert [line["grade"] for line in kept(store)] == [2, 0]
    assert small_history.read_bytes() == before


async def test_a_grade_is_changed_and_taken_back(make_app, judging, store, frame, settle) -> None:
    app = make_app(judging=judging, query="s2")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "x", "minus")  # there is nothing to take back
        await settle(pilot)
        assert not store.path.exists()
        for keys, grade in ((("x", "1"), "judged related"), (("x", "2"), "judged right")):
            await pilot.press(*keys)
            await settle(pilot)
            assert grade in frame(app)
        await pilot.press("x")
        await settle(pilot)
        assert "- take it back" in frame(app)
        await pilot.press("minus")
        await settle(pilot)
        assert "judged" not in frame(app)
        assert kept(store)[-1]["grade"] is None


async def test_marks_are_there_when_the_query_is_asked_again(
    make_app, judging, store, frame, settle
) -> None:
    store.add([Judgement(Topic("s1"), "s1", "s1", 6, 1, 1.0)])
    app = make_app(judging=judging)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("s", "1")
        await settle(pilot)
        assert "judged related" in frame(app)
        await pilot.press("space", "x")
        await settle(pilot)
        assert "judged" not in frame(app)


async def test_the_order_that_was_asked_for_is_kept(make_app, judging, store, settle) -> None:
    app = make_app(judging=judging, query="s1")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "s", "u")
        await settle(pilot)
        await pilot.press("x", "2")
        await settle(pilot)
        assert kept(store)[0]["arguments"] == {"sort": "newest", "rewound": True}


async def test_from_inside_a_conversation(make_app, judging, store, settle) -> None:
    app = make_app(judging=judging, query="s1")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("x", "2")
        await settle(pilot)
        assert kept(store)[0]["root"] == "s1"
        assert app.screen.pane == "conversation"


async def test_the_panel_measures_this_query_and_all(
    make_app, judging, store, frame, settle
) -> None:
    store.add(
        [
            Judgement(Topic("says 7"), "s2", "s2", None, 2, 1.0),
            Judgement(Topic("s3"), "s3", "s3", None, 1, 1.0),
            Judgement(Topic("s3"), "gone", "gone", None, 1, 1.0),
        ]
    )
    app = make_app(judging=judging, query="says 7")
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        await pilot.press("down", "j", "x")
        await settle(pilot)
        shown = frame(app)
        assert isinstance(app.screen, JudgingScreen)
        assert "judged: right" in shown
        assert "1 query · 1 judged · 1 related or right" in shown
        assert "2 queries · 2 judged · 2 related or right" in shown
        assert "1 judgement not counted: the conversation is gone from this history." in shown
        for route in ("hermes", "thorough", "newest"):
            assert f"│ {route}" in shown or f"┃ {route}" in shown
        assert "█" in shown
        await pilot.press("escape")
        await settle(pilot)
        assert not isinstance(app.screen, JudgingScreen)
        assert len(kept(store)) == 3


async def test_nothing_is_judged_without_a_query(make_app, judging, store, settle) -> None:
    app = make_app(judging=judging)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "x", "2")
        await settle(pilot)
        assert not isinstance(app.screen, JudgingScreen)
        assert not store.path.exists()


async def test_an_answer_that_is_late_is_not_judged_for_a_newer_query(
    make_app, judging, service, store, settle
) -> None:
    app = make_app(judging=judging, query="s1")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        service.hold = threading.Event()
        await pilot.press("space", "z", "tab", "x")
        await pilot.pause()
        await pilot.press("2")
        service.hold.set()
        await settle(pilot)
        assert [line["query"] for line in kept(store)] == ["s1"]


async def test_what_cannot_be_kept_is_said(
    make_app, small_history, tmp_path, frame, settle
) -> None:
    (tmp_path / "file").touch()
    store = Judgements(tmp_path / "file" / "judgements.jsonl")
    app = make_app(judging=Judging(Place(str(small_history)), store), query="s1")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "x", "2")
        await settle(pilot)
        assert "! The judgements cannot be written" in frame(app)


async def test_nowhere_to_keep_them(make_app, frame, settle) -> None:
    app = make_app(query="s1")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "x")
        await settle(pilot)
        assert "There is no answer to judge." in frame(app)


@pytest.mark.parametrize("size", [(120, 30), (50, 12)])
async def test_hostile_words_in_the_panel(
    make_app, judging, service, hit, frame, settle, size
) -> None:
    service.hits = [hit(1, title=HOSTILE, root_title=HOSTILE)]
    app = make_app(judging=judging, query=HOSTILE)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("down", "x")
        await settle(pilot)
        shown = frame(app)
        assert "0 miss   1 related   2 right" in shown
        for raw in ("\x1b", "\x9b", "\u202e", "\x07"):
            assert raw not in shown
        await pilot.press("2")
        await settle(pilot)
        assert "judged right" in frame(app)
