"""A history in memory, and an app with nothing but the view in it."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from textual.app import App, ComposeResult

from hermes_tui.history.reader import Outline
from hermes_tui.history.rows import Message, Session
from hermes_tui.tui.widgets.conversation import ConversationView

START = 1_780_000_000.0
FIRST_ID = 101


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    os.environ.pop("TZ", None)
    time.tzset()


def message(text: Any, role: str = "user", **other: Any) -> Message:
    values: dict[str, Any] = {
        "id": 0,
        "session_id": "s",
        "role": role,
        "content": text,
        "timestamp": None,
        "tool_name": None,
        "tool_call_id": None,
        "tool_calls": [],
        "visibility": "live",
        "reasoning": None,
        "display_kind": None,
    }
    return Message(**(values | other))


class FakeHistory:
    """One session, `s`, in memory: what a reader answers, and what it was asked."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.rows = [
            replace(m, id=FIRST_ID + i, timestamp=m.timestamp or START + 60 * i)
            for i, m in enumerate(messages)
        ]
        self.gone: set[int] = set()
        self.asked: list[list[int]] = []

    def get(self) -> FakeHistory:
        return self

    def session(self, session_id: str) -> Session | None:
        return None if session_id != "s" else object()  # type: ignore[return-value]

    def outline(self, session_id: str) -> Outline:
        rows = self.rows if session_id == "s" else []
        codes = {"live": 0, "archived": 1, "rewound": 2}
        return Outline(
            session_id,
            array("q", [m.id for m in rows]),
            array("q", [len(m.text.encode("utf-8", "replace")) for m in rows]),
            tuple(m.role for m in rows),
            bytes(codes[m.visibility] for m in rows),
            array("d", [m.timestamp or 0.0 for m in rows]),
        )

    def sketch(self, session_id: str, message_id: int | None = None) -> Outline | None:
        return None

    def messages(
        self, ids: Sequence[int], *, sift: Callable[[bytes], bool] | None = None
    ) -> list[Message]:
        self.asked.append(list(ids))
        found = [self.rows[i - FIRST_ID] for i in ids if i not in self.gone]
        return [
            m for m in found if not sift or m.calls or sift(m.text.encode("utf-8", "surrogatepass"))
        ]


class ViewApp(App[None]):
    """The view alone; `posted` holds what it says."""

    def __init__(self, pool: Any) -> None:
        super().__init__()
        self.pool = pool
        self.posted: list[Any] = []
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        yield ConversationView(self.pool, id="view")

    @property
    def view(self) -> ConversationView:
        return self.query_one(ConversationView)

    def on_conversation_view_opened(self, event: Any) -> None:
        self.posted.append(event)

    def on_conversation_view_failed(self, event: Any) -> None:
        self.posted.append(event)

    def on_conversation_view_edge_reached(self, event: Any) -> None:
        self.posted.append(event)

    def on_conversation_view_moved(self, event: Any) -> None:
        self.posted.append(event)

    def said(self, kind: type) -> list[Any]:
        return [event for event in self.posted if isinstance(event, kind)]

    async def rest(self, pilot: Any) -> None:
        """Wait until nothing is being loaded or drawn."""
        calm = 0
        while calm < 2:
            await pilot.pause()
            calm += 1
            if any(not worker.is_finished for worker in self.workers):
                await self.workers.wait_for_complete()
                calm = 0

    def lines(self) -> list[str]:
        """The view's rows as text."""
        view = self.view
        return [view.render_line(y).text for y in range(view.size.height)]


@pytest.fixture
def a_message() -> Callable[..., Message]:
    return message


@pytest.fixture
def history() -> type[FakeHistory]:
    return FakeHistory


@pytest.fixture
def view_app() -> type[ViewApp]:
    return ViewApp


@pytest.fixture
def talk() -> FakeHistory:
    """A hundred messages, user and assistant in turn, three lines each; ids from 101."""
    roles = ("user", "assistant")
    return FakeHistory(
        [message(f"message {i}\nsecond line\nthird", roles[i % 2]) for i in range(100)]
    )


@pytest.fixture
def work() -> FakeHistory:
    """A question, a call, its long output, an answer; one pair of messages was rewound."""
    call = {"id": "c", "function": {"name": "terminal", "arguments": '{"cmd": "ls"}'}}
    return FakeHistory(
        [
            message("list it"),
            message(None, "assistant", tool_calls=[call]),
            message("\n".join(f"file {i}" for i in range(50)), "tool", tool_name="terminal"),
            message("wrong", visibility="rewound"),
            message("sorry", "assistant", visibility="rewound"),
            message("fifty files", "assistant"),
        ]
    )
