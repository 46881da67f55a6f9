"""What the mouse does in a conversation: the wheel, a line that is clicked, the track."""

from __future__ import annotations

from textual import events

from hermes_tui.tui.widgets.conversation.base import NARROW
from hermes_tui.tui.widgets.conversation.marks import Marked

WHEEL_LINES = 3


class Pointed(Marked):
    """The track at the right is a scrollbar over the session; nothing is selected from it."""

    _over_track = False
    _dragged: int | None = None  # the row of the track that is held

    @property
    def allow_select(self) -> bool:
        """Whether a selection may begin where the mouse is."""
        return super().allow_select and not self._over_track

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Wheel."""
        event.stop()
        self._scroll(WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Wheel."""
        event.stop()
        self._scroll(-WHEEL_LINES)

    def _on_track(self, event: events.MouseEvent) -> bool:
        place = event.get_content_offset(self)
        wide = self.size.width >= NARROW
        return wide and place is not None and place.x == self.size.width - 1

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """The track is taken hold of."""
        if self._viewport is not None and self._on_track(event):
            event.stop()
            self._dragged = event.y
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go along the session; what is folded stays so on the way."""
        self._over_track = self._on_track(event)
        if self._dragged is not None and event.y != self._dragged:
            self._dragged = event.y
            self.go_to(self._message_at(event.y), reveal=False)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """The track is let go, or was clicked: show what is there."""
        if self._dragged is not None:
            event.stop()
            self._dragged = None
            self.release_mouse()
            self.screen.clear_selection()
            self.go_to(self._message_at(event.y))

    def _message_at(self, y: int) -> int:
        """The message that a row of the track stands for."""
        return min(max(y, 0), self.size.height - 1) * self.total // self.size.height

    def on_click(self, event: events.Click) -> None:
        """The cursor goes to the line."""
        if self._viewport is None or self.text_selection is not None or self._on_track(event):
            return
        place = event.get_content_offset(self)
        frame = self._viewport.frame()
        if place is not None and place.y < len(frame):
            self._viewport.jump(frame[place.y], place.y)
            self._aim = None
            self.changed()
