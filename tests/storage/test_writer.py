"""What the writer writes is what Hermes would have written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from hermes_tui.storage import encoding
from hermes_tui.storage.errors import StorageError
from hermes_tui.storage.writer import BATCH_STEP, HistoryWriter, NewMessage, NewSession

T0 = 1_700_000_000.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def writer(path: Path) -> Iterator[HistoryWriter]:
    with HistoryWriter(path) as writer:
        writer.create_session(NewSession(id="s1", source="cli", started_at=T0))
        yield writer


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def user(text: str) -> NewMessage:
    return NewMessage(role="user", content=text)


def test_four_places_of_a_message_are_four_hits_by_column(
    writer: HistoryWriter, path: Path
) -> None:
    call = encoding.tool_call("functionneedle", {"command": "argumentneedle"}, "call_1")
    ids = writer.append_batch(
        "s1",
        [
            user("a contentneedle here"),
            NewMessage(role="assistant", content="", tool_calls=[call]),
            NewMessage(role="tool", content="ok", tool_name="toolneedle", tool_call_id="call_1"),
        ],
        T0,
    )
    expected = {
        "content : contentneedle": (ids[0], "a [contentneedle] here"),
        "tool_calls : argumentneedle": (ids[1], "[argumentneedle]"),
        "tool_calls : functionneedle": (ids[1], "[functionneedle]"),
        "tool_name : toolneedle": (ids[2], "[toolneedle]"),
    }
    for query, (message, marked) in expected.items():
        found = rows(
            path,
            "SELECT rowid, snippet(messages_fts, -1, '[', ']', '', 9) FROM messages_fts"
            f" WHERE messages_fts MATCH '{query}'",
        )
        assert [row[0] for row in found] == [message]
        assert marked in str(found[0][1])


def test_a_batch_is_ordered_in_time(writer: HistoryWriter, path: Path) -> None:
    writer.append_batch("s1", [user("a"), user("b"), user("c")], T0)
    times = [row[0] for row in rows(path, "SELECT timestamp FROM messages ORDER BY id")]
    assert times == [T0, T0 + BATCH_STEP, T0 + 2 * BATCH_STEP]


def test_counters_follow_what_is_appended(writer: HistoryWriter, path: Path) -> None:
    call = encoding.tool_call("terminal", {}, "call_1")
    writer.append("s1", NewMessage(role="assistant", content="", tool_calls=[call, call]), T0)
    writer.append("s1", user("thanks"), T0 + 1)
    assert rows(path, "SELECT message_count, tool_call_count FROM sessions") == [(2, 2)]


def test_the_first_end_wins_until_the_session_is_reopened(
    writer: HistoryWriter, path: Path
) -> None:
    writer.end_session("s1", "compression", T0 + 1)
    writer.end_session("s1", "cli_close", T0 + 2)
    assert rows(path, "SELECT end_reason, ended_at FROM sessions") == [("compression", T0 + 1)]
    writer.reopen_session("s1")
    assert rows(path, "SELECT end_reason, ended_at FROM sessions") == [(None, None)]
    writer.end_session("s1", "cli_close", T0 + 3)
    assert rows(path, "SELECT end_reason, ended_at FROM sessions") == [("cli_close", T0 + 3)]


def test_rewind_keeps_the_rows_and_says_so(writer: HistoryWriter, path: Path) -> None:
    ids = writer.append_batch("s1", [user("a"), user("b"), user("c")], T0)
    assert writer.rewind("s1", ids[1]) == 2
    assert writer.rewind("s1", ids[1]) == 0
    assert rows(path, "SELECT active, compacted FROM messages") == [(1, 0), (0, 0), (0, 0)]
    assert rows(path, "SELECT rewind_count, message_count FROM sessions") == [(1, 3)]


def test_compacting_in_place_archives_live_rows_only(writer: HistoryWriter, path: Path) -> None:
    ids = writer.append_batch("s1", [user("a"), user("b")], T0)
    writer.rewind("s1", ids[1])
    writer.archive_and_compact("s1", [user("summary")], T0 + 9)
    found = rows(path, "SELECT content, active, compacted FROM messages ORDER BY id")
    assert found == [("a", 0, 1), ("b", 0, 0), ("summary", 1, 0)]
    assert rows(path, "SELECT message_count FROM sessions") == [(1,)]


def test_content_is_encoded_as_hermes_encodes_it(writer: HistoryWriter, path: Path) -> None:
    parts = [{"type": "text", "text": "看 guava"}, {"type": "image_url", "image_url": {"url": "d"}}]
    writer.append("s1", NewMessage(role="user", content=parts), T0)
    writer.append("s1", NewMessage(role="assistant", content="bad \ud800 end"), T0)
    writer.append("s1", NewMessage(role="assistant"), T0)
    found = [row[0] for row in rows(path, "SELECT cast(content AS blob) FROM messages ORDER BY id")]
    assert found[0] == b"\x00json:" + json.dumps(parts).encode("ascii")
    assert found[1:] == ["bad � end".encode(), None]


def test_tool_arguments_are_json_inside_a_json_string() -> None:
    stored = encoding.encode_tool_calls([encoding.tool_call("f", {"q": "容器"}, "call_9")])
    assert stored is not None
    assert stored.isascii()
    assert json.loads(json.loads(stored)[0]["function"]["arguments"]) == {"q": "容器"}
    assert encoding.encode_tool_calls([]) is None


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("  Plan\t of\nattack ", "Plan of attack"),
        ("zero\u200bwidth\u2060", "zerowidth"),
        ("bell\x07 and\x0btab", "bell andtab"),
        ("ideographic　space", "ideographic space"),
        (" \u200b ", None),
        ("x" * 100, "x" * 100),
    ],
)
def test_titles_follow_the_rules_of_hermes(given: str, stored: str | None) -> None:
    assert encoding.clean_title(given) == stored


def test_a_title_is_short_and_names_one_session(writer: HistoryWriter) -> None:
    writer.set_title("s1", "Plan")
    writer.create_session(NewSession(id="s2", source="cli", started_at=T0))
    with pytest.raises(StorageError, match="belongs to session s1"):
        writer.set_title("s2", " Plan ")
    with pytest.raises(StorageError, match="at most 100 characters; this one has 101"):
        writer.set_title("s2", "x" * 101)
    assert writer.set_title("s1", "Plan") == "Plan"


def test_the_next_title_counts_within_its_lineage(writer: HistoryWriter) -> None:
    assert writer.next_title("Plan") == "Plan"
    writer.set_title("s1", "Plan")
    assert writer.next_title("Plan") == "Plan #2"
    for number, name in enumerate(("Plan #7", "Plan #x", "Planet #9")):
        writer.create_session(NewSession(id=f"n{number}", source="cli", started_at=T0, title=name))
    assert writer.next_title("Plan #2") == "Plan #8"


def test_edges_leave_their_markers(writer: HistoryWriter, path: Path) -> None:
    for kind in ("branched_from", "delegate_from"):
        marked = NewSession(
            id=kind, source="cli", started_at=T0, parent_id="s1",
            model_config={"max_iterations": 90}, **{kind: "s1"},
        )  # fmt: skip
        writer.create_session(marked)
    found = rows(path, "SELECT id, model_config FROM sessions WHERE parent_session_id = 's1'")
    assert {name: json.loads(str(config)) for name, config in found} == {
        "branched_from": {"max_iterations": 90, "_branched_from": "s1"},
        "delegate_from": {"max_iterations": 90, "_delegate_from": "s1"},
    }


def test_a_failed_batch_leaves_nothing(writer: HistoryWriter, path: Path) -> None:
    with pytest.raises(StorageError, match="no session nowhere"), writer.batch():
        writer.append_batch("s1", [user("gone")], T0) and writer.rewind("nowhere", 1)
    assert rows(path, "SELECT count(*) FROM messages") == [(0,)]


def test_system_prompts_are_stored_once(writer: HistoryWriter, path: Path) -> None:
    for name in ("p1", "p2"):
        writer.create_session(
            NewSession(id=name, source="cli", started_at=T0, system_prompt="You are Hermes.")
        )
    assert rows(path, "SELECT hash, prompt FROM system_prompts") == [
        ("34af87112683610301abcac8ecfeec1cc5fbe9cac1de4159196c61e284566e47", "You are Hermes.")
    ]


def test_refusals_are_sentences(writer: HistoryWriter, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="already a session s1"):
        writer.create_session(NewSession(id="s1", source="cli", started_at=T0))
    with pytest.raises(StorageError, match="no session nowhere in"):
        writer.append("nowhere", user("x"), T0)
    with pytest.raises(StorageError, match="no session nowhere in"):
        writer.create_session(NewSession(id="c", source="cli", started_at=T0, parent_id="nowhere"))
    with pytest.raises(StorageError, match="cannot be opened for writing"):
        HistoryWriter(tmp_path / "missing" / "state.db")


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to look like a header would " * 20)
    with pytest.raises(StorageError, match="no SQLite database"):
        HistoryWriter(text)
    other = tmp_path / "other.db"
    connection = apsw.Connection(str(other))
    connection.execute("CREATE TABLE recipes(name)")
    connection.close()
    with pytest.raises(StorageError, match="database of something else"):
        HistoryWriter(other)
