"""A query tree as MATCH text for an index, and as a condition that every matching row fulfils.

Neither decides a match where the index and the tree could differ: recall/meaning.py does. Both
give supersets, so that what they leave out cannot match.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hermes_tui.history.layout import Layout
from hermes_tui.recall.query import Group, Node, Term, Without
from hermes_tui.recall.routes import LEAST_TRIGRAM, escape_like
from hermes_tui.recall.rowflags import ACCENTED, ESCAPED, NUL, RESPELT

# Marks that the CJK index keeps as words of their own, so that a pair with one is not a token.
_UNPAIRED = re.compile("[\u3005-\u303c]")

Condition = tuple[str, list[object]]


def base_match(node: Node) -> str:
    """The tree as MATCH text of a word index; '' when some term is not made of words."""
    if isinstance(node, Term):
        if node.literal is not None or not node.tokens:
            return ""
        return _phrase(node)
    if isinstance(node, Without):
        wanted, unwanted = base_match(node.wanted), base_match(node.unwanted)
        return f"({wanted} NOT {unwanted})" if wanted and unwanted else ""
    parts = [base_match(child) for child in node.nodes]
    return f"({f' {node.operator} '.join(parts)})" if all(parts) else ""


def _phrase(term: Term) -> str:
    return f'"{term_text(term)}"' + ("*" if term.prefix and not term.tokens[-1].cjk else "")


def term_text(term: Term) -> str:
    """The term's words and runs with a blank between them."""
    return " ".join(text for text, _ in pieces(term))


def pieces(term: Term) -> list[tuple[str, bool]]:
    """The words and CJK runs of a term, in order; True for a CJK run."""
    found: list[tuple[str, bool]] = []
    for number, token in enumerate(term.tokens):
        if number and token.cjk and found[-1][1] and token.glued:
            found[-1] = (found[-1][0] + token.text, True)
        else:
            found.append((token.text, token.cjk))
    return found


def tokens_match(node: Node) -> str:
    """MATCH text for a word index that no matching row escapes, from the words of literals too."""
    return _wide(node, lambda term: [_phrase(term)] if term.tokens else [], literals=True)


def trigram_match(node: Node) -> str:
    """MATCH text for the trigram index that no matching row escapes; '' when there is none."""
    return _wide(node, _trigram_pieces)


def bigram_match(node: Node) -> str:
    """MATCH text for the CJK index that no matching row escapes; '' when there is none."""
    return _wide(node, _bigram_pieces)


def _wide(node: Node, parts_of: Callable[[Term], list[str]], *, literals: bool = False) -> str:
    """A superset of the tree: NOT is left out, and so are terms an index cannot answer for."""
    if isinstance(node, Without):
        return _wide(node.wanted, parts_of, literals=literals)
    if isinstance(node, Group):
        parts = [_wide(child, parts_of, literals=literals) for child in node.nodes]
        if node.operator == "OR":
            return f"({' OR '.join(parts)})" if all(parts) else ""
        kept = [part for part in parts if part]
    else:
        kept = parts_of(node) if literals or node.literal is None else []
    return f"({' AND '.join(kept)})" if kept else ""


def _trigram_pieces(term: Term) -> list[str]:
    return [_quoted(text) for text, _ in pieces(term) if len(text) >= LEAST_TRIGRAM]


def _bigram_pieces(term: Term) -> list[str]:
    """Runs of two or more characters, and words; a lone character is not found inside a run."""
    kept = []
    found = pieces(term)
    for number, (text, cjk) in enumerate(found):
        if not cjk:
            star = "*" if term.prefix and number == len(found) - 1 else ""
            kept.append(_quoted(text) + star)
        elif len(text) > 1 and not _UNPAIRED.search(text):
            kept.append(_quoted(text))
    return kept


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def necessary(node: Node, layout: Layout) -> Condition:
    """SQL on `messages m` that holds for every matching row without HIDING flags.

    LIKE ignores ASCII case only and stops at a NUL, and tool calls are JSON with escapes: rows
    where that could hide a match carry a flag (recall/rowflags.py) and are read anyway.
    """
    if isinstance(node, Without):
        return necessary(node.wanted, layout)
    if isinstance(node, Group):
        joined = [necessary(child, layout) for child in node.nodes]
        sql = f" {node.operator.lower()} ".join(f"({condition})" for condition, _ in joined)
        return sql, [value for _, values in joined for value in values]
    needles = [node.literal] if node.literal is not None else [t for t, _ in pieces(node)]
    parts = [_stands_somewhere(needle, layout) for needle in needles]
    return " and ".join(sql for sql, _ in parts), [v for _, values in parts for v in values]


HIDING = NUL | ACCENTED | RESPELT | ESCAPED
"""Flags of rows that may match although the condition does not hold."""


def _stands_somewhere(needle: str, layout: Layout) -> Condition:
    plain = plain_part(needle)
    if not plain:
        return "1", []
    pattern = f"%{escape_like(plain)}%"
    columns = [c for c in ("content", "tool_name") if c in layout.message_columns]
    choices = [f"m.{column} like ? escape '\\'" for column in columns]
    values: list[object] = [pattern] * len(columns)
    if "tool_calls" in layout.message_columns:
        if _is_json_plain(plain):
            choices.append("m.tool_calls like ? escape '\\'")
            values.append(pattern)
        else:
            choices.append("m.tool_calls <> ''")
    return f"({' or '.join(choices)})", values


def plain_part(needle: str) -> str:
    """The longest piece of a needle that LIKE compares as the tree does: ASCII, or without case.

    Blanks are left out: any number of them may stand in the text.
    """
    best = piece = ""
    for character in needle:
        same = character.isascii() or character.lower() == character.upper()
        fits = same and not character.isspace()
        piece = piece + character if fits else ""
        best = piece if len(piece) > len(best) else best
    return best


def _is_json_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and not set(text) & {'"', "\\"}
