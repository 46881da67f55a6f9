"""Find in the conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession
from hermes_tui.tui.widgets.conversation import search
from hermes_tui.tui.widgets.conversation.document import Spot
from hermes_tui.tui.widgets.conversation.texts import texts_of


@pytest.fixture
def talk(history: Any, a_message: Any) -> Any:
    """300 messages; `needle` in every 50th, `Needle` in one, two of it in a tool's output."""
    texts = [f"message {i} hay" for i in range(300)]
    for i in range(0, 300, 50):
        texts[i] += " needle"
    texts[33] = "A Needle"
    rows = [a_message(text) for text in texts]
    rows[77] = a_message("\n".join(["hay"] * 30 + ["needle needle"]), "tool")
    return history(rows)


def shown(app: Any) -> str:
    line = next(line for line in app.lines() if line.startswith("█"))
    return str(line[2:-2].strip())


async def test_it_is_live_and_walks_all_matches(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=251)  # message 150
        await app.rest(pilot)
        for typed in ("n", "need", "needle"):
            view.find(typed)
        await app.rest(pilot)
        assert (view.find_text, view.find_count, view.find_complete) == ("needle", 9, True)
        assert (view.find_index, shown(app)) == (7, "message 150 hay needle")
        view.commit_find()
        seen = []
        for action in ["hit_next"] * 4 + ["hit_prev"] * 4 + ["hit_prev"] * 4:
            getattr(view, f"action_{action}")()
            await app.rest(pilot)
            seen.append((view.find_index, view.position - 1))
        assert seen == [
            *[(8, 200), (9, 250), (1, 0), (2, 33)],
            *[(1, 0), (9, 250), (8, 200), (7, 150)],
            *[(6, 100), (5, 77), (4, 77), (3, 50)],
        ]
        view.cancel_find()
        assert (view.find_text, view.position) == ("", 51)


async def test_a_match_in_folded_output_is_unfolded(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        app.view.open("s", anchor=171)  # message 70
        await app.rest(pilot)
        app.view.find("needle needle")
        await app.rest(pilot)
        assert (app.view.position, shown(app)) == (78, "needle needle")
        strip = app.view.render_line(next(y for y, x in enumerate(app.lines()) if x[0] == "█"))
        assert [s.text for s in strip if s.style and s.style.reverse] == ["needle needle"]


async def test_giving_up_goes_back_to_where_it_began(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=251)
        await app.rest(pilot)
        view.action_line_down()
        await app.rest(pilot)
        before = app.lines()
        view.find("Needle")
        await app.rest(pilot)
        assert (view.find_count, view.position) == (1, 34)
        view.find("")
        await app.rest(pilot)
        assert app.lines() == before
        view.find("nothing like it")
        await app.rest(pilot)
        assert (view.find_count, view.find_complete, view.find_index) == (0, True, 0)
        view.find_next()
        view.find("hay")
        await app.rest(pilot)
        view.cancel_find()
        await app.rest(pilot)
        assert app.lines() == before


async def test_a_longer_text_is_looked_for_only_where_the_shorter_was(
    view_app: Any, talk: Any
) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        app.view.open("s")
        await app.rest(pilot)
        app.view.find("needl")
        await app.rest(pilot)
        talk.asked.clear()
        app.view.find("needle")
        await app.rest(pilot)
        assert app.view.find_count == 9
        assert sum(len(ids) for ids in talk.asked) < 60


async def test_opening_another_session_ends_it(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        app.view.open("s")
        await app.rest(pilot)
        app.view.find("hay")
        app.view.open("s", anchor=111)
        await app.rest(pilot)
        assert (app.view.find_text, app.view.find_count, app.view.position) == ("", 0, 11)


async def test_only_so_many_matches_are_kept(
    view_app: Any, talk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.tui.widgets.conversation.finding.MOST", 40)
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        app.view.open("s", anchor=251)
        await app.rest(pilot)
        app.view.find("message")
        await app.rest(pilot)
        assert (app.view.find_count, app.view.find_complete) == (40, True)


@pytest.mark.parametrize(
    ("text", "hay", "found"),
    [
        ("straße", "STRASSE Straße", ["Straße"]),
        ("İ", "i İ", ["İ"]),
        ("a.c", "abc A.C", ["A.C"]),
        ("会", "会议 会", ["会", "会"]),
        ("Ab", "ab AB Ab", ["Ab"]),
    ],
)
def test_case_counts_when_a_capital_is_typed(text: str, hay: str, found: list[str]) -> None:
    assert search.pattern_of(text).findall(hay) == found


LOOKED_FOR = (
    *("docker", "Docker", "k", "会议", "no match", "\ufffd", "t ", "döcker", "\tend", "the docker"),
)


def test_reading_only_what_may_match_finds_what_reading_everything_finds(tmp_path: Path) -> None:
    """Whatever a cell holds: colours inside a word, calls, JSON content, bytes that are no text."""
    contents = [
        *("a Docker bridge", "doc\x1b[1mker", "doc\u200fker", "plain", "", None, "\u212a"),
        *(b"docker \xff", b"\xffplain", '\x00json:[{"type":"text","text":"d\\u006fcker"}]'),
        *("\x1b[32mno match\x1b[0m", "文档 docker 会议", "docker\r\ndocker"),
    ]
    calls = json.dumps([{"function": {"name": "t", "arguments": '{"q": "d\\u006fcker"}'}}])
    answer = json.dumps({"output": "d\u00f6cker\ndocker 会议\tend"})
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer:
        writer.create_session(NewSession(id="s", source="cli", started_at=1.0))
        for _ in (*contents, None):
            writer.append("s", NewMessage(role="user", content="x"), at=1.0)
    database = apsw.Connection(str(path))
    for number, content in enumerate(contents, 1):
        database.execute(
            "update messages set content = iif(typeof(?1) = 'blob', cast(?1 as text), ?1) "
            "where id = ?2",
            (content, number),
        )
    database.execute("update messages set role = 'tool', content = ? where id = 4", (answer,))
    database.execute("update messages set reasoning = 'the docker bridge' where id = 5")
    database.execute("update messages set tool_calls = ? where id > ?", (calls, len(contents)))
    database.close()
    with History.open(Place(str(path), "")) as history:
        outline = history.outline("s")
        for text in LOOKED_FOR:
            pattern = search.pattern_of(text)
            expected = [
                search.Match(index, Spot(part, match.start()))
                for index, message in enumerate(history.messages(list(outline.ids)))
                for part, (kind, shown, _) in enumerate(texts_of(message))
                for match in pattern.finditer(shown)
                if kind != "note"
            ]
            assert expected
            places = range(len(outline))
            batches = search.matches_in(history, outline, places, text, lambda: None)
            assert [match for batch in batches for match in batch] == expected
