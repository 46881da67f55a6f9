from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.recall.editing import (
    typing,
    values_of,
    with_filter,
    without_filters,
    written,
    written_out,
)
from hermes_tui.recall.query import FILTERS, parse_query

PIECES = st.sampled_from(
    ["docker", '"a b"', "source:cli", 'title:"x y"', "NOT", "source:tui", "role:tool,user", "a:b",
     "NOT source:cron", "http://x", "after:7d", '"', "C++", "容器", "cwd:"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map(" ".join)


@pytest.mark.parametrize(
    ("text", "name", "values", "expected"),
    [
        ("docker", "source", ["cli"], "docker source:cli"),
        ("", "source", ["cli"], "source:cli"),
        ("docker source:cli net", "source", [], "docker net"),
        ("source:cli docker", "source", ["tui", "cron"], "source:tui,cron docker"),
        ("source:a x source:b", "source", ["c"], "source:c x"),
        ("docker NOT source:cron", "source", ["cli"], "docker NOT source:cron source:cli"),
        ('x title:"a  b" y', "title", ['say "hi" now'], 'x title:"say hi now" y'),
        ('"source:cli" x', "source", [], '"source:cli" x'),
    ],
)
def test_a_filter_is_put_into_the_text(text, name, values, expected) -> None:
    assert with_filter(text, name, values) == expected


def test_filters_are_taken_away_and_words_stay() -> None:
    text = 'a NOT source:cron b after:7d title:"x y" http://c NOT d'
    assert without_filters(text) == "a b http://c NOT d"


@given(TEXTS, st.sampled_from(FILTERS[:7]), st.lists(st.sampled_from(["cli", "x y"]), max_size=2))
def test_what_is_put_in_is_what_the_query_reads(text, name, values) -> None:
    if text.count('"') % 2:
        text = text.replace('"', "")
    edited = with_filter(text, name, values)
    assert values_of(edited, name) == tuple(values)
    before, after = parse_query(text, now=0.0), parse_query(edited, now=0.0)
    assert before.text == after.text, "the words stay"


@given(TEXTS)
def test_nothing_is_left_of_the_filters(text) -> None:
    if text.count('"') % 2:
        text = text.replace('"', "")
    query = parse_query(without_filters(text), now=0.0)
    assert not query.filters.any


@given(TEXTS)
def test_the_pieces_are_where_they_are_said_to_be(text) -> None:
    for w in written(text):
        assert text[w.start : w.end].lower().startswith(f"{w.name}:")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("source:", ("source", "")),
        ("docker source:cl", ("source", "cl")),
        ("source:cli,te", ("source", "te")),
        ('title:"Home la', ("title", "home la")),
        ("sou", ("", "sou")),
        ("docker ", ("", "")),
        ('a "b', None),
        ("#12", None),
        ("容器", None),
    ],
)
def test_what_is_being_typed(text, expected) -> None:
    here = typing(text, len(text))
    if expected in (None, ("", "")):
        assert here is None
    else:
        assert here is not None
        assert (here.name, here.beginning) == expected


def test_nothing_is_typed_in_the_middle_of_a_word() -> None:
    assert typing("source:cli", 7) is None
    assert typing("source: docker", 7) is not None


def test_values_with_blanks_are_quoted() -> None:
    assert written_out("cwd", ["/home/me/shop floor"]) == 'cwd:"/home/me/shop floor"'
    assert written_out("source", ["a", "b"]) == "source:a,b"
