"""What a sift lets go must not hold what is looked for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.text.clean import clean, is_clean_utf8
from hermes_tui.text.sift import Sift

LETTERS = "aAkKsSiI\u0130\u0131\u017f\u212aéÉßẞςσΣжЖ会議한é😀\ufffd␛ .\\[m"
BREAKERS = "\x1b\x07\x00\x85\x9b\u200f\u202e\ufeff\ud800\n\t\r\u2028"
letters = st.sampled_from(LETTERS) | st.characters()
wanted = st.text(letters, min_size=1, max_size=4)
bits = letters.map(lambda c: c.encode("utf-8", "surrogatepass"))
stored = st.lists(
    bits
    | st.sampled_from(BREAKERS).map(lambda c: c.encode("utf-8", "surrogatepass"))
    | st.sampled_from([b"\x1b[31m", b"\xff", b"\xc3", b"\xe4\xbc", b"\xed\xa0\x80"]),
    max_size=12,
).map(b"".join)


def holds(text: str, raw: bytes, ignore_case: bool) -> bool:
    flags = re.IGNORECASE if ignore_case else 0
    decoded = clean(raw.decode("utf-8", "replace"))
    return re.search(re.escape(text), decoded, flags) is not None


@given(wanted, stored, st.booleans())
def test_nothing_that_matches_is_let_go(text: str, raw: bytes, ignore_case: bool) -> None:
    if holds(text, raw, ignore_case):
        assert Sift(text, ignore_case=ignore_case).may_hold(raw)


@given(wanted, st.lists(bits, max_size=3), st.lists(bits, max_size=3), st.booleans())
def test_a_text_with_it_inside_is_kept(
    text: str, before: list[bytes], after: list[bytes], lower: bool
) -> None:
    middle = (text.swapcase() if lower else text).encode("utf-8", "surrogatepass")
    raw = b"".join([*before, middle, *after])
    if holds(text, raw, lower):
        assert Sift(text, ignore_case=lower).may_hold(raw)


@given(stored)
def test_bytes_are_clean_when_their_text_is(raw: bytes) -> None:
    text = raw.decode("utf-8", "replace")
    assert is_clean_utf8(raw) == (clean(text) == text)


@pytest.mark.parametrize(
    ("text", "raw", "kept"),
    [
        ("docker", "the Docker bridge", True),
        ("docker", "the bridge", False),
        ("docker", "doc\x1b[1mker", True),
        ("docker", "doc\u200fker", True),
        ("docker", "会议 bridge\twith tabs\n", False),
        ("kilo", "\u212ailo", True),
        ("会议", "会议记录", True),
        ("会议", "会 议", False),
        ("жук", "ЖУК", True),
        ("жук", "ЖАБА", False),
    ],
)
def test_it_lets_go_what_it_can(text: str, raw: str, kept: bool) -> None:
    assert Sift(text, ignore_case=True).may_hold(raw.encode()) is kept


def test_case_is_kept_when_asked() -> None:
    assert not Sift("Docker", ignore_case=False).may_hold(b"a docker bridge")
    assert Sift("Docker", ignore_case=False).may_hold(b"a Docker bridge")
