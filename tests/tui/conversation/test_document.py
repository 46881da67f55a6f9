"""Messages made ready to draw, and their rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from hermes_tui.history.rows import Message
from hermes_tui.text.clean import clean
from hermes_tui.tui.widgets.conversation import paint
from hermes_tui.tui.widgets.conversation.document import (
    CUT_LINES,
    LEVELS,
    Body,
    Spot,
    build,
    missing,
)
from hermes_tui.tui.widgets.conversation.texts import stored_text

MakeMessage = Callable[..., Message]
HOSTILE = "\x1b]52;c;eA==\x07\x1b[2J\x9b31m\u202e[/red][@click=app.quit]\x00\r\n\ufeff"
CALL = {"id": "c", "function": {"name": "terminal", "arguments": '{"cmd": "ls\\n-la"}'}}


class Palette(dict[str, Style]):
    def __missing__(self, name: str) -> Style:
        return Style(bold=True) if name in ("match", "selection") else Style()


def row_of(body: Body, level: Any, row: int, **other: Any) -> Strip:
    here = body.at(level, row)
    pieces, _ = paint.body_row(body, level, *here) if here else (paint.header(body, anchor=0), "")
    return paint.strip_of(pieces, Palette(), 40, base=Style(), y=row, **other)


def text_of(body: Body, level: Any = "full") -> list[str]:
    return [row_of(body, level, row).text.rstrip() for row in range(body.height(level))]


def test_a_message_has_a_header_and_its_text(a_message: MakeMessage) -> None:
    body = build(a_message("hello\nworld", timestamp=1_780_000_000.0), 20)
    assert text_of(body) == ["you  20:26", "hello", "world"]
    assert body.text() == "hello\nworld"


def test_markers_say_what_a_message_is(a_message: MakeMessage) -> None:
    body = build(
        a_message(
            "[CONTEXT SUMMARY]: before", "assistant", visibility="archived", display_kind="hidden"
        ),
        40,
    )
    pieces = [piece.text.strip() for piece in paint.header(body, anchor=True)]
    assert pieces == ["hermes", "◀ anchor", "archived · compaction summary · hidden"]


def test_what_has_no_text_is_named(a_message: MakeMessage) -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}]
    body = build(a_message(parts), 40)
    assert text_of(body)[1:] == ["look", "[image_url]"]
    assert body.text() == "look"


def test_reasoning_is_named_until_it_is_opened(a_message: MakeMessage) -> None:
    reasoning = "be\x1b[2Jcause\nof [red]that\x9b31m"
    body = build(a_message("so", "assistant", reasoning=reasoning), 60)
    assert body.foldable
    for level in ("cut", "line"):
        assert text_of(body, level)[1:] == ["[reasoning, 20 characters]", "so"]
        assert not body.shows(level, 0, 0), "a match in it has to open it"
    assert text_of(body, "off")[1:] == ["so"]
    assert text_of(body)[1:] == ["because", "of [red]that", "so"]
    assert body.text() == "so"
    assert build(a_message("x", reasoning="x"), 40, everywhere("x")).parts[0].hits == ()


def test_tool_calls_are_readable(a_message: MakeMessage) -> None:
    body = build(a_message(None, "assistant", tool_calls=[CALL], tool_calls_text="x"), 60)
    assert text_of(body)[1:] == ['⚙ terminal  {"cmd": "ls', '-la"}']
    assert text_of(body, "line")[1:] == ['⚙ terminal  {"cmd": "ls …']
    assert body.height("off") == 1


def everywhere(word: str) -> Callable[[str], list[tuple[int, int]]]:
    return lambda text: [match.span() for match in re.finditer(rf"\b{word}\b", text)]


def test_output_that_is_json_is_readable_and_marked_as_the_index_knows_it(
    a_message: MakeMessage,
) -> None:
    stored = json.dumps({"output": 'one needle\nneedle "two"\n\tneedle\n', "exit_code": 0})
    body = build(a_message(stored, "tool"), 40, everywhere("needle"))
    assert text_of(body)[1:] == [
        *('{"output": "one needle', 'needle "two"', "    needle", '", "exit_code": 0}')
    ]
    (part,) = body.parts
    assert [part.text[low:high] for low, high in part.hits] == ["needle"], (
        "to the index, the n of \\n belongs to the word behind it"
    )
    body = build(a_message(stored, "tool"), 40, everywhere("nneedle"))
    (part,) = body.parts
    assert [part.text[low - 1 : high] for low, high in part.hits] == ["\nneedle"]
    row = a_message(stored, "tool", tool_calls=[CALL], reasoning="because")
    assert stored_text(row) == f"{stored}\n" + r"""⚙ terminal  {"cmd": "ls\n-la"}"""
    assert stored_text(a_message("[{}, {}]", "tool")) == "[{}, {}]"
    assert build(a_message(stored, "assistant"), 99).parts[0].text == stored, "only what tools say"


def test_broken_tool_calls_are_shown_as_they_are(a_message: MakeMessage) -> None:
    body = build(a_message(None, "assistant", tool_calls_text='[{"id": \x1b[31m'), 60)
    assert text_of(body)[1:] == ['⚙ [{"id":']


@pytest.mark.parametrize(
    ("level", "rows"),
    [("full", 30), ("cut", CUT_LINES + 1), ("line", 1), ("off", 0)],
)
def test_tool_output_folds(a_message: MakeMessage, level: Any, rows: int) -> None:
    output = "\n".join(f"row {i}" for i in range(30))
    body = build(a_message(output, "tool", tool_name="terminal"), 40)
    lines = text_of(body, level)
    assert lines[0] == "tool terminal"
    assert len(lines) == rows + 1
    if level == "cut":
        assert lines[-2:] == ["row 7", "… 22 more lines"]
    if level == "line":
        assert lines[1] == "row 0 …"


def test_a_fold_hides_at_least_two_lines(a_message: MakeMessage) -> None:
    body = build(a_message("\n".join("x" * (CUT_LINES + 1)), "tool"), 40)
    assert text_of(body, "cut") == text_of(body, "full")


def test_code_is_told_apart(a_message: MakeMessage) -> None:
    text = "use `ls` so\n```sh\nls `x`\n```\nand ~~~ `y`\n```\nopen"
    part = build(a_message(text), 40).parts[0]
    found = [(text[look.start : look.end], look.style) for look in part.looks]
    assert found == [
        ("`ls`", "code"),
        ("```sh\nls `x`\n```", "fence"),
        ("`y`", "code"),
        ("```\nopen", "fence"),
    ]


def test_a_link_is_drawn_with_its_host(a_message: MakeMessage) -> None:
    body = build(a_message("see [docs](https://a.b/c) now"), 40)
    pieces, _ = paint.body_row(body, "full", 0, 0)
    assert [(piece.text, piece.style) for piece in pieces] == [
        *(("see [", ""), ("docs", "link"), ("](", ""), ("https://", "url"), ("a.b", "host")),
        *(("/c", "url"), (") now", "")),
    ]


def test_matches_are_marked_across_a_wrap(a_message: MakeMessage) -> None:
    body = build(a_message("one docker networking two"), 12, lambda t: [(4, 21)])
    marked = "".join(
        segment.text
        for row in range(1, body.height("full"))
        for segment in row_of(body, "full", row)
        if segment.style and segment.style.bold
    )
    assert marked == "dockernetworking"
    assert body.first_hit() == Spot(0, 4)


def test_a_huge_text_is_searched_in_blocks(a_message: MakeMessage) -> None:
    text = ("needle " + "hay " * 40 + "\n") * 6_000
    asked = []

    def highlight(block: str) -> list[tuple[int, int]]:
        asked.append(len(block))
        return [match.span() for match in re.finditer("needle", block)]

    body = build(a_message(text), 80, highlight)
    hits = body.parts[0].hits
    assert len(hits) == 6_000
    assert {body.text()[a:b] for a, b in hits} == {"needle"}
    assert max(asked) <= 1 << 18


def test_a_spot_is_found_again_at_any_width_and_level(a_message: MakeMessage) -> None:
    text = "\n".join(f"line {i} with words in it" for i in range(30))
    body = build(a_message(text, "tool", tool_calls=[CALL]), 12)
    for row in range(1, body.height("full")):
        spot = body.spot("full", row)
        assert spot is not None
        assert body.row_of("full", spot) == row
        other = body.rewrapped(30)
        here = other.at("full", other.row_of("full", spot))
        assert here is not None
        start, end = other.parts[here[0]].wrapped.span(here[1])
        assert start <= spot.offset < end
        for level in LEVELS:
            assert 0 <= body.row_of(level, spot) < body.height(level)


def test_a_vanished_message_says_so() -> None:
    assert text_of(missing(7, "us\x1b[31mer", 60))[1].startswith("[this message is no longer")


@given(
    text=st.lists(st.sampled_from([HOSTILE, "会议", "a b", "\t", "👩‍💻", "x" * 9]) | st.text()).map(
        "".join
    ),
    width=st.integers(2, 40),
    level=st.sampled_from(LEVELS),
)
def test_rows_are_clean_and_fit(text: str, width: int, level: Any) -> None:
    row = Message(1, "s", text, [text], 1e300, text, None, [text], "live", text, text, text)
    for message in (row, Message(1, "s", "tool", text, None, text, None, [], "live", None, None)):
        body = build(message, width, lambda t: [(0, len(t) // 2)] if t else [])
        for number in range(1, body.height(level)):
            strip = row_of(body, level, number)
            pieces, _ = paint.body_row(body, level, *(body.at(level, number) or (0, 0)))
            drawn = "".join(piece.text for piece in pieces)
            assert drawn == clean(drawn)
            assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\ufeff]", strip.text)
            assert strip.cell_length == cell_len(strip.text) == 40


@given(text=st.text(st.sampled_from("a会\t\u200d\u0301👍🏽 \n"), max_size=60), data=st.data())
def test_offsets_lead_back_to_the_text(text: str, data: st.DataObject) -> None:
    """Every segment knows which character of the line it begins with."""
    message = Message(1, "s", "user", text, None, None, None, [], "live", None, None)
    body = build(message, 20)
    for row in range(1, body.height("full")):
        here = body.at("full", row)
        assert here is not None
        start, end = body.parts[here[0]].wrapped.shown(here[1])
        line = body.parts[here[0]].text[start:end]
        span = data.draw(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted))
        strip = row_of(body, "full", row, selected=(span[0], span[1]))
        for segment in strip:
            meta = segment.style.meta if segment.style else {}
            if "offset" in meta and segment.text.strip():
                at = meta["offset"][0]
                assert line[at : at + len(segment.text)] == segment.text
        selected = "".join(s.text for s in strip if s.style and s.style.bold)
        assert selected.replace(" ", "") == "".join(
            c for c in line[span[0] : span[1]] if c not in "\t \u200d🏽"
        )
