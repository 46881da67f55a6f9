"""Filters: offered while they are typed, and chosen in the panel."""

from __future__ import annotations

import pytest

from hermes_tui.recall.vocabulary import Vocabulary
from hermes_tui.tui.completing import offers
from hermes_tui.tui.screens.filters import FilterScreen, options, toggled

KNOWN = Vocabulary(
    sources=(("cli", 6), ("telegram", 3), ("cron", 1)),
    cwds=(("/home/me/shop floor", 1),),
    titles=("Homelab plan",),
)


def taken(text: str) -> str | None:
    """The text after the first offer was taken, with | for the cursor."""
    found = offers(text, len(text), KNOWN)
    return found and found[0].text[: found[0].cursor] + "|" + found[0].text[found[0].cursor :]


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        ("docker sour", "docker source:|"),
        ("source:", "source:cli |"),
        ("source:te", "source:telegram |"),
        ("source:gram", "source:telegram |"),
        ("source:cli,te", "source:cli,telegram |"),
        ("cwd:sh", 'cwd:"/home/me/shop floor" |'),
        ("cwd:/a,sh", 'cwd:"/home/me/shop floor" |'),
        ('title:"home', 'title:"Homelab plan" |'),
        ("after:", "after:7d |"),
        ("role:as", "role:assistant |"),
        ("sorce:cli", "source:|cli"),
        ("docker", ()),
        ("so", ()),
        ("source", ()),
        ("source:telegram", ()),
        ("source:telegram ", ()),
        ("http://x", ()),
    ],
)
def test_offers(typed, after) -> None:
    assert taken(typed) == after


def test_offers_before_the_vocabulary_is_read() -> None:
    assert offers("source:", 7, None) == ()
    assert [offer.shown for offer in offers("role:", 5, None)] == [
        "user", "assistant", "tool", "system"
    ]  # fmt: skip


async def test_tab_takes_what_is_offered(make_app, service, frame, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker source:")
        await settle(pilot)
        assert "Tab cli 6 · telegram 3 · cron 1" in frame(app)
        await pilot.press("t")
        await settle(pilot)
        assert "Tab telegram 3" in frame(app)
        await pilot.press("tab")
        await settle(pilot)
        assert app.screen.bar.value == "docker source:telegram "
        assert app.screen.pane == "query"
        assert service.asked[-1].text == "docker source:telegram "
        assert "6 hits" in frame(app), "the status is back"
        await pilot.press("tab")
        assert app.screen.pane == "results", "with nothing to offer it is the next pane"


async def test_offers_end_where_the_query_is_left(make_app, frame, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"source:")
        await settle(pilot)
        await pilot.press("down")
        await settle(pilot)
        assert "telegram 3" not in frame(app)
        await pilot.press("slash")
        await settle(pilot)
        assert "telegram 3" in frame(app)


async def test_the_panel_edits_the_query(make_app, service, frame, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"docker", "down", "f")
        await settle(pilot)
        assert isinstance(app.screen, FilterScreen)
        assert "[ ] telegram" in frame(app)
        await pilot.press("j", "space", "j", "j", "enter")
        await settle(pilot)
        shown = frame(app)
        assert "[x] telegram" in shown
        assert "[x] user" in shown
        assert app.main.bar.value == "docker source:telegram role:user"
        assert service.asked[-1].text == "docker source:telegram role:user"
        await pilot.press("G", "space")
        await settle(pilot)
        assert app.main.bar.value == "docker"
        await pilot.press("f")
        await settle(pilot)
        assert app.main.pane == "results"


async def test_letters_are_text_in_the_query_bar_f_too(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("f")
        await settle(pilot)
        assert app.screen.bar.value == "f"


def test_times_are_one_of_several() -> None:
    rows = options("x after:2026-03", KNOWN)
    on = [(row.name, row.value) for row in rows if row.on]
    assert on == [("after", "2026-03")], "one that is not on the list is shown too"
    week = next(row for row in rows if row.value == "7d")
    assert toggled("x after:2026-03", week) == "x after:7d"
    always = next(row for row in rows if row.name == "after" and not row.value)
    assert toggled("x after:7d", always) == "x"


def test_roles_by_their_other_names() -> None:
    rows = options("role:you", KNOWN)
    user = next(row for row in rows if row.value == "user")
    assert user.on
    assert toggled("role:you", user) == ""
    tool = next(row for row in rows if row.value == "tool")
    assert toggled("role:you", tool) == "role:you,tool"
