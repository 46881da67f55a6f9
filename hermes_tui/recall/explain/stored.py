"""Why an index does not find a unit in a row whose stored text holds it (facts 22, 24, 87)."""

from __future__ import annotations

import re
from typing import Literal

from hermes_tui.history.errors import DamagedError, QueryError
from hermes_tui.history.layout import TOOL_CUT_CHARS, Index
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Message
from hermes_tui.recall.compile import pieces
from hermes_tui.recall.explain.units import Unit
from hermes_tui.recall.highlight import piece_spans
from hermes_tui.recall.matching import index_asked
from hermes_tui.recall.meaning import Document, fields_of, term_matches, term_spans
from hermes_tui.recall.query import Term, make_term
from hermes_tui.recall.routes import Plan
from hermes_tui.text.clean import clean_line

State = Literal[
    "here",
    "missing",
    "inside_word",
    "apart",
    "beside_cjk",
    "respelt",
    "escaped",
    "cut_off",
    "not_indexed",
    "other_role",
    "unmatched",
    "idle",
    "unreadable",
]
"""How a unit stands in a target: found there, not there, or there for a reader only."""

SHOWN = 40
LONGEST_WORD = 80
_INSIDE = re.compile(r"[^\W_]")

Seen = tuple[State, str, str]


def stored_state(history: History, plan: Plan, unit: Unit, term: Term, message: Message) -> Seen:
    """(state, what was seen, what to write instead) of a unit that the plan did not find here."""
    document = Document(fields_of(message))
    if term_matches(term, document):
        return _hidden(history, plan, unit, term, message)
    parts = [text for text, _ in pieces(term)]
    if len(parts) > 1 and all(_holds_word(part, document) for part in parts):
        return "apart", f"its words stand apart in message {message.id}", " ".join(parts)
    for text in document.fields:
        for start, end in piece_spans(unit.words, text):
            word, at_start = _word_around(text, start, end)
            if word.lower() == unit.words.lower():
                continue
            fix = f"{unit.words}*" if at_start and unit.words.isalnum() else word
            return "inside_word", f"inside '{clean_line(word, SHOWN)}'", fix
    return "missing", "", ""


def _holds_word(word: str, document: Document) -> bool:
    term = make_term(word)
    return term is not None and term_matches(term, document)


def _hidden(history: History, plan: Plan, unit: Unit, term: Term, message: Message) -> Seen:
    """The text holds the unit, and the index does not."""
    index = index_asked(history.layout, plan)
    if index is not None and message.role == "tool" and not index.tool_rows:
        return "other_role", f"only in tool output, which {index.name} leaves out", ""
    if index is not None and not _is_indexed(history, index, message):
        return "not_indexed", f"message {message.id} is not in {index.name}", ""
    spans = term_spans(term, message.text)
    if not spans or not isinstance(message.content, str):
        return _in_json(index, message, bool(spans))
    start, end = spans[0]
    markers = history.markers()
    cut = index is not None and (
        index.form == "external_cut" or markers.tool_full_high_water is not None
    )
    if cut and message.role == "tool" and start >= TOOL_CUT_CHARS:
        detail = f"at character {start:,} of message {message.id}; {TOOL_CUT_CHARS:,} are indexed"
        return "cut_off", detail, ""
    if plan.route == "trigram" and unit.prefix:
        return "unmatched", "this index takes * for a sign of the text", unit.words
    word, _ = _word_around(message.text, start, end)
    if len(word) > end - start:
        return "beside_cjk", f"the index holds '{clean_line(word, SHOWN)}' as one word", word
    written = message.text[start:end]
    if written.lower() != unit.words.lower():
        return "respelt", f"written '{clean_line(written, SHOWN)}'", written
    return "unmatched", f"message {message.id} holds it", ""


def _in_json(index: Index | None, message: Message, in_text: bool) -> Seen:
    if index is not None and not in_text and "tool_calls" not in index.columns:
        return "not_indexed", f"tool calls are not in {index.name}", ""
    what = "message" if in_text else "tool call"
    return "escaped", f"the {what} is stored as JSON, where it is spelt with escapes", ""


def _is_indexed(history: History, index: Index, message: Message) -> bool:
    """Whether an index holds a row; by its docsize table, and by the rebuild's markers."""
    markers = history.markers()
    rebuild = markers.cjk_rebuild if index.name == history.layout.cjk.name else markers.rebuild
    if rebuild is not None and rebuild.progress < message.id <= rebuild.high_water:
        return False
    try:
        sql = f"select 1 from {index.name}_docsize where id = ?"
        return bool(history.rows(sql, (message.id,)))
    except (QueryError, DamagedError):
        return True


def _word_around(text: str, start: int, end: int) -> tuple[str, bool]:
    """The run of word characters around a span, and whether the span begins it."""
    first, last = start, end
    while first > 0 and _INSIDE.match(text[first - 1]) and end - first < LONGEST_WORD:
        first -= 1
    while last < len(text) and _INSIDE.match(text[last]) and last - start < LONGEST_WORD:
        last += 1
    return text[first:last], first == start
