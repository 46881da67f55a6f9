"""What is written out: all of it, once, and nothing in it acts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.recall.export import FORMS, chapter, cleaned, fenced, written
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

HOSTILE = "</pre><script>alert(1)</script> \x1b]0;x\x07 \u202e \x9b1m <img src=x> & ```\n~~~"
CALLS = [{"id": "c", "function": {"name": "term<b>", "arguments": '{"cmd": "容器 </pre>"}'}}]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer:
        new = NewSession(id="s1", source="cli<", started_at=1e9, title="A </title> talk", cwd="/x")
        writer.create_session(new)
        ids = writer.append_batch(
            "s1",
            [
                NewMessage(role="user", content=HOSTILE),
                NewMessage(role="assistant", content="calling", tool_calls=CALLS),
                NewMessage(role="tool", content="````\nout\n````", tool_name="terminal"),
                NewMessage(role="user", content="rewound words"),
            ],
            1e9,
        )
        writer.rewind("s1", ids[3])
    history = History.open(Place(str(path), "work"))
    yield history
    history.close()


def document(history: History, form: str, **options) -> str:
    session = history.session("s1")
    return "".join(written(history, [chapter(history, session, **options)], form))


@pytest.mark.parametrize("form", FORMS)
def test_nothing_acts_in_any_form(history: History, form) -> None:
    text = document(history, form)
    assert not set(text) & set("\x1b\x07\x9b\u202e")
    assert "容器" in text
    assert "rewound words" not in text
    assert "rewound words" in document(history, form, rewound=True)


def test_html_is_text_and_no_markup_of_messages(history: History) -> None:
    class Tags(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.tags: set[str] = set()
            self.texts: list[str] = []

        def handle_starttag(self, tag, attrs) -> None:
            self.tags.add(tag)

        def handle_data(self, data) -> None:
            self.texts.append(data)

    parser = Tags()
    parser.feed(document(history, "html"))
    assert not parser.tags & {"script", "img", "b", "a", "link"}
    said = "".join(parser.texts)
    assert "<script>alert(1)</script>" in said
    assert "@session:work/s1" in said
    assert "1 rewound" in said


def test_json_is_json(history: History) -> None:
    session = json.loads(document(history, "json"))["sessions"][0]
    assert session["title"] == "A </title> talk"
    assert session["rewound_left_out"] == 1
    assert [m["role"] for m in session["messages"]] == ["user", "assistant", "tool"]
    assert session["messages"][1]["tool_calls"][0]["function"]["name"] == "term<b>"


def test_a_window_says_that_it_is_a_part(history: History) -> None:
    session = json.loads(document(history, "json", positions=(1, 3)))["sessions"][0]
    assert [m["role"] for m in session["messages"]] == ["assistant", "tool"]
    assert session["whole"] is False
    assert "- messages: 2 of the session" in document(history, "markdown", positions=(1, 3))


def test_fences_hold_fences(history: History) -> None:
    assert fenced("a ```` b").startswith("`````\n")
    assert "`````\n````\nout\n````\n`````" in document(history, "markdown")


def test_values_that_json_has_no_form_for() -> None:
    assert cleaned({"a\x1b[2J": [float("nan"), "x\x9b", None, 1.5, True]}) == {
        "a": [None, "x", None, 1.5, True]
    }


def test_several_sessions_in_one_document(history: History) -> None:
    part = chapter(history, history.session("s1"))
    assert len(json.loads("".join(written(history, [part, part], "json")))["sessions"]) == 2
    assert json.loads("".join(written(history, [], "json"))) == {"sessions": []}
