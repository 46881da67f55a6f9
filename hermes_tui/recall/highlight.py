"""What to mark in a text that a query matched, and an excerpt around the marks."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence

from hermes_tui.history.rows import Message
from hermes_tui.recall.meaning import Span, fields_of, overlapping, term_spans
from hermes_tui.recall.outcome import Route
from hermes_tui.recall.query import Query, Term, parse_query
from hermes_tui.text.clean import clean, clean_line
from hermes_tui.text.readable import readable

Highlight = Callable[[str], list[Span]]
EXCERPT_CHARS = 240
EXCERPT_LEAD = 60
_READ_CHARS = 200_000
"""A match beyond this many characters of a message is not looked for when making an excerpt."""


def highlighter(query: Query | str, route: Route | str = "fts5", label: str = "") -> Highlight:
    """A function that gives the spans to mark in a clean text, in order, not overlapping.

    `route` and `label` say how the rows were found: a trigram or scanned match is a piece of a
    word, everything else whole words.
    """
    tree = parse_query(query, now=time.time()) if isinstance(query, str) else query
    terms = tree.terms
    pieces = label == "substring" or (not label and route in ("trigram", "like_scan"))

    def spans(text: str) -> list[Span]:
        found = [span for term in terms for span in term_spans(term, text)]
        if label in ("loose", "relaxed", "substring") or (pieces and not found):
            found += [s for term in terms for s in _loose_spans(term, text, pieces=pieces)]
        return merged(found)

    return spans


def _loose_spans(term: Term, text: str, *, pieces: bool) -> list[Span]:
    """Where the term's words stand one by one, or its text inside longer words."""
    if pieces:
        return piece_spans(term.typed, text)
    words = [Term(t.text, (t._replace(glued=False),)) for t in term.tokens]
    return [span for word in words for span in term_spans(word, text)]


def piece_spans(piece: str, text: str) -> list[Span]:
    """Every place where `piece` stands inside `text`, case aside where it keeps the length."""
    wanted, folded = piece.lower(), text.lower()
    if len(folded) != len(text):
        wanted, folded = piece, text
    if not wanted:
        return []
    pattern = re.compile(re.escape(wanted))
    return list(overlapping(lambda start: pattern.search(folded, start)))


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans sorted, those that touch or overlap made one."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def excerpt(message: Message, highlight: Highlight) -> tuple[str, tuple[Span, ...]]:
    """One clean line of a message around its first match, and the marks in it.

    The field that holds the match is taken: the text, else a tool call's arguments or name. It is
    searched as the index knows it, and shown as a person reads it.
    """
    fields = [field for field in fields_of(message) if field.strip()]
    for field in fields:
        text = clean(field[:_READ_CHARS])
        spans = highlight(text)
        if spans:
            return cut_around(*_readable(text, spans))
    text = clean(fields[0][:_READ_CHARS]) if fields else ""
    return cut_around(*_readable(text, []))


def _readable(text: str, spans: list[Span]) -> tuple[str, list[Span]]:
    """A field that is JSON with its escapes as what they stand for, and the spans in it."""
    made = readable(text)
    if made is None:
        return text, spans
    placed = [made.span(*span) for span in spans]
    return made.text, [(start, end) for start, end in placed if start < end]


def cut_around(text: str, spans: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """About EXCERPT_CHARS of clean `text` on one line, from a little before the first span."""
    first = spans[0][0] if spans else 0
    start = max(0, first - EXCERPT_LEAD)
    if start:
        # Begin at a word, if one begins before the match.
        blank = text.find(" ", start, first)
        start = blank + 1 if blank >= 0 else start
    end = min(len(text), max(start + EXCERPT_CHARS, spans[0][1] if spans else 0))
    pieces: list[str] = ["…"] if start else []
    marks: list[Span] = []
    place = start
    for span_start, span_end in spans:
        if span_start >= end:
            break
        pieces.append(_flat(text[place:span_start]))
        mark = _flat(text[span_start : min(span_end, end)])
        length = sum(map(len, pieces))
        marks.append((length, length + len(mark)))
        pieces.append(mark)
        place = min(span_end, end)
    pieces.append(_flat(text[place:end]))
    if end < len(text):
        pieces.append("…")
    return "".join(pieces), tuple(marks)


def _flat(text: str) -> str:
    """A piece of a line: blanks and newlines become single spaces, ends are kept."""
    if not text:
        return ""
    inner = clean_line(text)
    lead = " " if text[0].isspace() and inner else ""
    tail = " " if text[-1].isspace() else ""
    return f"{lead}{' '.join(inner.split())}{tail}" if inner else " "
