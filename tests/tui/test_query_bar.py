from __future__ import annotations

import pytest
from textual import events
from textual.app import App, ComposeResult

from hermes_tui.tui.widgets.query_bar import PASTE_LIMIT, QueryBar


class BarApp(App[None]):
    def compose(self) -> ComposeResult:
        yield QueryBar(id="query")

    @property
    def bar(self) -> QueryBar:
        return self.query_one(QueryBar)


def paste(app: BarApp, text: str) -> None:
    app.bar.post_message(events.Paste(text))


async def test_the_query_of_the_command_line_is_cleaned() -> None:
    app = BarApp()
    async with app.run_test():
        app.bar.fill("  first\x1b[2J query ")
        assert app.bar.value == "first query"
        assert app.bar.cursor_position == len("first query")


@pytest.mark.parametrize(
    ("pasted", "value"),
    [
        ("docker\nbridge\r\nnetwork", "docker bridge network"),
        ("\x1b]52;c;Zm9v\x07docker", "docker"),
        ("\u202edocker\ud800", "docker\N{REPLACEMENT CHARACTER}"),
        ("\u2028docker", "docker"),
        ("", ""),
    ],
)
async def test_a_paste_becomes_one_clean_line(pasted: str, value: str) -> None:
    app = BarApp()
    async with app.run_test() as pilot:
        app.bar.value = ""
        paste(app, pasted)
        await pilot.pause()
        assert app.bar.value == value


async def test_a_paste_goes_where_the_cursor_is_and_replaces_the_selection() -> None:
    app = BarApp()
    async with app.run_test() as pilot:
        app.bar.value = "docker network"
        app.bar.cursor_position = 7
        paste(app, "bridge ")
        await pilot.pause()
        assert app.bar.value == "docker bridge network"
        app.bar.select_all()
        paste(app, "podman")
        await pilot.pause()
        assert app.bar.value == "podman"


async def test_a_huge_paste_is_cut() -> None:
    app = BarApp()
    async with app.run_test() as pilot:
        app.bar.value = ""
        paste(app, "docker " * 100_000)
        await pilot.pause()
        assert len(app.bar.value) == PASTE_LIMIT


async def test_older_queries_come_back_and_the_draft_is_kept() -> None:
    app = BarApp()
    async with app.run_test() as pilot:
        for query in ("docker", "podman", "podman", " "):
            app.bar.value = query
            app.bar.remember()
        app.bar.value = "half typ"
        values = []
        for key in ("up", "up", "up", "down", "down"):
            await pilot.press(key)
            values.append(app.bar.value)
        assert values == ["podman", "docker", "docker", "podman", "half typ"]
