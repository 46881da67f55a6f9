from __future__ import annotations

import time

import pytest
from textual.app import App, ComposeResult

from hermes_tui.recall.outcome import LineageHit, Unseen
from hermes_tui.tui.messages import ResultChosen, ResultHighlighted
from hermes_tui.tui.widgets.results import ResultsList
from hermes_tui.tui.widgets.results_drawing import LABELS, entry_lines, facts_of

NOW = 1_800_000_000.0


class ListApp(App[None]):
    CSS = "ResultsList { height: 1fr; overflow-x: hidden; }"

    def __init__(self, hits: list[LineageHit]) -> None:
        super().__init__()
        self.hits = hits
        self.seen: list[str] = []
        self.chosen: list[str] = []

    def compose(self) -> ComposeResult:
        yield ResultsList(now=lambda: NOW)

    def on_mount(self) -> None:
        self.list.show(self.hits)
        self.list.focus()

    @property
    def list(self) -> ResultsList:
        return self.query_one(ResultsList)

    def on_result_highlighted(self, event: ResultHighlighted) -> None:
        self.seen.append(event.hit.root if event.hit else "-")

    def on_result_chosen(self, event: ResultChosen) -> None:
        self.chosen.append(event.hit.root)


async def test_the_cut_line_stands_where_the_agents_answer_ends(hit, frame) -> None:
    app = ListApp([hit(number) for number in range(1, 6)])
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.pause()
        lines = frame(app).splitlines()
        assert lines[9].startswith("── session_search stops here (3) ──")
        assert "Talk 4" in lines[10]
        assert sum("stops here" in line for line in lines) == 1


@pytest.mark.parametrize(
    ("numbers", "cut"), [((1, 2, 3), None), ((4, 5), 0), ((), None), ((1, 4, 2, 5), 3)]
)
async def test_there_is_a_cut_line_only_before_what_is_not_seen(hit, numbers, cut) -> None:
    app = ListApp([hit(number) for number in numbers])
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.list.cut_after == cut


async def test_recent_sessions_have_no_cut_line(hit) -> None:
    app = ListApp([hit(number, agent_rank=None, unseen=None) for number in range(1, 5)])
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.list.cut_after is None


async def test_moving(hit) -> None:
    app = ListApp([hit(number) for number in range(1, 30)])
    async with app.run_test(size=(50, 12)) as pilot:
        places = []
        for key in ("j", "down", "k", "G", "j", "up", "pageup", "g", "k", "space", "end", "home"):
            await pilot.press(key)
            places.append(app.list.cursor + 1)
        assert places == [2, 3, 2, 29, 29, 28, 24, 1, 1, 5, 29, 1]
        assert app.seen[:4] == ["s1", "s2", "s3", "s2"]


async def test_the_entry_under_the_cursor_is_on_view_whole(hit, frame) -> None:
    app = ListApp([hit(number) for number in range(1, 30)])
    async with app.run_test(size=(50, 12)) as pilot:
        for key in ["j"] * 28 + ["k"] * 28:
            await pilot.press(key)
            lines = frame(app).splitlines()
            assert sum(line.startswith("▌ ") for line in lines) == 3, key
            assert any(f"Talk {app.list.cursor + 1} " in line for line in lines)


async def test_enter_and_a_second_click_choose(hit) -> None:
    app = ListApp([hit(number) for number in range(1, 6)])
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.press("j", "enter")
        assert app.chosen == ["s2"]
        await pilot.click(ResultsList, offset=(5, 11))
        assert app.list.cursor == 3
        assert app.chosen == ["s2"]
        await pilot.click(ResultsList, offset=(5, 12), times=2)
        assert app.chosen == ["s2", "s4"]
        await pilot.click(ResultsList, offset=(5, 9))
        assert app.list.cursor == 3


async def test_new_entries_start_at_the_top_or_stay_where_one_is(hit) -> None:
    app = ListApp([hit(number) for number in range(1, 30)])
    async with app.run_test(size=(50, 12)) as pilot:
        await pilot.press(*["j"] * 9)
        app.list.show([hit(number) for number in (12, 11, 10, 9)], keep_cursor=True)
        assert app.list.current.root == "s10"
        app.list.show([hit(number) for number in (12, 11, 10, 9)])
        assert app.list.current.root == "s12"
        assert app.list.scroll_offset.y == 0
        app.list.show([])
        await pilot.pause()
        assert app.list.current is None
        assert app.seen[-1] == "-"
        await pilot.press("j", "k", "G", "g", "enter", "space")
        assert app.chosen == []


async def test_a_thousand_lineages_cost_no_time(hit) -> None:
    """Entries are drawn when they are seen: a thousand cost arithmetic (about 1 ms)."""
    many = [hit(number) for number in range(1, 5_001)]
    app = ListApp([])
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.pause()
        app.list.show(many)
        await pilot.pause()
        assert len(app.list._drawn) <= 15
        started = time.perf_counter()
        app.list.show(many)
        assert time.perf_counter() - started < 0.5
        await pilot.press("G")
        assert app.list.current.root == "s5000"


def test_the_facts_end_in_no_separator_and_the_reasons_have_short_forms(hit) -> None:
    entry = hit(5, matched=27, total=577, unseen=Unseen("role_filter", "tool"), label="relaxed")
    for cells in range(12, 80):
        facts = "".join(piece.text for piece in entry_lines(entry, cells, NOW, False)[2])
        assert not facts.rstrip().endswith("·"), cells
    facts = "".join(piece.text for piece in entry_lines(entry, 46, NOW, False)[2])
    assert facts.strip() == "[27/577] · a role the agent skips · some wo…"


@pytest.mark.parametrize("label", ["title", "id", "loose", "substring", "relaxed", "agent_only"])
def test_how_an_entry_was_found_is_told_in_words(hit, label) -> None:
    facts = "".join(piece.text for piece in facts_of(hit(1, label=label)))
    assert facts.endswith(f" · {LABELS[label]}")
    assert "_" not in facts
