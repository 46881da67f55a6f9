"""Code and links of a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.tui.widgets.conversation.markup import LOOKED_AT, looks


def told(text: str) -> list[tuple[str, str]]:
    return [(text[look.start : look.end], look.style) for look in looks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", []),
        ("see `a b`.", [("`a b`", "code")]),
        ("```py\nx `y` https://a.b\n```\nz", [("```py\nx `y` https://a.b\n```", "fence")]),
        ("a\n~~~\nopen to the end", [("~~~\nopen to the end", "fence")]),
        (
            "[the docs](https://docs.docker.com/network/bridge/).",
            [
                ("the docs", "link"),
                ("https://", "url"),
                ("docs.docker.com", "host"),
                ("/network/bridge/", "url"),
            ],
        ),
        (
            "[https://bank.example](http://evil.example/x)",
            [
                ("https://", "url"),
                ("bank.example", "host"),
                ("http://", "url"),
                ("evil.example", "host"),
                ("/x", "url"),
            ],
        ),
        ("go to http://a.b.", [("http://", "url"), ("a.b", "host")]),
        (
            "HTTPS://google.com@evil.example:80/?q=1, and",
            [("HTTPS://google.com@", "url"), ("evil.example", "host"), (":80/?q=1", "url")],
        ),
        ("`curl https://a.b` https://c.d", [
            ("`curl https://a.b`", "code"), ("https://", "url"), ("c.d", "host")
        ]),
        ("看https://例子.中国/路。", [("https://", "url"), ("例子.中国", "host"), ("/路", "url")]),
        ("file:///etc ftp://x [a](b) https://", []),
    ],
)  # fmt: skip
def test_code_and_links_are_told_apart(text: str, expected: list[tuple[str, str]]) -> None:
    assert told(text) == expected


PIECES = ("`", "```\n", "~~~\n", "\n", "[", "](", ")", "https://", "a.b", "@", "/", " ", "会", "x")


@given(st.lists(st.sampled_from(PIECES) | st.characters(), max_size=40).map("".join))
def test_stretches_follow_each_other(text: str) -> None:
    found = looks(text)
    place = 0
    for look in found:
        assert place <= look.start < look.end <= len(text)
        place = look.end


def test_a_huge_text_is_left_alone() -> None:
    assert looks("`a` " * LOOKED_AT) == []
