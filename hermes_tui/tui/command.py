"""What a command is, and what decides whether it applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Scope = Literal["anywhere", "query", "results", "conversation", "prompt"]
Pane = Literal["query", "results", "conversation", "prompt"]
TEXT_PANES: frozenset[Pane] = frozenset({"query", "prompt"})
"""Panes where a letter is text."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides whether a command applies. rows: entries in the results pane. sessions: those
    of the open conversation's lineage. offers: whether the query bar has something to offer.
    finding: whether the prompt line asks for a text to find.
    """

    pane: Pane
    query: str = ""
    rows: int = 0
    opened: bool = False
    sessions: int = 0
    offers: bool = False
    finding: bool = True


def always(_: Situation) -> bool:
    """Applies in every situation."""
    return True


def has_rows(situation: Situation) -> bool:
    """Applies when the results pane has an entry."""
    return situation.rows > 0


def has_conversation(situation: Situation) -> bool:
    """Applies when a conversation is open."""
    return situation.opened


def has_session(situation: Situation) -> bool:
    """Applies when a session is open, or an entry of the results stands for one."""
    return situation.opened or situation.rows > 0


def has_lineage(situation: Situation) -> bool:
    """Applies when the open conversation goes on in other sessions."""
    return situation.opened and situation.sessions > 1


def has_offers(situation: Situation) -> bool:
    """Applies when the query bar offers a value."""
    return situation.offers


def is_finding(situation: Situation) -> bool:
    """Applies while a text to find is typed, not a place to go to."""
    return situation.finding


def has_query(situation: Situation) -> bool:
    """Applies when something stands in the query bar."""
    return bool(situation.query.strip())


def can_judge(situation: Situation) -> bool:
    """Applies when the results are an answer to a query."""
    return has_rows(situation) and has_query(situation)


@dataclass(frozen=True, slots=True)
class Command:
    """One thing the user can do.

    keys: Textual key names, the first is the one that is shown; () is reachable by the palette
    only; `z R` is the key z and then R. label: two or three words. help: a sentence. action: a
    Textual action string, read by the widget of the scope. hint: stands in the key hints at the
    bottom. priority: works even while a text field or another screen has the keyboard.
    """

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    scope: Scope
    action: str
    when: Callable[[Situation], bool] = always
    hint: bool = False
    priority: bool = False
