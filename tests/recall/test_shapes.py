"""The tool's twin beyond the recorded answers: profiles, links, switches, the slow log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.history.locate import Place, profile_place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.policy import HERMES_0_21
from hermes_tui.recall.shapes import Tool, cjk_enabled
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

START = 1_780_000_000.0


def write(path: Path, session: str, *said: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with HistoryWriter(path, cjk=True) as writer:
        writer.create_session(NewSession(id=session, source="cli", started_at=START))
        writer.append_batch(session, [NewMessage(role="user", content=s) for s in said], START)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    write(home / "state.db", "20260101_090000_here00", "a kestrel", "会议 notes")
    write(home / "profiles/work/state.db", "20260101_090000_work00", "a kestrel at work")
    return {"HERMES_HOME": str(home)}


@pytest.fixture
def tool(environ: dict[str, str]) -> Iterator[Tool]:
    with History.open(profile_place("default", environ), register=register) as history:
        yield Tool(history, environ=environ, register=register)


def ids(answer: dict[str, Any]) -> list[str]:
    return [row["session_id"] for row in answer["results"]]


def test_a_profile_is_searched_when_named(tool: Tool) -> None:
    assert ids(tool({"query": "kestrel"})) == ["20260101_090000_here00"]
    answer = tool({"query": "kestrel", "profile": " WORK "})
    assert ids(answer) == ["20260101_090000_work00"]
    assert answer["results"][0]["link"] == "@session:WORK/20260101_090000_work00"


@pytest.mark.parametrize(
    "session_id",
    [
        "work/20260101_090000_work00",
        "@session:work/20260101_090000_work00",
        "@SESSION: work/20260101_090000_work00 ",
    ],
)
def test_a_pasted_link_is_read(tool: Tool, session_id: str) -> None:
    answer = tool({"session_id": session_id})
    assert answer["message_count"] == 1
    assert answer["messages"][0]["content"] == "a kestrel at work"


def test_a_read_asks_the_other_profiles(tool: Tool) -> None:
    answer = tool({"session_id": "20260101_090000_work00"})
    assert (answer["success"], answer["profile"]) == (True, "work")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"session_id": "nobody"}, "session_id not found: nobody"),
        ({"session_id": "work/"}, "session_id not found: work/"),
        ({"query": "x", "profile": "other"}, "profile 'other' does not exist"),
        ({"query": "x", "profile": "root"}, "'root' is not a profile name"),
        ({"session_id": "a/b/c"}, "profile 'a' does not exist"),
    ],
)
def test_errors_are_sentences(tool: Tool, arguments: dict[str, Any], error: str) -> None:
    answer = tool(arguments)
    assert answer["success"] is False
    assert answer["error"].startswith(error)


def test_the_callers_own_session_is_hidden_but_not_from_another_profile(tool: Tool) -> None:
    own = {"query": "kestrel", "current_session_id": "20260101_090000_here00"}
    answer = tool(own)
    assert (answer["results"], answer["sessions_searched"]) == ([], 0)
    assert "message" not in answer
    assert ids(tool({**own, "profile": "default"})) == ["20260101_090000_here00"]


@pytest.mark.parametrize(
    ("value", "enabled"),
    [("", True), ("1", True), ("0", False), ("OFF", False), ("False", False), (" no ", False)],
)
def test_the_switch_of_the_cjk_index(value: str, enabled: bool) -> None:
    assert cjk_enabled({"HERMES_CJK_FTS": value}) == enabled
    assert cjk_enabled({})


@pytest.mark.parametrize(("switch", "path"), [("1", "fts_cjk"), ("0", "like_scan")])
def test_the_slow_log(
    tool: Tool,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    switch: str,
    path: str,
) -> None:
    monkeypatch.setenv("HERMES_SEARCH_SLOW_MS", "0")
    tool.environ = {**tool.environ, "HERMES_CJK_FTS": switch}
    with caplog.at_level(logging.INFO, logger="hermes_tui.recall"):
        tool({"query": "会议"})
        tool({"query": "kestrel \x1b[2J" + "x" * 300})
    first, second = caplog.messages
    assert first.startswith(f"slow session search: path={path} elapsed=")
    assert first.endswith("rows=1 query='会议'")
    assert "path=fts5" in second
    assert "\x1b" not in second
    assert len(second) < 320
    monkeypatch.setenv("HERMES_SEARCH_SLOW_MS", "100000")
    tool({"query": "kestrel"})
    assert len(caplog.messages) == 2


def test_later_rules_give_one_result_whole_and_know_dates(tmp_path: Path) -> None:
    """Column new of the facts: adaptive detail (56) and date filters (32, 45)."""
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer:
        for day in range(3):
            start = START + day * 86_400
            writer.create_session(NewSession(id=f"day{day}", source="cli", started_at=start))
            said = [NewMessage(role="user", content=f"kestrel {n}") for n in range(4)]
            writer.append_batch(f"day{day}", said, start)
    with History.open(Place(str(path), "")) as history:
        later, today = Tool(history, HERMES_0_21), Tool(history)
        results = later({"query": "kestrel"})["results"]
        assert [row["detail"] for row in results] == ["full", "compact", "compact"]
        assert [len(row["messages"]) for row in results] == [4, 1, 1]
        whole = later({"query": "kestrel", "detail": "full"})["results"]
        assert [len(row["messages"]) for row in whole] == [4, 4, 4]
        assert "detail" not in today({"query": "kestrel", "detail": "full"})["results"][0]
        day = datetime.fromtimestamp(START + 86_400).isoformat()
        assert ids(later({"query": "kestrel", "after": day, "sort": "oldest"})) == ["day1", "day2"]
        assert ids(later({"query": "kestrel", "before": day})) == ["day0"]
        assert len(ids(today({"query": "kestrel", "before": day}))) == 3
        assert later({"query": "kestrel", "after": "soon"})["success"] is False


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(
            ["query", "limit", "sort", "role_filter", "session_id", "around_message_id",
             "window", "current_session_id", "profile"]
        ),
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20),
            st.lists(st.text(max_size=5), max_size=3),
            st.sampled_from(["kestrel", "20260101_090000_here00", "work", "1", "newest", "会议"]),
        ),
    )
)  # fmt: skip
def test_any_arguments_give_an_answer(tool: Tool, arguments: dict[str, Any]) -> None:
    answer = tool(arguments)
    assert isinstance(answer.get("success"), bool)
    assert ("error" in answer) == (answer["success"] is False)
