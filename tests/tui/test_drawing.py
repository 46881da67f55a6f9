from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.tui.drawing import Piece, cut, fit, justified, marked, one_line, reveal, width

HOSTILE = "a\x1b[2Jb\x1b]52;c;Zm9v\x07c\u202ed\x9be\x00f\ud800"


def text_of(pieces: object) -> str:
    return "".join(piece.text for piece in pieces)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        ("docker", 6, "docker"),
        ("docker", 5, "dock…"),
        ("docker", 1, "…"),
        ("docker", 0, ""),
        ("网络桥接", 8, "网络桥接"),
        ("网络桥接", 7, "网络桥…"),
        ("网络桥接", 6, "网络…"),
        ("ab cd", 4, "ab…"),
    ],
)
def test_cut(text: str, cells: int, expected: str) -> None:
    assert cut(text, cells) == expected


@given(st.lists(st.text(max_size=12), max_size=4), st.integers(0, 30))
def test_fit_never_takes_more_than_there_is(texts: list[str], cells: int) -> None:
    assert width(fit([Piece(one_line(text)) for text in texts], cells)) <= cells


@given(st.text(max_size=40), st.integers(0, 60))
def test_justified_never_takes_more_than_there_is(title: str, cells: int) -> None:
    line = justified([Piece(one_line(title))], [Piece("12d cli")], cells)
    assert width(line) <= cells
    if cells >= 19:
        assert text_of(line).endswith("12d cli")
        assert width(line) == cells


def test_marks_are_counted_in_the_stored_snippet() -> None:
    snippet = "run \x1b[31mdocker\x1b[0m now"
    start = snippet.index("docker")
    assert marked(snippet, [(start, start + 6)], "mark") == [
        Piece("run "),
        Piece("docker", "mark"),
        Piece(" now"),
    ]


def test_marks_out_of_range_or_overlapping_do_no_harm() -> None:
    pieces = marked("docker", [(3, 99), (0, 4), (9, 12), (2, 1)], "mark")
    assert text_of(pieces) == "docker"


def test_spaces_beside_a_mark_are_kept() -> None:
    assert text_of(marked("a\n docker\tb", [(3, 9)], "mark")) == "a docker b"


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 20), st.integers(0, 40))
def test_a_snippet_fits_and_shows_its_mark(
    snippet: str, start: int, length: int, cells: int
) -> None:
    pieces = marked(snippet, [(start, start + length)], "mark")
    line = reveal(pieces, cells)
    assert width(line) <= cells
    visible = [piece for piece in pieces if piece.style and width([piece])]
    if visible and cells >= 8:
        assert any(piece.style == "mark" for piece in line)


def test_nothing_hostile_is_left() -> None:
    for text in (one_line(HOSTILE), text_of(marked(HOSTILE, [(2, 5)], "mark"))):
        assert not set(text) & {"\x1b", "\x9b", "\u202e", "\x00", "\ud800", "\x07"}
