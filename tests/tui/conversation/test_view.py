"""The view as a reader uses it."""

from __future__ import annotations

import re
from threading import Event
from typing import Any

import pytest
from rich.cells import cell_len
from textual.events import MouseScrollDown

from hermes_tui.tui.widgets.conversation.events import SessionRead
from hermes_tui.tui.widgets.conversation.opening import Request, open_session

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


@pytest.fixture
def talk(history: Any, a_message: Any) -> Any:
    """A hundred messages, user and assistant in turn, three lines each; ids from 101."""
    roles = ("user", "assistant")
    return history(
        [a_message(f"message {i}\nsecond line\nthird", roles[i % 2]) for i in range(100)]
    )


@pytest.fixture
def work(history: Any, a_message: Any) -> Any:
    """A question, a call, its long output, an answer; one pair of messages was rewound."""
    call = {"id": "c", "function": {"name": "terminal", "arguments": '{"cmd": "ls"}'}}
    return history(
        [
            a_message("list it"),
            a_message(None, "assistant", tool_calls=[call]),
            a_message("\n".join(f"file {i}" for i in range(50)), "tool", tool_name="terminal"),
            a_message("wrong", visibility="rewound"),
            a_message("sorry", "assistant", visibility="rewound"),
            a_message("fifty files", "assistant"),
        ]
    )


def of_kind(app: Any, name: str) -> list[Any]:
    return [event for event in app.posted if type(event).__name__ == name]


def cursor_row(app: Any) -> int:
    return next(y for y, line in enumerate(app.lines()) if line.startswith("█"))


def line_with(app: Any, text: str) -> int:
    return next(y for y, line in enumerate(app.lines()) if text in line)


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


async def test_bookends_gaps_and_window(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 100)) as pilot:
        app.view.open("s", anchor=151)
        await app.rest(pilot)
        said = [line[2:].split("  ")[0] for line in app.lines()]
        said = [line for line in said if re.match("──|┄|message", line)]
        numbers = [f"message {i}" for i in range(100)]
        assert [line.rstrip("─ │◆█") for line in said] == [
            "── opening",
            "── Thu 28 May 2026",
            *numbers[:3],
            "┄ 42 messages ┄",
            *numbers[45:56],
            "┄ 41 messages ┄",
            "── closing",
            *numbers[97:],
        ]


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


async def test_a_gap_opens_without_a_jump(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=151)
        await app.rest(pilot)
        before = app.lines()
        for _ in range(34):
            view.action_line_down()
            await app.rest(pilot)
            after = app.lines()
            here = cursor_row(app)
            # What is between the line above the eye and the top has moved up by one line.
            assert [x[2:-2] for x in after[:here]] == [x[2:-2] for x in before[1 : here + 1]]
            before = after
        assert view.position > 57


async def test_hits_in_gaps_are_opened(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=151, hits=(121, 151, 181, 999), highlight=lambda t: [(11, 22)])
        await app.rest(pilot)
        assert (view.hit_index, view.hit_count) == (2, 3)
        view.action_hit_next()
        await app.rest(pilot)
        assert (view.current_id, view.hit_index) == (181, 3)
        assert app.lines()[cursor_row(app)].startswith("█ second line")
        view.action_hit_next()
        await pilot.pause()
        assert view.current_id == 181
        assert of_kind(app, "EdgeReached")
        view.action_hit_prev()
        view.action_hit_prev()
        await app.rest(pilot)
        assert (view.current_id, view.hit_index) == (121, 1)
        view.action_anchor()
        await app.rest(pilot)
        assert (view.current_id, cursor_row(app)) == (151, 10)


async def test_a_hit_in_folded_output_is_unfolded(
    view_app: Any, history: Any, a_message: Any
) -> None:
    output = "\n".join(f"row {i}" for i in range(500))
    app = view_app(history([a_message("go"), a_message(output, "tool")]))
    async with app.run_test(size=(60, 21)) as pilot:
        start = output.index("row 321")
        app.view.open(
            "s",
            anchor=102,
            hits=(102,),
            highlight=lambda t: [(start, start + 7)] if "row" in t else [],
        )
        await app.rest(pilot)
        assert app.lines()[cursor_row(app)].startswith("█ row 321")


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


async def test_tool_output_folds_without_moving_the_eye(view_app: Any, work: Any) -> None:
    app = view_app(work)
    async with app.run_test(size=(60, 15)) as pilot:
        view = app.view
        view.open("s", anchor=106)
        await app.rest(pilot)
        row = cursor_row(app)
        for level in ("full", "off", "line", "cut"):
            view.action_toggle_tools()
            await app.rest(pilot)
            assert view.tool_level == level
            text = "\n".join(app.lines())
            assert "█ hermes" in app.lines()[cursor_row(app)]
            assert ("… 42 more lines" in text) == (level == "cut")
            assert ("file 49" in text) == (level == "full")
            assert ("⚙ terminal" in text) == (level in ("cut", "line"))
            assert ("┄ 1 tool message" in text) == (level == "off")
        assert cursor_row(app) == row


async def test_a_hit_is_not_hidden_with_the_tools(
    view_app: Any, history: Any, a_message: Any
) -> None:
    output = "\n".join(f"row {i}" for i in range(9))
    app = view_app(history([a_message("talk"), *[a_message(output, "tool")] * 4]))
    async with app.run_test(size=(60, 30)) as pilot:
        app.view.open("s", hits=(103, 105), highlight=lambda text: [(text.find("row 7"), 45)])
        await app.rest(pilot)
        app.view.action_toggle_tools()
        app.view.action_toggle_tools()
        await app.rest(pilot)
        shown = [line[2:-2].strip() for line in app.lines()]
        assert [line for line in shown if line and "──" not in line] == [
            *("you  20:26", "talk", "┄ 1 tool message ┄", "tool  20:28", "row 0 …"),
            *("┄ 1 tool message ┄", "tool  20:30", "row 0 …"),
        ]
        app.view.action_hit_next()
        await app.rest(pilot)
        assert "█ row 7" in "\n".join(app.lines()), "walking to it opens it"


async def test_the_track_can_be_dragged(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=151)
        await app.rest(pilot)
        before = view.layout_of_session.folds()
        await pilot.mouse_down(view, offset=(59, 10))
        for y in (8, 5, 0):
            await pilot.hover(view, offset=(59, y))
        assert view.position == 1
        assert view.layout_of_session.folds() == before, "nothing opens on the way"
        await pilot.hover(view, offset=(20, 20))
        await pilot.mouse_up(view, offset=(59, 20))
        await app.rest(pilot)
        assert view.position > 90
        assert app.screen.selections == {}
        await pilot.hover(view, offset=(59, 3))
        assert view.position > 90, "it has been let go"


async def test_enter_folds_one_message_and_opens_gaps(view_app: Any, work: Any) -> None:
    app = view_app(work)
    async with app.run_test(size=(60, 30)) as pilot:
        view = app.view
        view.open("s", anchor=103)
        await app.rest(pilot)
        view.action_open_fold()
        await app.rest(pilot)
        assert any("file 20" in line for line in app.lines())
        view.action_open_fold()
        view.action_message_next()
        await app.rest(pilot)
        assert "2 rewound messages hidden" in app.lines()[cursor_row(app)]
        view.action_open_fold()
        await app.rest(pilot)
        assert any("wrong" in line for line in app.lines())
        assert "rewound" in app.lines()[cursor_row(app)]


async def test_rewound_messages_can_be_shown(view_app: Any, work: Any) -> None:
    app = view_app(work)
    async with app.run_test(size=(60, 30)) as pilot:
        app.view.open("s", anchor=106)
        await app.rest(pilot)
        assert not any("wrong" in line for line in app.lines())
        app.view.action_toggle_rewound()
        await app.rest(pilot)
        assert app.view.show_rewound
        assert any("wrong" in line for line in app.lines())


async def test_folding_all_and_none_keeps_the_eye(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=151)
        await app.rest(pilot)
        for action, window in (("unfold_all", 5), ("fold_all", 5), ("wider", 10), ("narrower", 5)):
            getattr(view, f"action_{action}")()
            await app.rest(pilot)
            assert (view.current_id, cursor_row(app), view.window) == (151, 10, window)
            assert app.lines()[10].startswith("█ you")


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


async def test_the_wheel_scrolls_and_a_click_moves_the_cursor(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=151)
        await app.rest(pilot)
        top = app.lines()[3]
        await pilot._post_mouse_events([MouseScrollDown], view)
        await app.rest(pilot)
        assert app.lines()[0][2:-2] == top[2:-2]
        await pilot.click(view, offset=(10, 4))
        await app.rest(pilot)
        assert cursor_row(app) == 4
        await pilot.click(view, offset=(59, 20))
        await app.rest(pilot)
        assert view.position > 90


async def test_a_selection_copies_the_original_text(
    view_app: Any, history: Any, a_message: Any
) -> None:
    text = "\thello\tworld 会议 and a line that is long enough to be wrapped twice\nsecond"
    app = view_app(history([a_message(text), a_message("other " * 30, "assistant")]))
    async with app.run_test(size=(40, 20)) as pilot:
        app.view.open("s")
        await app.rest(pilot)
        row = line_with(app, "hello")

        async def drag(start: tuple[int, int], end: tuple[int, int]) -> str | None:
            await pilot.mouse_down(app.view, offset=start)
            await pilot.hover(app.view, offset=end)
            await pilot.mouse_up(app.view, offset=end)
            await pilot.pause()
            return app.screen.get_selected_text()

        column = app.lines()[row].index("hello")
        assert await drag((column, row), (column + 4, row)) == "hello"
        # Any cell of a tab is the tab.
        assert await drag((column, row), (column + 7, row)) == "hello\t"
        wide = cell_len(app.lines()[row].split("会")[0])
        assert await drag((wide, row), (wide + 2, row)) == "会议"
        # Wrapping leaves no trace, a newline stays one.
        last = line_with(app, "second")
        assert await drag((column, row), (7, last)) == text[1:]
        assert await drag((7, last), (column, row)) == text[1:]
        # On into the next message: its header is part of it.
        both = await drag((column, row), (7, line_with(app, "other")))
        assert both is not None
        assert both.startswith(text[1:] + "\nhermes  20:27\nother ")
        app.view.text_select_all()
        assert app.screen.get_selected_text() == text


async def test_a_drag_does_not_move_the_cursor(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        app.view.open("s", anchor=151)
        await app.rest(pilot)
        await pilot.mouse_down(app.view, offset=(4, 2))
        await pilot.hover(app.view, offset=(8, 5))
        await pilot.mouse_up(app.view, offset=(8, 5))
        await pilot.pause()
        assert cursor_row(app) == 10


async def test_a_selection_survives_scrolling(view_app: Any, talk: Any) -> None:
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        app.view.open("s", anchor=151)
        await app.rest(pilot)
        await pilot.mouse_down(app.view, offset=(4, 2))
        await pilot.hover(app.view, offset=(8, 5))
        await pilot.mouse_up(app.view, offset=(8, 5))
        await pilot.pause()
        before = app.screen.get_selected_text()
        assert before
        assert "\n" in before
        for _ in range(5):
            app.view.action_page_up()
            await app.rest(pilot)
        assert app.screen.get_selected_text() == before
