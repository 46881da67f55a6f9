"""The meaning of a query tree read off every decoded row, token by token: slow and plain.

Independent of recall/meaning.py, which compiles terms to regular expressions: here the tokens of
every row are held in lists, and a term is looked for side by side.
"""

from __future__ import annotations

from collections import defaultdict

from hermes_tui.history.reader import History
from hermes_tui.recall.meaning import fields_of
from hermes_tui.recall.query import Group, Node, Term, Without
from hermes_tui.text.fold import Token, folded, tokenise


class Brute:
    """Every row of a history as lists of tokens, one list a field."""

    def __init__(self, history: History) -> None:
        self.fields: dict[int, list[list[Token]]] = {}
        self.texts: dict[int, list[str]] = {}
        self.rows_with: dict[str, set[int]] = defaultdict(set)
        known = history.families().sessions
        for message in history.message_rows("order by m.id"):
            if message.session_id not in known:
                continue
            texts = [text for text in fields_of(message) if text]
            self.fields[message.id] = [tokenise(text) for text in texts]
            self.texts[message.id] = [" ".join(folded(text).text.split()) for text in texts]
            for tokens in self.fields[message.id]:
                for token in tokens:
                    self.rows_with[token.text].add(message.id)

    def rows(self, node: Node) -> set[int]:
        """The ids of every row the tree holds for."""
        if isinstance(node, Without):
            return self.rows(node.wanted) - self.rows(node.unwanted)
        if isinstance(node, Group):
            each = [self.rows(child) for child in node.nodes]
            return set.intersection(*each) if node.operator == "AND" else set.union(*each)
        if node.literal is not None:
            return self._literal(" ".join(folded(node.literal).text.split()))
        likely = self._likely(node)
        if len(node.tokens) == 1:
            return likely
        return {row for row in likely if self._holds(node, row)}

    def _likely(self, term: Term) -> set[int]:
        last = term.tokens[-1]
        if term.prefix and not last.cjk:
            ends = [rows for word, rows in self.rows_with.items() if word.startswith(last.text)]
            found = set().union(*ends)
        else:
            found = set(self.rows_with.get(last.text, ()))
        for token in term.tokens[:-1]:
            found &= self.rows_with.get(token.text, set())
        return found

    def _holds(self, term: Term, row: int) -> bool:
        first = term.tokens[0].text
        return any(
            self._stands(term, tokens, start)
            for tokens in self.fields[row]
            for start, token in enumerate(tokens[: 1 - len(term.tokens)])
            if token.text == first
        )

    def _stands(self, term: Term, tokens: list[Token], start: int) -> bool:
        last = len(term.tokens) - 1
        for place, want in enumerate(term.tokens):
            have = tokens[start + place]
            begins = term.prefix and place == last and not want.cjk
            if have.text != want.text and not (begins and have.text.startswith(want.text)):
                return False
            if place and want.cjk and term.tokens[place - 1].cjk and have.glued != want.glued:
                return False
        return True

    def _literal(self, literal: str) -> set[int]:
        found = set()
        for row, texts in self.texts.items():
            if any(_stands_alone(literal, text) for text in texts):
                found.add(row)
        return found


def _stands_alone(literal: str, text: str) -> bool:
    place = text.find(literal)
    while place >= 0:
        before, after = text[place - 1 : place], text[place + len(literal) :][:1]
        if not (_joins(literal[0], before) or _joins(literal[-1], after)):
            return True
        place = text.find(literal, place + 1)
    return False


def _joins(own: str, beside: str) -> bool:
    both = own + beside
    return len(both) == 2 and both.isascii() and both.isalnum()
