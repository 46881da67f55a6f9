"""What was typed, read once into a small tree: terms, phrases, prefixes, AND/OR/NOT, filters.

Routes, highlighter and explanations all read this tree; nothing parses the text again. Operators
are upper case and bind as in FTS5: blanks (and) first, then NOT, AND, OR.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from hermes_tui.recall.filters import FILTERS as FILTERS
from hermes_tui.recall.filters import NO_FILTERS, FilterReading
from hermes_tui.recall.filters import Filters as Filters
from hermes_tui.recall.outcome import Notice
from hermes_tui.text.clean import clean_line
from hermes_tui.text.fold import Token, tokenise

MAX_CHARS = 4_096
Operator = Literal["AND", "OR", "NOT"]

PIECE = re.compile(r'([A-Za-z]+):"([^"]*)"|"([^"]*)"(\*?)|(\S+)')
# What a paste has lost, half a pair or its stand-in: there is nothing to find in it.
_LOST = re.compile("[\ud800-\udfff\ufffd]")
_FILTER = re.compile(r"([A-Za-z]+):(\S*)")
_GROUPED = re.compile(r"(?:^|\s)\(+[^\s()]")
# Signs that stand for something beyond punctuation although Unicode files them under it.
_MEANING_SIGNS = frozenset("#%§")
_PLAIN_SIGNS = frozenset("`^´¨")
_VARIATION = str.maketrans(dict.fromkeys((0xFE0E, 0xFE0F)))


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to find. tokens: folded tokens that stand side by side; prefix: the last one is
    a beginning. literal: the text itself, for a token that carries its meaning in symbols.
    """

    typed: str
    tokens: tuple[Token, ...]
    prefix: bool = False
    phrase: bool = False
    literal: str | None = None

    @property
    def has_cjk(self) -> bool:
        """Whether any token is a CJK character."""
        return any(token.cjk for token in self.tokens)


@dataclass(frozen=True, slots=True)
class Group:
    """Several nodes joined by AND or OR."""

    operator: Literal["AND", "OR"]
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """What matches `wanted` and not `unwanted`."""

    wanted: Node
    unwanted: Node


Node = Term | Group | Without


@dataclass(frozen=True, slots=True)
class Query:
    """A typed query. node None: nothing to look for; `notices` say why. text: without filters."""

    typed: str
    node: Node | None
    filters: Filters = NO_FILTERS
    text: str = ""
    notices: tuple[Notice, ...] = ()

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms that must or may be found, in order; those after NOT are left out."""
        return tuple(positive_terms(self.node)) if self.node else ()

    @property
    def filters_only(self) -> bool:
        """Whether filters were typed and nothing else, so that there is nothing to search for."""
        return self.filters.any and not self.text

    @property
    def has_operators(self) -> bool:
        """Whether OR or NOT was typed."""
        return self.node is not None and _branches(self.node)

    @property
    def has_literals(self) -> bool:
        """Whether some term carries its meaning in symbols."""
        return any(term.literal is not None for term in self.terms)


def positive_terms(node: Node) -> Iterator[Term]:
    """Every term of a node that is not below a NOT."""
    if isinstance(node, Term):
        yield node
    elif isinstance(node, Group):
        for child in node.nodes:
            yield from positive_terms(child)
    else:
        yield from positive_terms(node.wanted)


def all_terms(node: Node) -> Iterator[Term]:
    """Every term of a node, also those after NOT."""
    if isinstance(node, Term):
        yield node
    elif isinstance(node, Group):
        for child in node.nodes:
            yield from all_terms(child)
    else:
        yield from all_terms(node.wanted)
        yield from all_terms(node.unwanted)


def _branches(node: Node) -> bool:
    if isinstance(node, Term):
        return False
    if isinstance(node, Without):
        return True
    return node.operator == "OR" or any(_branches(child) for child in node.nodes)


@dataclass(slots=True)
class _Reading:
    """What is collected while reading from left to right. last: the filter before the operator
    that is read now, with its NOT; '' behind a word.
    """

    filters: FilterReading
    items: list[Operator | Term] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    last: str = ""

    @property
    def notices(self) -> list[Notice]:
        """What has to be said about the query."""
        return self.filters.notices

    @property
    def operator(self) -> str:
        """The operator that was read last; '' when a word or a filter was."""
        item = self.items[-1] if self.items else ""
        return item if isinstance(item, str) else ""


def parse_query(typed: str, *, now: float) -> Query:
    """Read what was typed. `now` (Unix seconds) is what `7d` and `yesterday` count from."""
    reading = _Reading(FilterReading(now))
    text = _LOST.sub(" ", typed[:MAX_CHARS])
    if len(typed) > MAX_CHARS:
        reading.notices.append(
            Notice("query_cut", f"Only the first {MAX_CHARS:,} characters of the query are read.")
        )
    if text.count('"') % 2:
        # An unfinished quote is one being typed: what follows it are words.
        cut = text.rindex('"')
        text = f"{text[:cut]} {text[cut + 1 :]}"
    for match in PIECE.finditer(text):
        _read_piece(match, reading)
    if _GROUPED.search(text) and any(isinstance(item, str) for item in reading.items):
        reading.notices.append(
            Notice("parentheses", "Parentheses do not group: blanks bind first, then NOT, AND, OR.")
        )
    node = _build(reading)
    if node is None and not reading.notices and typed.strip() and not reading.filters.any:
        what = "operators" if reading.items else "punctuation"
        reading.notices.append(
            Notice("nothing_to_find", f"The query holds no word to look for, only {what}.")
        )
    return Query(typed, node, reading.filters.filters(), _words(reading), tuple(reading.notices))


def _words(reading: _Reading) -> str:
    """The query without its filters, and without the operators that joined only those."""
    words = reading.words
    if reading.filters.any:
        while words and words[-1] in ("AND", "OR", "NOT"):
            words = words[:-1]
        while words and words[0] in ("AND", "OR"):
            words = words[1:]
    return " ".join(words)


def _read_piece(match: re.Match[str], reading: _Reading) -> None:
    name, value, phrase, star, word = match.groups()
    if name is not None:
        if not _read_filter(name, value, reading, quoted=True):
            for part in f"{name} {value}".split():
                _add_term(part, reading)
        return
    if phrase is not None:
        _add(make_term(phrase, prefix=bool(star), phrase=True), match.group(), reading)
        return
    if word in ("AND", "OR", "NOT"):
        reading.items.append(word)  # type: ignore[arg-type]
        reading.words.append(word)
        return
    found = _FILTER.fullmatch(word)
    bare = _FILTER.fullmatch(word.strip("()"))
    if found is None and bare and bare[1].lower() in FILTERS and bare[2]:
        text = f"Did you mean {clean_line(bare[0], 40)} without parentheses?"
        reading.notices.append(Notice("did_you_mean", text))
    if found is None or not _read_filter(found[1], found[2], reading):
        _add_term(word, reading)


def _add_term(word: str, reading: _Reading) -> None:
    stripped = word.rstrip("*")
    _add(make_term(stripped.lstrip("*"), prefix=word != stripped), word, reading)


def _add(term: Term | None, typed: str, reading: _Reading) -> None:
    if term is None:
        return
    if reading.last and reading.operator == "OR":
        _say_joined(reading.last, reading)
    reading.last = ""
    reading.items.append(term)
    reading.words.append(typed)


def make_term(typed: str, *, prefix: bool = False, phrase: bool = False) -> Term | None:
    """A term from a word or the inside of a phrase; None when there is nothing in it to find."""
    typed = typed.translate(_VARIATION)
    tokens = tuple(tokenise(typed))
    literal = None
    core = typed.strip()
    if core and (not tokens or _carries_meaning(core)):
        literal = core
    if literal is not None and not tokens and not literal.strip("\"'`"):
        return None
    if not tokens and literal is None:
        return None
    return Term(core, tokens, prefix and bool(tokens), phrase, literal)


def _carries_meaning(text: str) -> bool:
    """Whether `text` has symbols that are part of what it means, as in `C++`, `$5` or `->`."""
    return any(
        character in _MEANING_SIGNS
        or (unicodedata.category(character)[0] == "S" and character not in _PLAIN_SIGNS)
        for character in text
    )


def _read_filter(name: str, value: str, reading: _Reading, *, quoted: bool = False) -> bool:
    """Take `name:value` as a filter if it is one; a NOT before it turns it round."""
    negated = reading.operator == "NOT"
    if not reading.filters.take(name, value, negated=negated, quoted=quoted):
        return False
    if negated:
        _drop_operator(reading)
    key = f"{'NOT ' if negated else ''}{name.lower()}"
    joint = reading.operator
    if joint:
        # Operators join words; values of one filter are alternatives anyway.
        fitting = "OR" if key == reading.last and not negated else "AND"
        if joint != fitting and joint != "NOT":
            _say_joined(name.lower(), reading)
        _drop_operator(reading)
    reading.last = key
    return True


def _drop_operator(reading: _Reading) -> None:
    """Take back an operator that belongs to a filter."""
    reading.items.pop()
    reading.words.pop()


def _say_joined(key: str, reading: _Reading) -> None:
    """That AND and OR do not join filters as they join words."""
    text = (
        f"{key.removeprefix('NOT ')}: narrows the whole query and its values are alternatives; "
        "AND and OR join words only."
    )
    if not any(notice.code == "filter_joined" for notice in reading.notices):
        reading.notices.append(Notice("filter_joined", text))


def _build(reading: _Reading) -> Node | None:
    """The tree of the items; a query of nothing but NOT has nothing to start from."""
    groups: list[Node] = []
    operators: list[Operator] = []
    pending: Operator | None = None
    words: list[Term] = []

    def close() -> None:
        if words:
            groups.append(words[0] if len(words) == 1 else Group("AND", tuple(words)))
            words.clear()

    for item in reading.items:
        if isinstance(item, Term):
            if pending is not None:
                close()
                operators.append(pending)
                pending = None
            words.append(item)
        else:
            pending = "NOT" if "NOT" in (item, pending) else item
    close()
    if not groups:
        return None
    if len(operators) == len(groups):  # the query began with an operator
        if operators[0] == "NOT":
            reading.notices.append(
                Notice("only_not", "NOT needs something to search first: write `word NOT other`.")
            )
            return None
        operators.pop(0)
    return _bind(groups, operators)


def _bind(groups: list[Node], operators: list[Operator]) -> Node:
    """Join groups by NOT, then AND, then OR, each from the left."""
    either: list[Node] = []
    both: list[Node] = [groups[0]]
    for operator, node in zip(operators, groups[1:], strict=True):
        if operator == "NOT":
            both[-1] = Without(both[-1], node)
        elif operator == "AND":
            both.append(node)
        else:
            either.append(_joined("AND", both))
            both = [node]
    either.append(_joined("AND", both))
    return _joined("OR", either)


def _joined(operator: Literal["AND", "OR"], nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Group(operator, tuple(nodes))
