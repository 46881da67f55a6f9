"""The wheel, clicks, the track and selections."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len
from textual.events import MouseScrollDown

from viewing import cursor_row, line_with


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
