"""highlight() and snippet() mark exactly the characters that match."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def _table(connection: apsw.Connection, text: str) -> None:
    connection.execute("create virtual table t using fts5(x, y, tokenize='cjk_unicode61')")
    connection.execute("insert into t values(?, 'unrelated')", (text,))


def _one(connection: apsw.Connection, sql: str, query: str) -> str | None:
    return connection.execute(f"select {sql} from t where t match ?", (query,)).get


HIGHLIGHTS = [
    ("修改youer服务端", "youer", "修改[youer]服务端"),
    ("修改youer服务端", "服务", "修改youer[服务]端"),
    ("修改youer服务端", "服务端", "修改youer[服务端]"),
    ("大别山项目", "山项", "大别[山项]目"),
    ("É山川é É", "山川", "É[山川]é É"),
    ("ÉÉÉ山川ÉÉÉ", "eee", "[ÉÉÉ]山川[ÉÉÉ]"),
    ("ẞẞ設定ẞẞ", "設定", "ẞẞ[設定]ẞẞ"),
    ("山\u0301川\u0301田", "川田", "山\u0301[川\u0301田]"),
    ("山\u0301", "山", "[山\u0301]"),
    ("𠀀𠀁𠀂 tail", "𠀁𠀂", "𠀀[𠀁𠀂] tail"),
    ("シェル・エスケープ", "エスケ", "シェル・[エスケ]ープ"),
    ("👨‍👩‍👧設定👦", "設定", "👨‍👩‍👧[設定]👦"),
    ("the 設定 café設定", "cafe", "the 設定 [café]設定"),
]


@pytest.mark.parametrize(("text", "query", "expected"), HIGHLIGHTS)
def test_highlight(connection: apsw.Connection, text: str, query: str, expected: str) -> None:
    _table(connection, text)
    assert _one(connection, "highlight(t, 0, '[', ']')", query) == expected


def test_snippet_comes_from_the_matching_column_and_marks_it(connection: apsw.Connection) -> None:
    connection.execute("create virtual table t using fts5(x, y, tokenize='cjk_unicode61')")
    connection.execute(
        "insert into t values('nothing here', ?)", ("É前" * 40 + "設定" + "後É" * 40,)
    )
    snippet = _one(connection, "snippet(t, -1, '>>>', '<<<', '...', 9)", "設定")
    assert snippet is not None
    assert snippet.startswith("...")
    assert snippet.endswith("...")
    assert snippet.count(">>>設定") == 1
    assert (
        snippet.replace(">>>", "").replace("<<<", "").strip(".") in "É前" * 40 + "設定" + "後É" * 40
    )


def test_a_phrase_finds_only_what_stands_together(connection: apsw.Connection) -> None:
    connection.execute("create virtual table t using fts5(x, tokenize='cjk_unicode61')")
    connection.executemany(
        "insert into t values(?)", [("設定確認",), ("定確 設定",), ("設 定確認",)]
    )
    assert connection.execute("select rowid from t('設定確')").fetchall() == [(1,)]
    assert connection.execute("select rowid from t('定確') order by 1").fetchall() == [
        (1,),
        (2,),
        (3,),
    ]


def test_a_lone_character_is_not_found_inside_a_run(connection: apsw.Connection) -> None:
    connection.execute("create virtual table t using fts5(x, tokenize='cjk_unicode61')")
    connection.executemany("insert into t values(?)", [("大别山项目",), ("去 山 里",)])
    assert connection.execute("select rowid from t('山')").fetchall() == [(2,)]
    assert connection.execute("select rowid from t('山*') order by 1").fetchall() == [(1,), (2,)]


# No NUL: FTS5's own highlight() leaves out what stands behind one, with every tokenizer.
PIECES = st.lists(
    st.sampled_from(
        ["設", "定", "確", "ー", "É", "ẞ", "e\u0301", "\u0301", "x", " ", "・", "𠀀", "Ⱥ"]
    ),
    max_size=14,
).map("".join)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=PIECES, after=PIECES)
def test_marks_cover_the_query_and_nothing_is_lost(
    connection: apsw.Connection, before: str, after: str
) -> None:
    text = f"{before}山川{after}"
    with connection:
        connection.execute("drop table if exists t")
        _table(connection, text)
        marked = _one(connection, "highlight(t, 0, '[', ']')", "山川")
    assert marked is not None
    assert marked.replace("[", "").replace("]", "") == text
    begin, end = marked.index("["), marked.index("]")
    # A mark behind the last character is on it, and marked with it.
    assert marked[begin + 1 : end].rstrip("\u0301") == "山川"
    assert marked[:begin] == before
