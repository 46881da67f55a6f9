"""Opening a session, moving in it, and what comes from outside."""

from __future__ import annotations

import re
from threading import Event
from typing import Any

import pytest
from rich.cells import cell_len

from hermes_tui.tui.widgets.conversation.events import SessionRead
from hermes_tui.tui.widgets.conversation.opening import Request, open_session

from viewing import cursor_row, of_kind

HOSTILE = [
    "\x1b[2J\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07\x1b]52;c;eA==\x1b\\ \x1b]8;;http://x\x07link\x1b]8;;\x07",
    "\x1bP1;2q\x1b\\ \x1b_app\x1b\\ \x9b31m \x9d0;t\x9c \x90q\x9c",
    "\x00\x01\x07\x08\x0b\x0c\x0e\x7f\r\n\r",
    "\u202ertl\u2066\u2069\u200e\u061c\ufeff\u2028\u2029\x85",
    "[/red] [link=http://x]y[/link] [@click=app.quit]z[/] [bold",
    "\ud800\udfff",
    "❤️ ⚠️ 1️⃣ 👍🏽 👩‍💻 🇩🇪 क्षि e\u0301 会议",
]


async def test_the_end_of_a_long_last_message_is_shown(
    view_app: Any, history: Any, a_message: Any
) -> None:
    rows = [a_message("word " * 40) for _ in range(300)]
    rows[-2:] = [a_message("\n".join(f"line {i}" for i in range(90)))] * 2
    app = view_app(history(rows))
    async with app.run_test(size=(60, 21)) as pilot:
        app.view.open("s")
        await app.rest(pilot)
        app.view.action_last()
        await app.rest(pilot)
        assert app.lines()[-1].startswith("█ line 89 ")
        app.view.action_line_up()
        await app.rest(pilot)
        assert app.lines()[-1].startswith("█ line 88 ")


async def test_it_opens_centred_at_the_anchor(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        app.view.open("s", anchor=151, hits=(151,), highlight=lambda t: [(0, 7)])
        await app.rest(pilot)
        assert app.lines()[9].startswith("▌ you  21:16  ◀ anchor")
        assert app.lines()[10].startswith("█ message 50")
        assert app.view.current_id == app.view.anchor_id == 151
        assert (app.view.position, app.view.total) == (51, 100)
        assert (app.view.hit_index, app.view.hit_count) == (1, 1)
        assert len(of_kind(app, "Opened")) == 1
        assert app.view.current_text() == "message 50\nsecond line\nthird"


@pytest.mark.parametrize("action", ["line", "page", "half"])
async def test_scrolling_reaches_both_ends_through_the_gaps(
    view_app: Any, talk: Any, action: str
) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=151)
        await app.rest(pilot)
        for direction, names in (
            (-1, "page_up half_up line_up"),
            (1, "page_down half_down line_down"),
        ):
            step = next(n for n in names.split() if n.startswith(action))
            seen = set()
            for press in range(900):
                seen.add(view.position)
                if of_kind(app, "EdgeReached"):
                    break
                getattr(view, f"action_{step}")()
                if action == "page":
                    await app.rest(pilot)
                elif not press % 10:
                    await pilot.pause()
            await app.rest(pilot)
            assert {e.direction for e in of_kind(app, "EdgeReached")} == {direction}
            assert view.position == (1 if direction < 0 else 100)
            app.posted.clear()
            lines = app.lines()
            assert any(("message 0" if direction < 0 else "message 99") in line for line in lines)
            if action == "line":
                assert len(seen) >= 50
        assert "┄" not in "".join(app.lines())


async def test_matches_are_drawn_bold_and_underlined(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        app.view.open("s", anchor=151, hits=(151,), highlight=lambda t: [(0, 7)])
        await app.rest(pilot)
        strip = app.view.render_line(10)
        marked = [s.text for s in strip if s.style and s.style.underline and s.style.bold]
        assert marked == ["message"]


async def test_moving_by_message_and_turn(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=151)
        await app.rest(pilot)
        seen = []
        for action in (
            *("message_next", "message_next", "message_prev", "turn_next", "turn_next"),
            *("turn_prev", "first", "turn_next", "message_prev", "last", "turn_prev"),
        ):
            getattr(view, f"action_{action}")()
            await app.rest(pilot)
            seen.append(view.position)
        assert seen == [52, 53, 52, 53, 55, 53, 1, 3, 2, 100, 99]
        assert "█ you" in app.lines()[cursor_row(app)]


async def test_going_to_a_number_or_a_percent(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s")
        await app.rest(pilot)
        assert (view.position, view.anchor_id) == (1, None)
        seen = []
        for go in (
            lambda: view.go_to_number(64),
            lambda: view.go_to_number(10_000),
            lambda: view.go_to_percent(50),
            lambda: view.go_to_percent(-3),
            lambda: view.go_to_percent(300),
        ):
            go()
            await app.rest(pilot)
            seen.append(view.position)
        assert seen == [64, 100, 51, 1, 100]


async def test_resizing_keeps_the_words_under_the_eye(
    view_app: Any, history: Any, a_message: Any
) -> None:
    words = " ".join(f"word{i}" for i in range(400))
    app = view_app(history([a_message(words) for _ in range(9)]))
    async with app.run_test(size=(80, 20)) as pilot:
        view = app.view
        start = words.index("word300")
        view.open("s", anchor=105, hits=(105,), highlight=lambda t: [(start, start + 7)])
        await app.rest(pilot)
        for size in ((44, 20), (120, 30), (30, 8), (80, 20)):
            await pilot.resize_terminal(*size)
            await app.rest(pilot)
            assert view.current_id == 105
            line = app.lines()[cursor_row(app)]
            assert re.search(r"word(29\d|30\d)", line), line
            assert all(cell_len(line) == size[0] for line in app.lines())


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (4, 3), (11, 2), (12, 1), (300, 90)])
async def test_any_size_of_terminal(view_app: Any, work: Any, size: tuple[int, int]) -> None:
    app = view_app(work)
    async with app.run_test(size=size) as pilot:
        view = app.view
        view.open("s", anchor=103, hits=(103,), highlight=lambda t: [(0, 2)] if t else [])
        await app.rest(pilot)
        for action in ("page_down", "line_up", "last", "first", "unfold_all", "toggle_tools"):
            getattr(view, f"action_{action}")()
            await app.rest(pilot)
            assert all(cell_len(line) == size[0] for line in app.lines())
        assert view.total == 6


async def test_nothing_from_content_acts_on_the_terminal(
    view_app: Any, history: Any, a_message: Any
) -> None:
    nasty = "".join(HOSTILE)
    calls = [{"id": nasty, "function": {"name": nasty, "arguments": nasty}}]
    app = view_app(
        history(
            [
                a_message(
                    text,
                    role,
                    tool_name=text,
                    tool_calls=calls,
                    reasoning=text,
                    display_kind=text,
                    tool_calls_text=text,
                )
                for text in (*HOSTILE, nasty)
                for role in ("user", "tool", text)
            ]
            + [a_message([{"type": nasty}, {"type": "text", "text": nasty}])]
        )
    )
    async with app.run_test(size=(70, 30)) as pilot:
        view = app.view
        view.open("s", highlight=lambda t: [(0, 3)] if t else [])
        await app.rest(pilot)
        view.action_toggle_tools()
        seen = ""
        while not of_kind(app, "EdgeReached"):
            await app.rest(pilot)
            for y in range(30):
                strip = view.render_line(y)
                seen += strip.text
                assert strip.cell_length == cell_len(strip.text) == 70
                assert not [s for s in strip if s.style and s.style.link]
                assert not [s for s in strip if s.style and "@click" in s.style.meta]
            seen += view.current_text().replace("\n", "").replace("\t", "")
            view.action_page_down()
            await pilot.pause()
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800]", seen)
        assert "[@click=app.quit]z[/]" in seen


async def test_what_fails_is_said(view_app: Any, talk: Any, history: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.open("nowhere")
        await app.rest(pilot)
        assert [e.sentence for e in of_kind(app, "Failed")] == [
            "This session is not in the history."
        ]
        assert "This session is not in the history." in "\n".join(app.lines())
        app.view.open("s", anchor=7)
        await app.rest(pilot)
        assert [e.notice for e in of_kind(app, "Opened")] == ["Message 7 is not in this session."]
        assert (app.view.anchor_id, app.view.position) == (None, 1)
        app.view.clear("No \x1b[31mresults")
        await app.rest(pilot)
        assert "No results" in "\n".join(app.lines())
        assert (app.view.session_id, app.view.total, app.view.current_id) == (None, 0, None)
        for name in dir(app.view):
            if name.startswith("action_") and name in vars(type(app.view).__mro__[2]):
                getattr(app.view, name)()


async def test_rows_that_vanish_are_named(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 20)) as pilot:
        talk.gone = {151, 152, 160}
        app.view.open("s", anchor=151)
        await app.rest(pilot)
        assert "[this message is no longer" in "\n".join(app.lines())
        talk.gone = set(range(101, 201))
        app.view.go_to_number(75)
        await app.rest(pilot)
        assert "[this message is no longer" in "\n".join(app.lines())


async def test_an_answer_to_an_older_question_is_dropped(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 20)) as pilot:
        for anchor in range(101, 130):
            app.view.open("s", anchor=anchor)
        await app.rest(pilot)
        assert app.view.current_id == 129
        assert len(of_kind(app, "Opened")) == 1
        app.view.open("s", anchor=101)
        app.view.clear("gone")
        await app.rest(pilot)
        assert app.view.total == 0


async def test_what_a_slower_thread_read_for_an_older_question_is_dropped(
    view_app: Any, talk: Any
) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.open("s", anchor=151)
        await app.rest(pilot)
        older = Request(0, "s", 101, (), None, 56, 5)
        app.view.post_message(SessionRead(open_session(talk, older, lambda: None)))
        await app.rest(pilot)
        assert app.view.current_id == 151


async def test_loading_under_the_cursor_moves_nothing_that_is_read(
    view_app: Any, history: Any, a_message: Any
) -> None:
    """The cursor goes up into messages that are still loading; what is on the screen stays."""
    talk = history([a_message("\n".join("x" * (i % 13))) for i in range(400)])
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=401)
        view.action_unfold_all()
        await app.rest(pilot)
        read, gate = talk.messages, Event()

        def messages(ids: Any) -> Any:
            gate.wait(20)
            return read(ids)

        talk.messages = messages
        viewport, layout = view._viewport, view.layout_of_session
        while layout.is_measured(viewport.cursor[0]):
            view.action_half_up()
            await pilot.pause()
        held = {row: at for row, at in enumerate(viewport.frame()) if layout.is_measured(at[0])}
        assert held
        gate.set()
        await app.rest(pilot)
        assert layout.is_measured(viewport.cursor[0])
        assert {row: viewport.frame()[row] for row in held} == held
