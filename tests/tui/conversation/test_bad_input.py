"""Sessions nobody would write by hand: usable, or a clear line; never a crash."""

from __future__ import annotations

from typing import Any

import pytest

MEGABYTE = 1 << 20


def spoiled(make: Any) -> dict[str, list[Any]]:
    broken = [None, 7, "x", {"function": 3}, {"function": {"name": 5, "arguments": [1]}}, [[]]]
    return {
        "10 MB of lines": [make(("word " * 19 + "\n") * (10 * MEGABYTE // 96))],
        "one line of 5 MB": [make("x" * (5 * MEGABYTE), "tool")],
        "one line of 1 MB of Chinese": [make("会议记录" * (MEGABYTE // 12), "assistant")],
        "colours without end": [make("\x1b[31m" * 200_000 + "seen")],
        "an unfinished sequence": [make("\x1b]52;c;" + "A" * MEGABYTE)],
        "a million newlines": [make("\n" * MEGABYTE)],
        "nothing but control characters": [make("".join(map(chr, range(32))) * 99)] * 9,
        "nothing but combining marks": [make("\u0301" * 50_000)],
        "empty messages": [make("")] * 100_000,
        "no content at all": [make(None, "assistant")] * 50,
        "only rewound messages": [make("gone", visibility="rewound")] * 50,
        "broken tool calls": [
            make(None, "assistant", tool_calls=broken, tool_calls_text="[{"),
            make({"unexpected": "object"}),
            make([1, None, {"type": None}, {"text": 5}, {"type": "text", "text": "shown"}]),
        ],
        "odd roles and times": [
            make("a", "", timestamp=1e300),
            make("b", "\x1b[2J" * 50, timestamp=-5.0),
            make("c", "💥" * 500, timestamp=float("nan")),
        ],
        "a thousand calls": [
            make(
                None,
                "assistant",
                tool_calls=[{"function": {"name": f"f{i}", "arguments": "{}"}} for i in range(999)],
            )
        ],
    }


NAMES = list(spoiled(lambda *_, **__: None))


@pytest.mark.parametrize("name", NAMES)
async def test_a_spoiled_session_can_be_read(
    view_app: Any, history: Any, a_message: Any, name: str
) -> None:
    rows = spoiled(a_message)[name]
    app = view_app(history([*rows, a_message("the end", "assistant")]))
    async with app.run_test(size=(70, 20)) as pilot:
        view = app.view
        view.open("s", anchor=101, hits=(101,), highlight=lambda t: [(0, 1)] if t else [])
        await app.rest(pilot)
        assert view.total == len(rows) + 1
        for action in (
            *("page_down", "half_up", "toggle_tools", "unfold_all", "page_down", "last"),
            *("page_up", "first", "message_next", "turn_prev", "fold_all", "anchor"),
        ):
            getattr(view, f"action_{action}")()
            await app.rest(pilot)
            lines = app.lines()
            assert all(line.isprintable() for line in lines), lines
        await pilot.resize_terminal(31, 9)
        await app.rest(pilot)
        assert view.current_id == 101
        view.action_last()
        await app.rest(pilot)
        assert "the end" in "\n".join(app.lines())
        assert not [e for e in app.posted if type(e).__name__ == "Failed"]


async def test_an_empty_session_says_so(view_app: Any, history: Any) -> None:
    app = view_app(history([]))
    async with app.run_test(size=(70, 20)) as pilot:
        app.view.open("s")
        await app.rest(pilot)
        assert "This session has no messages." in "\n".join(app.lines())


async def test_a_history_that_cannot_be_opened_says_why(view_app: Any) -> None:
    from hermes_tui.history.errors import HistoryError

    class Closed:
        def get(self) -> Any:
            raise HistoryError("The history \x1b[1mhas been closed.")

    app = view_app(Closed())
    async with app.run_test(size=(70, 20)) as pilot:
        app.view.open("s")
        await app.rest(pilot)
        assert "The history has been closed." in "\n".join(app.lines())


async def test_the_view_may_go_while_it_loads(view_app: Any, history: Any, a_message: Any) -> None:
    app = view_app(history([a_message("word " * 400_000)] * 5))
    async with app.run_test(size=(70, 20)) as pilot:
        app.view.open("s")
        app.view.find("word")
        await pilot.pause()
        await app.view.remove()
        await pilot.pause()
