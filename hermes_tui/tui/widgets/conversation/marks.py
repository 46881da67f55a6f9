"""Bookmarks in a conversation, where its session goes on, and showing its matches alone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from hermes_tui.tui.widgets.conversation.base import WINDOW
from hermes_tui.tui.widgets.conversation.document import LEVELS
from hermes_tui.tui.widgets.conversation.live import Live


class Marked(Live):
    """Bookmarks are message ids; which ones there are is somebody else's business."""

    borders = ("", "")
    """What stands over the first message and under the last: which session goes on there."""
    _bookmarks: frozenset[int] = frozenset()
    _whole: tuple[bytes, frozenset[int]] | None = None  # the folds before only hits were shown

    def _forget(self) -> None:
        super()._forget()
        self._whole = None
        self.borders = ("", "")

    def set_borders(self, before: str, after: str) -> None:
        """Say, as clean text, which sessions this one goes on from and in; '' for none.

        The line under the eye stays.
        """
        viewport = self._viewport
        if viewport is not None and self.borders != (before, after):
            self.borders = before, after
            viewport.layout.borders = bool(before), bool(after)
            self.changed()

    def set_bookmarks(self, ids: Iterable[int]) -> None:
        """The bookmarked messages, of this session or any other."""
        before, self._bookmarks = self._bookmarks, frozenset(ids)
        if self._viewport is not None and self._bookmarks != before:
            self.changed()

    def is_bookmarked(self, index: int) -> bool:
        """Whether a message of the session, by its place, has a bookmark."""
        return self._reading is not None and self._reading.outline.ids[index] in self._bookmarks

    @property
    def bookmark_places(self) -> list[int]:
        """The bookmarked messages of the session, by their place."""
        if self._reading is None:
            return []
        places = (self._reading.outline.position(mark) for mark in self._bookmarks)
        return sorted(place for place in places if place is not None)

    def action_bookmark_next(self) -> None:
        """The next bookmark; after the last, the first."""
        places = self.bookmark_places
        if places:
            self.go_to(places[bisect_right(places, self.position - 1) % len(places)], force=True)

    @property
    def only_matches(self) -> bool:
        """Whether nothing but the matches is shown."""
        return self._whole is not None

    @property
    def modes(self) -> tuple[str, ...]:
        """What is shown otherwise than a session is opened, in a few words each."""
        window = f"±{self.window}" if self.window != WINDOW and self.anchor_id is not None else ""
        modes = (
            "only matches" if self.only_matches else "",
            f"tools {self.tool_level}" if self.tool_level != LEVELS[0] else "",
            "rewound shown" if self.show_rewound else "",
            window,
        )
        return tuple(mode for mode in modes if mode)

    def action_only_matches(self) -> None:
        """Show nothing but the matches of the find, or the hits; or everything as before."""
        viewport = self._viewport
        if viewport is None:
            return
        here = self.position - 1
        if self._whole is not None:
            viewport.layout.restore(self._whole)
            self._whole = None
        else:
            found = [match.message for match in self._find.matches] if self._find else self._hits
            if not found:
                return
            self._whole = viewport.layout.folds()
            viewport.layout.show_only(found)
            here = max((place for place in found if place <= here), default=found[0])
        self.go_to(here)
