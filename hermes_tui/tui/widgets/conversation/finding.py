"""Find in the conversation: live while it is typed, over messages that are not loaded too."""

from __future__ import annotations

import re
import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from textual.message import Message
from textual.worker import get_current_worker

from hermes_tui.history.errors import Interrupted
from hermes_tui.history.reader import Outline
from hermes_tui.tui.widgets.conversation.document import Spot
from hermes_tui.tui.widgets.conversation.layout import Position
from hermes_tui.tui.widgets.conversation.loader import Superseded, failure_of
from hermes_tui.tui.widgets.conversation.moves import Moves
from hermes_tui.tui.widgets.conversation.search import MOST, Match, matches_in, pattern_of

REPORT_SECONDS = 0.05
"""Matches are shown this often while more are looked for."""


@dataclass(slots=True)
class Find:
    """A find from its first letter to its end.

    before: where the reader was, and what was open. Messages are searched from there to the end
    of the session (later), then from its beginning (earlier).
    """

    number: int
    text: str
    pattern: re.Pattern[str]
    before: tuple[Position, int, tuple[bytes, frozenset[int]]]
    earlier: list[Match] = field(default_factory=list)
    later: list[Match] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    complete: bool = False
    shown: Match | None = None
    committed: bool = False

    @property
    def origin(self) -> int:
        """The message from which it searches."""
        return self.before[0][0]

    def add(self, found: list[Match]) -> None:
        """More matches, in the order of the search; `matches` stays in that of the session."""
        for match in found:
            (self.later if match.message >= self.origin else self.earlier).append(match)
        self.matches = self.earlier + self.later


class Finding(Moves):
    """`find` while the text is typed, then `commit_find` or `cancel_find`."""

    class FindChanged(Message, namespace="conversation_view"):
        """The count or the place among the matches has changed."""

        def can_replace(self, message: Message) -> bool:
            """Only the newest counts."""
            return isinstance(message, type(self))

    class MatchesFound(Message):
        """From the thread: matches of one batch."""

        def __init__(self, number: int, matches: list[Match], complete: bool) -> None:
            super().__init__()
            self.number, self.matches, self.complete = number, matches, complete

    _find: Find | None = None
    _find_number = 0

    def _forget(self) -> None:
        super()._forget()
        self._find = None
        self._find_number += 1

    @property
    def find_text(self) -> str:
        """What is looked for; '' when there is no find."""
        return self._find.text if self._find else ""

    @property
    def find_count(self) -> int:
        """Matches so far."""
        return len(self._find.matches) if self._find else 0

    @property
    def find_index(self) -> int:
        """Number of the match that is shown, from 1; 0 for none."""
        find = self._find
        return bisect_right(find.matches, find.shown) if find and find.shown else 0

    @property
    def find_complete(self) -> bool:
        """Whether every message has been looked at (or as many matches found as are kept)."""
        return self._find is not None and self._find.complete

    def find(self, text: str) -> None:
        """Look for `text` in every message; shows the first match from where one was on."""
        viewport, reading = self._viewport, self._reading
        if viewport is None or reading is None:
            return
        old = self._find
        self._find_number += 1
        before = old.before if old else (viewport.cursor, viewport.row, viewport.layout.folds())
        if not text:
            self._come_back(before)
        self._find = find = Find(self._find_number, text, pattern_of(text), before)
        if text:
            places = array("i", chain(range(find.origin, self.total), range(find.origin)))
            if old and old.complete and old.text and text.startswith(old.text):
                # What the longer text matches, the shorter one matched.
                kept = {match.message for match in old.matches} if len(old.matches) < MOST else None
                places = places if kept is None else array("i", (i for i in places if i in kept))
            outline = reading.outline
            self.run_worker(
                lambda: self._scan(find, outline, places),
                group="conversation-find",
                thread=True,
                exclusive=True,
                exit_on_error=False,
            )
        self._redraw_find()

    def commit_find(self) -> None:
        """Stay here; `action_hit_next` and `action_hit_prev` walk the matches from now on."""
        if self._find is not None:
            self._find.committed = True

    def cancel_find(self) -> None:
        """End the find. Before it is committed, this goes back to where the reader was."""
        find, self._find = self._find, None
        self._find_number += 1
        if find is not None and not find.committed:
            self._come_back(find.before)
        self._redraw_find()

    def find_next(self) -> None:
        """The next match; after the last, the first."""
        self._walk_matches(1)

    def find_prev(self) -> None:
        """The match before; before the first, the last."""
        self._walk_matches(-1)

    def action_hit_next(self) -> None:
        """The next match of the find, or the next hit."""
        if self.find_text:
            self.find_next()
        else:
            super().action_hit_next()

    def action_hit_prev(self) -> None:
        """The match of the find before, or the hit before."""
        if self.find_text:
            self.find_prev()
        else:
            super().action_hit_prev()

    # -- inside

    def _scan(self, find: Find, outline: Outline, places: Sequence[int]) -> None:
        """The finding worker's thread."""
        worker = get_current_worker()

        def pause() -> None:
            self._loader.pace.rest()
            if worker.is_cancelled or find.number != self._find_number:
                raise Superseded

        count, since = 0, time.monotonic()
        news: list[Match] = []
        try:
            reader = self._pool.get()
            for found in matches_in(reader, outline, places, find.text, pause):
                found = found[: MOST - count]
                count += len(found)
                news.extend(found)
                if news and time.monotonic() - since > REPORT_SECONDS:
                    self.post_message(self.MatchesFound(find.number, news, False))
                    news, since = [], time.monotonic()
                if count == MOST:
                    break
        except (Superseded, Interrupted):
            return
        except Exception as error:
            self.post_message(self.Failed(failure_of(error)))
        self.post_message(self.MatchesFound(find.number, news, True))

    def on_finding_matches_found(self, event: MatchesFound) -> None:
        """More matches."""
        event.stop()
        find = self._find
        if find is None or event.number != find.number:
            return
        find.complete = event.complete
        find.add(event.matches)
        if find.shown is None and find.matches and not find.committed:
            self._show_match((find.later or find.earlier)[0])
        elif find.complete and not find.matches:
            self._come_back(find.before)
        self._redraw_find()

    def _walk_matches(self, direction: int) -> None:
        find = self._find
        if find is None or not find.matches:
            return
        here = find.shown or Match(self.position - 1, Spot(0, 0))
        place = bisect_left(find.matches, here) + direction
        if direction > 0 and find.shown is None:
            place -= 1
        self._show_match(find.matches[place % len(find.matches)])
        self._redraw_find()

    def _show_match(self, match: Match) -> None:
        if self._find is not None:
            self._find.shown = match
        self.go_to(match.message, spot=match.spot, force=True)

    def _come_back(self, before: tuple[Position, int, tuple[bytes, frozenset[int]]]) -> None:
        if self._viewport is not None:
            position, row, folds = before
            self._viewport.layout.restore(folds)
            self._viewport.jump(position, row)
            self._aim = None
            self.changed()

    def _redraw_find(self) -> None:
        self.refresh()
        self.post_message(self.FindChanged())
