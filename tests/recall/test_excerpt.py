"""The line of a message that stands in the results."""

from __future__ import annotations

import json
from typing import Any

from hermes_tui.history.rows import Message
from hermes_tui.recall.highlight import excerpt, highlighter


def message(text: str, role: str = "tool", calls: list[Any] | None = None) -> Message:
    return Message(1, "s", role, text, None, None, None, calls or [], "live", None, None)


def marked(row: Message, query: str) -> tuple[str, list[str]]:
    text, marks = excerpt(row, highlighter(query))
    return text, [text[start:end] for start, end in marks]


def test_output_that_is_json_is_shown_as_a_person_reads_it() -> None:
    stored = json.dumps({"output": 'first line\n\tdocker said "no"\n会议', "exit_code": 1})
    assert marked(message(stored), "said") == (
        '{"output": "first line docker said "no" 会议", "exit_code": 1}',
        ["said"],
    )
    text, words = marked(message(stored), "docker")
    assert "docker" in text
    assert words == [], "to the index it is tdocker"
    assert marked(message(stored), "tdocker")[1] == ["docker"]


def test_a_call_is_shown_as_a_person_reads_it() -> None:
    call = {"function": {"name": "write", "arguments": json.dumps({"text": "a b\nthe c"})}}
    assert marked(message("", "assistant", [call]), "b") == ('{"text": "a b the c"}', ["b"])


def test_other_text_stays() -> None:
    assert marked(message(r"see C:\new and {x}", "user"), "see") == (
        r"see C:\new and {x}",
        ["see"],
    )
