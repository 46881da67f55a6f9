"""What an explanation does not do twice, and that what it leaves out changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.history.reader import History
from hermes_tui.history.selecting import message_from_row
from hermes_tui.recall.asking import agent_ask
from hermes_tui.recall.compile import pieces
from hermes_tui.recall.explain import counting
from hermes_tui.recall.explain.traces import Trace
from hermes_tui.recall.explain.why import Explanation, why
from hermes_tui.recall.highlight import piece_spans
from hermes_tui.recall.meaning import Document, fields_of, term_matches
from hermes_tui.recall.query import make_term
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

START = 1_800_000_000.0


@pytest.fixture
def history(tmp_path: Path, opened: Callable[[Path], History]) -> History:
    path = tmp_path / "state.db"
    said = (
        ("cli", ["harbour fees", "lighthouse", "ferry fees"]),
        ("cli", ["harbour harbour walls", "fees for the ferry and the harbour"]),
        ("telegram", ["lighthouse and ferry", "容器网络在港口"]),
        ("kanban", ["harbour fees of the board", "港口很大"]),
    )
    with HistoryWriter(path, cjk=True) as writer:
        for number, (source, texts) in enumerate(said, start=1):
            at = START + number * 1_000
            writer.create_session(NewSession(id=f"s{number}", source=source, started_at=at))
            rows = [NewMessage(role="user", content=text) for text in texts]
            writer.append_batch(f"s{number}", rows, at)
    return opened(path)


def statements(history: History, query: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that an explanation runs."""
    asked: list[str] = []
    real = history.statements.rows

    def rows(sql: str, *rest: object) -> object:
        asked.append(" ".join(sql.split()))
        return real(sql, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(history.statements, "rows", rows)
        why(history, query, agent_ask(query))
    return asked


def test_an_index_is_not_asked_again_for_what_the_search_has_read(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    def matches(query: str) -> int:
        return sum(" match ?" in sql for sql in statements(history, query, monkeypatch))

    assert matches("harbour") == 1
    assert matches("harbour OR ferry") == 4  # the search, each word, and the phrase
    # Three routes are tried; each word then tells what there is without the others, and that
    # words which never meet are no phrase.
    assert matches("harbour ferry walls") == 3 + 3


def test_messages_are_scanned_once(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    for query in ("港", "港 大"):
        scans = [s for s in statements(history, query, monkeypatch) if "m.content like ?" in s]
        whole = [sql for sql in scans if "json_each" not in sql]
        assert len(whole) == 1, whole


QUERIES = (
    *("harbour", "harbour fees", "harbour NOT fees", "harbour OR ferry OR zebra", "fees zebra"),
    *(
        "lighthouse ferry",
        "harbour fees NOT board",
        "zebra NOT harbour",
        "harb* fees",
        '"the ferry"',
    ),
    *("harbour - fees", "a@b harbour", "港口", "港", "港口 容器", "港 大", "港口 NOT 大"),
)


def counts(found: Explanation) -> list[object]:
    each = [(unit.text, unit.alone, unit.without) for unit in found.units]
    return [*each, found.either, found.phrase]


@pytest.mark.parametrize("query", QUERIES)
def test_what_is_told_from_the_units_is_what_the_index_says(
    history: History, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    told = why(history, query, agent_ask(query))
    real = counting.Counter

    def asking(history: History, asked: object, stop: object, found: object) -> counting.Counter:
        return real(history, asked)  # type: ignore[arg-type]

    monkeypatch.setattr("hermes_tui.recall.explain.why.Counter", asking)
    assert counts(why(history, query, agent_ask(query))) == counts(told)
    monkeypatch.setattr(counting, "LINEAGES_FROM", 0)
    for unit, other in zip(why(history, query, agent_ask(query)).units, told.units, strict=True):
        for mine, its in ((unit.alone, other.alone), (unit.without, other.without)):
            assert (mine.rows if mine else None) == (its.rows if its else None)


LETTERS = st.text("ab éÉeＡａ容港+-/\"\\'é\ufe0f\n*", max_size=12)


@settings(max_examples=400)
@given(
    words=st.text('abé容港+/"e Ａ\ufe0f', min_size=1, max_size=4),
    content=LETTERS,
    name=LETTERS,
    arguments=LETTERS,
    escaped=st.booleans(),
    multimodal=st.booleans(),
)
def test_nothing_that_holds_a_word_falls_through_the_sieve(
    words: str, content: str, name: str, arguments: str, escaped: bool, multimodal: bool
) -> None:
    term = make_term(words)
    if term is None:
        return
    calls = [{"function": {"name": "f", "arguments": json.dumps({"q": arguments})}}]
    stored = json.dumps(calls, ensure_ascii=escaped)
    if multimodal:
        parts = [{"type": "text", "text": content}]
        content = "\x00json:" + json.dumps(parts, ensure_ascii=escaped)
    cells = (content.encode(), name.encode(), stored.encode())
    row = (1, b"s", b"user", cells[0], 0.0, cells[1], None, cells[2], 1, 0, None, None, None)
    document = Document(fields_of(message_from_row(row)))
    parts_there = all(
        part is not None and term_matches(part, document)
        for part in (make_term(text) for text, _ in pieces(term))
    )
    inside = any(piece_spans(words, field) for field in document.fields)
    if inside or term_matches(term, document) or (term.tokens and parts_there):
        assert Trace(term, words).may_be_in(*cells)
