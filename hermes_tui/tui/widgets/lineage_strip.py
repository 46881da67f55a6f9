"""The line that shows where in its lineage a session stands."""

from __future__ import annotations

from textual import events

from hermes_tui.tui.drawing import Line
from hermes_tui.tui.messages import StopChosen
from hermes_tui.tui.walking import Walk, place_of
from hermes_tui.tui.widgets.lineage_drawing import stop_at, strip_line
from hermes_tui.tui.widgets.one_line import OneLine


class LineageStrip(OneLine):
    """Hidden for a session that is alone."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._walk: Walk = ()
        self._here = 0
        self.display = False

    def show(self, walk: Walk, session_id: str | None) -> None:
        """Show a lineage and which of its sessions is open."""
        here = place_of(walk, session_id)
        self.display = len(walk) > 1 and here is not None
        self._walk, self._here = walk, here or 0
        self.refresh()

    def line(self, cells: int) -> Line:
        """The strip in `cells` cells."""
        return strip_line(self._walk, self._here, cells) if self._walk else ()

    def on_click(self, event: events.Click) -> None:
        """A click on a session opens it."""
        x = event.get_content_offset_capture(self).x
        place = stop_at(self._walk, self._here, self.size.width, x) if self._walk else None
        if place is not None:
            self.post_message(StopChosen(place))
