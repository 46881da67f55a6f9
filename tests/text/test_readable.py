"""JSON made readable: nothing unsafe comes of it, and every span finds its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.text.clean import clean
from hermes_tui.text.readable import LIMIT, may_reveal, readable

PIECES = (
    *("word", " ", "\n", "\r\n", "\r", "\t", '"', "\\", "/", "\\n", "会议", "😀", "é", ", {", "}"),
    *("\x1b[31m", "\x1b[0m", "\x1b", "\x07", "\x9b", "\u202e", "\ufeff", "\x00", "\u2028"),
)
texts = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=12).map("".join)
values = st.recursive(
    texts | st.none() | st.booleans() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def dumped(value: object, ascii_only: bool) -> str:
    return clean(json.dumps(value, ensure_ascii=ascii_only))


@given(st.lists(values) | st.dictionaries(texts, values), st.booleans())
def test_what_is_shown_is_clean(value: object, ascii_only: bool) -> None:
    made = readable(dumped(value, ascii_only))
    if made is not None:
        assert clean(made.text) == made.text


@given(texts, texts, st.booleans(), st.data())
def test_a_span_of_the_source_is_found_in_the_text(
    before: str, after: str, ascii_only: bool, data: st.DataObject
) -> None:
    """A word that is the same in both, wherever it stands between escapes."""
    source = dumped({"a": f"{before}<needle>{after}\n"}, ascii_only)
    made = readable(source, 0)
    assert made is not None
    start = source.index("<needle>")
    low, high = made.span(start, start + len("<needle>"))
    assert made.text[low:high] == "<needle>"
    low = data.draw(st.integers(0, len(source)))
    high = data.draw(st.integers(low, len(source)))
    start, end = made.span(low, high)
    assert 0 <= start <= end <= len(made.text)
    assert made.span(0, len(source)) == (0, len(made.text))


@given(texts)
def test_a_string_is_shown_as_it_was_before_it_was_stored(text: str) -> None:
    plain = "".join(c for c in clean(text) if c.isprintable() or c in "\n\t")
    made = readable(json.dumps([f"{plain}\n"]))
    assert made is not None
    assert made.text == f'["{plain}\n"]'


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r'{"output": "one\ntwo\r\nthree\rfour"}', '{"output": "one\ntwo\nthree\nfour"}'),
        (r'{"t": "a\tb \"c\" d\\e\/f"}', '{"t": "a\tb "c" d\\e/f"}'),
        (r'["\u001b[31mred\u001b[0m \u001B[1;4mx"]', '["red x"]'),
        (r'["\u4f1a\u8bae \ud83d\ude00"]', '["会议 😀"]'),
        (r'["\u0007 \ud800 \u202e \b\f"]', r'["\u0007 \ud800 \u202e \b\f"]'),
        (r'["\\n"]', r'["\n"]'),
        ('[{"a": ", {"}, {"b": 2}]', '[{"a": ", {"},\n{"b": 2}]'),
    ],
)
def test_escapes_become_what_they_stand_for(source: str, shown: str) -> None:
    made = readable(source)
    assert made is not None
    assert made.text == shown


@pytest.mark.parametrize(
    "source",
    [
        *("", "plain", '{"a": 1}', r"{not json \n", r'{"cut": "off\n', r'"\n"', r'x {"a": "\n"}'),
        '["' + r"\n" * (LIMIT // 2) + '"]',
        "[" * 100_000 + r'"\n"' + "]" * 100_000,
    ],
)
def test_what_is_no_json_or_needs_no_change_stays(source: str) -> None:
    assert readable(source) is None


def test_json_may_begin_behind_a_name() -> None:
    made = readable(r'⚙ write  {"text": "a\nneedle"}', len("⚙ write  "))
    assert made is not None
    assert made.text == '⚙ write  {"text": "a\nneedle"}'
    start = made.source.index("needle")
    assert made.text[slice(*made.span(start - 1, start + 6))] == "needle", (
        "the n of an escape is no letter of the word behind it"
    )


def test_it_can_be_stopped() -> None:
    with pytest.raises(KeyError):
        readable(r'["\n"]', 0, lambda: {}["stop"])


@given(
    st.lists(values) | st.dictionaries(texts, values),
    st.booleans(),
    st.text(st.sampled_from('aword"\\/\t会é😀{,}['), min_size=1, max_size=3),
)
def test_what_is_only_in_the_readable_text_is_told(
    value: object, ascii_only: bool, wanted: str
) -> None:
    stored = json.dumps(value, ensure_ascii=ascii_only)
    made = readable(clean(stored))
    if made is not None and wanted in made.text and wanted not in clean(stored):
        assert may_reveal(stored.encode("utf-8", "surrogatepass"), wanted)


def test_what_cannot_be_revealed() -> None:
    assert not may_reveal(rb'{"a": "one\ntwo"}', "docker")
    assert may_reveal(rb'{"a": "one\ntwo"}', 'a "b')
    assert may_reveal(rb'{"a": "d\u006fcker"}', "docker")
    assert not may_reveal(rb"d\u006fcker", "docker")
