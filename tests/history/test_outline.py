"""A sketch says of a session what its whole outline says, as far as it says anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.history.errors import Interrupted
from hermes_tui.history.locate import Place
from hermes_tui.history.outline import SKETCH_FROM, SKETCH_NEAR, Outline
from hermes_tui.history.reader import History
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

SIZE = SKETCH_FROM + 500


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outline") / "state.db"
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        for name, size in (("long", SIZE), ("short", SKETCH_FROM - 1)):
            writer.create_session(NewSession(id=name, source="cli", started_at=1.0))
            turns = [
                NewMessage(role=("user", "assistant", "tool")[n % 3], content="x" * (n % 50))
                for n in range(size)
            ]
            writer.append_batch(name, turns, 10.0)
    return path


@pytest.fixture
def history(path: Path, execute: Callable[..., Any]) -> Iterator[History]:
    execute(path, "update messages set active = 0, compacted = id % 2 where id % 5 = 0")
    with History.open(Place(str(path))) as history:
        yield history


def facts(outline: Outline, place: int) -> tuple[object, ...]:
    return (
        outline.octets[place],
        outline.roles[place],
        outline.visibility[place],
        outline.timestamps[place],
    )


@pytest.mark.parametrize("message_id", [None, 1, 40, SIZE // 2, SIZE - 1, SIZE, 10**9])
def test_what_a_sketch_knows_is_so(history: History, message_id: int | None) -> None:
    whole, sketch = history.outline("long"), history.sketch("long", message_id)
    assert sketch is not None
    assert sketch.known is not None
    assert sketch.ids == whole.ids
    assert len(sketch) == len(sketch.roles) == len(sketch.visibility) == SIZE
    for part in sketch.known:
        assert [facts(sketch, i) for i in part] == [facts(whole, i) for i in part]
        assert sketch.knows(part)
    place = min((message_id or 1) - 1, SIZE - 1)
    near = range(max(place - SKETCH_NEAR + 1, 0), min(place + SKETCH_NEAR, SIZE))
    assert sketch.knows(near)
    assert not sketch.knows(range(SIZE))
    assert whole.knows(range(SIZE))


def test_a_short_session_is_not_sketched(history: History) -> None:
    assert history.sketch("short") is None
    assert history.sketch("nobody") is None


def test_slices_are_all_the_rows_and_can_be_stopped(history: History) -> None:
    sql = "select id from messages order by id"
    slices = list(history.slices(sql, (), 700))
    assert [row for rows in slices for row in rows] == history.rows(sql)
    assert {len(rows) for rows in slices[:-1]} == {700}
    with pytest.raises(Interrupted):
        list(history.slices(sql, (), 700, stop=lambda: True))
    assert len(history.outline("long")) == SIZE, "the connection is free again"
