"""Bookmarks on the track, and showing matches alone."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

from hermes_tui.tui.widgets.conversation import track
from hermes_tui.tui.widgets.conversation.layout import Layout


@dataclass
class Shape:
    roles: tuple[str, ...]
    visibility: bytes
    timestamps: array
    octets: array


def shape(count: int) -> Shape:
    visibility = bytes(2 if i == 3 else 0 for i in range(count))
    roles = tuple("tool" if i == 5 else "user" for i in range(count))
    return Shape(roles, visibility, array("d", [0.0]) * count, array("q", [10]) * count)


def shown(layout: Layout) -> list[int]:
    return [unit for unit in range(layout.size) if not layout.is_gap(unit)]


def test_only_some_messages_are_shown_whatever_they_are() -> None:
    layout = Layout(shape(10))
    layout.set_shown(tools=False)
    before = layout.folds()
    layout.show_only([1, 3, 5])
    assert shown(layout) == [1, 3, 5]
    layout.restore(before)
    assert shown(layout) == [0, 1, 2, 4, 6, 7, 8, 9]


def test_the_track_shows_bookmarks_beside_hits_and_under_the_anchor() -> None:
    rows = track.column(10, 100, (0, 9), {4}, 70, bookmarks=[20, 41, 70])
    assert [row for row, (sign, _) in enumerate(rows) if sign == track.BOOKMARK] == [2, 4]
    assert rows[7][0] == track.ANCHOR


async def test_it_says_how_it_is_shown(view_app: Any, history: Any, a_message: Any) -> None:
    rows = [a_message(f"m {i}", visibility="rewound" if i == 33 else "live") for i in range(60)]
    app = view_app(history(rows))
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=131, hits=(131, 141))
        await app.rest(pilot)
        assert (view.modes, view.on_hit) == ((), True)
        view.action_message_next()
        assert not view.on_hit
        for action in ("toggle_tools", "wider", "toggle_rewound"):
            getattr(view, f"action_{action}")()
        assert view.modes == ("tools full", "rewound shown", "±10")
        view.action_toggle_tools()
        view.action_only_matches()
        assert view.modes == ("only matches", "tools off", "rewound shown", "±10")
        view.open("s")
        await app.rest(pilot)
        assert view.modes == ("tools off",), "what is asked for once stays"
        view.clear("nothing to see here " * 8)
        await app.rest(pilot)
        assert sum("nothing to see" in line for line in app.lines()) > 2


def test_the_track_shows_where_another_session_goes_on() -> None:
    def signs(hits: set[int], borders: tuple[bool, bool]) -> str:
        return "".join(s for s, _ in track.column(4, 80, (20, 39), hits, None, borders=borders))

    assert signs(set(), (False, False)) == "│█││"
    assert signs(set(), (True, False)) == "▲█││"
    assert signs(set(), (True, True)) == "▲█│▼"
    assert signs({0}, (True, True)) == "●█│▼", "a hit says more"
