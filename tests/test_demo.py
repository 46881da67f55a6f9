"""The sample is always the same, believable to search, and never lands on a stranger's file."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import apsw
import pytest

from hermes_tui import demo
from hermes_tui.demo.outputs import Dice, output
from hermes_tui.demo.script import Talk, steps
from hermes_tui.history import tokenizer
from hermes_tui.storage.errors import StorageError


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo.ensure_demo(demo.demo_path(tmp_path_factory.mktemp("cache")))


def ask(path: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        tokenizer.register(connection)
        return connection.execute(sql, values).fetchall()
    finally:
        connection.close()


def hits(path: Path, index: str, query: str) -> list[tuple[object, ...]]:
    return ask(
        path,
        f"SELECT s.id, s.source, m.role, m.active, m.compacted FROM {index} f"
        " JOIN messages m ON m.id = f.rowid JOIN sessions s ON s.id = m.session_id"
        f" WHERE {index} MATCH ?",
        query,
    )


def test_the_rows_are_the_same_every_time(sample: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.db"
    started = time.perf_counter()
    demo.write_demo(again)
    assert time.perf_counter() - started < 30  # 1 s on an idle machine; only a hang may fail here
    for table in ("sessions", "messages", "state_meta", "system_prompts"):
        query = f"SELECT * FROM {table} ORDER BY 1"
        assert ask(sample, query) == ask(again, query)


def test_it_has_the_promised_size_and_time(sample: Path) -> None:
    ((sessions, messages, newest, oldest),) = ask(
        sample,
        "SELECT (SELECT count(*) FROM sessions), count(*), max(timestamp), min(timestamp)"
        " FROM messages",
    )
    assert isinstance(sessions, int)
    assert isinstance(messages, int)
    assert 55 <= sessions <= 80
    assert 1_500 <= messages <= 2_500
    assert newest == demo.NEWEST
    assert isinstance(oldest, float)
    assert 170 <= (demo.NEWEST - oldest) / 86_400 <= 185


def test_long_conversations_exist(sample: Path) -> None:
    sizes = sorted(
        int(str(count))
        for (count,) in ask(sample, "SELECT count(*) FROM messages GROUP BY session_id")
    )
    assert sizes[-1] >= 280
    assert sum(size >= 120 for size in sizes) >= 4


def test_every_kind_of_session_and_row_is_in_it(sample: Path) -> None:
    sources = {source for (source,) in ask(sample, "SELECT DISTINCT source FROM sessions")}
    assert {"cli", "tui", "telegram", "cron", "subagent", "kanban", "tool"} <= sources
    visibility = set(ask(sample, "SELECT DISTINCT active, compacted FROM messages"))
    assert visibility == {(1, 0), (0, 1), (0, 0)}
    ((archived, pinned, branched, delegated, compressed, untitled, images, colour),) = ask(
        sample,
        "SELECT sum(archived), sum(pinned), sum(model_config LIKE '%_branched_from%'),"
        " sum(model_config LIKE '%_delegate_from%'), sum(end_reason = 'compression'),"
        " sum(title IS NULL),"
        " (SELECT count(*) FROM messages WHERE instr(content, 'image_url')),"
        " (SELECT count(*) FROM messages WHERE role = 'tool' AND instr(content, char(27)))"
        " FROM sessions",
    )
    for number in (archived, pinned, branched, delegated, compressed, untitled, images, colour):
        assert isinstance(number, int)
        assert number >= 2


def test_docker_networking_shows_every_kind_of_hit(sample: Path) -> None:
    found = hits(sample, "messages_fts", "docker networking")
    live = [hit for hit in found if hit[3] == 1]
    lineage = ask(
        sample,
        "WITH RECURSIVE chain(id) AS (SELECT id FROM sessions WHERE title = 'Homelab network plan'"
        " UNION SELECT s.id FROM sessions s JOIN chain ON s.parent_session_id = chain.id"
        " WHERE s.source <> 'subagent') SELECT id FROM chain",
    )
    assert len(lineage) == 3
    assert {row[0] for row in lineage} <= {hit[0] for hit in live}
    per_session = {session: {hit[2] for hit in found if hit[0] == session} for session, *_ in found}
    assert {"tool"} in per_session.values()  # one is found in tool output only
    assert "cron" in {hit[1] for hit in live}
    assert (0, 0) in {hit[3:] for hit in found}  # rewound
    assert (0, 1) in {hit[3:] for hit in found}  # archived by compaction
    assert len(per_session) >= 10


@pytest.mark.parametrize("words", ["数据库连接", "容器网络", "設定ファイル", "데이터 백업"])
def test_it_can_be_searched_in_four_languages(sample: Path, words: str) -> None:
    assert len(hits(sample, "messages_fts_trigram", f'"{words}"')) >= 2
    assert len(hits(sample, "messages_fts_cjk", f'"{words}"')) >= 2
    assert hits(sample, "messages_fts_cjk", '"容器"')


def test_people_do_not_repeat_themselves(sample: Path) -> None:
    """Long texts of people and assistant occur once, but for copies in branches and cron jobs."""
    texts = Counter(
        text
        for (text,) in ask(
            sample,
            "SELECT content FROM messages m JOIN sessions s ON s.id = m.session_id"
            " WHERE role IN ('user', 'assistant') AND length(content) > 25 AND source <> 'cron'"
            " AND ifnull(model_config, '') NOT LIKE '%_branched_from%'",
        )
    )
    assert [text for text, count in texts.items() if count > 1] == []


def test_indexes_agree_with_the_rows(sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes(sample.read_bytes())
    connection = apsw.Connection(str(copy))
    tokenizer.register(connection)
    for index in ("messages_fts", "messages_fts_trigram", "messages_fts_cjk"):
        connection.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.close()


def test_it_is_written_once_and_anew_for_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = demo.ensure_demo(tmp_path / "deep" / "state.db")
    before = path.stat().st_mtime_ns
    assert demo.ensure_demo(path).stat().st_mtime_ns == before
    monkeypatch.setattr(demo, "DEMO_VERSION", "another")
    demo.ensure_demo(path)
    assert ask(path, "SELECT value FROM state_meta WHERE key = 'note_demo_version'") == [
        ("another",)
    ]
    assert [each.name for each in path.parent.iterdir()] == ["state.db"]


def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    for content in (b"", b"notes", b"SQLite format 3\x00 or so"):
        path.write_bytes(content)
        with pytest.raises(StorageError, match="not a sample history"):
            demo.ensure_demo(path)
        assert path.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["state.db"]


def test_an_unwritable_place_is_a_sentence(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("x")
    with pytest.raises(StorageError, match="cannot be written to"):
        demo.write_demo(blocker / "state.db")


def test_the_notation() -> None:
    script = "\n".join(
        (
            "> what is",
            "  this",
            "? think first",
            "< look",
            "$ ls -l",
            r"| \e[31mred\e[0m",
            "|   indented",
            "< 中文",
            "  很好",
            "+ second line",
            "~ rewind 1",
        )
    )
    made = steps(Talk(key="k", day=1, hour=0, script=script))
    user, asked, answer, said = (step.message for step in made[:4])
    assert user is not None
    assert user.content == "what is this"
    assert asked is not None
    assert (asked.content, asked.reasoning, asked.finish_reason) == (
        "look",
        "think first",
        "tool_calls",
    )
    assert answer is not None
    assert (answer.content, answer.tool_name) == ("\x1b[31mred\x1b[0m\n  indented", "terminal")
    assert answer.tool_call_id == asked.tool_calls[0]["id"]
    assert said is not None
    assert said.content == "中文很好\nsecond line"
    assert (made[4].action, made[4].argument) == ("rewind", "1")
    with pytest.raises(ValueError, match="no such mark"):
        steps(Talk(key="k", day=1, hour=0, script="* what"))


def test_output_recipes_are_fixed_by_their_key() -> None:
    assert output("ping 10.0.0.1", Dice("a")) == output("ping 10.0.0.1", Dice("a"))
    assert output("ping 10.0.0.1", Dice("a")) != output("ping 10.0.0.1", Dice("b"))
    with pytest.raises(KeyError):
        output("no_such_recipe", Dice("a"))
