"""Wrapping keeps every character and never draws past the width."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.text import wrap as wrap_module
from hermes_tui.text.clean import clean
from hermes_tui.text.wrap import WIDTHS, Wrapped, expand, wrap

PIECES = (
    *(
        "a",
        "word ",
        " ",
        "  ",
        "\n",
        "\t",
        "会议",
        "会議。",
        "（",
        "한국어",
        "e\u0301",
        "👩‍💻",
        "❤️",
    ),
    *("🇩🇪", "1️⃣", "ｆｕｌｌ", "x" * 30, " " * 30, "\u0301", "क्षि"),
)
texts = (st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text()).map(clean)
widths = st.integers(2, 30)


def drawn(wrapped: Wrapped) -> list[str]:
    return [expand(wrapped.text[slice(*wrapped.shown(i))]) for i in range(len(wrapped))]


@given(texts, widths)
def test_spans_cover_the_text_once(text: str, width: int) -> None:
    wrapped = wrap(text, width)
    spans = [wrapped.span(i) for i in range(len(wrapped))]
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(before[1] == after[0] for before, after in pairwise(spans))


@given(texts, widths)
def test_no_line_is_wider_than_the_width(text: str, width: int) -> None:
    assert all(cell_len(line) <= width for line in drawn(wrap(text, width)))


@given(texts, widths)
def test_only_blanks_and_newlines_are_not_drawn(text: str, width: int) -> None:
    wrapped = wrap(text, width)
    for i in range(len(wrapped)):
        (start, end), (first, last) = wrapped.span(i), wrapped.shown(i)
        assert first == start
        assert not text[last:end].strip(" \t\n")
        assert "\n" not in text[first:last]


@given(texts, widths)
def test_every_newline_ends_a_line(text: str, width: int) -> None:
    wrapped = wrap(text, width)
    ends = {wrapped.span(i)[1] for i in range(len(wrapped))}
    assert {i + 1 for i, c in enumerate(text) if c == "\n"} <= ends


@given(st.text("ab c\n", max_size=200), widths)
def test_the_fast_path_agrees_with_the_general_one(text: str, width: int) -> None:
    expected = wrap_module.array("L")
    start = 0
    for line in text.split("\n"):
        expected.append(start)
        wrap_module._wrap_any(text, start, start + len(line), width, expected, None)
        start += len(line) + 1
    wrapped = wrap(text, width)
    assert [wrapped.span(i)[0] for i in range(len(wrapped))] == list(expected)


@given(texts, widths)
def test_a_character_is_found_on_its_line(text: str, width: int) -> None:
    wrapped = wrap(text, width)
    for offset in range(len(text)):
        start, end = wrapped.span(wrapped.line_at(offset))
        assert start <= offset < end


@given(texts)
def test_widths_of_characters_add_up(text: str) -> None:
    line = text.replace("\n", "").replace("\t", "")
    assert sum(WIDTHS[c] for c in line) == cell_len(expand(line))


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("one   two", 5, ["one", "two"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("    indented_word", 10, ["    indent", "ed_word"]),
        ("ends with blanks" + " " * 40, 16, ["ends with blanks"]),
        (" " * 40, 10, [""]),
        ("a\n\nb\n", 10, ["a", "", "b", ""]),
        ("会议记录会议", 5, ["会议", "记录", "会议"]),
        ("会议记录。会议", 8, ["会议记", "录。会议"]),
        ("docker 会议", 9, ["docker 会", "议"]),
        ("한국어 문장", 8, ["한국어", "문장"]),
        ("a\tb\tc", 10, ["a   b   c"]),
        ("\t\tx", 6, ["", "x"]),
    ],
)
def test_examples(text: str, width: int, lines: list[str]) -> None:
    assert drawn(wrap(text, width)) == lines


@pytest.mark.parametrize("text", ["word " * 40_000, "x" * 200_000, "会" * 200_000, "a\n" * 100_000])
def test_long_texts_let_others_run_and_can_be_stopped(text: str) -> None:
    calls = []
    wrap(text, 100, lambda: calls.append(1))
    assert len(calls) >= len(text) // 40_000

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        wrap(text, 100, stop)
