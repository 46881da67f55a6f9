"""What is folded, what opens it, and the eye that does not move."""

from __future__ import annotations

import re
from typing import Any

from viewing import cursor_row, of_kind


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


async def test_what_is_off_stays_off_in_the_next_session(
    view_app: Any, history: Any, a_message: Any
) -> None:
    app = view_app(history([a_message("talk"), *[a_message("output", "tool")] * 3]))
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.view
        view.open("s")
        await app.rest(pilot)
        view.action_toggle_tools()
        view.action_toggle_tools()
        view.open("s", hits=(104,))
        await app.rest(pilot)
        text = "\n".join(app.lines())
        assert view.modes == ("tools off",)
        assert "┄ 2 tool messages ┄" in text
        assert text.count("output") == 1, "the hit"
        view.set_hits((103, 104))
        await app.rest(pilot)
        text = "\n".join(app.lines())
        assert "┄ 1 tool message ┄" in text
        assert text.count("output") == 2


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
