"""One history for each cause: the verdict names it, and says what to change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.reader import History
from hermes_tui.recall.asking import agent_ask
from hermes_tui.recall.explain.places import READ_ALL
from hermes_tui.recall.explain.targets import resolve_target
from hermes_tui.recall.explain.verdict import CAUSE_TEXT, Verdict
from hermes_tui.recall.explain.whynot import why_not
from hermes_tui.recall.policy import HERMES_0_19
from hermes_tui.storage import encoding
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

START = 1_800_000_000.0
Write = Callable[[HistoryWriter], None]


@pytest.fixture
def judge(tmp_path: Path, opened: Callable[[Path], History]) -> Callable[..., Verdict]:
    """The verdict on a target in a history made of messages or written by a function."""

    def judge(
        query: str,
        said: Sequence[Any] | Write,
        target: str = "s1",
        *,
        cjk: bool = True,
        policy: Any = None,
        **options: Any,
    ) -> Verdict:
        path = tmp_path / "state.db"
        with HistoryWriter(path, cjk=cjk) as writer:
            if callable(said):
                said(writer)
            else:
                session(writer, "s1", said)
        history = opened(path)
        more = {} if policy is None else {"policy": policy}
        found = resolve_target(history, target)
        return why_not(history, query, found, agent_ask(query, **options), **more)

    return judge


def session(
    writer: HistoryWriter, name: str, said: Sequence[Any], at: float = 0.0, **fields: Any
) -> list[int]:
    fields = {"source": "cli", "started_at": START + at, **fields}
    writer.create_session(NewSession(id=name, **fields))
    rows = [s if isinstance(s, NewMessage) else NewMessage(role="user", content=s) for s in said]
    return writer.append_batch(name, rows, START + at)


PART = {"type": "text", "text": "a café"}


def tool(content: str) -> NewMessage:
    return NewMessage(role="tool", content=content, tool_name="terminal")


def call(text: str) -> NewMessage:
    calls = [encoding.tool_call("terminal", {"command": text}, "call_1")]
    return NewMessage(role="assistant", content="", tool_calls=calls)


@pytest.mark.parametrize(
    ("cause", "query", "said", "try_query"),
    [
        ("seen", "harbour", ["the harbour"], None),
        ("word_missing", "harbour zebra", ["the harbour"], "harbour"),
        ("word_missing", "zebra", ["the harbour"], None),
        ("word_missing", "zebra OR lion", ["the harbour"], None),
        ("word_missing", "zebra OR harbour lion", ["the harbour"], None),
        ("words_apart", "harbour fees", ["the harbour", "the fees"], "harbour OR fees"),
        ("words_apart", "容器 网络", ["容器很好", "网络很好"], "容器 OR 网络"),
        ("phrase_apart", "harbour_fees", ["fees of the harbour"], "harbour fees"),
        ("excluded_word", "harbour NOT fees", ["harbour fees"], "harbour"),
        ("query_unreadable", "a@harbour", ["a@harbour"], '"a@harbour"'),
        ("query_unreadable", "harbour?", ["harbour"], '"harbour?"'),
        ("query_unreadable", "++", ["harbour"], None),
        ("no_messages", "harbour", [], None),
    ],
)
def test_the_cause_is_named(
    judge: Callable[..., Verdict], cause: str, query: str, said: list[str], try_query: str | None
) -> None:
    verdict = judge(query, said)
    assert verdict.cause == cause
    if cause != "word_missing" or "OR" not in query:
        assert verdict.try_query == try_query
    assert verdict.advice.count(". ") == 0
    assert verdict.advice.endswith(".")
    assert (verdict.rank is not None) == (cause == "seen")


def beside(*said: Any) -> Write:
    """A session s1, and another one that has the bare words, so that nothing falls back."""

    def write(writer: HistoryWriter) -> None:
        session(writer, "other", ["docker master harbour fees café"], 99.0)
        session(writer, "s1", said)

    return write


@pytest.mark.parametrize(
    ("cause", "query", "said", "try_query"),
    [
        ("inside_word", "harbour", ["the harbourmaster"], "harbour*"),
        ("inside_word", "master harbour", ["the harbourmaster harbour"], "harbourmaster harbour"),
        ("beside_cjk", "docker", ["修改docker服务端"], "修改docker服务端"),
        ("respelt", "docker", ["the ｄｏｃｋｅｒ thing"], "ｄｏｃｋｅｒ"),
        ("phrase_apart", '"harbour fees"', ["fees of the harbour"], "harbour fees"),
        ("escaped", "café", [call("café")], None),
        ("escaped", "café", [NewMessage(role="user", content=[PART])], None),
    ],
)
def test_what_the_tokenizer_does_is_named(
    judge: Callable[..., Verdict], cause: str, query: str, said: list[Any], try_query: str | None
) -> None:
    verdict = judge(query, beside(*said), cjk=False)
    assert (verdict.cause, verdict.try_query) == (cause, try_query), verdict


def test_it_does_not_matter_how_long_the_session_is(judge: Callable[..., Verdict]) -> None:
    said = [*("filler" for _ in range(READ_ALL + 50)), "修改docker服务端", "more"]
    assert judge("docker", beside(*said), cjk=False).cause == "beside_cjk"


def test_what_is_behind_the_cut_of_a_long_output(
    copy_db: Callable[[str], Path], opened: Callable[[Path], History]
) -> None:
    """Message 37 of that history is an output of 10,830 characters, of which 8,192 are indexed."""
    history = opened(copy_db("state-newest-reconstructed-longtool-hidden"))
    target = resolve_target(history, "37")
    roles = ("user", "assistant", "tool")

    def verdict(query: str, **options: Any) -> Verdict:
        return why_not(history, query, target, agent_ask(query, **options))

    assert verdict("shallowneedle", roles=roles).cause == "seen"
    assert verdict("shallowneedle").cause == "role_filter"
    deep = verdict("deepneedle", roles=roles)
    assert deep.cause == "cut_off"
    assert "character 10,8" in deep.detail
    assert verdict("shallowneedle deepneedle", roles=roles).try_query == "shallowneedle"


@pytest.mark.parametrize(("query", "message"), [("guava", "28"), ("cafe", "32")])
def test_rows_that_the_rebuild_has_not_reached(
    copy_db: Callable[[str], Path],
    opened: Callable[[Path], History],
    query: str,
    message: str,
) -> None:
    """A scan stands in for the index there, and sees neither image messages nor accents (41)."""
    history = opened(copy_db("state-0.19.0-midrebuild-by-2026-08"))
    verdict = why_not(history, query, resolve_target(history, message), agent_ask(query))
    assert verdict.units[0].state == "not_indexed"
    assert f"message {message} is not in messages_fts" in verdict.units[0].detail
    around_a_hit = any(step.rule == "around" for step in verdict.steps)
    assert verdict.cause == ("seen" if around_a_hit else "index_incomplete")
    assert around_a_hit == (message == "28")


def test_a_source_that_is_never_searched(judge: Callable[..., Verdict]) -> None:
    verdict = judge("harbour", lambda w: session(w, "s1", ["harbour"], source="kanban") and None)
    assert (verdict.cause, verdict.detail) == ("hidden_source", "kanban")
    assert "session_id=s1" in verdict.advice


def test_another_version_has_other_rules(judge: Callable[..., Verdict]) -> None:
    def write(writer: HistoryWriter) -> None:
        session(writer, "s1", ["harbour"], source="kanban")

    assert judge("harbour", write, policy=HERMES_0_19).cause == "seen"


def test_a_role_that_is_not_searched(judge: Callable[..., Verdict]) -> None:
    verdict = judge("harbour", [tool("harbour")])
    assert verdict.cause == "role_filter"
    assert verdict.try_arguments == {"role_filter": "user,assistant,tool"}
    assert verdict.best_row == 1


def test_tool_output_that_an_index_leaves_out(judge: Callable[..., Verdict]) -> None:
    verdict = judge("容器网络", [tool("容器网络")])
    assert verdict.cause == "role_filter"
    assert verdict.try_arguments == {"role_filter": "user,assistant,tool"}


def test_what_was_taken_back(judge: Callable[..., Verdict]) -> None:
    def write(writer: HistoryWriter) -> None:
        writer.rewind("s1", session(writer, "s1", ["hello", "harbour"])[1])

    assert judge("harbour", write).cause == "rewound"


def test_too_many_rows_come_first(judge: Callable[..., Verdict]) -> None:
    def write(writer: HistoryWriter) -> None:
        session(writer, "s0", ["harbour harbour harbour"] * 310)
        session(writer, "s1", [f"harbour {'and much else ' * 20}"], 50.0)

    verdict = judge("harbour", write)
    assert verdict.cause == "beyond_scan"
    assert verdict.detail == "row 311 of 311, the agent looks at 300"
    assert verdict.try_arguments == {"sort": "newest"}


def test_the_agents_own_conversation(judge: Callable[..., Verdict]) -> None:
    verdict = judge("harbour", ["harbour"], current_session="s1")
    assert verdict.cause == "current_lineage"
    assert verdict.try_arguments == {"current_session_id": None}


def lineage(writer: HistoryWriter) -> None:
    session(writer, "s1", ["harbour and a lot of other words"])
    session(writer, "s2", ["harbour harbour"], 10.0, parent_id="s1")


def test_another_part_of_the_lineage_stands_for_it(judge: Callable[..., Verdict]) -> None:
    verdict = judge("harbour", lineage)
    assert verdict.cause == "lost_in_lineage"
    assert verdict.detail == "message 2 of session s2"
    assert [s.rule for s in verdict.steps if s.answer == "stop"] == ["lineage"]


def test_a_title_stands_for_it(judge: Callable[..., Verdict]) -> None:
    def write(writer: HistoryWriter) -> None:
        lineage(writer)
        writer.set_title("s2", "harbour")

    verdict = judge("harbour", write)
    assert (verdict.cause, verdict.detail) == ("lost_in_lineage", "the title of session s2")
    assert judge("harbour", lambda w: None, "s2").cause == "seen"


def test_it_comes_after_the_limit(judge: Callable[..., Verdict]) -> None:
    def write(writer: HistoryWriter) -> None:
        for number in range(12):
            session(writer, f"o{number}", ["harbour harbour"], float(number))
        session(writer, "s1", ["harbour and more"])
        session(writer, "c1", ["harbour"], source="cron")

    verdict = judge("harbour", write)
    assert verdict.cause == "beyond_limit"
    assert verdict.detail == "place 13, limit 3"
    assert verdict.try_arguments == {}
    near = judge("harbour", lambda w: None, "o5", limit=1)
    assert near.cause == "beyond_limit"
    assert 1 < int(str(near.try_arguments["limit"])) <= 10
    assert "scheduled" in judge("harbour", lambda w: None, "c1").detail


def test_a_message_is_seen_around_the_hit_too(judge: Callable[..., Verdict]) -> None:
    said = ["opening", "two", "three", "harbour", *(f"filler {n}" for n in range(20))]
    verdict = judge("harbour", said, "6")
    assert (verdict.cause, verdict.rank) == ("seen", 1)
    assert any(step.rule == "around" for step in verdict.steps)
    far = judge("harbour", lambda w: None, "15")
    assert far.cause == "word_missing"
    assert far.units[0].session == 1


def test_near_counts_are_said(judge: Callable[..., Verdict]) -> None:
    def write(writer: HistoryWriter) -> None:
        session(writer, "s1", ["the harbour"])
        session(writer, "s2", ["the fees", "the fees again"], 10.0, parent_id="s1")

    verdict = judge("harbour fees", write)
    assert verdict.cause == "word_missing"
    assert "in 2 messages elsewhere in its lineage" in verdict.detail


@pytest.mark.parametrize("target", ["s1", "@session:s1", "1", "Big Talk", "big talk", "big"])
def test_every_way_to_name_it(judge: Callable[..., Verdict], target: str) -> None:
    def write(writer: HistoryWriter) -> None:
        session(writer, "s1", ["harbour"])
        writer.set_title("s1", "Big Talk")

    assert judge("harbour", write, target).session_id == "s1"


@pytest.mark.parametrize(
    ("target", "words"),
    [("", "Nothing is named"), ("talk", "2 sessions have"), ("99", "Nothing in this history")],
)
def test_what_is_not_clear_is_asked_back(
    judge: Callable[..., Verdict], target: str, words: str
) -> None:
    def write(writer: HistoryWriter) -> None:
        for name in ("s1", "s2"):
            session(writer, name, ["harbour"])
            writer.set_title(name, f"Talk {name}")

    with pytest.raises(HistoryError, match=words):
        judge("harbour", write, target)


def test_every_cause_has_a_text() -> None:
    assert all(text and not text.endswith(".") for text in CAUSE_TEXT.values())
