"""Finding a text in every message of a session; pure, runs in a thread."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hermes_tui.history.reader import Outline
from hermes_tui.text.readable import may_reveal
from hermes_tui.text.sift import Sift
from hermes_tui.tui.widgets.conversation.document import Part, Span, Spot
from hermes_tui.tui.widgets.conversation.loader import Reader, batch_of
from hermes_tui.tui.widgets.conversation.texts import texts_of

_BATCH = 256  # messages read at once
MOST = 100_000
"""Matches kept; more are not counted."""


class Match(NamedTuple):
    """Where a text was found: the message's index in the session, and the place in it."""

    message: int
    spot: Spot


def pattern_of(text: str) -> re.Pattern[str]:
    """What finds `text`: in any case, unless it holds a capital letter."""
    return re.compile(re.escape(text), 0 if _minds_case(text) else re.IGNORECASE)


def _minds_case(text: str) -> bool:
    return text != text.lower()


def matches_in(
    reader: Reader,
    outline: Outline,
    places: Sequence[int],
    text: str,
    pause: Callable[[], object],
) -> Iterator[list[Match]]:
    """Matches of `text` in the messages at `places`, batch by batch; empty lists say it goes on."""
    done, pattern = 0, pattern_of(text)
    sift = Sift(text, ignore_case=not _minds_case(text)).may_hold

    def may_hold(stored: bytes) -> bool:
        pause()
        return may_reveal(stored, text) or sift(stored)

    while done < len(places):
        batch = list(batch_of(outline, places[done : done + _BATCH], _BATCH))
        done += len(batch)
        position = {outline.ids[i]: i for i in batch}
        found: list[Match] = []
        for message in reader.messages(list(position), sift=may_hold):
            index = position[message.id]
            for part, (kind, shown, _) in enumerate(texts_of(message, pause)):
                if kind != "note":
                    starts = (m.start() for m in pattern.finditer(shown))
                    found.extend(Match(index, Spot(part, start)) for start in starts)
            pause()
        yield found


def spans_near(part: Part, start: int, end: int, pattern: re.Pattern[str]) -> list[Span]:
    """Matches that touch a stretch of a part's text."""
    reach = len(pattern.pattern)
    low, high = max(start - reach, 0), min(end + reach, len(part.text))
    return [
        match.span()
        for match in pattern.finditer(part.text, low, high)
        if match.start() < end and match.end() > start
    ]
