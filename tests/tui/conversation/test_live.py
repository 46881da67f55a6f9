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


async def test_hits_are_renewed_without_moving_anything(
    view_app: Any, history: Any, a_message: Any
) -> None:
    talk = history([a_message(f"message {i}") for i in range(60)])
    app = view_app(talk)
    async with app.run_test(size=(60, 21)) as pilot:
        view = app.view
        view.open("s", anchor=131, hits=(131,))
        await app.rest(pilot)
        view.action_line_down()
        await app.rest(pilot)
        before = app.lines()
        view.set_hits((131, 103, 161, 999))  # 161 is written, but not read yet
        await app.rest(pilot)
        assert [line[:-1] for line in app.lines()] == [line[:-1] for line in before]
        assert [line[-1] for line in app.lines()] != [line[-1] for line in before], "the track"
        assert (view.hit_index, view.hit_count) == (2, 2)
        talk.rows.append(replace(talk.rows[0], id=161, content="new"))
        view.check()
        await app.rest(pilot)
        assert (view.hit_index, view.hit_count) == (2, 3)
        view.action_hit_next()
        await app.rest(pilot)
        assert view.current_id == 161
        view.set_hits(())
        await app.rest(pilot)
        assert view.hit_count == 0
        view.clear()
        view.set_hits((131,))
        assert view.hit_count == 0


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
        app.view.open("s", anchor=110, hits=(110, 112))
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
        assert (app.view.hit_index, app.view.hit_count) == (1, 2)
        app.view.clear()
        app.view.check()
        await app.rest(pilot)
        assert app.view.total == 0


async def test_a_sketch_becomes_the_whole(
    view_app: Any, history: Any, a_message: Any, monkeypatch: Any
) -> None:
    """What is painted from a sketch stays where it is; what it did not know appears."""
    texts = ["tool" if 80 <= i < 90 else "user" for i in range(200)]
    talk = history([a_message(f"message {i}", role=role) for i, role in enumerate(texts)])
    talk.rows[150:160] = [replace(m, visibility="rewound") for m in talk.rows[150:160]]
    whole = talk.outline("s")
    asked: list[str] = []

    def sketch(session_id: str, message_id: int | None = None) -> Any:
        asked.append(session_id)
        known = (range(20), range(40, 61), range(180, 200))
        inside = {i for part in known for i in part}
        return replace(
            whole,
            roles=[role if i in inside else "" for i, role in enumerate(whole.roles)],
            visibility=bytes(v if i in inside else 0 for i, v in enumerate(whole.visibility)),
            known=known,
        )

    talk.sketch = sketch
    app = view_app(talk)
    async with app.run_test(size=(60, 31)) as pilot:
        view = app.view
        with monkeypatch.context() as held:
            held.setattr(view, "check", lambda: None)
            view.open("s", anchor=151, hits=(151, 255))
            await app.rest(pilot)
        assert asked == ["s"]
        assert (view.current_id, view.position, view.total) == (151, 51, 200)
        before = app.lines()
        layout = view.layout_of_session
        assert layout is not None
        assert (layout.gap(56).folded, layout.gap(56).rewound) == (141, 0)
        assert view._reading is not None
        assert view._reading.outline.known is not None
        view.check()
        await app.rest(pilot)
        assert view._reading.outline.known is None
        lines = app.lines()
        row = next(i for i, line in enumerate(before) if "message 50" in line)
        assert lines[row] == before[row]
        assert (layout.gap(56).folded, layout.gap(56).rewound) == (131, 10)
        assert (view.current_id, view.hit_index, view.hit_count) == (151, 1, 2)


async def test_a_sketch_that_does_not_know_the_window_is_not_painted(
    view_app: Any, history: Any, a_message: Any
) -> None:
    talk = history([a_message(f"message {i}", role="tool") for i in range(200)])
    whole = talk.outline("s")
    talk.sketch = lambda *_: replace(whole, known=(range(9), range(148, 153), range(190, 200)))
    app = view_app(talk)
    async with app.run_test(size=(60, 31)) as pilot:
        app.view.open("s", anchor=250)
        await app.rest(pilot)
        assert app.view._reading is not None
        assert app.view._reading.outline.known is None
        talk.sketch = lambda *_: replace(whole, known=(range(9), range(100, 200), range(190, 200)))
        app.view.open("s", anchor=250)  # its ends hold tool output alone: bookends may be further
        await app.rest(pilot)
        assert app.view._reading.outline.known is None
