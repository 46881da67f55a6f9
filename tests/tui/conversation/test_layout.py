"""The rows of a session and the place of the reader, without a screen."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hermes_tui.tui.widgets.conversation.layout import CHUNK, Layout, Position
from hermes_tui.tui.widgets.conversation.viewport import Viewport

DAY = 86_400.0


@dataclass
class Shape:
    roles: tuple[str, ...]
    visibility: bytes
    timestamps: array[float]
    octets: array[int]


def shape(roles: str, visibility: str = "", hours: float = 0.01) -> Shape:
    """u a t s for the roles; l, c (archived), r (rewound) for the visibility."""
    names = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}
    size = len(roles)
    return Shape(
        tuple(names[r] for r in roles),
        bytes("lcr".index(v) for v in visibility.ljust(size, "l")),
        array("d", [DAY * 20_000 + hours * 3600 * i for i in range(size)]),
        array("q", [100] * size),
    )


def shown(layout: Layout) -> str:
    """Units from the top: a message as its number, a gap as (start-end)."""
    said, unit = [], 0 if layout.size else None
    while unit is not None:
        if layout.is_gap(unit):
            gap = layout.gap(unit)
            said.append(f"({gap.start}-{gap.end - 1})")
        else:
            said.append(str(unit))
        unit = layout.next_unit(unit)
    return " ".join(said)


def anchored(size: int = 40, anchor: int = 20, **other: Any) -> Layout:
    return Layout(
        shape("ua" * (size // 2)),
        anchor=anchor,
        opening=(0, 1, 2),
        closing=(size - 3, size - 2, size - 1),
        **other,
    )


def test_an_anchored_session_shows_its_window_and_bookends() -> None:
    assert shown(anchored()) == ("0 1 2 (3-14) 15 16 17 18 19 20 21 22 23 24 25 (26-36) 37 38 39")


def test_without_an_anchor_all_is_shown() -> None:
    assert shown(Layout(shape("uat"))) == "0 1 2"


def test_a_window_counts_only_messages_that_are_not_rewound() -> None:
    layout = Layout(shape("u" * 9, "lllrrllll"), anchor=5, window=2)
    assert shown(layout) == "(0-0) 1 2 (3-4) 5 6 7 (8-8)"
    assert (layout.gap(3).folded, layout.gap(3).rewound) == (0, 2)
    layout.set_shown(rewound=True)
    assert "3 4 5" in shown(layout)


def test_an_anchor_is_shown_even_if_it_is_rewound() -> None:
    assert shown(Layout(shape("uuu", "lrl"), anchor=1, window=0)) == "(0-0) 1 (2-2)"


def test_gaps_open_by_chunks_from_either_end_or_whole() -> None:
    layout = anchored(100, 50)
    assert layout.open_gap(3, 1, 10)
    assert "12 (13-44) 45" in shown(layout)
    assert layout.open_gap(13, -1, 10)
    assert "12 (13-34) 35" in shown(layout)
    assert layout.open_gap(13)
    assert shown(layout).startswith("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15")


def test_a_gap_of_rewound_messages_opens_only_by_force() -> None:
    layout = Layout(shape("uuuu", "lrrl"))
    assert not layout.open_gap(1)
    assert shown(layout) == "0 (1-2) 3"
    layout.force_gap(1)
    assert shown(layout) == "0 1 2 3"


def test_walking_into_a_gap_opens_it_where_it_is_entered() -> None:
    layout = anchored(100, 50)
    for index in range(100):
        layout.set_height(index, 2)
    position, moved = layout.walk((2, 1), 1, opening=True)
    assert (position, moved) == ((3, -1), 1)
    assert "(23-44)" in shown(layout)
    position, moved = layout.walk((45, 0), -1, opening=True)
    assert (position, moved) == ((44, 1), 1)
    assert f"(23-{45 - CHUNK - 1})" in shown(layout)


def test_tools_off_leaves_the_anchor_and_what_was_asked_for() -> None:
    layout = Layout(shape("uttat"), anchor=1)
    layout.set_shown(tools=False)
    assert shown(layout) == "0 1 (2-2) 3 (4-4)"
    assert layout.gap(2).tools == 1
    layout.reveal(4, force=True)
    assert shown(layout) == "0 1 (2-2) 3 4"


def test_rules_stand_above_bookends_and_days() -> None:
    layout = anchored()
    assert layout.above(0) == ("opening", "date")
    assert layout.above(37) == ("closing",)
    assert layout.above(1) == ("space",)
    assert layout.above(15) == ()
    layout.unfold_all()
    assert layout.above(0) == ("date",)
    assert layout.above(37) == ("space",)
    days = Layout(shape("uuu", hours=13))
    assert [days.above(i) for i in range(3)] == [("date",), ("space",), ("date",)]


def test_odd_times_have_no_day() -> None:
    odd = shape("uuu")
    odd.timestamps = array("d", [0.0, 1e300, float("nan")])
    assert [Layout(odd).day(i) for i in range(3)] == [None, None, None]


def test_a_wider_window_keeps_what_is_open_and_a_narrower_folds() -> None:
    layout = anchored(100, 50)
    layout.open_gap(3, 1, 10)
    layout.set_window(10)
    assert shown(layout).split()[11:14] == ["11", "12", "(13-39)"]
    layout.set_window(0)
    assert shown(layout) == "0 1 2 (3-49) 50 (51-96) 97 98 99"


def test_messages_that_come_later_are_shown() -> None:
    layout = anchored(40, 20)
    layout.append(shape("ua" * 20 + "ut"))
    assert shown(layout).endswith("37 38 39 40 41")


HEIGHTS = st.integers(1, 6)


class Reader(RuleBasedStateMachine):
    """Anything may happen around the line under the eye; only the reader moves it."""

    @initialize(
        roles=st.text("uats", min_size=1, max_size=30),
        data=st.data(),
        height=st.integers(1, 12),
    )
    def open(self, roles: str, data: st.DataObject, height: int) -> None:
        size = len(roles)
        self.made = roles
        self.visibility = data.draw(st.text("lcr", min_size=size, max_size=size))
        index = st.integers(0, size - 1)
        anchor = data.draw(st.none() | index)
        opening = data.draw(st.lists(index, max_size=2, unique=True).map(sorted))
        layout = Layout(
            self.shape(), anchor=anchor, opening=opening, closing=(size - 1,), window=2, width=40
        )
        self.layout = layout
        self.true = {i: data.draw(HEIGHTS) for i in range(size)}
        self.viewport = Viewport(layout, height)
        if anchor is not None:
            self.viewport.jump((anchor, 0))

    def shape(self) -> Shape:
        return shape(self.made, self.visibility, hours=9)

    def all_lines(self) -> list[Position]:
        first = (self.layout.unit_of(0), self.layout.bounds(self.layout.unit_of(0))[0])
        return list(self.viewport.lines_from(first, 10_000))

    # -- the reader moves

    @rule(lines=st.integers(-15, 15), whole=st.booleans())
    def move(self, lines: int, whole: bool) -> None:
        before = self.viewport.cursor
        moved = self.viewport.scroll(lines) if whole else self.viewport.step(lines)
        assert 0 <= moved <= abs(lines)
        if lines and not moved:
            assert before == self.all_lines()[0 if lines < 0 else -1]

    @rule(data=st.data())
    def jump(self, data: st.DataObject) -> None:
        target = data.draw(st.integers(0, self.layout.size - 1))
        self.layout.reveal(target, force=True)
        self.viewport.jump((target, 0))
        assert self.viewport.cursor == (target, 0)

    @rule(data=st.data())
    def show(self, data: st.DataObject) -> None:
        target = data.draw(st.sampled_from(self.all_lines()))
        self.viewport.show(target, 2)
        assert self.viewport.cursor == target

    # -- the rest happens around the reader

    def unmoved(self, change: Any) -> None:
        """After a change, the eye is on the same line of the same message, on the same row."""
        viewport = self.viewport
        (unit, line), row = viewport.cursor, viewport.row
        was_gap = self.layout.is_gap(unit)
        change()
        viewport.settle()
        expected = self.layout.normal((unit, line))
        assert viewport.cursor == expected
        if not was_gap and not self.layout.is_gap(unit):
            low, high = self.layout.bounds(unit)
            assert expected == (unit, min(max(line, low), high - 1))
        self.same_row(row)

    def same_row(self, row: int) -> None:
        """The row is kept unless an end of the session is on the screen."""
        viewport = self.viewport
        lines = self.all_lines()
        frame = viewport.frame()
        if viewport.row != min(row, viewport.height - 1):
            assert frame[0] == lines[0] or frame[-1] == lines[-1]

    @rule(data=st.data())
    def load(self, data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.integers(0, self.layout.size - 1), max_size=8))
        held = self.viewport.steady_line()
        row = self.viewport.row

        def change() -> None:
            for index in chosen:
                self.layout.set_height(index, self.true[index])

        if held is None:
            self.unmoved(change)
            return
        change()
        self.viewport.hold(*held)
        frame = self.viewport.frame()
        at_end = frame[0] == self.all_lines()[0] or frame[-1] == self.all_lines()[-1]
        assert at_end or (frame[held[1]] == held[0] and self.viewport.row == row)

    @rule(data=st.data())
    def resize_width(self, data: st.DataObject) -> None:
        self.true = {i: data.draw(HEIGHTS) for i in self.true}

        def change() -> None:
            self.layout.forget_heights(data.draw(st.integers(1, 200)))
            unit = self.viewport.cursor[0]
            self.layout.set_height(unit, self.true[unit])

        self.unmoved(change)

    @rule(height=st.integers(1, 14))
    def resize_height(self, height: int) -> None:
        cursor = self.viewport.cursor
        self.viewport.resize(height)
        assert self.viewport.cursor == cursor

    @rule()
    def fold_all(self) -> None:
        self.unmoved(self.layout.fold_all)

    @rule()
    def unfold_all(self) -> None:
        self.unmoved(self.layout.unfold_all)

    @rule(window=st.integers(0, 8))
    def window(self, window: int) -> None:
        self.unmoved(lambda: self.layout.set_window(window))

    @rule(rewound=st.booleans(), tools=st.booleans())
    def toggle(self, rewound: bool, tools: bool) -> None:
        self.unmoved(lambda: self.layout.set_shown(rewound=rewound, tools=tools))

    @rule(data=st.data(), direction=st.sampled_from([1, -1]), force=st.booleans())
    def open_a_gap(self, data: st.DataObject, direction: int, force: bool) -> None:
        gaps = [u for u, _ in self.all_lines() if self.layout.is_gap(u)]
        if gaps:
            gap = data.draw(st.sampled_from(gaps))
            if force:
                self.unmoved(lambda: self.layout.force_gap(gap))
            else:
                self.unmoved(lambda: self.layout.open_gap(gap, direction, 3))

    @rule(before=st.booleans(), after=st.booleans())
    def borders(self, before: bool, after: bool) -> None:
        def change() -> None:
            self.layout.borders = before, after

        self.unmoved(change)
        lines = self.all_lines()
        assert (lines[0][1] < 0 and "border" in self.layout.above(lines[0][0])) == before
        assert self.layout.is_border_below(*lines[-1]) == after

    @rule(roles=st.text("uat", min_size=1, max_size=4), rewound=st.booleans())
    def append(self, roles: str, rewound: bool) -> None:
        for offset in range(len(roles)):
            self.true[len(self.made) + offset] = 2
        self.made += roles
        self.visibility += ("r" if rewound else "l") * len(roles)
        self.unmoved(lambda: self.layout.append(self.shape()))

    @invariant()
    def the_screen_is_a_stretch_of_the_session(self) -> None:
        viewport, lines = self.viewport, self.all_lines()
        frame = viewport.frame()
        assert len(frame) == min(viewport.height, len(lines))
        start = lines.index(frame[0])
        assert frame == lines[start : start + len(frame)]
        assert frame[viewport.row] == viewport.cursor
        assert len(set(lines)) == len(lines)

    @invariant()
    def every_message_is_in_one_unit(self) -> None:
        covered: list[int] = []
        for unit in dict.fromkeys(u for u, _ in self.all_lines()):
            if self.layout.is_gap(unit):
                gap = self.layout.gap(unit)
                assert gap.folded + gap.rewound + gap.tools == gap.end - gap.start > 0
                covered.extend(range(gap.start, gap.end))
            else:
                covered.append(unit)
        assert covered == list(range(self.layout.size))


TestReader = Reader.TestCase
TestReader.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_cursor_falls_on_the_gap_that_took_its_message() -> None:
    layout = anchored()
    layout.unfold_all()
    viewport = Viewport(layout, 10)
    viewport.jump((9, 0))
    layout.fold_all()
    viewport.settle()
    assert viewport.cursor == (3, 0)
    assert layout.gap(3).end == 15


def test_far_jumps_cost_the_same_in_a_long_session() -> None:
    size = 200_000
    layout = Layout(shape("ua" * (size // 2)))
    viewport = Viewport(layout, 50)
    asked = []
    original = layout.bounds
    layout.bounds = lambda unit: asked.append(unit) or original(unit)  # type: ignore[method-assign]
    viewport.jump((size - 1, 0))
    viewport.frame()
    viewport.jump((size // 2, 0))
    viewport.frame()
    assert len(asked) < 500


@pytest.mark.parametrize("height", [1, 2, 5])
def test_tiny_sessions_fit_any_screen(height: int) -> None:
    viewport = Viewport(Layout(shape("u")), height)
    assert viewport.step(100) <= 3
    assert viewport.frame()[-1] == viewport.cursor
