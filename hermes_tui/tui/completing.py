"""What may follow in the query bar: names of filters, and values that the history has. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from hermes_tui.recall.editing import typing, written_out
from hermes_tui.recall.query import FILTERS
from hermes_tui.recall.vocabulary import ROLES, Vocabulary

MOST = 12
"""Offers made at once."""
LEAST_NAME = 3
"""Letters of a filter's name that have to stand there: shorter words are words."""

_MOMENTS = ("7d", "30d", "90d", "1y", "today", "yesterday")


@dataclass(frozen=True, slots=True)
class Offer:
    """A text for the bar with the cursor at `cursor`. shown: the value; note: how common it is."""

    text: str
    cursor: int
    shown: str
    note: str = ""


def wants_values(text: str, cursor: int) -> bool:
    """Whether a filter's value is being typed, so that a vocabulary would help."""
    here = typing(text, cursor)
    return here is not None and here.name in FILTERS


def offers(text: str, cursor: int, vocabulary: Vocabulary | None) -> tuple[Offer, ...]:
    """What could be meant at the cursor, the likeliest first; () when nothing is missing."""
    here = typing(text, cursor)
    if here is None:
        return ()
    before, after = text[: here.start], text[here.end :]
    if not here.name:
        names = [n for n in FILTERS if n.startswith(here.beginning) and n != here.beginning]
        if len(here.beginning) < LEAST_NAME:
            return ()
        return tuple(_offer(before, f"{name}:", after, f"{name}:") for name in names)
    if here.name not in FILTERS:
        start = here.start - len(here.name) - 1
        near = get_close_matches(here.name, FILTERS, n=2, cutoff=0.75)
        rest = text[here.start :]
        return tuple(_offer(text[:start], f"{name}:", rest, f"{name}:") for name in near)
    found = _matching(_values(here.name, vocabulary), here.beginning)
    return tuple(_value_offer(before, here.name, value, note, after) for value, note in found)


def _offer(before: str, new: str, after: str, shown: str, note: str = "") -> Offer:
    return Offer(before + new + after, len(before) + len(new), shown, note)


def _value_offer(before: str, name: str, value: str, note: str, after: str) -> Offer:
    """A value and a blank behind it, so that one can type on."""
    new = written_out(name, [value])[len(name) + 1 :]
    if new.startswith('"') and not before.endswith(":"):
        # Quotes hold the whole value: what stood before the comma goes.
        before = before[: before.rindex(":") + 1]
    return _offer(before, new + ("" if after.startswith(" ") else " "), after, value, note)


def _values(name: str, vocabulary: Vocabulary | None) -> Iterable[tuple[str, str]]:
    """(value, note) of a filter."""
    known = vocabulary or Vocabulary()
    if name in ("after", "before"):
        return [(moment, "") for moment in _MOMENTS]
    if name == "role":
        return [(role, "") for role in ROLES]
    if name == "profile":
        return [(known.profile, "")] if known.profile else []
    if name in ("title", "session"):
        plain = known.titles if name == "title" else known.sessions
        return [(value, "") for value in plain]
    counted = {"source": known.sources, "tool": known.tools, "cwd": known.cwds}[name]
    return [(value, f"{count:,}") for value, count in counted]


def _matching(values: Iterable[tuple[str, str]], beginning: str) -> Iterator[tuple[str, str]]:
    """Values that begin so, then those that hold it; none when the only one stands there."""
    starting, holding = [], []
    for value, note in values:
        lower = value.lower()
        if lower.startswith(beginning):
            starting.append((value, note))
        elif beginning in lower:
            holding.append((value, note))
    found = [*starting, *holding][:MOST]
    if [value.lower() for value, _ in found] != [beginning]:
        yield from (pair for pair in found if pair[0].lower() != beginning)
