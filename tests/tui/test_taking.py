"""Taking things out of a conversation: copies, exports, pager, resume, bookmarks, one message."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import HistoryPool
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession
from hermes_tui.tui.bookmarks import Bookmarks, BookmarksError
from hermes_tui.tui.clipboard import send, shown
from hermes_tui.tui.files import file_name, write_new
from hermes_tui.tui.rendering import markdown_strips
from hermes_tui.tui.resuming import resume_command
from hermes_tui.tui.screens.exporting import program_of
from hermes_tui.tui.screens.lines import LinesScreen

HOSTILE = "\x1b]52;c;Zm9v\x07**bold** \u202eevil\x9b31m &#x202e; [x](http://e.com) \x00"


async def open_first(pilot, settle) -> None:
    await pilot.press(*"docker", "enter")
    await settle(pilot)


def toasts(app) -> list[str]:
    return [notification.message for notification in app._notifications]


# -- where a copy goes


def test_tmux_is_asked_first(beyond) -> None:
    beyond.environ["TMUX"] = "x"
    beyond.desktop = []
    assert "tmux buffer" in send("häl", beyond.outside()).told
    assert beyond.fed == [(("tmux", "load-buffer", "-w", "-"), "häl".encode())]
    assert beyond.desktop == []


def test_then_the_desktop_then_the_terminal(beyond) -> None:
    beyond.environ["TMUX"] = "x"
    beyond.takes = False
    beyond.desktop = []
    assert send("a", beyond.outside()).told == "sent to the clipboard"
    assert [command[:2] for command, _ in beyond.fed] == [("tmux", "load-buffer")] * 2
    beyond.desktop = None
    assert send("a", beyond.outside()).osc52


def test_over_ssh_the_desktop_is_another_machines(beyond) -> None:
    beyond.environ["SSH_CONNECTION"] = "x"
    beyond.desktop = []
    assert send("a", beyond.outside()).osc52
    assert beyond.desktop == []


def test_what_is_too_large_becomes_a_file(beyond) -> None:
    text = "é" * 40_000
    for _ in range(2):
        sent = send(text, beyond.outside(), "message-6")
        assert "too large for the terminal; written to" in sent.told
        assert not sent.osc52
    files = sorted(path.name for path in (beyond.data / "copies").iterdir())
    assert files == ["message-6-2.txt", "message-6.txt"]
    assert (beyond.data / "copies" / "message-6.txt").read_text("utf-8") == text


def test_a_file_that_cannot_be_written_is_said(beyond) -> None:
    beyond.data.write_text("a file where a folder should be")
    sent = send("x" * 100_000, beyond.outside())
    assert sent.failed
    assert "no file" in sent.told


def test_file_names_hide_nothing() -> None:
    assert file_name("hermes", "../../etc/passwd", ".env") == "hermes-etc-passwd-env"
    assert file_name("\x1b[2J容器 网络?") == "容器-网络"
    assert file_name("...") == "hermes"
    assert len(file_name("容" * 500).encode()) <= 180


def test_files_are_never_written_over(tmp_path: Path) -> None:
    assert [write_new(tmp_path, "a", "md", ["x"]).name for _ in range(3)] == [
        "a.md", "a-2.md", "a-3.md"
    ]  # fmt: skip

    def broken() -> Iterator[str]:
        yield "half"
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - nothing to match: it is the test's own
        write_new(tmp_path, "b", "md", broken())
    assert not (tmp_path / "b.md").exists()


# -- keys


async def test_a_message_is_copied(make_app, beyond, settle) -> None:
    beyond.desktop = []
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("y")
        await settle(pilot)
        assert beyond.desktop == ["s1 says 6"]
        assert toasts(app) == ["Message 6 sent to the clipboard"]


async def test_without_a_clipboard_the_terminal_is_asked_and_that_is_said(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("y")
        await settle(pilot)
        assert app.clipboard == "s1 says 6"
        assert "if it takes OSC 52" in toasts(app)[0]


async def test_a_window_is_copied_as_markdown(make_app, beyond, settle) -> None:
    beyond.desktop = []
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("Y")
        await settle(pilot)
        (text,) = beyond.desktop
        assert [f"s1 says {n}" for n in range(1, 12)] == [
            line for line in text.splitlines() if line.startswith("s1")
        ]
        assert text.startswith("## you · ")
        assert toasts(app) == ["Messages 1 to 11 sent to the clipboard"]


async def test_link_and_resume_command(make_app, beyond, settle) -> None:
    beyond.desktop = []
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("I", "escape")
        await settle(pilot)
        await pilot.press("j", "r")
        await settle(pilot)
        assert beyond.desktop == ["@session:default/s1", "hermes --resume s2"], (
            "in the results, it is the entry under the cursor"
        )
        assert "hermes --resume s2 sent to" in toasts(app)[-1]


def test_the_resume_command_names_the_home_of_another_profile(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "HERMES_HOME": ""}
    home = tmp_path / ".hermes"
    assert resume_command(Place(f"{home}/state.db", "default"), "s", environ) == "hermes --resume s"
    assert resume_command(Place("/x/state.db", ""), "a b;c\nd", environ) == (
        "hermes --resume 'a b;c d'"
    )
    work = resume_command(Place(f"{home}/profiles/work/state.db", "work"), "s", environ)
    assert work == f"HERMES_HOME={home}/profiles/work hermes --resume s"


@pytest.mark.parametrize(
    ("steps", "name", "first"),
    [
        (0, "hermes-untitled-s1-window.md", "# untitled s1"),
        (4, "hermes-untitled-s1.html", "<!doctype html>"),
        (5, "hermes-untitled-s1.json", '{"sessions": ['),
    ],
)
async def test_exports(make_app, beyond, settle, frame, steps, name, first) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("e")
        await pilot.pause()
        assert "messages 1 to 11" in frame(app)
        await pilot.press(*"j" * steps, "enter")
        await settle(pilot)
        assert "Written to" in toasts(app)[-1]
        text = (beyond.work / name).read_text("utf-8")
        assert text.splitlines()[0] == first
        assert text.count("says") == (11 if "window" in name else 12)
        await pilot.press("e", *"j" * steps, "enter")
        await settle(pilot)
        assert len(list(beyond.work.iterdir())) == 2, "the first file is not written over"


async def test_a_folder_that_is_read_only_is_said(make_app, beyond, settle) -> None:
    beyond.work.write_text("not a folder")
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("e", "enter")
        await settle(pilot)
        assert (beyond.data / "exports" / "hermes-untitled-s1-window.md").exists()
        assert str(beyond.data) in toasts(app)[-1]


async def test_the_pager_gets_the_session_at_the_message(
    make_app, beyond, settle, monkeypatch
) -> None:
    app = make_app()
    monkeypatch.setattr(app, "suspend", contextlib.nullcontext)
    beyond.environ |= {"PAGER": "less -R", "EDITOR": "code --wait"}
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("o")
        await settle(pilot)
        (command, text) = beyond.shown[0]
        assert command[:2] == ["less", "-R"]
        line = int(command[2].removeprefix("+"))
        lines = text.splitlines()
        assert lines[line - 1].startswith("## ")
        assert "s1 says 6" in lines[line : line + 3]
        await pilot.press("O")
        await settle(pilot)
        assert beyond.shown[1][0][:2] == ["code", "--wait"]
        assert len(beyond.shown[1][0]) == 3, "an unknown program gets no line"
        assert not any(Path(command[-1]).exists() for command, _ in beyond.shown)


async def test_a_terminal_that_cannot_be_handed_over(make_app, beyond, settle) -> None:
    beyond.environ["PAGER"] = "less"
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("o")
        await settle(pilot)
        assert "cannot be handed to another program" in toasts(app)[-1]
        assert app.is_running


def test_a_path_in_the_home_folder_is_short(monkeypatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    paths = ("/home/me/x.md", "/home/me", "/srv/x.md", "/home/mella")
    assert [shown(Path(path)) for path in paths] == ["~/x.md", "~", "/srv/x.md", "/home/mella"]


def test_programs(beyond) -> None:
    beyond.environ |= {"EDITOR": "emacs -nw", "VISUAL": "'broken", "PATH": ""}
    assert program_of("EDITOR", beyond.outside()) == ["emacs", "-nw"]
    assert program_of("PAGER", beyond.outside()) == []


async def test_a_remark_takes_the_place_of_the_one_before(make_app, settle) -> None:
    app = make_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("y", "I", "r")
        await settle(pilot)
        assert len(toasts(app)) == 1, "three would hide what is read"
        assert "hermes --resume" in toasts(app)[0]
        await pilot.press("slash")
        await settle(pilot)
        assert not toasts(app), "it would lie on the line that is typed in"


# -- bookmarks


async def test_bookmarks_are_set_shown_walked_and_kept(make_app, beyond, settle, frame) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("m", "G", "m")
        await settle(pilot)
        assert frame(app).count("★ bookmark") == 2
        await pilot.press("g", "'")
        assert app.screen.conversation.view.position == 6
        await pilot.press("'", "'")
        assert app.screen.conversation.view.position == 6, "after the last comes the first"
        await pilot.press("m")
        await settle(pilot)
        assert app.screen.conversation.view.bookmark_places == [11]
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "j", "j", "B")
        await pilot.pause()
        assert "s1 says 12" in frame(app)
        await pilot.press("enter")
        await settle(pilot)
        view = app.screen.conversation.view
        assert (view.session_id, view.anchor_id) == ("s1", 12)
        assert app.screen.pane == "conversation"


async def test_a_bookmark_is_opened_with_the_hits_of_its_conversation(
    make_app, beyond, settle
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await open_first(pilot, settle)
        view = app.screen.conversation.view
        hits = view.hit_count
        assert hits > 0
        await pilot.press("G", "m", "g", "B")
        await pilot.pause()
        await pilot.press("enter")
        await settle(pilot)
        assert (view.session_id, view.anchor_id, view.hit_count) == ("s1", 12, hits)
        await pilot.press("N")
        await settle(pilot)
        assert view.on_hit


async def test_no_bookmark_is_lost_to_a_file_that_cannot_be_read(make_app, beyond, settle) -> None:
    beyond.data.mkdir()
    (beyond.data / "bookmarks.json").write_text("{broken")
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("m")
        await settle(pilot)
        assert "holds no bookmarks that can be read" in toasts(app)[-1]
        assert (beyond.data / "bookmarks.json").read_text() == "{broken"


def test_bookmarks_of_two_histories(tmp_path: Path) -> None:
    one, two = (Bookmarks(tmp_path, str(tmp_path / name)) for name in ("a.db", "b.db"))
    one.toggle("s", 1, "T\x1b[2J", "x\ny", 5.0)
    two.toggle("s", 1, "U", "y", 6.0)
    assert [(m.title, m.text) for m in one.all()] == [("T", "x y")]
    assert not two.toggle("s", 1, "", "", 7.0)
    assert two.all() == ()
    assert len(one.all()) == 1
    (tmp_path / "bookmarks.json").write_text('{"bookmarks": [{"history": 1}]}')
    with pytest.raises(BookmarksError):
        one.all()


# -- one message


@pytest.fixture
def hostile_pool(tmp_path: Path) -> Iterator[HistoryPool]:
    path = tmp_path / "hostile.db"
    with HistoryWriter(path) as writer:
        writer.create_session(NewSession(id="s1", source="cli", started_at=1.0))
        writer.append("s1", NewMessage(role="assistant", content=HOSTILE), 2.0)
    pool = HistoryPool(Place(str(path), "default"))
    yield pool
    pool.close()


@pytest.mark.parametrize(("key", "word"), [("M", "bold"), ("R", '"content": ')])
async def test_one_message_by_itself(
    make_app, service, hit, beyond, settle, frame, hostile_pool, key, word
) -> None:
    service.hits = [hit(1, message_id=1, hits=(1,))]
    beyond.desktop = []
    app = make_app(pool=hostile_pool)
    async with app.run_test(size=(120, 30)) as pilot:
        await open_first(pilot, settle)
        await pilot.press(key)
        await settle(pilot)
        assert isinstance(app.screen, LinesScreen)
        shown = frame(app)
        assert word in shown
        assert not set(shown) & set("\x1b\x9b\u202e\x00\x07")
        await pilot.press("y")
        await settle(pilot)
        assert not isinstance(app.screen, LinesScreen)
        (copied,) = beyond.desktop
        assert not set(copied) & set("\x1b\x9b\u202e\x00\x07")
        if key == "R":
            assert json.loads(copied)["id"] == 1


def test_markdown_names_no_character_that_acts() -> None:
    text = "&#x202e;a &#27;[2J &#x9b;1m ![img](x) [t](http://e.com)\n\n```\n\tcode\n```\n"
    text += "| a | b |\n|-|-|"
    strips = markdown_strips(text, 30)
    drawn = "\n".join(strip.text for strip in strips)
    assert not set(drawn) & set("\x1b\x9b\u202e\t")
    assert all(strip.cell_length == 30 for strip in strips)
    assert all(not segment.style or not segment.style.link for strip in strips for segment in strip)


def test_a_huge_markdown_message_is_cut_and_that_is_said() -> None:
    assert "more characters" in markdown_strips("x " * 110_000, 80)[-1].text


# -- only what matches


async def test_only_the_matches_are_shown(make_app, service, hit, settle, frame) -> None:
    service.hits = [hit(1, hits=(2, 6, 11))]
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await open_first(pilot, settle)
        await pilot.press("!")
        await settle(pilot)
        pane = "\n".join(line[50:] for line in frame(app).splitlines())
        assert [n for n in range(1, 13) if f"says {n} " in pane] == [2, 6, 11]
        assert app.screen.conversation.view.position == 6
        await pilot.press("!")
        await settle(pilot)
        assert "s1 says 7" in frame(app)
