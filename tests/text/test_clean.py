"""What stored text may and may not bring to the screen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.text.clean import clean, clean_blocks, clean_line, drawable, stable

PIECES = (
    *"\x1b\x07\r\n\t\x00\x7f\x85\x90\x9b\x9c\x9d\u2028\u2029\u202e\u2066\u200f\ufeff\ud800\udfff",
    *("\x1b[31m", "\x1b]0;t\x07", "\x1b]52;c;eA==\x1b\\", "\x1bPq\x1b\\", "\x1bc", "\r\n", "[2J"),
    *("a", "é", "会议", "👍🏽", "❤️", "👩‍💻", "1️⃣", "e\u0301", " ", "]", "\\", "0", ";", "m"),
)
hostile = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=40).map("".join)


def acts_on_a_terminal(character: str) -> bool:
    if character in "\n\t":
        return False
    bidi = unicodedata.bidirectional(character) in {
        *("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    }
    return bidi or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


@given(hostile)
def test_nothing_that_acts_is_left(text: str) -> None:
    for result in (clean(text), clean_line(text), drawable(text)):
        assert not [c for c in result if acts_on_a_terminal(c)]
        assert not set(result) & set("\ufeff\u200e\u200f\u061c")
        result.encode("utf-8")


@given(hostile)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert clean_line(clean_line(text)) == clean_line(text)
    assert drawable(drawable(text)) == drawable(text)


@given(hostile, st.integers(1, 12))
def test_blocks_join_to_the_whole(text: str, size: int) -> None:
    assert "".join(clean_blocks(text, size)) == clean(text)


@given(hostile, st.integers(0, 20))
def test_one_line_within_the_limit(text: str, limit: int) -> None:
    whole, cut = clean_line(text), clean_line(text, limit)
    assert "\n" not in whole
    assert "\t" not in whole
    assert len(cut) <= limit
    if cut != whole:
        assert cut == whole[: max(limit - 1, 0)] + "…"[:limit]


@given(st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp"))))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


@given(hostile)
def test_widths_add_up_when_drawable(text: str) -> None:
    drawn = drawable(text).replace("\n", "").replace("\t", "")
    assert cell_len(drawn) == sum(cell_len(c) for c in drawn)
    assert drawn == "".join(stable(c) for c in drawn)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x1b]52;c;aGk=\x9cb", "ab"),
        ("\x9b31mred \x9d0;t\x07x", "red x"),
        ("\x1b]0;to the\nnext line\x07", "0;to the\nnext line␇"),
        ("\x1b]0;to the\x9b1mnext\x07", "0;to thenext␇"),
        ("\x1b]0;never ended, but it is text", "0;never ended, but it is text"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x1b(Bplain", "plain"),
        ("\x1b\x1b[31m[31mx", "␛[31mx"),
        ("nul\x00 bell\x07 del\x7f", "nul␀ bell␇ del␡"),
        ("a\r\nb\rc\x85d\u2028e\u2029f", "a\nb\nc\nd\ne\nf"),
        ("a\u202eb\u2066c\u200fd\ufeffe", "abcde"),
        ("\ud800", "\ufffd"),
        ("a\tb\n", "a\tb\n"),
        ("[/red] [@click=app.quit]x[/]", "[/red] [@click=app.quit]x[/]"),
    ],
)
def test_examples(raw: str, expected: str) -> None:
    assert clean(raw) == expected


@pytest.mark.parametrize(
    ("raw", "limit", "expected"),
    [
        ("one\n\n\ttwo", None, "one two"),
        ("  padded \n", None, "padded"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("会" * 50_000, 3, "会会…"),
        ("\x1b]0;" + "x" * 5_000 + "\x07seen", 10, "seen"),
    ],
)
def test_lines(raw: str, limit: int | None, expected: str) -> None:
    assert clean_line(raw, limit) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("❤️", "❤"),
        ("1️⃣", "1"),
        ("👍🏽", "👍"),
        ("👩‍💻", "👩💻"),
        ("🇩🇪", "🇩🇪"),
        ("é", "é"),
        ("\t", "\t"),
    ],
)
def test_stable_forms(raw: str, expected: str) -> None:
    assert stable(raw) == expected
    assert drawable(raw) == expected
