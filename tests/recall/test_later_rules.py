"""What is known of rules later than 2026-08, on a small history (column "new" of the facts)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.recall.discovery import Ask, discover
from hermes_tui.recall.policy import HERMES, HERMES_0_21, Policy
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

START = 1_800_000_000.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer:
        for number, (text, kind) in enumerate(
            (
                ("write to user@example.com about harbour fees", None),
                ("the lighthouse keeper", None),
                ("a hidden pelican", "hidden"),
                ("before the reset we spoke of walnuts", None),
            )
        ):
            at = START + number
            session = writer.create_session(
                NewSession(
                    id=f"s{number}",
                    source="cli",
                    started_at=at,
                    parent_id="s2" if number == 3 else None,
                )
            )
            writer.append(session, NewMessage(role="user", content=text, display_kind=kind), at)
        writer.create_session(
            NewSession(id="s4", source="cli", started_at=START + 9, parent_id="s3")
        )
        writer.end_session("s3", "session_reset", START + 8)
    return path


@pytest.fixture
def found(path: Path) -> Iterator[Callable[..., list[str]]]:
    with History.open(Place(str(path))) as history:

        def found(query: str, policy: Policy, **ask: Any) -> list[str]:
            return [f.session_id for f in discover(history, Ask(query, **ask), policy).found]

        yield found


@pytest.mark.parametrize(
    ("query", "ask", "before", "since"),
    [
        ("user@example.com", {}, [], ["s0"]),
        ("what's harbour?", {}, [], ["s0"]),
        ("harbour 100%", {}, [], ["s0"]),
        ("harbour lighthouse", {}, [], ["s0", "s1"]),
        ('"harbour fees" zebra', {}, [], ["s0"]),
        ("harbour NOT zebra", {}, ["s0"], ["s0"]),
        ("zebra NOT harbour", {}, [], []),
        ("pelican", {}, ["s2"], []),
        ("walnuts", {"current_session": "s4"}, [], ["s3"]),
        ("walnuts", {}, ["s3"], ["s3"]),
    ],
)
def test_what_is_found(
    found: Callable[..., list[str]],
    query: str,
    ask: dict[str, Any],
    before: list[str],
    since: list[str],
) -> None:
    assert sorted(found(query, HERMES, **ask)) == before
    assert sorted(found(query, HERMES_0_21, **ask)) == since
