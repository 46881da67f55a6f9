"""What a why-not says: the rules in order, the one that decides, and what to change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hermes_tui.recall.explain.places import UnitPlace
from hermes_tui.recall.outcome import UNSEEN_TEXT, UnseenReason

WordCause = Literal[
    "no_messages",
    "word_missing",
    "words_apart",
    "phrase_apart",
    "excluded_word",
    "inside_word",
    "beside_cjk",
    "respelt",
    "escaped",
    "cut_off",
]
Cause = Literal["seen"] | UnseenReason | WordCause

CAUSE_TEXT: dict[str, str] = {
    "seen": "the agent sees it",
    **{str(reason): text for reason, text in UNSEEN_TEXT.items()},
    "no_messages": "the session has no messages",
    "word_missing": "a word of the query is not in it",
    "words_apart": "it has the words, but not in one message",
    "phrase_apart": "it has the words of a phrase, but not side by side",
    "excluded_word": "it has a word that NOT excludes",
    "inside_word": "it has a word only inside a longer one",
    "beside_cjk": "the index takes a word and the CJK beside it for one",
    "respelt": "it spells a word in another way",
    "escaped": "a word is stored with escapes, which the index does not read",
    "cut_off": "a word stands behind what is indexed of a long tool output",
}
"""Every cause of a verdict, in the words of the README."""

Answer = Literal["pass", "stop", "note"]


@dataclass(frozen=True, slots=True)
class Step:
    """One rule, and what it makes of the target. rule: stable; text: a clean sentence."""

    rule: str
    answer: Answer
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why the agent does not see a session or message, or that it does.

    cause: the rule that decides. detail: its numbers, clean. advice: one sentence, what to change.
    try_query, try_arguments: the change as a query, and as arguments of session_search; None and
    empty when no query or argument does it. rank: place in the agent's answer. best_row: the
    row of the target that came furthest. elapsed_ms: milliseconds.
    """

    query: str
    asked: str
    sanitised: str
    session_id: str
    root: str
    message_id: int | None
    cause: Cause
    detail: str
    steps: tuple[Step, ...]
    units: tuple[UnitPlace, ...]
    advice: str
    try_query: str | None = None
    try_arguments: Mapping[str, object] = field(default_factory=dict)
    rank: int | None = None
    best_row: int | None = None
    elapsed_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Ruling:
    """A cause with its numbers and what to change; what the parts of a verdict hand on."""

    cause: Cause
    detail: str
    advice: str
    try_query: str | None = None
    try_arguments: Mapping[str, object] = field(default_factory=dict)
    rank: int | None = None
    best_row: int | None = None
