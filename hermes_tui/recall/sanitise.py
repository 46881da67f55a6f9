"""A typed query as session_search rewrites it before any index sees it (facts 1 to 11).

Only the HERMES policies use this: what it loses on the way is what the agent cannot find.
"""

from __future__ import annotations

import re

from hermes_tui.text.cjk import has_cjk

MAX_CHARS = 2_048
_PHRASE = re.compile(r'"[^"]*"')
SPECIAL = '+{}():"^'
_STARS = re.compile(r"\*+")
_LEADING_STAR = re.compile(r"(^|\s)\*")
_LEADING_OPERATOR = re.compile(r"(?i)^(?:AND|OR|NOT)\b\s*")
_TRAILING_OPERATOR = re.compile(r"(?i)\s+(?:AND|OR|NOT)\s*$")
_JOINED = re.compile(r"\b\w+(?:[._-]\w+)+\b")
OPERATORS = frozenset({"AND", "OR", "NOT"})


def sanitise(query: str, special: str = SPECIAL, *, percent: bool = False) -> str:
    """The query as `session_search` hands it to the router; '' for nothing.

    special: characters that become blanks, as in 0.18.2 to 2026-08. percent: `%` is one of them
    unless the query has CJK, whose scans need it (3).
    """
    signs = special + "%" if percent and not has_cjk(query) else special
    text = query[:MAX_CHARS]
    phrases: list[str] = []

    def set_aside(match: re.Match[str]) -> str:
        phrases.append(match.group())
        return f"\x00{len(phrases) - 1}\x00"

    text = _PHRASE.sub(set_aside, text).translate(dict.fromkeys(map(ord, signs), " "))
    text = _LEADING_STAR.sub(r"\1", _STARS.sub("*", text))
    text = _LEADING_OPERATOR.sub("", text.strip())
    text = _TRAILING_OPERATOR.sub("", text.strip())
    text = _JOINED.sub(lambda match: f'"{match.group()}"', text)
    for number, phrase in enumerate(phrases):
        text = text.replace(f"\x00{number}\x00", phrase)
    return text.strip()


def split_tokens(sanitised: str) -> list[str]:
    """The blank-separated tokens of a sanitised query without outer quotes (fact 15)."""
    return strip_outer_quotes(sanitised).split()


def strip_outer_quotes(text: str) -> str:
    """Quotes at both ends of a whole query are taken off before the CJK routes split it."""
    return text.strip().strip('"').strip()


def is_operator(token: str) -> bool:
    """AND, OR and NOT in any case (fact 15)."""
    return token.upper() in OPERATORS
