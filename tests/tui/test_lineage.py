"""Walking the sessions of one lineage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import HistoryPool
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession
from hermes_tui.tui.drawing import width
from hermes_tui.tui.walking import Stop, beside, onward, walk_of, with_hits
from hermes_tui.tui.widgets.lineage_drawing import stop_at, strip_line

NOW = 1_800_000_000.0

MESSAGES = 12
"""In each session; ids run on: s1 has 1-12, s2 13-24, and so on."""


def new(session_id: str, started_at: float = NOW, **more: str) -> NewSession:
    return NewSession(id=session_id, source="cli", started_at=started_at, **more)


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """s1 goes on in s2 and s4; s3 branches off s2; s5 is a reset of s4; s6 a delegate of s1."""
    path = tmp_path_factory.mktemp("chain") / "state.db"
    sessions = [
        new("s1", NOW, title="Plan"),
        new("s2", NOW + 10, parent_id="s1", title="Plan #2"),
        new("s3", NOW + 20, parent_id="s2", branched_from="s2", title="[/] \x1b[2J"),
        new("s4", NOW + 30, parent_id="s2", title="Plan #3"),
        new("s5", NOW + 40, parent_id="s4", title="Another day"),
        new("s6", NOW + 5, parent_id="s1", delegate_from="s1"),
    ]
    with HistoryWriter(path) as writer, writer.batch():
        for session in sessions:
            writer.create_session(session)
            turns = [
                NewMessage(role="user" if n % 2 else "assistant", content=f"{session.id} says {n}")
                for n in range(1, MESSAGES + 1)
            ]
            writer.append_batch(session.id, turns, session.started_at)
        for session_id, reason in (("s1", "compression"), ("s2", "compression"), ("s4", "daily")):
            writer.end_session(session_id, reason, NOW + 50)
    return path


@pytest.fixture
def pool(chain: Path) -> Iterator[HistoryPool]:
    pool = HistoryPool(Place(str(chain), "default"))
    yield pool
    pool.close()


@pytest.fixture
def walk(pool: HistoryPool) -> tuple[Stop, ...]:
    return walk_of(pool.get().lineage("s4"), {"s1": [3], "s4": [46, 40]})


def text_of(line) -> str:
    return "".join(piece.text for piece in line)


def test_what_continues_comes_before_what_branches_off(walk) -> None:
    assert [(s.session_id, s.label, s.edge, s.depth) for s in walk] == [
        ("s1", "root", "root", 0),
        ("s2", "#2", "compression", 0),
        ("s4", "#3", "compression", 0),
        ("s5", "#4", "reset", 0),
        ("s3", "branch", "branch", 1),
        ("s6", "delegate", "delegate", 1),
    ]
    assert [stop.hits for stop in walk] == [(3,), (), (40, 46), (), (), ()]


def test_ways_from_a_session_to_others(walk) -> None:
    def name(stop: Stop | None) -> str:
        return stop.session_id if stop else ""

    assert [name(onward(walk, s, 1)) for s in ("s1", "s2", "s4", "s3", "nobody")] == [
        "s2", "s4", "", "", ""
    ], "a reset is another conversation"  # fmt: skip
    assert [name(onward(walk, s, -1)) for s in ("s1", "s2", "s4", "s5", "s3")] == [
        "", "s1", "s2", "", ""
    ]  # fmt: skip
    assert [name(beside(walk, "s5", step)) for step in (-1, 1)] == ["s4", "s3"]
    assert beside(walk, "s1", -1) is None
    assert name(with_hits(walk, "s1", 1)) == "s4"
    assert with_hits(walk, "s4", 1) is None
    assert name(with_hits(walk, "s6", -1)) == "s4"


def test_the_strip_says_less_where_there_is_less_room(walk) -> None:
    assert text_of(strip_line(walk, 2, 200)) == (
        "root 12 (hit) ▸ #2 compression 12 ▸  #3  compression 12 (2 hits) ▸ #4 reset 12"
        " ↳ branch of #2 12 ↳ delegate of root 12"
    )
    assert text_of(strip_line(walk, 2, 90)) == (
        "root 12 (hit) ▸ #2 12 ▸  #3  12 (2 hits) ▸ #4 reset 12 ↳ branch 12 ↳ delegate 12"
    )
    assert text_of(strip_line(walk, 2, 40)) == "… ▸ #2 ▸  #3  12 (2 hits) ▸ #4 reset …"
    for place in range(len(walk)):
        for cells in range(60):
            assert width(strip_line(walk, place, cells)) <= cells


def test_each_cell_of_the_strip_belongs_to_the_session_it_shows(walk) -> None:
    for cells in (200, 90, 40):
        shown = text_of(strip_line(walk, 2, cells))
        assert stop_at(walk, 2, cells, shown.index("#2") + 1) == 1
        assert stop_at(walk, 2, cells, shown.index("(2 hits)")) == 2
        assert stop_at(walk, 2, cells, len(shown)) is None
    assert stop_at(walk, 2, 40, 0) is None, "the mark for what is left out stands for none"


def test_a_lineage_that_goes_round_in_a_circle_is_walked_once(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer:
        writer.create_session(new("a"))
        writer.create_session(new("b", parent_id="a"))
    with apsw.Connection(str(path)) as connection:
        connection.execute("update sessions set parent_session_id = 'b' where id = 'a'")
    connection.close()
    pool = HistoryPool(Place(str(path)))
    walk = walk_of(pool.get().lineage("a"), {})
    assert sorted(stop.session_id for stop in walk) == ["a", "b"]
    pool.close()


@pytest.fixture
def in_chain(make_app, service, hit, settle):
    """Opens the result: hits in s1 and s4, opened at s4's."""

    async def start(pilot) -> None:
        service.hits = [
            hit(1, root="s1", session_id="s4", message_id=40, hits=(40, 3, 46), title="Plan #3")
        ]
        await pilot.press(*"docker", "enter")
        await settle(pilot)

    return start


def at(app) -> tuple[str, int]:
    view = app.screen.conversation.view
    return view.session_id, view.position


async def test_the_strip_stands_over_a_lineage_only(make_app, in_chain, frame) -> None:
    app = make_app()
    async with app.run_test(size=(160, 30)) as pilot:
        await in_chain(pilot)
        assert "root 12 (hit) ▸ #2 12 ▸  #3  12 (2 hits)" in frame(app)
        assert app.screen.conversation.strip.display
        assert at(app) == ("s4", 4)


async def test_brackets_walk_the_sessions(make_app, in_chain, settle, frame) -> None:
    app = make_app()
    async with app.run_test(size=(160, 30)) as pilot:
        await in_chain(pilot)
        seen = []
        for key in ("[", "[", "[", "]", "]", "]", "]", "]", "]"):
            await pilot.press({"[": "left_square_bracket", "]": "right_square_bracket"}[key])
            await settle(pilot)
            seen.append(at(app))
        assert seen[:3] == [("s2", 1), ("s1", 3), ("s1", 3)], "at the hit where there is one"
        assert [place for place, _ in seen[3:]] == ["s2", "s4", "s5", "s3", "s6", "s6"]
        assert "This is the last session." in frame(app)
        assert "untitled s6" in frame(app)


async def test_scrolling_off_the_end_goes_on_in_the_continuation(
    make_app, in_chain, settle
) -> None:
    app = make_app()
    async with app.run_test(size=(160, 30)) as pilot:
        await in_chain(pilot)
        await pilot.press("g", "k", "k", "k")
        await settle(pilot)
        assert at(app) == ("s2", MESSAGES), "backwards one arrives at the end"
        await pilot.press("j", "j", "j")
        await settle(pilot)
        assert at(app)[0] == "s4"
        await pilot.press("G", "j", "j", "j")
        await settle(pilot)
        assert at(app) == ("s4", MESSAGES), "a reset is not the same conversation"


async def test_the_ends_of_a_session_say_where_reading_on_leads(
    make_app, in_chain, settle, frame
) -> None:
    app = make_app()
    async with app.run_test(size=(160, 40)) as pilot:
        await in_chain(pilot)
        await pilot.press("left_square_bracket", "z", "R", "g")
        await settle(pilot)
        view = app.screen.conversation.view
        assert at(app) == ("s2", 1)
        await pilot.press("k", "k")
        await settle(pilot)
        first = view.render_line(0).text
        assert first.startswith("█ ── goes on from root · 12 messages ──")
        assert first.endswith("▲")
        assert at(app) == ("s2", 1)
        await pilot.press("G")
        await settle(pilot)
        last = next(y for y in range(view.size.height) if view.render_line(y).text[0] == "█")
        assert view.render_line(last).text.startswith("█ ── goes on in #3 · 12 messages ──")
        assert view.render_line(view.size.height - 1).text.endswith("▼")
        await pilot.press("j")
        await settle(pilot)
        assert at(app) == ("s4", 1)
        assert view.render_line(0).text.startswith("▌ ── goes on from #2 · 12 messages ──"), (
            "one sees what one has crossed"
        )
        await pilot.press("G")
        await settle(pilot)
        assert "goes on in" not in frame(app), "a reset is another conversation"


async def test_next_hit_crosses_sessions(make_app, in_chain, settle) -> None:
    app = make_app()
    async with app.run_test(size=(160, 30)) as pilot:
        await in_chain(pilot)
        seen = []
        for key in ("n", "n", "N", "N", "N", "n"):
            await pilot.press(key)
            await settle(pilot)
            seen.append(at(app))
        assert seen == [("s4", 10), ("s4", 10), ("s4", 4), ("s1", 3), ("s1", 3), ("s4", 4)]


async def test_a_session_is_chosen_from_the_list(make_app, in_chain, settle, frame) -> None:
    app = make_app()
    async with app.run_test(size=(160, 30)) as pilot:
        await in_chain(pilot)
        await pilot.press("L")
        await pilot.pause()
        shown = frame(app)
        assert "↳ delegate  untitled" in shown
        assert "\x1b" not in shown
        await pilot.press("j", "j", "enter")
        await settle(pilot)
        assert at(app)[0] == "s3"
        assert app.screen.pane == "conversation"
        await pilot.press("L", "escape")
        await settle(pilot)
        assert at(app)[0] == "s3"


async def test_a_result_that_is_opened_again_comes_back_to_its_hit(
    make_app, in_chain, settle
) -> None:
    app = make_app()
    async with app.run_test(size=(160, 30)) as pilot:
        await in_chain(pilot)
        await pilot.press("left_square_bracket")
        await settle(pilot)
        await pilot.press("escape", "enter")
        await settle(pilot)
        assert at(app) == ("s4", 4)


async def test_a_session_alone_has_no_strip_and_no_keys_for_it(
    make_app, service, hit, settle, frame, tmp_path
) -> None:
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer:
        writer.create_session(new("lone"))
        writer.append("lone", NewMessage(role="user", content="alone"), NOW)
    service.hits = [hit(1, root="lone", session_id="lone", message_id=1, hits=(1,))]
    app = make_app(pool=HistoryPool(Place(str(path))))
    async with app.run_test(size=(160, 30)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        assert not app.screen.conversation.strip.display
        assert "next session" not in frame(app)
        await pilot.press("right_square_bracket", "L")
        await settle(pilot)
        assert at(app) == ("lone", 1)


async def test_a_click_on_the_strip_opens_the_session(make_app, in_chain, settle) -> None:
    app = make_app()
    async with app.run_test(size=(140, 30)) as pilot:
        await in_chain(pilot)
        pane = app.main.conversation
        strip = text_of(pane.strip.line(pane.strip.size.width))
        await pilot.click(pane.strip, offset=(strip.index("root") + 1, 0))
        await settle(pilot)
        assert pane.view.session_id == "s1"
        assert pane.view.current_id == 3, "at its hit"
        assert app.screen.pane == "conversation"


async def test_n_behind_the_last_hit_and_the_last_result_says_so(
    make_app, in_chain, settle, frame
) -> None:
    app = make_app()
    async with app.run_test(size=(140, 30)) as pilot:
        await in_chain(pilot)
        await pilot.press("n", "n")
        await settle(pilot)
        assert "This is the last hit of the conversation." in frame(app)
        await pilot.press("N")
        await settle(pilot)
        assert "This is the last hit" not in frame(app)
        await pilot.press("N")
        await settle(pilot)
        await pilot.press("N")
        await settle(pilot)
        assert "This is the first hit of the conversation." in frame(app)
        await pilot.press(">")
        await settle(pilot)
        assert "This is the last result." in frame(app)


async def test_a_goes_back_to_the_hit_from_another_session(make_app, in_chain, settle) -> None:
    app = make_app()
    async with app.run_test(size=(140, 30)) as pilot:
        await in_chain(pilot)
        view = app.main.conversation.view
        await pilot.press("[")
        await settle(pilot)
        assert view.session_id != "s4"
        await pilot.press("a")
        await settle(pilot)
        assert (view.session_id, view.current_id) == ("s4", 40)
        assert app.main.conversation.stop.session_id == "s4", "the strip knows"
        await pilot.press("G", "a")
        await settle(pilot)
        assert (view.session_id, view.current_id) == ("s4", 40)
