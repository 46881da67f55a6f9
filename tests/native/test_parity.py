"""An index written by Hermes and one written by us hold the same tokens at the same places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from hermes_tui.history import tokenizer

Connect = Callable[..., apsw.Connection]
FILES = ["history-3k.db", "state-2026-08-cjk.db", "state-2026-08-cjk-stale.db"]
INSTANCES = "select term, doc, col, offset from"
pytestmark = pytest.mark.shared


@pytest.fixture
def history(request: pytest.FixtureRequest, copy_db: Callable[[str], Path]) -> Path:
    return copy_db(request.param)


@pytest.mark.parametrize("history", FILES, indirect=True)
def test_every_token_of_every_row(connect: Connect, kind: tokenizer.Kind, history: Path) -> None:
    connection = connect(kind, history)
    connection.execute("attach ':memory:' as fresh")
    connection.execute(
        "create virtual table fresh.ours"
        " using fts5(content, tool_name, tool_calls, tokenize='cjk_unicode61')"
    )
    connection.execute(
        "insert into fresh.ours(rowid, content, tool_name, tool_calls)"
        " select id, content, tool_name, tool_calls from messages where role <> 'tool'"
    )
    connection.execute(
        "create virtual table temp.hermes using fts5vocab('main', 'messages_fts_cjk', 'instance')"
    )
    connection.execute("create virtual table temp.us using fts5vocab('fresh', 'ours', 'instance')")
    total = connection.execute("select count(*) from hermes").get
    assert total == connection.execute("select count(*) from us").get
    assert total == (189_747 if history.name == "history-3k.db" else 294)
    for one, other in (("hermes", "us"), ("us", "hermes")):
        differing = connection.execute(f"{INSTANCES} {one} except {INSTANCES} {other} limit 5")
        assert differing.fetchall() == []


@pytest.mark.parametrize("history", ["history-3k.db", "state-2026-08-cjk.db"], indirect=True)
def test_fts5_itself_finds_index_and_content_in_agreement(
    connect: Connect, kind: tokenizer.Kind, history: Path
) -> None:
    connection = connect(kind, history)
    # With rank 1, FTS5 tokenizes the content table again and compares.
    connection.execute(
        "insert into messages_fts_cjk(messages_fts_cjk, rank) values('integrity-check', 1)"
    )


@pytest.mark.parametrize("history", ["history-3k.db"], indirect=True)
def test_both_answer_alike_with_snippets(connect: Connect, history: Path) -> None:
    sql = (
        "select rowid, snippet(messages_fts_cjk, -1, '>>>', '<<<', '...', 40), rank"
        " from messages_fts_cjk where messages_fts_cjk match ? order by rank, rowid"
    )
    answers = 0
    for query in (
        "設定",
        "服务",
        "설정",
        "docker",
        "ファイル",
        "確認 OR 项目",
        '"的" NOT 服务',
        "count*",
    ):
        left, right = (
            connect(kind, history).execute(sql, (query,)).fetchall() for kind in ("c", "python")
        )
        assert left == right
        answers += len(left)
    assert answers > 100
