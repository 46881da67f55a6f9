"""What is fetched, in what order, and what is kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.history.errors import HistoryError, Interrupted
from hermes_tui.tui.widgets.conversation import track
from hermes_tui.tui.widgets.conversation.document import Body
from hermes_tui.tui.widgets.conversation.loader import (
    BATCH_MESSAGES,
    Batch,
    Bodies,
    Context,
    Loader,
)
from hermes_tui.tui.widgets.conversation.opening import bookends


@pytest.fixture
def talk(history: Any, a_message: Any) -> Any:
    return history([a_message(f"message {i}") for i in range(200)])


def context(talk: Any, width: int = 40) -> Context:
    return Context(talk.outline("s"), width, None)


def never() -> bool:
    return False


def test_what_is_wanted_most_comes_first(talk: Any) -> None:
    published: list[Batch] = []
    loader = Loader(talk, published.append)
    assert loader.want(context(talk), [150, *range(100)])
    assert not loader.want(context(talk), [150, *range(100)])
    loader.work(never)
    assert talk.asked[0][:3] == [251, 101, 102]
    assert [len(batch.bodies) for batch in published] == [BATCH_MESSAGES] * 3 + [5]
    assert loader.want(context(talk), [1])


def test_a_new_wish_replaces_the_rest_of_the_old(talk: Any) -> None:
    published: list[Batch] = []

    def publish(batch: Batch) -> None:
        published.append(batch)
        if len(published) == 1:
            loader.want(context(talk), [199])

    loader = Loader(talk, publish)
    loader.want(context(talk), range(100))
    loader.work(never)
    assert [min(batch.bodies) for batch in published] == [0, 199]


def test_what_is_wanted_at_another_width_meanwhile_is_made_again(talk: Any) -> None:
    published: list[Batch] = []
    read = talk.messages

    def messages(ids: Any) -> Any:
        if len(talk.asked) < 3:
            loader.want(context(talk, 50 + len(talk.asked)), [7])
        return read(ids)

    talk.messages = messages
    loader = Loader(talk, published.append)
    loader.want(context(talk), [7])
    loader.work(never)
    assert [(batch.context.width, list(batch.bodies)) for batch in published] == [(52, [7])]


def test_a_message_that_cannot_be_made_does_not_end_the_work(talk: Any) -> None:
    published: list[Batch] = []

    def highlight(text: str) -> list[tuple[int, int]]:
        raise RecursionError(text)

    loader = Loader(talk, published.append)
    loader.want(Context(talk.outline("s"), 40, highlight), [7])
    loader.work(never)
    assert published[0].failure == "Messages could not be shown: RecursionError: message 7"
    assert loader.want(context(talk), [8])


def test_work_on_what_nobody_wants_any_more_stops(history: Any, a_message: Any) -> None:
    talk = history([a_message("word " * 100_000), a_message("small")])
    published: list[Batch] = []
    loader = Loader(talk, published.append)
    read = talk.messages

    def messages(ids: Any) -> Any:
        rows = read(ids)
        if ids == [101]:
            loader.want(context(talk), [1])
        return rows

    talk.messages = messages
    loader.want(context(talk), [0])
    loader.work(never)
    assert [list(batch.bodies) for batch in published] == [[1]]


def test_a_huge_message_is_fetched_alone(history: Any, a_message: Any) -> None:
    talk = history([a_message("a"), a_message("x" * 300_000), a_message("b"), a_message("c")])
    loader = Loader(talk, lambda batch: None)
    loader.want(context(talk), [0, 1, 2, 3])
    loader.work(never)
    assert talk.asked == [[101], [102], [103, 104]]


def test_a_statement_stopped_by_another_is_asked_again(talk: Any) -> None:
    published: list[Batch] = []
    read, stopped = talk.messages, []

    def messages(ids: Any) -> Any:
        if not stopped:
            stopped.append(ids)
            raise Interrupted
        return read(ids)

    talk.messages = messages
    loader = Loader(talk, published.append)
    loader.want(context(talk), [3])
    loader.work(never)
    assert [list(batch.bodies) for batch in published] == [[3]]


def test_a_history_that_fails_is_said_once_and_not_asked_for_ever(talk: Any) -> None:
    published: list[Batch] = []

    def messages(ids: Any) -> Any:
        raise HistoryError("The file is \x1b[31mdamaged.")

    talk.messages = messages
    loader = Loader(talk, published.append)
    loader.want(context(talk), [3, 4])
    loader.work(never)
    assert [batch.failure for batch in published] == ["The file is damaged."]
    assert set(published[0].bodies) == {3, 4}


def test_cancelled_work_ends_and_can_be_started_again(talk: Any) -> None:
    published: list[Batch] = []
    loader = Loader(talk, published.append)
    assert loader.want(context(talk), [3])
    loader.work(lambda: True)
    assert not published
    assert loader.want(context(talk), [3])


def body(cost: int) -> Body:
    made = Body(1, "user", "", None, "live", "", False, (), 80)
    made.cost = cost
    return made


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 60)), max_size=60),
    st.sets(st.integers(0, 20), max_size=3),
)
def test_bodies_stay_within_their_cost(puts: list[tuple[int, int]], needed: set[int]) -> None:
    bodies = Bodies(limit=100)
    for index, cost in puts:
        bodies.put(index, body(cost), needed)
        assert index in bodies
        assert bodies.cost == sum(kept.cost for _, kept in bodies.items())
        spare = [kept for i, kept in bodies.items() if i not in needed and i != index]
        assert bodies.cost <= 100 or not spare


def test_the_least_used_body_goes_first() -> None:
    bodies = Bodies(limit=30)
    for index in range(3):
        bodies.put(index, body(10))
    bodies.get(0)
    bodies.put(3, body(10))
    assert [index for index, _ in bodies.items()] == [2, 0, 3]
    bodies.clear()
    assert (len(bodies), bodies.cost) == (0, 0)


def test_bookends_are_real_messages(history: Any, a_message: Any) -> None:
    rows = [
        a_message("system", "system"),
        a_message("rewound", visibility="rewound"),
        a_message("archived", visibility="archived"),
        a_message(None, "assistant", tool_calls=[{}]),
        a_message([{"type": "text", "text": "parts"}]),
        a_message(""),
        a_message("one"),
        a_message("out", "tool"),
        a_message("two", "assistant"),
        a_message("three"),
        a_message("[CONTEXT COMPACTION — REFERENCE ONLY] what was said before"),
        a_message("four"),
    ]
    talk = history(rows)
    outline = talk.outline("s")
    assert bookends(talk, outline, range(12)) == (4, 6, 8)
    assert bookends(talk, outline, range(11, -1, -1)) == (11, 9, 8)
    assert bookends(talk, outline, range(4)) == ()


def test_the_track_shows_where_one_is() -> None:
    column = track.column(5, 100, (40, 59), track.rows_of([0, 99], 100, 5), 50)
    assert [character for character, _ in column] == ["●", "│", "◆", "│", "●"]
    assert [c for c, _ in track.column(4, 8, (2, 5), set(), None)] == ["│", "█", "█", "│"]
    assert [c for c, _ in track.column(4, 8, (2, 5), {0, 1}, None)] == ["●", "◉", "█", "│"]


@given(st.integers(1, 60), st.integers(1, 500), st.data())
def test_the_track_always_has_a_thumb(height: int, total: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, total - 1))
    last = data.draw(st.integers(first, total - 1))
    rows = track.thumb(first, last, total, height)
    assert len(rows) >= 1
    assert rows[0] >= 0
    assert rows[-1] < height
