"""Rows become text in one place, whatever the cells hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hermes_tui.history.rows import (
    MULTIMODAL_PREFIX,
    Message,
    ToolCall,
    content_parts,
    decode_content,
    decode_tool_calls,
    integer_of,
    number_of,
    text_of,
    tool_calls_of,
    visibility_of,
)
from hermes_tui.history.selecting import (
    _MESSAGE_COLUMNS,
    message_from_row,
    session_from_row,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)
CELL = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.binary()
    | JSON.map(lambda value: json.dumps(value).encode())
    | JSON.map(lambda value: (MULTIMODAL_PREFIX + json.dumps(value)).encode())
)


@given(CELL, CELL)
@example(b"[" * 100_000, b"{" * 100_000)
@example(b"\x00json:" + b"[" * 100_000, b"\x00json:")
@example(b'[{"function": {"name": {}, "arguments": "[[' + b"[" * 100_000 + b'"}}]', None)
@example(b'[{"function": 3, "id": []}, null, 7, "x", [1]]', b"1e400")
def test_no_cell_ever_fails(first: Any, second: Any) -> None:
    message = message_from_row((1, *[first, second] * 6))
    assert isinstance(message.text, str)
    assert all(isinstance(kind, str) for kind in message.attachments)
    for call in message.calls:
        assert isinstance(call.name + call.arguments + call.call_id, str)
    assert message.visibility in ("live", "archived", "rewound")
    session = session_from_row(tuple([first, second] * 7))
    assert isinstance(session.message_count, int)
    assert isinstance(session.id + session.source, str)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, None),
        (b"", ""),
        ("数据".encode(), "数据"),
        (b"a\xffb", "a\ufffdb"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        (7, "7"),
        (1.5, "1.5"),
    ],
)
def test_text(cell: Any, text: str | None) -> None:
    assert text_of(cell) == text


@pytest.mark.parametrize(
    ("cell", "number"),
    [(None, None), (b"odd", None), (b"12.5", 12.5), (3, 3.0), (1e20, 1e20), (b"\xff", None)],
)
def test_numbers(cell: Any, number: float | None) -> None:
    assert number_of(cell) == number


@pytest.mark.parametrize(
    ("cell", "number"), [(None, 9), (b"inf", 9), (b"nan", 9), (b"x", 9), (2.9, 2), (b"4", 4)]
)
def test_integers(cell: Any, number: int) -> None:
    assert integer_of(cell, 9) == number


@pytest.mark.parametrize(
    ("active", "compacted", "state"),
    [
        (1, 0, "live"),
        (1, 1, "live"),
        (None, None, "live"),
        (None, 1, "live"),
        (0, 1, "archived"),
        (0, 0, "rewound"),
        (0, None, "rewound"),
        (b"odd", 0, "live"),
    ],
)
def test_visibility(active: Any, compacted: Any, state: str) -> None:
    assert visibility_of(active, compacted) == state


def multimodal(value: Any) -> bytes:
    return (MULTIMODAL_PREFIX + json.dumps(value)).encode()


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.mark.parametrize(
    ("cell", "text", "others"),
    [
        (None, "", ()),
        (b"plain", "plain", ()),
        (b"[1]", "[1]", ()),
        (multimodal([{"type": "text", "text": "猫"}, IMAGE]), "猫", ("image_url",)),
        (multimodal([{"type": "text", "text": "a"}, {"text": "b"}, "c"]), "a\nb\nc", ()),
        (multimodal({"type": "text", "text": "one"}), "one", ()),
        (multimodal("just text"), "just text", ()),
        (multimodal([None, 3, {"text": 4}]), "", ("NoneType", "int", "part")),
        (multimodal(5), "\x00json:5", ()),
        (b"\x00json:{broken", "\x00json:{broken", ()),
        (b"\x00json:", "\x00json:", ()),
    ],
)
def test_content(cell: Any, text: str, others: tuple[str, ...]) -> None:
    assert content_parts(decode_content(cell)) == (text, others)


@pytest.mark.parametrize("cell", [None, b"", b"{broken", b"null", b'{"a": 1}', b"3", b"\xff"])
def test_calls_that_are_none(cell: Any) -> None:
    assert decode_tool_calls(cell) == []


def test_calls_are_readable() -> None:
    arguments = json.dumps({"path": "数据.txt"})
    cell = json.dumps(
        [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": arguments}},
            {"name": "bare", "arguments": {"x": 1}, "call_id": "c2"},
            {"function": {"name": "odd", "arguments": "{not json"}},
            {"function": {"name": "text", "arguments": '"words"'}},
            "猫",
        ]
    ).encode()
    assert tool_calls_of(decode_tool_calls(cell)) == (
        ToolCall("read", '{"path": "数据.txt"}', "c1"),
        ToolCall("bare", '{"x": 1}', "c2"),
        ToolCall("odd", "{not json", ""),
        ToolCall("text", '"words"', ""),
        ToolCall("", '"猫"', ""),
    )


def row(**cells: Any) -> Message:
    names = [name for name, *_ in _MESSAGE_COLUMNS]
    return message_from_row(tuple({"id": 1, **cells}.get(name) for name in names))


def test_reasoning_from_either_column() -> None:
    assert row(reasoning=b"a", reasoning_content=b"b").reasoning == "a"
    assert row(reasoning=b"", reasoning_content=b"b").reasoning == "b"
    assert row().reasoning is None


@pytest.mark.parametrize(
    ("config", "marks"),
    [
        (None, (None, None, None)),
        (b'{"_branched_from": "a"}', ("a", None, None)),
        (b'{"_delegate_from": "__orphaned__", "_reset_from": "b"}', (None, "__orphaned__", "b")),
        (b'{"_branched_from": null}', (None, None, None)),
        (b'["_branched_from"]', (None, None, None)),
        (b'{"_branched_from": ', (None, None, None)),
        (b"\xff_from", (None, None, None)),
    ],
)
def test_lineage_marks(config: Any, marks: tuple[str | None, ...]) -> None:
    session = session_from_row((b"s", *[None] * 12, config))
    assert (session.branched_from, session.delegate_from, session.reset_from) == marks
