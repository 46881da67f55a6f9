"""What a query tree means on a text: whether it matches, and where.

This is the one definition of a match. Indexes are only quick ways to the rows it holds for. A
term is compiled to one regular expression over the folded text: a word stands whole, a run of
CJK characters anywhere, the parts of a joined token or phrase side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from hermes_tui.history.rows import Message
from hermes_tui.recall.query import Node, Term, Without
from hermes_tui.text.fold import WORD_CHARACTER, Folded, folded

Span = tuple[int, int]
_BETWEEN = r"[\W_]"
_VARIATION = "[\ufe0e\ufe0f]?"


class Document:
    """The decoded texts of one row, folded when they are first asked for."""

    def __init__(self, fields: Iterable[str]) -> None:
        self.fields = [field for field in fields if field]
        self._folded: list[str] | None = None

    @property
    def folded(self) -> list[str]:
        """Every field as it is compared."""
        if self._folded is None:
            self._folded = [folded(field).text for field in self.fields]
        return self._folded


def fields_of(message: Message) -> list[str]:
    """The texts of a message that count: what was said, tool, calls' names and arguments."""
    fields = [message.text, message.tool_name or ""]
    for call in message.calls:
        fields += [call.name, call.arguments]
    return fields


def matches(node: Node, document: Document) -> bool:
    """Whether the tree holds for a row; terms may stand in different fields of it."""
    if isinstance(node, Term):
        return term_matches(node, document)
    if isinstance(node, Without):
        return matches(node.wanted, document) and not matches(node.unwanted, document)
    hold = (matches(child, document) for child in node.nodes)
    return all(hold) if node.operator == "AND" else any(hold)


def term_matches(term: Term, document: Document) -> bool:
    """Whether a term stands in some field."""
    pattern = term_pattern(term)
    return any(pattern.search(text) for text in document.folded)


def term_spans(term: Term, text: str) -> list[Span]:
    """Where a term stands in `text`, as (start, end) offsets; places that overlap are one."""
    form = folded(text)
    return [(form.place(start), form.place(end)) for start, end in _spans(term, form)]


def _spans(term: Term, form: Folded) -> Iterator[Span]:
    pattern = term_pattern(term)
    if len(term.tokens) < 2 or term.literal is not None:
        for match in pattern.finditer(form.text):
            yield match.span()
    else:
        yield from overlapping(lambda start: pattern.search(form.text, start))


def overlapping(search: Callable[[int], re.Match[str] | None]) -> Iterator[Span]:
    """All matches, also those that begin inside another ("a a" in "a a a"), as FTS5 marks them."""
    begun: Span | None = None
    match = search(0)
    while match is not None:
        start, end = match.span()
        if begun is not None and start < begun[1]:
            begun = begun[0], max(end, begun[1])
        else:
            if begun is not None:
                yield begun
            begun = start, end
        match = search(start + 1)
    if begun is not None:
        yield begun


@lru_cache(maxsize=1_024)
def term_pattern(term: Term) -> re.Pattern[str]:
    """The regular expression of a term over folded text."""
    if term.literal is not None:
        return re.compile(_literal_pattern(term.literal))
    parts: list[str] = []
    last = len(term.tokens) - 1
    for number, token in enumerate(term.tokens):
        if number:
            parts.append(_gap(term, number))
        if token.cjk:
            parts.append(re.escape(token.text))
            continue
        end = f"{WORD_CHARACTER}*" if term.prefix and number == last else f"(?!{WORD_CHARACTER})"
        parts.append(f"(?<!{WORD_CHARACTER}){re.escape(token.text)}{end}")
    return re.compile("".join(parts))


def _gap(term: Term, number: int) -> str:
    """What may stand between a token and the one before it.

    CJK characters that touch in the query touch in the text, and the other way round; a word and
    a CJK character may do either; two words have something between them anyway.
    """
    token, before = term.tokens[number], term.tokens[number - 1]
    if token.cjk and before.cjk:
        return "" if token.glued else f"{_BETWEEN}+"
    return f"{_BETWEEN}*" if token.cjk or before.cjk else f"{_BETWEEN}+"


def _literal_pattern(literal: str) -> str:
    """A literal as it is, case and accents aside, and not inside a longer word or number."""
    text = folded(literal).text
    words = [_VARIATION.join(map(re.escape, word)) for word in text.split()]
    body = r"\s+".join(words)
    start = r"(?<![0-9a-z])" if text[0].isascii() and text[0].isalnum() else ""
    end = r"(?![0-9a-z])" if text[-1].isascii() and text[-1].isalnum() else ""
    return f"{start}{body}{end}"
