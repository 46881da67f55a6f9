"""The C tokenizer and its Python twin agree on tokens and offsets, whatever the bytes."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.history import tokenizer

Connect = Callable[..., apsw.Connection]
Cut = Callable[[bytes, int, None], list[tuple[int, int, str]]]
FUZZ = runpy.run_path(str(Path(__file__).with_name("fuzz.py")), run_name="fuzz")

CHARACTERS = st.one_of(
    st.characters(min_codepoint=0x3040, max_codepoint=0x30FF),
    st.characters(min_codepoint=0x4E00, max_codepoint=0x4E20),
    st.characters(min_codepoint=0xAC00, max_codepoint=0xD7FF, exclude_categories=["Cs"]),
    st.characters(min_codepoint=0x300, max_codepoint=0x345),
    st.characters(),
)
BYTES = st.lists(
    st.one_of(CHARACTERS.map(lambda c: c.encode("utf-8", "surrogatepass")), st.binary(max_size=6))
).map(b"".join)


def test_twenty_thousand_random_texts(connect: Connect) -> None:
    found = FUZZ["compare"](connect("c"), connect("python"), 20_000, 20260804)
    assert found.difference is None
    assert found.texts == 20_000
    assert found.tokens > 100_000


@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=BYTES, arguments=st.sampled_from(FUZZ["ARGUMENTS"]))
def test_any_text(connect: Connect, text: bytes, arguments: list[str]) -> None:
    left, right = (connect(kind) for kind in ("c", "python"))
    try:
        assert _cut(left, arguments)(text, apsw.FTS5_TOKENIZE_DOCUMENT, None) == _cut(
            right, arguments
        )(text, apsw.FTS5_TOKENIZE_DOCUMENT, None)
    finally:
        left.close()
        right.close()


@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(CHARACTERS))
def test_offsets_lie_between_characters(connection: apsw.Connection, text: str) -> None:
    stored = text.encode("utf-8", "surrogatepass")
    edges = {0}
    for character in text:
        edges.add(max(edges) + len(character.encode("utf-8", "surrogatepass")))
    previous = (-1, -1)
    for start, end, _ in _cut(connection, [])(stored, apsw.FTS5_TOKENIZE_DOCUMENT, None):
        assert {start, end} <= edges
        assert start < end
        assert (start, end) > previous
        previous = (start, end)


@pytest.mark.parametrize("flags", [1, 3, 4, 8])
def test_every_reason_to_tokenize_gives_the_same(connect: Connect, flags: int) -> None:
    text = "修改youer服务端 Zürich".encode()
    results = [
        _cut(connect(kind), [])(text, flags, locale)  # type: ignore[arg-type]
        for kind in ("c", "python")
        for locale in (None, "zh_CN")
    ]
    assert results[0]
    assert all(result == results[0] for result in results)


def test_a_long_text(connect: Connect) -> None:
    text = ("設定" * 200_000 + "x" * 100_000).encode()
    left, right = (
        _cut(connect(kind), [])(text, apsw.FTS5_TOKENIZE_DOCUMENT, None) for kind in ("c", "python")
    )
    assert len(left) == 400_000
    assert left == right


def _cut(connection: apsw.Connection, arguments: list[str]) -> Cut:
    return connection.fts5_tokenizer(tokenizer.NAME, arguments)  # type: ignore[return-value]
