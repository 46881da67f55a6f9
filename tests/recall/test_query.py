"""One reading of what was typed: tables of trees, filters and notices, and properties."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.recall.highlight import cut_around, highlighter, merged
from hermes_tui.recall.meaning import Document, matches, term_spans
from hermes_tui.recall.query import Filters, Group, Node, Term, Without, parse_query

NOW = datetime(2026, 6, 15, 12, 0).timestamp()


def shape(node: Node | None) -> object:
    """A tree as nested tuples of what was typed."""
    if node is None:
        return None
    if isinstance(node, Term):
        return node.typed + ("*" if node.prefix else "")
    if isinstance(node, Without):
        return ("NOT", shape(node.wanted), shape(node.unwanted))
    return (node.operator, *map(shape, node.nodes))


@pytest.mark.parametrize(
    ("typed", "tree"),
    [
        ("docker", "docker"),
        ("docker networking", ("AND", "docker", "networking")),
        ("a OR b", ("OR", "a", "b")),
        ("a OR b c", ("OR", "a", ("AND", "b", "c"))),
        ("a b NOT c", ("NOT", ("AND", "a", "b"), "c")),
        ("a AND b OR c AND d", ("OR", ("AND", "a", "b"), ("AND", "c", "d"))),
        ("a NOT b NOT c", ("NOT", ("NOT", "a", "b"), "c")),
        ("a AND OR b", ("OR", "a", "b")),
        ("a OR OR b", ("OR", "a", "b")),
        ("a AND NOT b", ("NOT", "a", "b")),
        ("AND a", "a"),
        ("a OR", "a"),
        ("NOT a", None),
        ("NOT", None),
        ("and or not", ("AND", "and", "or", "not")),
        ('"a b" c', ("AND", "a b", "c")),
        ('say "x', ("AND", "say", "x")),
        ('""', None),
        ("dep*", "dep*"),
        ('"my app"*', "my app*"),
        ("*dep", "dep"),
        ("***", None),
        ("it's", "it's"),
        ("C:\\Users\\x", "C:\\Users\\x"),
        ("TODO: fix", ("AND", "TODO:", "fix")),
        ("", None),
        ("\ud800 a", "a"),
    ],
)
def test_trees(typed: str, tree: object) -> None:
    assert shape(parse_query(typed, now=NOW).node) == tree


@pytest.mark.parametrize(
    ("word", "literal"),
    [
        ("C++", True), ("C#", True), ("$5", True), ("->", True), ("🚀", True), ("50%", True),
        ("<div>", True), ("x|y", True), ("...", True), ("it's", False), ("gateway/run.py", False),
        ("--no-verify", False), (".env", False), ("user@host", False), ("why?", False),
        ("`ls", False), ("会议", False),
    ],
)  # fmt: skip
def test_signs_that_carry_meaning(word: str, literal: bool) -> None:
    (term,) = parse_query(word, now=NOW).terms
    assert (term.literal is not None) == literal


@pytest.mark.parametrize(
    ("typed", "filters", "text"),
    [
        ("source:cli docker", Filters(sources=("cli",)), "docker"),
        ("source:cli,cron x", Filters(sources=("cli", "cron")), "x"),
        ("source:cli source:tui", Filters(sources=("cli", "tui")), ""),
        ("NOT source:cron x", Filters(not_sources=("cron",)), "x"),
        ("ROLE:Tool x", Filters(roles=("tool",)), "x"),
        ("NOT role:tool x", Filters(not_roles=("tool",)), "x"),
        ('title:"greek holiday" x', Filters(titles=("greek holiday",)), "x"),
        ("tool:terminal cwd:/srv session:2026 profile:work", Filters(
            tools=("terminal",), cwds=("/srv",), sessions=("2026",), profiles=("work",)), ""),
        ("after:7d x", Filters(after=NOW - 7 * 86_400), "x"),
        ("before:2w x", Filters(before=NOW - 14 * 86_400), "x"),
        ("after:2026-05-31 x", Filters(after=datetime(2026, 5, 31).timestamp()), "x"),
        ("after:yesterday x", Filters(after=datetime(2026, 6, 14).timestamp()), "x"),
        ("NOT before:2026-05 x", Filters(after=datetime(2026, 5, 1).timestamp()), "x"),
        ("source: x", Filters(), "source: x"),
        ("http://a.b", Filters(), "http://a.b"),
        ("note:text", Filters(), "note:text"),
    ],
)  # fmt: skip
def test_filters(typed: str, filters: Filters, text: str) -> None:
    query = parse_query(typed, now=NOW)
    assert (query.filters, query.text) == (filters, text)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("sorce:cli x", "did_you_mean"),
        ("before:someday x", "bad_date"),
        ("NOT x", "only_not"),
        ("!!", None),
        ('"', "nothing_to_find"),
        ("x" * 5_000, "query_cut"),
        ("docker", None),
    ],
)
def test_notices(typed: str, code: str | None) -> None:
    codes = [notice.code for notice in parse_query(typed, now=NOW).notices]
    assert codes == ([code] if code else [])


TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab AB1é-_.:\"*/\\'+#$%<>🚀會议가がｶﾞＡＮＤ\u0301\ufe0f\u200d\ud800"),
        st.characters(),
    ),
    max_size=40,
)


@given(TEXTS, TEXTS)
def test_any_text_can_be_asked_of_any_text(typed: str, text: str) -> None:
    query = parse_query(typed, now=NOW)
    if query.node is not None:
        matches(query.node, Document([text]))
    for label in ("", "substring", "loose", "relaxed"):
        for route in ("fts5", "trigram", "like_scan"):
            spans = highlighter(query, route, label)(text)
            assert spans == merged(spans)
            assert all(0 <= start < end <= len(text) for start, end in spans)
            excerpt, marks = cut_around(text, spans)
            assert "\n" not in excerpt
            assert all(0 <= start <= end <= len(excerpt) for start, end in marks)


@given(st.text(st.sampled_from("abé ,-\n会议가がＡ"), min_size=1, max_size=30))
def test_a_text_holds_its_own_words(text: str) -> None:
    """Every token of a text, typed as it stands there, is found where it stands."""
    for word in text.split():
        query = parse_query(word, now=NOW)
        for term in query.terms:
            spans = term_spans(term, text)
            assert any(text[start:end].strip() for start, end in spans), (word, spans)


@pytest.mark.parametrize(
    ("typed", "text", "marked"),
    [
        ("cafe", "Le Café", ["Café"]),
        ("docker", "修改docker服务端", ["docker"]),
        ("服务", "修改docker服务端", ["服务"]),
        ("データ", "ﾃﾞｰﾀ", ["ﾃﾞｰﾀ"]),
        ("한글", "\u1112\u1161\u11ab\u1100\u1173\u11af!", ["\u1112\u1161\u11ab\u1100\u1173\u11af"]),
        ("data", "ｄａｔａ", ["ｄａｔａ"]),
        ("gateway/run.py", "in gateway run.py", ["gateway run.py"]),
        ("dep*", "deploy a depot", ["deploy", "depot"]),
        ("net", "network net", ["net"]),
        ("C++", "C and C++!", ["C++"]),
        ("会_议", "会议 会_议", ["会_议"]),
        ('"a b"', "a, b", ["a, b"]),
    ],
)
def test_where_a_match_stands(typed: str, text: str, marked: list[str]) -> None:
    spans = highlighter(parse_query(typed, now=NOW))(text)
    assert [text[start:end] for start, end in spans] == marked


def test_an_and_is_one_group() -> None:
    node = parse_query("a b AND c", now=NOW).node
    assert isinstance(node, Group)
    assert shape(node) == ("AND", ("AND", "a", "b"), "c")


def test_pieces_of_words_are_marked_where_the_row_was_found_by_them() -> None:
    marks = highlighter("docker net", "trigram", "substring")
    text = "docker network"
    assert [text[start:end] for start, end in marks(text)] == ["docker", "net"]
    assert highlighter("docker net")(text) == [(0, 6)]
