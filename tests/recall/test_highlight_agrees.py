"""What is marked is what the route's index matched: our spans beside FTS5's own highlight().

Both sides get the same text and query; a row that the index does not find is not compared, as it
is never shown for that query. Where we mean something else on purpose, DIFFERENT says so.
"""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hermes_tui.history.tokenizer import register
from hermes_tui.recall.highlight import highlighter, merged

TOKENIZERS = {"fts5": "unicode61", "fts_cjk": "cjk_unicode61", "trigram": "trigram"}
OPENING, CLOSING = chr(1), chr(2)
Span = tuple[int, int]


@pytest.fixture(scope="module")
def connection() -> Iterator[apsw.Connection]:
    """One table for each route, named after it."""
    connection = apsw.Connection(":memory:")
    register(connection)
    for route, tokenizer in TOKENIZERS.items():
        connection.execute(f"create virtual table {route} using fts5(x, tokenize='{tokenizer}')")
    yield connection
    connection.close()


def index_spans(connection: apsw.Connection, route: str, text: str, query: str) -> list[Span]:
    """What FTS5 marks in a text; [] when the query does not find it. Marks that touch are one."""
    connection.execute(f"delete from {route}")
    connection.execute(f"insert into {route} values(?)", (text,))
    marked = connection.execute(
        f"select highlight({route}, 0, ?, ?) from {route} where {route} match ?",
        (OPENING, CLOSING, query),
    ).get
    spans, start, place = [], 0, 0
    for character in marked or "":
        if character == OPENING:
            start = place
        elif character == CLOSING:
            spans.append((start, place))
        else:
            place += 1
    assert marked is None or place == len(text)
    return merged(spans)


def our_spans(route: str, text: str, query: str) -> list[Span]:
    """What we mark in a row that this route found. A trigram row is found by pieces of words."""
    return highlighter(query, route, "substring" if route == "trigram" else "")(text)


WORDS = ("docker", "Docker", "dock", "net", "Network", "networking", "a", "café", "CAFE", "x86")
RUNS = ("会议", "会议纪要", "数据库", "要会", "議事録", "회의록", "シェル", "𠀀𠀁𠀂")
PIECES = ("dock", "ock", "Dockerfile", "working", "anan", "会议纪", "数据库", "shell.sh")
words, runs, pieces = (st.sampled_from(choice) for choice in (WORDS, RUNS, PIECES))
between = st.sampled_from((" ", ", ", "-", "_", "\n", " (", ". ", "…", " 🚀 "))


def texts(token: st.SearchStrategy[str], gap: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Tokens with something between them."""
    parts = st.lists(st.tuples(token, gap), min_size=1, max_size=14)
    return parts.map(lambda pairs: "".join(a + b for a, b in pairs))


def queries(token: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Plain tokens, beginnings, phrases, and several of them with and without OR."""
    phrase = st.lists(token, min_size=2, max_size=3).map(lambda found: f'"{" ".join(found)}"')
    prefix = token.map(lambda found: f"{found}*")
    one = st.one_of(token, token, prefix, phrase)
    joined = st.tuples(st.lists(one, min_size=1, max_size=3), st.sampled_from((" ", " OR ")))
    return joined.map(lambda pair: pair[1].join(pair[0]))


def compare(connection: apsw.Connection, route: str, text: str, query: str) -> None:
    expected = index_spans(connection, route, text, query)
    assume(expected)
    assert our_spans(route, text, query) == expected


many = settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)


@many
@given(text=texts(st.one_of(words, runs), between), query=queries(words))
def test_the_base_index(connection: apsw.Connection, text: str, query: str) -> None:
    """Words that have something around them: see DIFFERENT for those beside CJK."""
    compare(connection, "fts5", text, query)


@many
@given(
    text=texts(st.one_of(words, runs), st.one_of(st.just(""), between)),
    query=queries(st.one_of(words, runs)),
)
def test_the_cjk_index(connection: apsw.Connection, text: str, query: str) -> None:
    compare(connection, "fts_cjk", text, query)


@many
@given(
    text=texts(st.one_of(pieces, words, runs), st.one_of(st.just(""), between)),
    found=st.lists(pieces, min_size=1, max_size=2),
    operator=st.sampled_from((" ", " OR ")),
)
def test_the_trigram_index(
    connection: apsw.Connection, text: str, found: list[str], operator: str
) -> None:
    compare(connection, "trigram", text, operator.join(f'"{piece}"' for piece in found))


@pytest.mark.parametrize(
    ("route", "text", "query"),
    [
        ("fts5", "net net net, net net", '"net net"'),
        ("fts_cjk", "会会会会", "会会会"),
        ("trigram", "bananana", "anan"),
    ],
)
def test_matches_that_overlap(
    connection: apsw.Connection, route: str, text: str, query: str
) -> None:
    expected = index_spans(connection, route, text, query)
    assert expected
    assert our_spans(route, text, query) == expected


DIFFERENT = {
    # route, text, query: (the index marks, we mark), and why
    "a word beside CJK is a word of its own": ("fts5", "修改docker服务", "docker", [], ["docker"]),
    "CJK stands anywhere, not only as a whole run": (
        *("fts5", "开会议纪要 会议", "会议"),
        *(["会议"], ["会议", "会议"]),
    ),
    "one CJK character stands inside a run, too": (
        *("fts_cjk", "会议 会", "会"),
        *(["会"], ["会", "会"]),
    ),
    "widths and decomposed forms are the same": ("fts_cjk", "ﾃﾞｰﾀ データ", "データ", ["データ"],
                                             ["ﾃﾞｰﾀ", "データ"]),
    "a run does not go on over a gap, though its pairs of characters do": (
        *("fts_cjk", "会会会 会会会", "会会会"),
        *(["会会会 会会会"], ["会会会", "会会会"]),
    ),
    "signs that carry the meaning stay": ("fts5", "C and C++", '"C++"', ["C", "C"], ["C++"]),
    "whole words stand out in a row of the trigram index that holds them": (
        *("trigram", "docker dockers", "docker"),
        *(["docker", "docker"], ["docker"]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("why", DIFFERENT)
def test_where_we_mean_something_else(connection: apsw.Connection, why: str) -> None:
    route, text, query, index, ours = DIFFERENT[why]

    def cut(spans: list[Span]) -> list[str]:
        return [text[start:end] for start, end in spans]

    assert cut(index_spans(connection, route, text, query)) == index
    assert cut(highlighter(query, route)(text)) == ours
