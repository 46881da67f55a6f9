"""What a query tree means on a text: whether it matches, and where.

This is the one definition of a match. Indexes are only quick ways to the rows it holds for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from hermes_tui.history.rows import Message
from hermes_tui.recall.query import Node, Term, Without
from hermes_tui.text.fold import Token, tokenise, usual_form

Span = tuple[int, int]
_VARIATION = str.maketrans(dict.fromkeys((0xFE0E, 0xFE0F)))
_BLANKS = re.compile(r"\s+")


class Document:
    """The decoded texts of one row, read token by token only when a term asks for it."""

    def __init__(self, fields: Iterable[str]) -> None:
        self.fields = [field for field in fields if field]
        self._tokens: list[list[Token]] | None = None
        self._places: list[dict[str, list[int]]] | None = None

    @property
    def tokens(self) -> list[list[Token]]:
        """The tokens of every field."""
        if self._tokens is None:
            self._tokens = [tokenise(field) for field in self.fields]
        return self._tokens

    def places(self, field: int) -> dict[str, list[int]]:
        """Where each token of a field stands."""
        if self._places is None:
            self._places = []
            for tokens in self.tokens:
                known: dict[str, list[int]] = {}
                for place, token in enumerate(tokens):
                    known.setdefault(token.text, []).append(place)
                self._places.append(known)
        return self._places[field]


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
    if term.literal is not None:
        return any(True for field in document.fields for _ in literal_spans(term.literal, field))
    return any(
        True
        for number in range(len(document.fields))
        for _ in _runs(term, document.tokens[number], document.places(number))
    )


def term_spans(term: Term, text: str) -> list[Span]:
    """Where a term stands in `text`, as (start, end) offsets."""
    if term.literal is not None:
        return list(literal_spans(term.literal, text))
    document = Document([text])
    if not document.fields:
        return []
    tokens = document.tokens[0]
    return [
        (tokens[first].start, tokens[last].end)
        for first, last in _runs(term, tokens, document.places(0))
    ]


def _runs(
    term: Term, tokens: Sequence[Token], places: dict[str, list[int]]
) -> Iterator[tuple[int, int]]:
    """(first, last) token numbers of every place where the term's tokens stand side by side."""
    wanted = term.tokens
    length = len(wanted)
    starts: Iterable[int]
    if length == 1 and term.prefix and not wanted[0].cjk:
        beginning = wanted[0].text
        starts = sorted(
            place for text, found in places.items() if text.startswith(beginning) for place in found
        )
    else:
        starts = places.get(wanted[0].text, ())
    for first in starts:
        if first + length <= len(tokens) and _stands(term, tokens, first):
            yield first, first + length - 1


def _stands(term: Term, tokens: Sequence[Token], first: int) -> bool:
    wanted = term.tokens
    last = len(wanted) - 1
    for offset in range(1, last + 1):
        token, want = tokens[first + offset], wanted[offset]
        if token.text != want.text and not (
            term.prefix and offset == last and not want.cjk and token.text.startswith(want.text)
        ):
            return False
        # CJK characters that touch in the query must touch in the text, and the other way round.
        both = want.cjk and wanted[offset - 1].cjk
        if both and token.glued != want.glued:
            return False
    return True


def literal_spans(literal: str, text: str) -> Iterator[Span]:
    """Where `literal` stands as it is, case aside, not inside a longer word or number."""
    wanted = folded_literal(literal)
    folded, starts = _folded_with_offsets(text)
    place = folded.find(wanted)
    while place >= 0:
        end = place + len(wanted)
        if _is_edge(folded, place, wanted[0], -1) and _is_edge(folded, end, wanted[-1], 0):
            yield (starts[place], starts[end]) if starts else (place, end)
        place = folded.find(wanted, place + 1)


def _is_edge(text: str, place: int, own: str, step: int) -> bool:
    beside = text[place + step : place + step + 1]
    return not (own.isalnum() and own.isascii() and beside.isalnum() and beside.isascii())


@lru_cache(maxsize=512)
def folded_literal(literal: str) -> str:
    """A literal in the form it is compared in."""
    return usual_form(literal.translate(_VARIATION))[0].lower()


def _folded_with_offsets(text: str) -> tuple[str, list[int]]:
    """`text` in the form literals are compared in; offsets only where they differ."""
    if text.isascii():
        return text.lower(), []
    usual, starts = usual_form(text)
    pieces: list[str] = []
    places: list[int] = []
    for character, start in zip(usual, starts, strict=False):
        if character in "\ufe0e\ufe0f":
            continue
        lower = character.lower()
        pieces.append(lower)
        places.extend([start] * len(lower))
    places.append(len(text))
    return "".join(pieces), places
