"""Keys that come faster than they are worked off: each goes to where the one before has led."""

from __future__ import annotations

from textual import events
from textual.keys import _character_to_key


async def caught_up(pilot) -> None:
    """Until every key is worked off."""
    await pilot.pause()
    while pilot.app.behind:
        await pilot.pause()


def type_ahead(app, keys: str) -> None:
    """All the keys at once, as a terminal on a slow line hands them over."""
    for character in keys:
        special = {"\r": "enter", "↓": "down"}.get(character)
        key = special or _character_to_key(character)
        app.post_message(events.Key(key, None if special else character))


async def test_a_find_typed_ahead_is_no_row_of_commands(make_app, settle, beyond) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        assert app.screen.pane == "conversation"
        type_ahead(app, "/yre1\r")
        await caught_up(pilot)
        await settle(pilot)
        prompt = app.main.conversation.prompt
        assert prompt.field.value == "yre1"
        assert not beyond.fed, "nothing copied"
        assert not beyond.work.exists(), "nothing written"


async def test_a_query_typed_ahead_from_the_results(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("down")
        await settle(pilot)
        assert app.screen.pane == "results"
        type_ahead(app, "/jolly pomelo")
        await caught_up(pilot)
        await settle(pilot)
        assert app.main.bar.value == "jolly pomelo"
        assert app.screen.pane == "query"


async def test_keys_typed_ahead_reach_the_menu_that_opens(make_app, settle, beyond) -> None:
    beyond.work.mkdir()
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("down")
        await settle(pilot)
        type_ahead(app, "ej\rj")
        await caught_up(pilot)
        await settle(pilot)
        assert [path.suffix for path in beyond.work.iterdir()] == [".html"], "the second entry"
        assert app.screen is app.main
        assert app.main.results.list.cursor == 1, "the last key is the list's again"


async def test_keys_typed_ahead_follow_the_keyboard_through_the_panes(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        type_ahead(app, "↓jj\r")
        await caught_up(pilot)
        await settle(pilot)
        assert app.main.results.list.cursor == 2
        assert app.screen.pane == "conversation"
        assert app.main.conversation.view.session_id == "s3"
        assert app.main.bar.value == ""


async def test_a_paste_between_keys_keeps_its_place(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("down")
        await settle(pilot)
        type_ahead(app, "/a")
        app.post_message(events.Paste("bcd"))
        type_ahead(app, "e")
        await caught_up(pilot)
        await settle(pilot)
        assert app.main.bar.value == "abcde"


async def test_a_key_whose_widget_is_gone_holds_up_no_other(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("down")
        await settle(pilot)
        app._under_way = True  # what a key leaves that is never heard of again
        type_ahead(app, "jj")
        while app.main.results.list.cursor < 2:
            await pilot.pause()
        await caught_up(pilot)


async def test_a_key_behind_enter_is_for_the_conversation_it_opens(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("down")
        await settle(pilot)
        view = app.main.conversation.view
        assert view.position < view.total
        type_ahead(app, "j\rG")
        await settle(pilot)
        assert (view.session_id, view.position) == ("s2", view.total)
        type_ahead(app, ">G>g")
        await settle(pilot)
        assert (view.session_id, view.position) == ("s4", 1)


async def test_leaving_does_not_wait_for_what_is_being_opened(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("down", "enter")
        await settle(pilot)
        view = app.main.conversation.view
        view.opening = True  # as long as a history on a slow disk is read
        app.post_message(events.Key("escape", None))
        await pilot.pause()
        assert app.screen.pane == "results"
        view.opening = False
