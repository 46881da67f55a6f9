"""A session that changes while it is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any


async def test_new_messages_come_without_moving_anything(
    view_app: Any, history: Any, a_message: Any
) -> None:
    talk = history([a_message(f"message {i}") for i in range(60)])
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=131)
        await app.rest(pilot)
        assert view.news == 0
        before = app.lines()
        talk.rows += [replace(talk.rows[0], id=161 + i, content=f"new {i}") for i in range(3)]
        view.check()
        await app.rest(pilot)
        assert [line[:-1] for line in app.lines()] == [line[:-1] for line in before]
        assert (view.total, view.news) == (63, 3)
        view.action_last()
        await app.rest(pilot)
        assert "new 2" in "\n".join(app.lines())
        assert view.news == 0


async def test_a_rewind_is_shown(view_app: Any, history: Any, a_message: Any) -> None:
    talk = history([a_message(f"message {i}") for i in range(9)])
    app = view_app(talk)
    async with app.run_test(size=(60, 40)) as pilot:
        app.view.open("s")
        await app.rest(pilot)
        talk.rows[7:] = [replace(m, visibility="rewound") for m in talk.rows[7:]]
        app.view.check()
        await app.rest(pilot)
        assert "2 rewound messages hidden" in "\n".join(app.lines())
        app.view.action_toggle_rewound()
        await app.rest(pilot)
        assert "\n".join(app.lines()).count("  rewound ") == 2


async def test_rows_that_have_gone_are_gone(view_app: Any, history: Any, a_message: Any) -> None:
    talk = history([a_message(f"message {i}") for i in range(20)])
    app = view_app(talk)
    async with app.run_test(size=(60, 30)) as pilot:
        app.view.open("s", anchor=110)
        await app.rest(pilot)
        whole = talk.outline("s")
        talk.outline = lambda session_id: replace(
            whole,
            ids=whole.ids[5:],
            octets=whole.octets[5:],
            roles=whole.roles[5:],
            visibility=whole.visibility[5:],
            timestamps=whole.timestamps[5:],
        )
        app.view.check()
        await app.rest(pilot)
        assert (app.view.total, app.view.current_id, app.view.position) == (15, 110, 5)
        app.view.clear()
        app.view.check()
        await app.rest(pilot)
        assert app.view.total == 0
