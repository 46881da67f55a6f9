"""Finding a text in the open conversation, and going to a number in it."""

from __future__ import annotations

import pytest

from hermes_tui.tui.wording import Named, find_text, place_named


async def open_first(pilot, settle) -> None:
    await pilot.press(*"docker", "enter")
    await settle(pilot)


async def test_slash_in_the_conversation_finds_while_one_types(make_app, frame, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("slash", *"SAYS 1")
        await settle(pilot)
        prompt = app.screen.conversation.prompt
        assert app.screen.pane == "prompt"
        assert prompt.told == "no match", "a capital letter makes the case count"
        await pilot.press("ctrl+u", *"says 1")
        await settle(pilot)
        assert prompt.told == "2/4", "of 1, 10, 11 and 12, the first from where the reader was"
        assert app.screen.conversation.view.position == 10
        assert "says 1" in frame(app).splitlines()[-3]


async def test_enter_keeps_the_match_and_n_walks_on(make_app, frame, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("slash", *"says 1", "enter")
        await settle(pilot)
        view, seen = app.screen.conversation.view, []
        assert app.screen.pane == "conversation"
        for key in ("n", "n", "n", "N"):
            await pilot.press(key)
            await settle(pilot)
            seen.append((view.position, app.screen.conversation.prompt.told))
        assert [place for place, _ in seen] == [11, 12, 1, 12]
        assert "4/4" in seen[1][1]


async def test_escape_ends_the_find_and_then_goes_back(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("slash", *"says 12", "enter")
        await settle(pilot)
        await pilot.press("escape")
        pane = app.screen.conversation
        assert app.screen.pane == "conversation"
        assert not pane.prompt.display
        assert pane.view.position == 12, "what was committed stays"
        await pilot.press("escape")
        assert app.screen.pane == "results"


async def test_escape_while_typing_puts_one_back(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        before = app.screen.conversation.view.position
        await pilot.press("slash", *"says 12")
        await settle(pilot)
        assert app.screen.conversation.view.position == 12
        await pilot.press("escape")
        await settle(pilot)
        assert app.screen.conversation.view.position == before
        assert app.screen.pane == "conversation"
        assert not app.screen.conversation.prompt.display


async def test_arrows_walk_the_matches_while_one_types(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("slash", *"says 1")
        await settle(pilot)
        await pilot.press("down", "down", "up")
        await settle(pilot)
        assert app.screen.conversation.view.position == 11
        assert app.screen.pane == "prompt"


async def test_slash_elsewhere_goes_to_the_query(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down")
        await settle(pilot)
        await pilot.press("slash")
        assert app.screen.pane == "query"


async def test_another_result_closes_a_find(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("slash", *"says 1", "enter", ">")
        await settle(pilot)
        assert app.screen.conversation.view.session_id == "s2"
        assert not app.screen.conversation.prompt.display
        assert app.screen.pane == "conversation"


async def test_nothing_found_and_enter_leaves_everything_as_it_was(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        before = app.screen.conversation.view.position
        await pilot.press("slash", *"zzyzx")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen.conversation.view.position == before
        assert app.screen.pane == "conversation"


@pytest.mark.parametrize(
    ("typed", "position"), [("3", 3), ("100%", 12), ("0 %", 1), ("9,999", 12), ("#7", 7)]
)
async def test_going_to_a_place(make_app, settle, typed, position) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        keys = [
            {"%": "percent_sign", " ": "space", ",": "comma", "#": "number_sign"}.get(c, c)
            for c in typed
        ]
        await pilot.press(":", *keys, "enter")
        await settle(pilot)
        assert app.screen.conversation.view.position == position
        assert app.screen.pane == "conversation"


async def test_a_place_that_is_none_says_what_one_is(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press(":", *"there", "enter")
        await pilot.pause()
        assert app.screen.pane == "prompt"
        assert "a number, or a percent" in app.screen.conversation.prompt.told
        await pilot.press("escape")
        assert app.screen.conversation.view.position == 6


async def test_two_keys_fold_and_unfold_all(make_app, settle) -> None:
    app = make_app(keymap={"conversation.fold_all": "z F, x"})
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        view = app.screen.conversation.view
        layout = view.layout_of_session
        layout.set_window(1)

        def hidden() -> bool:
            return any(layout.is_gap(unit) for unit in range(layout.size))

        seen = []
        for keys in (("z", "R"), ("z", "F"), ("z", "R"), ("x",), ("z", "j"), ("z", "R")):
            await pilot.press(*keys)
            await pilot.pause()
            seen.append(hidden())
        assert seen == [False, True, False, True, True, False]


def test_words() -> None:
    assert find_text("", 0, 0, True) == ""
    assert find_text("x", 0, 0, False) == "…"
    assert find_text("x", 3, 1200, False) == "3/1,200 …"
    assert place_named("1,024") == Named(1024)
    assert place_named("12.5%") == Named(12.5, True)
    assert place_named("-3") is None
    assert place_named("٣") is None


async def test_what_is_offered_while_a_place_is_typed_is_not_about_matches(
    make_app, settle, frame
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("slash")
        await settle(pilot)
        assert "next match" in frame(app)
        await pilot.press("escape", "colon")
        await settle(pilot)
        assert "next match" not in frame(app)
        assert "Enter done" in frame(app)
