"""Public bug reports about the screen (area F): each case's history, with its keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.events import Paste, Resize
from textual.geometry import Size

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import HistoryPool
from hermes_tui.history.tokenizer import register
from hermes_tui.tui.app import HermesTui
from hermes_tui.tui.recalling import RecallService

from cases import build, load_cases

pytestmark = [pytest.mark.shared]

COVERED = {
    "F01": "test_markup_is_text",
    "F03": "test_nothing_in_a_text_can_be_clicked",
    "F04": "tests/terminal/test_hostile.py, tests/cli/test_hostile.py",
    "F07": "test_any_size_at_any_time",
    "F08": "test_twenty_thousand_sessions; times: tests/benchmarks/screen.py",
    "F09": "test_huge_messages; times: tests/benchmarks/viewer.py",
    "F10": "test_the_caret_is_where_the_next_character_goes",
    "F11": "test_a_title_in_another_script_is_found",
    "F12": "tests/terminal/test_cases.py",
    "F14": "test_keys_in_the_query_bar",
    "F15": "tests/terminal/test_cases.py",
    "F17": "test_wide_characters_in_a_narrow_query_bar",
    "F19": "test_a_copy_too_long_for_the_terminal, tests/tui/test_taking.py",
    "F20": "test_a_drag_takes_what_it_covers",
    "F22": "tests/terminal/test_cases.py",
}

Make = Callable[[str], HermesTui]


@pytest.fixture
def app_of(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beyond: Any
) -> Iterator[Make]:
    """The application over the history of a case."""
    cases = load_cases(shared)
    opened: list[Any] = []
    monkeypatch.setattr("hermes_tui.tui.screens.main.DEBOUNCE", 0.0)
    monkeypatch.setattr("hermes_tui.tui.screens.reading.PREVIEW_DELAY", 0.001)

    def make(name: str) -> HermesTui:
        names = build(cases[name], shared, tmp_path, monkeypatch)
        place = Place(names["db"].path, "")
        pool, service = HistoryPool(place, register=register), RecallService(place)
        opened.extend([service, pool, names["db"]])
        return HermesTui(service, pool, blink=False, outside=beyond.outside())

    yield make
    for thing in opened:
        thing.close()


def test_every_case_is_covered(shared: Path) -> None:
    wanted = {name for name in load_cases(shared) if name.startswith("F")}
    assert wanted == set(COVERED)
    for where in COVERED.values():
        for name in re.findall(r"\btest_\w+\b(?!\.py)", where):
            assert name in globals(), name


MARKUP = (
    *("a [/red] b", "see [/", "[link=https://evil.example]click[/link] me"),
    *("[[self v] do:[self m]]", "[bold red]hidden[/]", "range (1 3 and [b + x"),
    *("[@click=app.quit]boom[/]", '{"b": [true, false]}'),
)


async def test_markup_is_text(app_of: Make, settle: Any, frame: Any) -> None:
    app = app_of("F01")
    async with app.run_test(size=(160, 50), notifications=True) as pilot:
        await settle(pilot)
        listed = frame(app)
        assert [text for text in MARKUP if text not in listed] == []
        for query in ("needle", *MARKUP):
            app.main.bar.fill(query)
            await pilot.pause()
            await settle(pilot)
            assert app.main.bar.value == query
            app.main.toast(f"cannot do: {query}")
            await pilot.pause()
        app.main.bar.fill("needle")
        await settle(pilot)
        await pilot.press("down")
        seen = ""
        for _ in MARKUP:
            await settle(pilot)
            seen += frame(app)
            await pilot.press("j")
        await settle(pilot)
        assert [text for text in MARKUP if f"{text} needle" not in seen] == []


async def test_nothing_in_a_text_can_be_clicked(
    app_of: Make, settle: Any, frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_of("F03")
    visited: list[str] = []
    monkeypatch.setattr(app, "open_url", lambda url, **_: visited.append(url))
    async with app.run_test(size=(120, 20)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        (y, line) = next(
            (y, line)
            for y, line in enumerate(frame(app).split("\n"))
            if "boom" in line.split("││")[-1] and y > 5
        )
        start = line.rindex("[@click")
        for x in range(start, min(start + 70, 119), 3):
            await pilot.click(offset=(x, y))
        await settle(pilot)
        assert app.is_running
        assert app._exit is False
        assert visited == []
        assert "boom" in frame(app)


SIZES = ((1, 1), (2, 1), (1, 24), (3, 3), (20, 5), (80, 1), (200, 60))


async def resize(app: HermesTui, pilot: Any, size: tuple[int, int]) -> None:
    """As a terminal does it."""
    await pilot.resize_terminal(*size)
    app.post_message(Resize(Size(*size), Size(*size)))
    await pilot.pause()


@pytest.mark.parametrize("keys", [(), ("enter",), tuple("text"), (*"text", "enter")])
async def test_any_size_at_any_time(
    app_of: Make, settle: Any, frame: Any, keys: tuple[str, ...]
) -> None:
    app = app_of("F07")
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)  # the search may be running while the size changes
        for size in SIZES:
            await resize(app, pilot, size)
        await settle(pilot)
        await resize(app, pilot, (120, 30))
        await settle(pilot)
        assert app.main.bar.value == ("text" if "t" in keys else "")
        assert "会议 row" in frame(app)
        view = app.main.conversation.view
        assert view.has_focus == (keys[-1:] == ("enter",))
        if view.has_focus:
            assert view.total == 1


async def test_twenty_thousand_sessions(app_of: Make, settle: Any, frame: Any) -> None:
    app = app_of("F08")
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        assert "会议 19999" in frame(app)
        await pilot.press("down", "G")
        await settle(pilot)
        last = frame(app)
        assert "会议 19999" not in last
        await pilot.press("g", *["j"] * 12)
        await settle(pilot)
        assert "会议 19987" in frame(app)
        await resize(app, pilot, (60, 20))
        await settle(pilot)
        assert "会议 19987" in frame(app)


async def test_huge_messages(app_of: Make, settle: Any, frame: Any) -> None:
    app = app_of("F09")
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        await pilot.press(*"needle", "enter")
        await settle(pilot)
        assert "last needle" in frame(app)
        await pilot.press("z", "R", "g")
        await settle(pilot)
        assert app.main.conversation.view.position == 1
        await resize(app, pilot, (140, 30))
        await pilot.press("G")
        await settle(pilot)
        assert app.main.conversation.view.position == 6
        for _ in range(6):  # the first K goes to the header of the message one is in
            await pilot.press("K")
            await settle(pilot)
        assert app.main.conversation.view.position == 1
        await pilot.press("a")
        await settle(pilot)
        assert "last needle" in frame(app)


@pytest.mark.parametrize("typed", ["会议", "한글", "にほん", "a会b"])
async def test_the_caret_is_where_the_next_character_goes(
    app_of: Make, settle: Any, typed: str
) -> None:
    """An input method puts its candidates at the terminal's cursor, which follows the caret."""
    app = app_of("F10")
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        bar = app.main.bar
        x, y = bar.content_region.offset
        for number, character in enumerate(typed, 1):
            await pilot.press(character)
            assert app.cursor_position == (x + cell_len(typed[:number]), y)
        await pilot.press("left")
        assert app.cursor_position == (x + cell_len(typed[:-1]), y)
        await pilot.press("right", "backspace")
        assert bar.value == typed[:-1]
        assert app.cursor_position == (x + cell_len(typed[:-1]), y)


@pytest.mark.parametrize("pasted", [False, True])
async def test_a_title_in_another_script_is_found(app_of: Make, settle: Any, pasted: bool) -> None:
    app = app_of("F11")
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        if pasted:
            app.main.bar.post_message(Paste("한글"))
        else:
            await pilot.press(*"한글")
        await pilot.pause()
        await settle(pilot)
        assert app.main.bar.value == "한글"
        assert [hit.session_id for hit in app.main.results.list.hits] == ["s1"]


async def test_keys_in_the_query_bar(app_of: Make, settle: Any) -> None:
    app = app_of("F14")
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        bar = app.main.bar
        await pilot.press(*"q/?jk")
        assert bar.value == "q/?jk", "letters are text"
        await pilot.press("ctrl+w", *"one two", "ctrl+w")
        assert bar.value.endswith("one ")
        await pilot.press("home", "ctrl+k")
        assert bar.value == ""
        await pilot.press(*"abc", "ctrl+u")
        assert bar.value == ""
        await pilot.press(*"copy", "shift+home", "ctrl+c")
        await pilot.pause()
        assert app.is_running
        assert app.clipboard == "copy"
        assert bar.value == "copy"
        await pilot.press("end", "ctrl+c")
        await pilot.pause()
        assert app._exit is False
        await pilot.press("escape")
        await settle(pilot)
        assert app._exit is False
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert app._exit is True


async def test_wide_characters_in_a_narrow_query_bar(app_of: Make, settle: Any) -> None:
    app = app_of("F17")
    async with app.run_test(size=(30, 12)) as pilot:
        await settle(pilot)
        bar = app.main.bar
        await pilot.press(*"会" * 40)

        def visible() -> bool:
            x, y = app.cursor_position
            return bar.region.x <= x < bar.region.right and y == bar.region.y

        assert visible(), (app.cursor_position, bar.region)
        for key in ("home", "right", "end", "left", "left", "ctrl+left", "backspace"):
            await pilot.press(key)
            await pilot.pause()
            assert visible(), key
        await settle(pilot)


async def test_a_copy_too_long_for_the_terminal(app_of: Make, settle: Any, beyond: Any) -> None:
    """In tmux it goes into its buffer whole; where nothing takes it, into a file that is named."""
    app = app_of("F19")
    beyond.environ["TMUX"] = "/tmp/tmux-0/default,1,0"
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        (command, data), *_ = beyond.fed
        assert command[:2] == ("tmux", "load-buffer")
        assert data.decode() == "copy me 会议 " + "x" * 200_000
        beyond.takes = False
        beyond.desktop = None
        await pilot.press("y")
        await settle(pilot)
        told = [notification.message for notification in app._notifications]
        assert any("too large for the terminal; written to" in text for text in told), told
        assert app.clipboard == ""


async def test_a_drag_takes_what_it_covers(app_of: Make, settle: Any) -> None:
    app = app_of("F20")
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "z", "R")
        await settle(pilot)
        view = app.main.conversation.view
        lines = [view.render_line(y).text for y in range(view.size.height)]
        found = [(y, cell_len(line[: line.index("hello")])) for y, line in enumerate(lines)
                 if "hello" in line]  # fmt: skip
        assert len(found) == 2
        for y, x in found:
            await pilot.mouse_down(view, offset=(x, y))
            await pilot.hover(view, offset=(x + 4, y))
            await pilot.mouse_up(view, offset=(x + 4, y))
            await pilot.pause()
            assert app.screen.get_selected_text() == "hello"
