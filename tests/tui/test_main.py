"""The main screen, driven by keys over a service that the test steers."""

from __future__ import annotations

import threading

import pytest
from textual.widgets import Static

from hermes_tui.history.errors import HistoryError
from hermes_tui.recall.outcome import Notice
from hermes_tui.tui.commands import COMMANDS, keys_text
from hermes_tui.tui.screens.help import HelpScreen

HOSTILE = "[/] \x1b[2J\x1b]52;c;Zm9v\x07[bold]x[/red] \u202eevil\x9b31m[@click=app.bell]\ud800\x00"


async def test_it_starts_on_the_recent_sessions_with_the_cursor_in_the_query(
    make_app, service, frame, settle
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        shown = frame(app)
        assert app.screen.pane == "query"
        assert service.asked[0].blank
        assert "recent sessions · 6 lineages" in shown
        assert "Talk 1" in shown
        assert "sort relevance · roles user+assistant" in shown
        assert app.screen.conversation.view.session_id == "s1"


async def test_a_query_from_the_command_line_is_asked_at_once(make_app, service, settle) -> None:
    app = make_app(query="docker")
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert [question.text for question in service.asked] == ["docker"]
        assert app.screen.bar.value == "docker"


async def test_typing_searches_and_shows_where_the_agents_answer_ends(
    make_app, service, frame, settle
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"docker")
        await settle(pilot)
        shown = frame(app)
        assert service.asked[-1].text == "docker"
        assert "fts5 · 6 hits in 6 lineages · the agent sees 3 · 3 ms" in shown
        assert "session_search stops here (3)" in shown
        assert "after the agent's limit" in shown


async def test_letters_are_text_in_the_query_bar(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"qsnjG", "question_mark", "slash", "space")
        await settle(pilot)
        assert app.screen.bar.value == "qsnjG?/ "
        assert app.is_running


async def test_enter_opens_the_first_result_at_its_hit(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        view = app.screen.conversation.view
        assert app.screen.pane == "conversation"
        assert (view.session_id, view.anchor_id) == ("s1", 6)


async def test_enter_waits_for_the_answer_to_what_was_typed(make_app, service, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        service.hold = threading.Event()
        await pilot.press(*"docker", "enter")
        assert app.screen.pane == "query"
        service.hold.set()
        await settle(pilot)
        assert app.screen.pane == "conversation"


async def test_a_new_key_stops_the_running_search(make_app, service, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        service.hold = threading.Event()
        await pilot.press("d")
        while len(service.asked) < 2:
            await pilot.pause(0.01)
        await pilot.press("o")
        while not service.stopped:
            await pilot.pause(0.01)
        assert [question.text for question in service.stopped] == ["d"]
        service.hold.set()
        await settle(pilot)
        assert app.screen.outcome.query == "do"


async def test_a_slow_search_says_that_it_runs(make_app, service, frame, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        service.hold = threading.Event()
        await pilot.press("d")
        while "searching d …" not in frame(app):
            await pilot.pause(0.01)
        assert "Talk 1" in frame(app), "the old results stay meanwhile"
        service.hold.set()
        await settle(pilot)
        assert "searching" not in frame(app)


async def test_what_a_scan_finds_joins_without_moving_the_cursor(
    make_app, service, hit, frame, settle
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 20)) as pilot:
        await settle(pilot)
        service.later = [hit(7), hit(8)]
        await pilot.press("d")
        while app.screen.outcome.query != "d":
            await pilot.pause()
        await pilot.press("down", "j", "j")
        assert "still scanning" in frame(app)
        row = next(i for i, line in enumerate(frame(app).splitlines()) if "▌ Talk 3" in line)
        service.go_on.set()
        await settle(pilot)
        assert "still scanning" not in frame(app)
        assert len(app.screen.results.list.hits) == 8
        assert app.screen.results.list.current.root == "s3"
        assert "▌ Talk 3" in frame(app).splitlines()[row]


async def test_a_stale_answer_is_dropped(make_app, service, settle) -> None:
    """A search that does not stop answers after the newer one: the newer stays."""
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        service.hold = first = threading.Event()
        service.deaf = True
        await pilot.press("d")
        while len(service.asked) < 2:
            await pilot.pause(0.01)
        service.hold = None
        await pilot.press("o")
        while app.screen.outcome.query != "do":
            await pilot.pause(0.01)
        first.set()
        await settle(pilot)
        assert app.screen.outcome.query == "do"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (HistoryError("The history is locked."), "The history is locked."),
        (ZeroDivisionError("[/] \x1b[2J"), "The search failed (ZeroDivisionError"),
    ],
)
async def test_a_failed_search_keeps_the_results_and_says_why(
    make_app, service, frame, settle, error, words
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        service.error = error
        await pilot.press("x")
        await settle(pilot)
        assert words in frame(app)
        assert "Talk 1" in frame(app)
        service.error = None
        await pilot.press("y")
        await settle(pilot)
        assert words not in frame(app)


async def test_notices_stand_under_the_query_bar(make_app, service, frame, settle) -> None:
    service.notices = (Notice("rebuild", "The index is being rebuilt [/]."),)
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert "! The index is being rebuilt [/]." in frame(app).splitlines()[2]


async def test_an_empty_answer_says_why_and_keeps_the_keyboard(
    make_app, service, frame, settle
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        service.hits = []
        service.notices = (Notice("unreadable", "Nothing is left of this query."),)
        await pilot.press(*"zzz", "enter", "down")
        await settle(pilot)
        shown = frame(app)
        assert "Nothing matches zzz." in shown
        assert shown.count("Nothing is left of this query.") == 1
        assert app.screen.pane == "query"
        assert app.screen.conversation.hit is None


async def test_results_that_vanish_give_the_keyboard_back(make_app, service, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down")
        await settle(pilot)
        assert app.screen.pane == "results"
        service.hits = []
        await pilot.press("s")
        await settle(pilot)
        assert app.screen.pane == "query"


async def test_the_results_cursor_previews(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down", "j", "j")
        await settle(pilot)
        view = app.screen.conversation.view
        assert app.screen.pane == "results"
        assert (view.session_id, view.anchor_id) == ("s3", 30)


async def test_the_next_result_from_inside_the_conversation(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        seen = []
        for key in (">", ">", "<", "<", "<"):
            await pilot.press(key)
            await settle(pilot)
            seen.append(app.screen.conversation.view.session_id)
        assert seen == ["s2", "s3", "s2", "s1", "s1"]
        assert app.screen.pane == "conversation"


async def test_sort_goes_round_and_is_shown(make_app, service, frame, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("down", "s")
        assert "sort relevance" in frame(app), "without a query there is nothing to sort"
        await pilot.press("slash", *"docker", "down")
        await settle(pilot)
        for name in ("newest", "oldest", "relevance"):
            await pilot.press("s")
            await settle(pilot)
            assert service.asked[-1].sort == name
            assert f"sort {name} · roles" in frame(app)
        assert app.screen.results.list.current.root == "s1"


async def test_rewound_messages_are_asked_for_and_that_is_shown(
    make_app, service, frame, settle
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down", "u")
        await settle(pilot)
        assert service.asked[-1].rewound
        assert "roles user+assistant · rewound" in frame(app)
        await pilot.press("u")
        await settle(pilot)
        assert not service.asked[-1].rewound
        assert "rewound" not in frame(app)


async def test_sorting_does_not_take_away_what_is_read(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down", "j", "enter")
        await settle(pilot)
        await pilot.press("s", "s")
        await settle(pilot)
        assert app.screen.conversation.view.session_id == "s2"
        assert app.screen.results.list.current.root == "s2"


async def test_escape_goes_back_one_level(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        levels = []
        for _ in range(4):
            await pilot.press("escape")
            await settle(pilot)
            levels.append((app.screen.pane, app.screen.bar.value))
        assert levels == [
            ("results", "docker"),
            ("query", "docker"),
            ("query", ""),
            ("query", ""),
        ]
        assert "recent" in app.screen.results.border_title


async def test_q_leaves_the_conversation_and_then_the_program(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        await pilot.press("q")
        assert app.screen.pane == "results"
        await pilot.press("q")
        await pilot.pause()
        assert not app.is_running
    assert app.return_code == 0


async def test_quitting_does_not_wait_for_a_search(make_app, service, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        service.hold = threading.Event()
        await pilot.press("d")
        while len(service.asked) < 2:
            await pilot.pause(0.01)
        await pilot.press("ctrl+q")
    assert [question.text for question in service.stopped] == ["d"]


async def test_tab_goes_round_the_panes(make_app, settle) -> None:
    for size in ((120, 30), (60, 20)):
        app = make_app()
        async with app.run_test(size=size) as pilot:
            await pilot.press(*"docker", "enter")
            await settle(pilot)
            panes = []
            for key in ("tab", "tab", "tab", "shift+tab", "shift+tab"):
                await pilot.press(key)
                panes.append(app.screen.pane)
            assert panes == ["query", "results", "conversation", "results", "query"]


async def test_a_narrow_terminal_shows_one_pane(make_app, frame, settle) -> None:
    app = make_app()
    async with app.run_test(size=(99, 30)) as pilot:
        await pilot.press(*"docker")
        await settle(pilot)
        assert "results" in frame(app)
        assert "conversation" not in frame(app)
        assert app.screen.conversation.hit is None, "what is not seen is not loaded"
        await pilot.press("enter")
        await settle(pilot)
        assert "─ results" not in frame(app)
        assert "s1 says 6" in frame(app)
        await pilot.press("escape")
        await settle(pilot)
        assert "─ conversation" not in frame(app)
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert "results" in frame(app)
        assert "conversation" in frame(app)


async def test_help_lists_every_command_the_focused_pane_first(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 150)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        lines = [s.text for s in app.screen._compositor.render_strips()]
        text = "\n".join(lines)
        for command in COMMANDS:
            keys = keys_text(command) or "palette"
            assert any(f" {keys} " in line for line in lines), command.id
        assert text.index("In the conversation") < text.index("Anywhere")
        assert "How a query is written" in text
        assert "◆ " in text, "what the signs mean"
        await pilot.press("q")
        assert app.is_running
        assert not isinstance(app.screen, HelpScreen)


async def test_the_palette_runs_a_command(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"docker", "down")
        await settle(pilot)
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press(*"last result")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen.results.list.current.root == "s6"


async def test_a_keymap_moves_a_command(make_app, frame, settle) -> None:
    app = make_app(keymap={"results.line_down": "x", "no.such": "y"})
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert "The keymap names no command: no.such" in frame(app)
        await pilot.press("down", "x", "x", "j")
        assert app.screen.results.list.cursor == 2


async def test_hostile_rows_are_drawn_harmless(make_app, service, hit, frame, settle) -> None:
    hostile = hit(1, title=HOSTILE, root_title=HOSTILE, source=HOSTILE, snippet=HOSTILE)
    unseen = hit(4, session_id="s4", title=None, root_title=None, label=HOSTILE)
    service.hits = [hostile, unseen]
    service.notices = (Notice("x", HOSTILE),)
    service.error = None
    app = make_app()
    async with app.run_test(size=(160, 30)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        service.error = HistoryError(HOSTILE)
        await pilot.press("slash", "x")
        await settle(pilot)
        shown = frame(app)
        assert "evil" in shown
        assert not set(shown) & set("\x1b\x9b\u202e\x00\x07\ud800")


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (10, 4), (20, 8), (79, 24), (100, 30), (200, 60)])
async def test_every_size_works(make_app, frame, settle, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        await pilot.press("n", "j", "question_mark", "escape", "escape", "j", "escape")
        await settle(pilot)
        lines = frame(app).splitlines()
        assert len(lines) == size[1]
        assert app.is_running


@pytest.mark.parametrize("theme", ["textual-light", "ansi-dark", "ansi-light"])
async def test_themes(make_app, frame, settle, theme) -> None:
    app = make_app()
    app.theme = theme
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        assert "▌ Talk 1" in frame(app)


async def test_nothing_is_said_by_colour_alone(make_app, settle) -> None:
    """Marks are bold and underlined, the cursor has a bar, the active pane another border."""
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down")
        await settle(pilot)
        marks = [
            segment.style
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.text == "docker" and segment.style and segment.style.underline
        ]
        assert len(marks) >= 5
        assert all(style.bold for style in marks)
        assert app.screen.query_one("#notices", Static).display is False


async def test_ctrl_l_asks_again_and_moves_nothing(make_app, service, hit, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"docker", "down", "j", "j")
        await settle(pilot)
        assert app.main.results.list.current.root == "s3"
        asked = len(service.asked)
        service.hits.insert(0, hit(7))
        await pilot.press("ctrl+l")
        await settle(pilot)
        assert len(service.asked) == asked + 1
        assert app.main.results.list.hits[0].root == "s7"
        assert app.main.results.list.current.root == "s3"
        assert app.screen.pane == "results"
