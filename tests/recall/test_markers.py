"""Content, arguments, function name and tool name are four places, found in every layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import markers
import pytest

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Message
from hermes_tui.history.tokenizer import register
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

DATABASES = Path(__file__).parents[3] / "shared" / "hermes" / "dbs"
NAMES = sorted(path.stem for path in DATABASES.glob("*.db"))


@pytest.fixture
def opened() -> Iterator[Callable[[Path], History]]:
    histories: list[History] = []

    def open_one(path: Path) -> History:
        histories.append(History.open(Place(str(path), ""), register=register))
        return histories[-1]

    yield open_one
    for history in histories:
        history.close()


@pytest.mark.parametrize("cjk", [True, False])
def test_written_by_us(tmp_path: Path, opened: Callable[[Path], History], cjk: bool) -> None:
    path = tmp_path / "state.db"
    with HistoryWriter(path, cjk=cjk) as writer:
        writer.create_session(NewSession(id="s1", source="cli", started_at=1e9))
        writer.append_batch("s1", [NewMessage(**fields) for fields in markers.MESSAGES], 1e9)
    markers.check(opened(path), "s1")


@pytest.mark.shared
@pytest.mark.parametrize("name", NAMES)
def test_in_every_recorded_file(
    copy_db: Callable[[str], Path], opened: Callable[[Path], History], name: str
) -> None:
    """The rows that are there serve as markers: a call, its result, and what was said before."""
    history = opened(copy_db(name))
    said, asked, answered = _a_call(history)
    call = asked.calls[0]
    for word, message, roles in (
        (_word(said.text), said, ("user",)),
        (_word(call.arguments.split(":", 1)[1]), asked, ("assistant",)),
        (call.name, asked, ("assistant",)),
        (answered.tool_name or "", answered, ("tool",)),
    ):
        found = markers.hit(history, word, roles)
        assert message.id in found.ids, (word, message.id)
        assert re.findall("[a-z]+", word.lower())[0] in "".join(found.marked), found.best
        others = [m for m in (said, asked, answered) if m.role not in roles]
        assert not {m.id for m in others} & set(found.ids)
    argument = _word(call.arguments.split(":", 1)[1])
    assert asked.id in markers.hit(history, f"tool:{call.name} {argument}").ids
    assert said.id not in markers.hit(history, f"tool:{call.name} {_word(said.text)}").ids


def _a_call(history: History) -> tuple[Message, Message, Message]:
    """A call with its result and the user's message before it."""
    for answered in history.message_rows(
        "where m.role = 'tool' and m.tool_name <> '' order by m.id"
    ):
        before = history.message_rows(
            "where m.session_id = ? and m.id < ? order by m.id desc",
            (answered.session_id, answered.id),
        )
        asked = next((m for m in before if m.calls and len(_words(m.calls[0].arguments)) > 1), None)
        said = next((m for m in before if m.role == "user" and _words(m.text)), None)
        if asked is not None and said is not None:
            return said, asked, answered
    raise AssertionError("no call in this file")


def _words(text: str) -> list[str]:
    return re.findall(r"(?<![\w\\./-])[A-Za-z]{4,}(?![\w\\./-])", text)


def _word(text: str) -> str:
    return _words(text)[0]
